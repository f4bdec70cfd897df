"""Presidio's analyzer with its own patterns, and with a pipeline that is made here."""

import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from tests.helpers.hostile import cut_off, texts
from tests.helpers.tiny_models import needed, pipeline

from textveil.detection.detectors import detector_of
from textveil.detection.presidio import PresidioDetector, analyzer_engine, load_analyzer, presidio_detector
from textveil.detection.spans import checked_spans
from textveil.errors import InputError, MissingExtra, ModelError, ParameterError


@pytest.fixture(scope="module")
def detector() -> PresidioDetector:
    needed("presidio_analyzer", extra="presidio")
    with pytest.MonkeyPatch.context() as patch:
        cut_off(patch)
        return presidio_detector()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("presidio_analyzer", extra="presidio")
    return pipeline(
        tmp_path_factory.mktemp("made") / "rules", {"PERSON": ["Maria"], "GPE": ["Rome"], "NORP": ["Roman"]}
    )


def found(detector: Any, text: str) -> list[tuple[str, str]]:
    (spans,) = checked_spans(detector, [text])
    return [(text[one.start : one.end], one.kind) for one in spans]


def test_patterns_without_a_model(detector: PresidioDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    assert detector.name.startswith("presidio-2.")
    assert sorted(detector.kinds) == ["date", "email", "id", "ip", "phone", "url"]
    text = (
        "\U0001f600 Call 212-555-5555\ud800 or a@b.org, card 4095-2609-9393-4932, on 3/4/2012 from 10.0.0.1: "
        "http://x.org/a"
    )
    assert found(detector, text) == [
        ("212-555-5555", "phone"),
        ("a@b.org", "email"),
        ("4095-2609-9393-4932", "id"),
        ("3/4/2012", "date"),
        ("10.0.0.1", "ip"),
        ("http://x.org/a", "url"),
    ]


def test_no_list_of_domains_is_fetched(detector: PresidioDetector, tmp_path: Path, monkeypatch: Any) -> None:
    """Whatever the user's cache holds."""
    import tldextract

    cut_off(monkeypatch)
    asks = tldextract.TLDExtract(cache_dir=str(tmp_path))
    monkeypatch.setattr("tldextract.tldextract.TLD_EXTRACTOR", asks)
    with pytest.raises(AssertionError, match="a network was asked"):
        tldextract.extract("a@b.org")
    assert found(detector, "a@b.org") == [("a@b.org", "email")]


def test_words_around_a_number_count_without_a_model(detector: PresidioDetector) -> None:
    """Presidio looks for context among lemmas, which a blank pipeline does not have."""
    (alone,), (told,) = checked_spans(detector, ["Then 212-555-5555 was.", "My phone number is 212-555-5555"])
    assert alone.score == 0.4
    assert told.score == 0.75


def test_overlapping_results_are_resolved_and_nothing_of_them_stays(detector: PresidioDetector) -> None:
    text = "Fake card number 4151 3217 6243 3448.com that overlaps"
    assert found(detector, text) == [("4151 3217 6243 3448", "id"), (".com", "url")]


def test_with_a_pipeline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    detector = presidio_detector(model=folder, labels={"NRP": "faith"})
    assert "+rules@" in detector.name
    assert found(detector, "Maria, a Roman, from Rome: a@b.org") == [
        ("Maria", "person"),
        ("Roman", "faith"),
        ("Rome", "place"),
        ("a@b.org", "email"),
    ]
    copy = pickle.loads(pickle.dumps(detector))
    assert (copy.name, copy.kinds) == (detector.name, detector.kinds)


def test_by_name_with_the_folder_of_a_pipeline(folder: Path) -> None:
    assert "+rules@" in detector_of(f"presidio:{folder}").name


def test_an_engine_of_the_user(detector: PresidioDetector) -> None:
    presidio = load_analyzer()
    engine = analyzer_engine()
    pattern = presidio.Pattern("mrn", r"MRN \d{4}", 0.9)
    engine.registry.add_recognizer(presidio.PatternRecognizer("MRN_CODE", patterns=[pattern]))
    with pytest.raises(ParameterError, match="got none for MRN_CODE"):
        presidio_detector(analyzer=engine)
    own = presidio_detector(analyzer=engine, labels={"MRN_CODE": "record"}, threshold=0.8)
    assert own.name == f"{detector.name}+own"
    assert found(own, "MRN 1234 on 3/4/2012") == [("MRN 1234", "record")]


@settings(max_examples=40)
@given(given=texts)
def test_any_text_is_read(detector: PresidioDetector, given: list[str]) -> None:
    assert [len(one) for one in checked_spans(detector, given)] == [
        len(checked_spans(detector, [text])[0]) for text in given
    ]


def test_long_texts_are_read_in_pieces(detector: PresidioDetector) -> None:
    (spans,) = checked_spans(detector, ["card 4095-2609-9393-4932 " * 300 + "\n"])
    assert len(spans) == 300


def test_a_pattern_that_takes_too_long_fails(detector: PresidioDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    """Presidio leaves out such a pattern and logs it; what it would have found would then be released."""
    monkeypatch.setattr("presidio_analyzer.pattern_recognizer.REGEX_TIMEOUT_SECONDS", 1e-9)
    with pytest.raises(InputError, match="got TimeoutError from its package"):
        detector.detect(["Zerubbabel has " + "1 2 a@b.org " * 300])


def test_a_recognizer_that_fails_is_not_quoted(detector: PresidioDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ValueError("Did not find word 'Zerubbabel' in the list of tokens")

    monkeypatch.setattr(detector, "_analyzer", SimpleNamespace(analyze=fails))
    with pytest.raises(InputError, match="got ValueError from its package") as caught:
        detector.detect(["Zerubbabel"])
    assert "Zerub" not in str(caught.value)


def test_what_is_not_on_this_machine_is_refused(detector: PresidioDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    with pytest.raises(ModelError, match="got neither under the name en_core_web_lg"):
        presidio_detector(model="en_core_web_lg")
    with pytest.raises(ParameterError, match="language must be a code that spaCy knows; got tlh"):
        presidio_detector(language="tlh")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"threshold": 1.5}, "threshold must be from 0 to 1"),
        ({"model": "x", "analyzer": object()}, "model must be left out where `analyzer` is given"),
        ({"labels": {"SSN": "id"}}, "labels must name what Presidio finds; got SSN"),
    ],
)
def test_options_outside_are_refused(detector: PresidioDetector, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        presidio_detector(**options)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    load_analyzer.cache_clear()
    says = r"`presidio-analyzer` is not installed.*textveil\[presidio\]"
    with monkeypatch.context() as patch, pytest.raises(MissingExtra, match=says):
        patch.setitem(sys.modules, "presidio_analyzer", None)
        presidio_detector()
    load_analyzer.cache_clear()
