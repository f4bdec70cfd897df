"""What the embedded patterns hand one another: places in a plain text, and searches that cover what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias, final

from textveil.detection.plain import without


@final
class Found(NamedTuple):
    """The characters ``start`` to ``end`` of a plain text, what they are, and how sure that is (0 to 1)."""

    start: int
    end: int
    kind: str
    score: float


Search: TypeAlias = Callable[[str], Iterator[Found]]
"""Finds spans in a plain text, by start, none overlapping, in linear time."""


def searched(text: str, searches: tuple[Search, ...]) -> tuple[list[Found], str]:
    """What each search finds where the ones before it found nothing, and the text with all of it covered."""
    found: list[Found] = []
    for search in searches:
        here = list(search(text))
        if here:
            found += here
            text = without(text, [(one.start, one.end) for one in here])
    return found, text
