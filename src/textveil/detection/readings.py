"""Other readings of a number whose check fails: a pattern that takes all it can takes digits of a neighbor too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, TypeVar

from textveil.text.patterns import lazy_regex, matches

T = TypeVar("T")

Judge: TypeAlias = Callable[[int, int, bool], T | None]
"""What the characters ``text[start:end]`` are, and whether they are a whole match; None if they are refused."""

_GAP: Final = lazy_regex(r"(?<=[A-Za-z0-9)])[ ./-]+(?=[A-Za-z0-9(+])")


def readings(pattern: re.Pattern[str], text: str, judge: Judge[T], *, every: bool = False) -> Iterator[T]:
    """What a judge takes of a pattern's matches: the whole match, else without groups at its end, else at its start.

    Groups are parted by spaces, points, strokes and hyphens. A shorter reading matches the pattern too, without regard
    to what stands behind it. The search goes on behind what was taken, and at the next group where nothing was, so a
    number is found whatever groups stand before and behind it. Takes time linear in the text if matches are bounded.

    Args:
        pattern: whose matches are bounded.
        text: a plain text.
        judge: gets the start and the end of a reading, and whether it is a match of its own: not shorter than the
            pattern has it, and not inside a match that was refused.
        every: whether readings are wanted too that begin inside one that was taken: of two that overlap, either may be
            right by chance.
    """
    place = refused = 0
    while (match := next(matches(pattern, text, place), None)) is not None:
        start, end = match.span()
        gap = _GAP.search(text, start, end)
        place = end if gap is None else gap.end()
        for stop in shorter(text, start, end):
            taken = (
                judge(start, stop, start >= refused and stop == end)
                if stop == end or pattern.fullmatch(text, start, stop)
                else None
            )
            if taken is not None:
                place = place if every else stop
                yield taken
                break
        else:
            refused = max(refused, end)


def shorter(text: str, start: int, end: int) -> Iterator[int]:
    """Where readings that begin at ``start`` end: at ``end``, and before each gap between groups, the longest first."""
    yield end
    yield from reversed([gap.start() for gap in _GAP.finditer(text, start, end)])
