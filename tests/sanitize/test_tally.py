"""Tallies of parts of a run merge into the tally of the whole."""

from hypothesis import given
from hypothesis import strategies as st

from textveil.sanitize.release import Tally

DOCUMENTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=12)


def tally(documents: list[tuple[int, int, int]]) -> Tally:
    made = Tally()
    for words, numbers, mapped in documents:
        made.add({"word": words, "number": numbers, "space": 1}, mapped)
    return made


@given(DOCUMENTS, DOCUMENTS)
def test_parts_merge_into_the_whole(first: list[tuple[int, int, int]], second: list[tuple[int, int, int]]) -> None:
    merged, other = tally(first), tally(second)
    merged.merge(other)
    whole = tally(first + second)
    assert (merged.documents, merged.kinds, merged.mapped) == (whole.documents, whole.kinds, whole.mapped)
    assert sorted(merged.largest) == sorted(whole.largest)
    assert other.largest == tally(second).largest  # the other one stays as it was


@given(DOCUMENTS)
def test_the_largest_bound_every_document_and_bound_each_other_never(documents: list[tuple[int, int, int]]) -> None:
    largest = tally(documents).largest
    for words, numbers, _ in documents:
        assert any(words <= most and numbers <= also for most, also in largest)
    for one in largest:
        assert one in [(words, numbers) for words, numbers, _ in documents]
        assert not any(other != one and one[0] <= other[0] and one[1] <= other[1] for other in largest)


def test_a_tally_merges_with_itself() -> None:
    made = tally([(1, 2, 0), (2, 1, 1)])
    made.merge(made)
    assert (made.documents, made.mapped, sorted(made.largest)) == (4, 2, [(1, 2), (2, 1)])
