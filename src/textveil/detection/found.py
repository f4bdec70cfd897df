"""What the embedded patterns hand one another: places in a plain text, and searches that cover what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias, final

from textveil.detection.gates import Gate, Seen, glance, words_of
from textveil.detection.plain import without
from textveil.text.slices import check_time, matches


@final
class Found(NamedTuple):
    """The characters ``start`` to ``end`` of a plain text, what they are, how sure that is (0 to 1), and why."""

    start: int
    end: int
    kind: str
    score: float
    why: str = ""


def words_in(text: str) -> frozenset[str]:
    """The words of a public list, written in a row."""
    return frozenset(text.split())


Search: TypeAlias = Callable[[str], Iterator[Found]]
"""Finds spans in a plain text, none overlapping, in linear time."""


def searched(
    text: str, searches: Sequence[tuple[Search, Gate]], seen: Seen | None = None, opened: Iterable[int] | None = None
) -> tuple[list[Found], str]:
    """What each search finds where the ones before it found nothing, and the text with all of it covered.

    Args:
        text: a plain text.
        searches: each with its gate.
        seen: what a glance at the text shows; None looks.
        opened: the numbers of the searches whose gates are open, in order; None asks each gate.
    """
    spans: list[Found] = []
    seen = glance(text) if seen is None else seen
    for number in range(len(searches)) if opened is None else opened:
        search, gate = searches[number]
        if opened is None and not gate(text, seen):
            continue
        check_time()
        here = sorted(search(text))
        if not here:
            continue
        spans += here
        cut = any(_cuts_a_word(text, span) for span in here)
        text = without(text, [(span.start, span.end) for span in here])
        if cut:  # there are other words now, which may open other gates
            more, text = searched(text, searches[number + 1 :], seen._replace(words=words_of(text)))
            return spans + more, text
    return spans, text


def _cuts_a_word(text: str, span: Found) -> bool:
    """Whether a letter stands beside a letter of a span, so that covering it leaves a word that was none before."""
    return text[span.start - 1 : span.start + 1].isalpha() or text[span.end - 1 : span.end + 1].isalpha()


def near(
    pattern: re.Pattern[str], text: str, anchor: re.Pattern[str], before: int, after: int
) -> Iterator[re.Match[str]]:
    """The matches of a slow pattern, looked for only around what a fast one finds.

    Args:
        pattern: what is looked for; each match holds a match of the anchor.
        text: a plain text.
        anchor: matches wherever the pattern could.
        before: characters before an anchor that a match may begin at.
        after: characters after it that a match may reach.
    """
    return near_places(pattern, text, map(re.Match.span, matches(anchor, text)), before, after)


def near_places(
    pattern: re.Pattern[str], text: str, places: Iterable[tuple[int, int]], before: int, after: int
) -> Iterator[re.Match[str]]:
    """The matches of a slow pattern, looked for only around places, which come by start: see ``near``."""
    low, high, reached = -1, -1, 0
    for begin, end in places:
        start, stop = max(0, begin - before), end + after
        if start > high:
            if high >= 0:
                for match in matches(pattern, text, low, _at_a_gap(text, high)):
                    reached = match.end()
                    yield match
            low = max(start, reached)
        high = stop
    if high >= 0:
        yield from matches(pattern, text, low, _at_a_gap(text, high))


def _at_a_gap(text: str, end: int) -> int:
    """``end``, moved on to where no word or number is cut in two, by 40 characters at most."""
    for place in range(end, min(end + 40, len(text))):
        if text[place] in " \n\t":
            return place
    return min(end, len(text))
