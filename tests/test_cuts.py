"""Cutting a text by spans: what is left, and that what overlaps or lies outside is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.cuts import between, replaced
from textveil.detection.found import OTHER, without
from textveil.errors import InternalError
from textveil.sanitize.outside import joined
from textveil.surrogates.private_map import PrivateMap, Replaced

TEXT = "Maria Gonzalez called."
WRONG = [
    [(0, 5), (4, 8)],
    [(0, 14), (6, 14)],
    [(6, 14), (0, 5)],
    [(0, 23)],
    [(-1, 5)],
    [(5, 2)],
    [(0, 5), (22, 23)],
]


@pytest.mark.parametrize("spans", WRONG, ids=str)
def test_spans_that_overlap_or_lie_outside_are_refused_without_the_text(spans: list[tuple[int, int]]) -> None:
    pieces = tuple(Replaced(start, end, "x", "person") for start, end in spans)
    for cut in (
        lambda: between(TEXT, spans),
        lambda: without(TEXT, spans),
        lambda: replaced(TEXT, [(start, end, "x") for start, end in spans]),
        lambda: PrivateMap(released=TEXT, replaced=pieces).original(),
    ):
        with pytest.raises(InternalError) as error:
            cut()
        assert "Maria" not in str(error.value) and "\n" not in str(error.value)


@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=8), st.text(max_size=3))
@settings(derandomize=True, max_examples=300)
def test_stretches_and_spans_are_the_text(text: str, ends: list[int], other: str) -> None:
    ends = sorted(min(end, len(text)) for end in ends[: len(ends) // 2 * 2])
    spans = list(zip(ends[::2], ends[1::2], strict=True))
    stretches = between(text, spans)
    assert joined(stretches, [text[start:end] for start, end in spans]) == (text, spans)
    assert replaced(text, [(start, end, other) for start, end in spans]) == other.join(stretches)
    covered = without(text, spans)
    assert len(covered) == len(text) and between(covered, spans) == stretches
    assert all(set(covered[start:end]) <= {OTHER} for start, end in spans)
