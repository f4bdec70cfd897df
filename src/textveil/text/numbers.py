"""The digits of a NUMBER token, and the token with other digits in their places.

How many digits there are and where '.' and ',' stand between them is public. What is attached to a number
(keycap marks, direction marks) is not written again, and every digit comes out as one of 0 to 9, whatever
writing it came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textveil.errors import need

_DIGITS: Final = "0123456789"
_SEPARATORS: Final = ".,"


def digits(surface: str) -> list[int]:
    """The values of the decimal digits of any writing in ``surface``, left to right, each in [0, 10)."""
    if surface.isdecimal():
        return list(map(int, surface))
    return [int(character) for character in surface if character.isdecimal()]


def digit_count(surface: str) -> int:
    """How many decimal digits ``surface`` has."""
    return len(surface) if surface.isdecimal() else sum(map(str.isdecimal, surface))


def with_digits(surface: str, values: Sequence[int]) -> str:
    """The number ``surface`` with ``values`` for its digits.

    Args:
        surface: a NUMBER token. Of any other string, too, nothing survives but '.' and ','.
        values: one integer in [0, 10) for each digit, left to right.

    Raises:
        ParameterError: ``values`` are too many, too few, or not digits.
    """
    need(len(values) == digit_count(surface), "values", len(values), "as many as the number has digits")
    need(all(0 <= value < 10 for value in values), "values", "another integer", "integers in [0, 10)")
    written = map(_DIGITS.__getitem__, values)
    if surface.isdecimal():
        return "".join(written)
    return "".join(
        next(written) if character.isdecimal() else character
        for character in surface
        if character.isdecimal() or character in _SEPARATORS
    )
