"""What adapters of foreign detectors share: texts in pieces, spans without overlaps, labels and kinds."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.detection.detectors import (
    KINDS_OF_LABELS,
    SHARED,
    by_pieces,
    encodable,
    folder_name,
    kinds_of_labels,
    pieces,
)
from textveil.detection.kinds import KINDS
from textveil.detection.spans import DetectedSpan, covering
from textveil.errors import InputError, ModelError, ParameterError

SECRET = "Zerubbabel"


def span(start: int, end: int, kind: str = "person", score: float = 0.5) -> DetectedSpan:
    return DetectedSpan(start, end, kind, score, "fixed")


@given(st.text())
def test_encodable_text_keeps_its_places(text: str) -> None:
    made = encodable(text)
    assert len(made) == len(text)
    made.encode("utf-8")
    assert all(a == b or 0xD800 <= ord(a) < 0xE000 for a, b in zip(text, made, strict=True))


@pytest.mark.parametrize(
    "text", ["", "a" * 1000, "a" * 1001, "a" * 5000, "ab " * 3000, "x" * 1500 + " " + "y" * 4000, "\n" * 4000]
)
def test_every_short_span_stands_whole_in_a_piece(text: str) -> None:
    cut = list(pieces(text, 1000))
    assert all(text[start : start + len(piece)] == piece and len(piece) <= 1000 for start, piece in cut)
    for start in range(max(1, len(text) - SHARED)):
        end = min(start + SHARED, len(text))
        assert any(at <= start and end <= at + len(piece) for at, piece in cut)


def test_pieces_are_few() -> None:
    assert len(list(pieces("ab " * 100_000, 1000))) < 600


spans = st.lists(
    st.builds(
        lambda start, length, kind, score: span(start, start + length, kind, score),
        st.integers(0, 20),
        st.integers(1, 10),
        st.sampled_from(("person", "place", "id")),
        st.sampled_from((0.1, 0.5, 0.9)),
    ),
    max_size=8,
)


@given(st.text(alphabet="ab1 .-", min_size=30, max_size=30), spans)
def test_covering_spans_touch_nowhere_and_leave_no_letter_out(text: str, given: list[DetectedSpan]) -> None:
    kept = covering(text, given)
    held = [place for one in kept for place in range(one.start, one.end)]
    assert len(held) == len(set(held))
    wanted = {place for one in given for place in range(one.start, one.end) if text[place].isalnum()}
    assert wanted <= set(held)
    assert set(held) <= {place for one in given for place in range(one.start, one.end)}
    assert kept == sorted(kept)
    for one in kept:
        assert any(one.kind == other.kind and other.start < one.end and one.start < other.end for other in given)


def test_of_two_kinds_the_longer_is_kept_and_the_rest_of_the_other_stays_covered() -> None:
    text = "card 4151 3217 6243 3448.com here"
    found = [span(5, 24, "id", 1.0), span(20, 28, "url", 0.5), span(20, 24, "phone", 0.9)]
    assert covering(text, found) == [span(5, 24, "id", 1.0), span(24, 28, "url", 0.5)]
    assert covering("ab cd", [span(0, 5, "person", 0.2), span(0, 5, "place", 0.7)]) == [span(0, 5, "place", 0.7)]
    assert covering("Ann Lee, Rome", [span(0, 8, "place"), span(4, 13, "person")]) == [
        span(0, 4, "place")._replace(end=3),
        span(4, 13, "person"),
    ]


def test_one_kind_that_overlaps_is_one_span() -> None:
    assert covering("Maria Gonzalez", [span(0, 9, score=0.2), span(6, 14, score=0.8)]) == [span(0, 14, score=0.8)]


@pytest.mark.parametrize("wrong", [span(0, 99), span(3, 3), span(-2, 2)])
def test_spans_outside_are_left_to_the_check(wrong: DetectedSpan) -> None:
    assert covering("short", [wrong, span(0, 2)]) == [wrong, span(0, 2)]


def test_a_package_that_fails_is_named_and_its_message_is_not() -> None:
    def fails(texts: list[str]) -> list[list[DetectedSpan]]:
        raise ValueError(f"did not find word {texts[0]}")

    with pytest.raises(InputError, match="detector some must read 2 documents; got ValueError") as caught:
        by_pieces("some", [SECRET, "b"], 1000, fails)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_folder_is_named_with_its_digest(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "weights").write_bytes(b"1")
    name = folder_name(folder)
    assert name.startswith("model@") and len(name) == 18
    (folder / "inner" / "weights").write_bytes(b"2")
    assert folder_name(folder) != name
    with pytest.raises(ModelError, match="must be a folder on this machine; got none named missing"):
        folder_name(tmp_path / "missing")


def test_labels_have_kinds_of_this_package() -> None:
    assert set(KINDS_OF_LABELS.values()) <= {*KINDS, ""}
    assert kinds_of_labels(["PERSON", "us-ssn", "UsSsn", "NORP", "LAW", "DateTime"]) == {
        "PERSON": "person",
        "UsSsn": "id",
        "NORP": "demographic",
        "DateTime": "date",
    }


def test_labels_of_a_user_come_first() -> None:
    assert kinds_of_labels(["PERSON", "NORP", "DRUG", "ORG"], {"norp": "faith", "DRUG": "drug", "org": None}) == {
        "PERSON": "person",
        "NORP": "faith",
        "DRUG": "drug",
    }


@pytest.mark.parametrize(
    ("labels", "own", "says"),
    [
        (["PERSON", "DRUG"], None, "got none for DRUG. Name one, as in labels={'DRUG': 'id'}"),
        (["PERSON"], {"PERSN": "person"}, "must name what the model finds; got PERSN. It finds: PERSON."),
        (["PERSON"], {"PERSON": "A B"}, "kind must be lowercase letters"),
    ],
)
def test_a_label_without_a_kind_is_refused(labels: list[str], own: dict[str, str | None] | None, says: str) -> None:
    with pytest.raises(ParameterError) as caught:
        kinds_of_labels(labels, own)
    assert says in str(caught.value)
