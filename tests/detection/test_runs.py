"""Names that were found in part hold what stands beside them, and stay disjoint."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from textveil.detection.found import Found
from textveil.detection.runs import with_initials, with_whole_runs

WORDS = st.sampled_from(
    ["Maria", "Port", "A.", "B", "in", "at", "Baths", "Monday", "the", "Dr", "and", "said", "J.-P.", "Lane", ":", ","]
)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", "person", "place", "organization"])), max_size=12))
def test_spans_grow_stay_disjoint_and_take_no_other(words: list[tuple[str, str]]) -> None:
    text, spans = "", []
    for word, kind in words:
        text += " " if text else ""
        if kind:
            spans.append(Found(len(text), len(text) + len(word), kind, 0.5, "list"))
        text += word
    for grown in (with_whole_runs(text, spans), with_initials(text, spans)):
        assert len(grown) == len(spans)
        assert all(one.start <= span.start and span.end <= one.end for one, span in zip(grown, spans, strict=True))
        assert all(before.end <= after.start for before, after in pairwise(grown))
        assert all(one.start >= 0 and one.end <= len(text) for one in grown)


def test_no_initial_is_left_beside_a_person() -> None:
    text = "T. Zuse, M.-A. Zuse, Zuse, J. B. and Zuse K."
    spans = [Found(at, at + 4, "person", 0.5, "list") for at in (3, 15, 21, 37)]
    assert [text[one.start : one.end] for one in with_initials(text, spans)] == [
        "T. Zuse",
        "M.-A. Zuse",
        "Zuse, J. B.",
        "Zuse K.",
    ]


def test_a_run_is_taken_behind_a_preposition_alone_and_never_over_a_title_or_a_day() -> None:
    for text, name, whole in (
        ("in Port Antonio now", "Antonio", "Port Antonio"),
        ("saw Port Antonio now", "Antonio", "Antonio"),
        ("of Dr Antonio now", "Antonio", "Antonio"),
        ("saw Antonio Monday", "Antonio", "Antonio"),
        ("at Bunya Nut Bakehouse, it", "Bunya", "Bunya Nut Bakehouse"),
        ("at Bunya Nut: it", "Bunya", "Bunya"),
        ("\nLarch Class\n", "Larch", "Larch"),
    ):
        at = text.index(name)
        (span,) = with_whole_runs(text, [Found(at, at + len(name), "person", 0.5, "list")])
        assert text[span.start : span.end] == whole
