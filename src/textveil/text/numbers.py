"""The digits and separators of a NUMBER token, in plain writing.

How many digits there are and where '.' and ',' stand between them is public. What is attached to a number
(keycap marks, direction marks) is not written again, and every digit comes out as one of 0 to 9, whatever
writing it came in.
"""

from __future__ import annotations

from typing import Final

_SEPARATORS: Final = ".,"


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
