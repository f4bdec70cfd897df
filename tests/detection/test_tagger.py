"""The learned tagger: what it keeps and leaves out, and files that it refuses."""

import json
import pickle
import shutil
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from tests.helpers.growth import is_linear

from textveil.detection import tagger
from textveil.detection.embedded import EmbeddedDetector
from textveil.detection.lists import lists
from textveil.errors import InputError

WITH, WITHOUT = EmbeddedDetector(), EmbeddedDetector(tagger=False)
NAMES = frozenset(("person", "place", "organization"))


def names(detector: EmbeddedDetector, text: str, least: float = 0.0) -> list[str]:
    (spans,) = detector.detect([text])
    return [text[span.start : span.end] for span in spans if span.kind in NAMES and span.score >= least]


def test_past_of_a_plain_word_is_not_asked() -> None:
    assert not tagger.is_asked(tagger.word_at(0, "Initialled"), lists().words.get)
    assert tagger.is_asked(tagger.word_at(0, "Zornled"), lists().words.get)


@pytest.mark.parametrize("text", ['{"msg": "denied for %s"}', "- text: Delivered to %s, 12 Mossgate Lane", "  - %s\n"])
@pytest.mark.parametrize("name", ["Quennetia Rovelsky", "Bogumi\u0142a Zorndyke-Vask", "Quennetia van der Zorndyke"])
def test_two_words_on_no_list_are_a_name_with_evidence(text: str, name: str) -> None:
    assert name in names(WITH, text % name, 0.36)


@pytest.mark.parametrize(
    "text", ["Export Wizard", "Kubernetes Helm", "Quennetia", "Query Quennetia", "Unveils Rovelsky"]
)
def test_a_pair_with_a_word_is_none(text: str) -> None:
    assert not tagger.is_pair(text)


@pytest.mark.parametrize("version", ["v4.1", "version 12.0"])
@pytest.mark.parametrize("before", ["The backup by ", "- "])  # the rules guess, and only the tagger does
def test_a_product_before_its_version_is_no_guess(before: str, version: str) -> None:
    assert names(WITH, f"{before}Veeam finished at noon.") == ["Veeam"]
    assert names(WITH, f"{before}Veeam {version} finished at noon.") == []


@pytest.mark.parametrize("name", ["Haruto Oyelaran", "Priyanka"])
def test_a_name_with_evidence_stays_one_before_a_version(name: str) -> None:
    assert names(WITH, f"The draft by {name} v2.1 is here.") == [name]


@pytest.mark.parametrize("number", ["v2", "10.1.24"])
def test_a_whole_number_or_a_date_shows_no_product(number: str) -> None:
    assert names(WITH, f"We met Zorbak {number} there.") == ["Zorbak"]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tagger's files in a folder that a test may change."""
    for name in (tagger.FILE, tagger.RECORD):
        shutil.copy(tagger.DATA / name, tmp_path / name)
    monkeypatch.setattr(tagger, "DATA", tmp_path)
    tagger.tagger.cache_clear()
    return tmp_path


def test_file_of_another_digest_is_refused(copied: Path) -> None:
    packed = bytearray((copied / tagger.FILE).read_bytes())
    packed[100] ^= 1
    (copied / tagger.FILE).write_bytes(packed)
    with pytest.raises(InputError, match=r"must be intact; got another\. Install textveil again\.$"):
        WITH.detect(["We met Zalbrivod."])
    tagger.tagger.cache_clear()


def test_file_for_another_version_is_refused(copied: Path) -> None:
    record = json.loads((copied / tagger.RECORD).read_text(encoding="ascii"))
    (copied / tagger.RECORD).write_text(json.dumps({**record, "version": tagger.VERSION + 1}), encoding="ascii")
    with pytest.raises(InputError, match=rf"must have version {tagger.VERSION}; got {tagger.VERSION + 1}\."):
        WITH.detect(["We met Zalbrivod."])
    tagger.tagger.cache_clear()


def test_file_is_small() -> None:
    assert (tagger.DATA / tagger.FILE).stat().st_size < 1 << 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please review Quetzallin's request before Friday.", "Quetzallin"),
        ("I told Sthembile that the flat is taken.", "Sthembile"),
        ("The witness was heard in Eskipazar.", "Eskipazar"),
    ],
)
def test_unlisted_name_is_found_with_more_than_a_guess(text: str, expected: str) -> None:
    assert names(WITH, text, 0.36) == [expected]
    assert expected not in names(WITHOUT, text, 0.36)


@pytest.mark.parametrize(
    "text",
    [
        "Why does OrderService raise TypeError?",
        "We compare PostgreSQL and MongoDB for this server.",
        "The patient denies pain. BMP and Hgb were normal.",
        "Lachman's sign was negative and the Phalen test was normal for the patient.",
        "Deploy it with Kubernetes and read the log of the server.",
    ],
)
def test_word_that_only_looks_like_a_name_is_a_guess_at_most(text: str) -> None:
    assert names(WITH, text, 0.36) == []
    assert len(names(WITH, text)) <= 1


def test_evidence_of_the_rules_is_kept() -> None:
    text = "Dr. Szczepanik met Maria Gonzalez in Rome."
    assert names(WITH, text) == ["Szczepanik", "Maria Gonzalez", "Rome"]


def test_tagged_spans_say_why_and_do_not_overlap() -> None:
    text = "Wojtek Brzeczyk told Sthembile, who lives in Eskipazar near the Orvenhald Works." * 3
    (spans,) = WITH.detect([text])
    assert any(span.why == "tagger" for span in spans)
    assert all(first.end <= second.start for first, second in pairwise(spans))


def test_pickled_detector_keeps_its_tagger() -> None:
    for detector in (WITH, WITHOUT):
        assert names(pickle.loads(pickle.dumps(detector)), "Ask Wojtek now.", 0.36) == names(
            detector, "Ask Wojtek now.", 0.36
        )


@pytest.mark.parametrize("piece", ["Zq", "Zq ", "Zq. ", "Zq-", "Zq's ", "A", ". Zqx", "\0Zqx", "Zqx " + " " * 50])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert is_linear(lambda text: tagger.tagged(text, text, []), piece)


def test_sums_add_the_weights_of_the_features() -> None:
    weights = np.array([[-128, 127, 0, 5], [1, -2, 3, -4]], dtype=np.int8)
    features = [f"feature {number}" for number in range(40)]
    rows = [crc32(feature.encode()) & 1 for feature in features]
    assert tagger.Tagger(weights, 0.01).sums(features) == tuple(weights[rows].astype(int).sum(axis=0).tolist())
