"""Digits and separators of NUMBER tokens in plain writing, and which of these tokens are one number.

A number may stand in several tokens: a card number written in groups, a date, a license plate, feet and inches.
Groups of digits are one number where they touch or are parted by a single separator: by letters, addresses and
symbols without white space and marks (A1B2), by one character of white space or punctuation, whatever it is
(1234 5678, 12/03/2024), with or without letters that touch the groups (SW1A 1AA), or by one of ``JOINING`` with
white space around it ((555) 123, 12 / 03). Two marks part numbers, and so does a comma or a point with a space:
"1, 2, 3" are three. Only kinds of tokens, white space and punctuation are looked at, all of it public.

How many digits there are and where '.' and ',' stand between them is public. What is attached to a number
(keycap marks, direction marks) is not written again, and every digit comes out as one of 0 to 9, whatever
writing it came in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from textveil.types import Flags, Ids

JOINING: Final = "-/()'\""
"""Marks that, with one character of white space on one side or both, are still a single separator."""

_SEPARATORS: Final = ".,"
_MOST: Final = 3
"""Characters of white space and punctuation, all together, that one number may have between two groups of digits."""


def plain_number(surface: str) -> str:
    """The decimal digits of any writing in ``surface`` as 0 to 9, and its '.' and ',', left to right.

    Args:
        surface: a NUMBER token. Of any other string, too, nothing else survives.
    """
    if surface.isascii() and surface.isdecimal():
        return surface
    return "".join(
        [str(int(character)) if character.isdecimal() else character for character in surface if _stays(character)]
    )


def _stays(character: str) -> bool:
    return character.isdecimal() or character in _SEPARATORS


def same_number(ends: Ids, starts: Ids, blank: Flags, mark: Flags, joins: Callable[[Ids], Flags]) -> Flags:
    """Whether each group of digits goes on with the number of the group before it, by the rule above.

    Args:
        ends: the place of the last digit of each group, ascending, shape (pairs,).
        starts: the place of the first digit of the group that follows it.
        blank: for every place, whether it holds white space.
        mark: the same for punctuation.
        joins: tells of places which hold one of ``JOINING``.

    Returns:
        A flag for each pair. Time is linear in the places.
    """
    separators = np.flatnonzero(blank | mark)
    first, stop = np.searchsorted(separators, ends), np.searchsorted(separators, starts)
    count = stop - first
    same = count <= 1
    few = np.flatnonzero((count == 2) | (count == _MOST))
    left, right = separators[first[few]], separators[stop[few] - 1]
    middle = np.where(blank[left], left + 1, left)
    touching = right - left == count[few] - 1
    spaced = blank[left].astype(np.int64) + blank[right] == count[few] - 1
    same[few] = touching & spaced & joins(middle)
    return same


def far_apart(kinds: bytes, ends: Ids, starts: Ids, separators: Sequence[int]) -> bool:
    """Whether so much stands between all groups of digits that no two are one number: ``same_number`` is then False.

    Of the few groups of a short text this is told in a tenth of the time.

    Args:
        kinds: a byte for every place.
        ends: see ``same_number``.
        starts: see there.
        separators: the kinds of white space and punctuation.
    """
    return all(
        sum(kinds.count(kind, end, start) for kind in separators) > _MOST
        for end, start in zip(ends.tolist(), starts.tolist(), strict=True)
    )
