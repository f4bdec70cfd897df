"""What two searches find side by side: spans stay disjoint and in their places, whatever stands between them."""

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.attacks import loaded_attack

import textveil.detection.found as found_module
from textveil.cuts import between
from textveil.detection.dates import find_times
from textveil.detection.embedded import PHASES, embedded_detector
from textveil.detection.found import OTHER, Found, Phase, Phases, Row, Search, in_phases, plain, settled, without
from textveil.detection.gates import anywhere
from textveil.detection.spans import DetectedSpan, checked_spans
from textveil.errors import InternalError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

with pytest.MonkeyPatch.context() as _patch:
    POSITIONS = loaded_attack("positions", _patch)

DETECTOR = embedded_detector()
ROWS = [row for phase in PHASES for row in phase.rows]
SANITIZERS = {preset: Sanitizer(policy(preset)) for preset in POSITIONS.PRESETS}
PAIRS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(POSITIONS.EXAMPLES),
        st.sampled_from(POSITIONS.SEPARATORS),
        st.sampled_from(POSITIONS.EXAMPLES),
        st.sampled_from(("", *POSITIONS.OFFSETS, " Maria Gonzalez", "\t12")),
    ),
)


def disjoint(spans: Sequence[Found] | Sequence[DetectedSpan], text: str) -> bool:
    """Whether spans lie in a text, by start, and share no character."""
    ends = [0, *(end for span in spans for end in (span[0], span[1])), len(text)]
    return ends == sorted(ends) and all(span[0] < span[1] for span in spans)


@given(PAIRS)
@settings(derandomize=True, max_examples=300, deadline=None)
def test_spans_of_two_examples_are_disjoint(text: str) -> None:
    read = plain(text).text
    for search in (row.search for row in ROWS):
        assert disjoint(settled(read, search(read)), read)
    spans, rest = in_phases(read, PHASES)
    assert len(rest) == len(read) and all(mine in (own, OTHER) for mine, own in zip(rest, read, strict=True))
    covered = {place for span in spans for place in range(span.start, span.end)}
    assert all(rest[place] == OTHER if place in covered else rest[place] == read[place] for place in range(len(read)))
    assert disjoint(checked_spans(DETECTOR, [text])[0], text)


@given(PAIRS, st.sampled_from(POSITIONS.PRESETS))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_a_release_of_two_examples_is_its_text_outside_of_spans(text: str, preset: str) -> None:
    sanitizer = SANITIZERS[preset]
    release = sanitizer(text)
    assert release.private_map is not None and release.private_map.original() == text
    kinds = {span.kind for span in release.drawn_spans}
    (spans,) = sanitizer._way._finder.found([text])  # type: ignore[attr-defined]
    drawn = [span for span in spans if span.kind in kinds]
    assert [span.kind for span in drawn] == [span.kind for span in release.drawn_spans]
    places = [(span.start, span.end) for span in release.drawn_spans]
    assert between(text, drawn) == between(release.text, places)


@pytest.mark.parametrize("preset", POSITIONS.PRESETS)
def test_no_part_of_a_name_stays_behind_a_time_with_an_offset(preset: str) -> None:
    rng = POSITIONS.random.Random(34)
    texts = [text for text, _ in zip(POSITIONS.times(rng), range(300), strict=False)]
    assert POSITIONS.names_that_stay(texts, SANITIZERS[preset]) == (300, 0, 0)


@pytest.mark.parametrize("preset", POSITIONS.PRESETS)
def test_the_time_with_an_offset_of_the_report(preset: str) -> None:
    text = "2024-03-05T09:34:00+02:00 Maria Gonzalez called about the invoice."
    release = SANITIZERS[preset](text)
    assert [span.kind for span in release.drawn_spans] == ["date", "time", "person"]
    last = release.drawn_spans[-1]
    assert release.text[last.end :] == " called about the invoice." and release.text[last.start - 1] == " "
    form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{2}:[0-9]{2} "
    assert re.fullmatch(form, release.text[: last.start])


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("2024-03-05T09:34:00+02:00 x", ["09:34:00+02:00"]),
        ("2024-03-05T09:34:00+02 x", ["09:34:00+02"]),
        ("2024-03-05T09:34-0500", ["09:34-0500"]),
        ("2024-03-05T09:34:00.1234567Z", ["09:34:00.1234567Z"]),
        ("2024-03-05 09:34:00,123-05:00", ["09:34:00,123-05:00"]),
        ("Date: Tue, 05 Mar 2024 09:34:00 +0200", ["09:34:00 +0200"]),
        ("at 09:34:00 - 1000 of them", ["09:34:00"]),
        ("09:34+02:00, 09:34Z", ["09:34+02:00", "09:34Z"]),
        ("2024-03-05T09:34 9:30 am", ["09:34", "9:30 am"]),
        ("open 09:30 to 17:00", ["09:30", "17:00"]),
    ],
)
def test_an_offset_is_a_part_of_its_time(text: str, times: list[str]) -> None:
    spans = list(find_times(text))
    assert [text[span.start : span.end] for span in sorted(spans)] == times and disjoint(sorted(spans), text)


def _overlapping(text: str) -> Iterator[Found]:
    """The time of a text and its offset, once more: as it was found."""
    for match in re.finditer(r"09:34:00\+02:00", text):
        yield Found(match.start(), match.end(), "time", 0.8)
        yield Found(match.end() - 5, match.end(), "time", 0.8)


def one_row(search: Search) -> Phases:
    return Phases([Phase("one", (Row("one", search, anywhere, "time", 1.0, "", "", ""),))])


def test_a_search_whose_spans_overlap_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "2024-03-05T09:34:00+02:00 Maria"
    spans, rest = in_phases(text, one_row(_overlapping))
    assert [(span.start, span.end) for span in spans] == [(11, 25)] and rest == without(text, [(11, 25)])
    monkeypatch.setattr(found_module, "settled", lambda text, spans: sorted(spans))
    with pytest.raises(InternalError, match="disjoint"):
        in_phases(text, one_row(_overlapping))


def test_a_text_that_is_covered_one_character_off_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    covered = [lambda text, spans: without(text, spans)[1:] + OTHER, without]
    monkeypatch.setattr(found_module, "without", lambda text, spans: covered.pop(0)(text, spans))
    with pytest.raises(InternalError, match="outside their spans"):
        in_phases("2024-03-05T09:34:00+02:00 Maria", one_row(find_times))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from(("date", "time"))), max_size=8))
@settings(derandomize=True, max_examples=200)
def test_settled_spans_hold_every_letter_and_digit(places: list[tuple[int, int, str]]) -> None:
    text = "ab1 cd2, 34 ef-5 6.7 gh 89 ij"
    spans = [Found(start, start + size, kind, 0.5) for start, size, kind in places]
    kept = settled(text, spans)
    assert disjoint(kept, text)
    covered = {place for span in kept for place in range(span.start, span.end)}
    assert {p for span in spans for p in range(span.start, span.end) if text[p].isalnum()} <= covered


def test_white_space_alone_is_no_span() -> None:
    assert settled("Ada     Lund", [Found(0, 3, "person", 0.8), Found(4, 8, "place", 0.8)]) == [
        Found(0, 3, "person", 0.8)
    ]
