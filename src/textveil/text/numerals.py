"""Numbers in other writings than 0 to 9: digits of any script, small and circled ones, fractions, other numerals."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, final

from textveil.text.patterns import lazy_regex
from textveil.text.slices import translated

_NOT_ASCII: Final = lazy_regex(r"[^\x00-\x7f]")
_IN_DIGITS: Final = lazy_regex(r"[0-9/.()]+")
_REMEMBERED: Final = 1 << 12


def has_numerals(text: str) -> bool:
    """Whether there is a number in another writing than 0 to 9: letters of Chinese that are numbers (\u4e09) too."""
    return not text.isascii() and any(character.isnumeric() and not character.isascii() for character in text)


def in_digits(text: str) -> str:
    """A text with its numbers in 0 to 9: digits of any script, small and circled ones, \u00bd as 1/2.

    Numerals that are written otherwise (\u2163, \u4e09) stay: ``has_numerals`` tells of them.
    """
    if not has_numerals(text):
        return text
    return _NOT_ASCII.sub(lambda match: _in_digits(text, match), text)


def _in_digits(text: str, match: re.Match[str]) -> str:
    """One character in digits, apart from a digit before it where it is a number of its own: 5\u00bd is 5 1/2."""
    numeral = match[0]
    if not numeral.isnumeric():
        return numeral
    digit = unicodedata.digit(numeral, None)
    if digit is not None:
        return str(digit)
    written = unicodedata.normalize("NFKC", numeral).replace("\N{FRACTION SLASH}", "/")
    if not _IN_DIGITS.fullmatch(written):
        return numeral
    return f" {written}" if text[: match.start()][-1:].isdigit() else written


def marked_numerals(text: str) -> str:
    """A text with a digit in the place of each numeral that is no decimal digit and no letter: \u2464, \u00bd, \u2163.

    A single raised or lowered digit behind a letter stays: it is a part of a unit or a formula (m\u00b2, H\u2082O).
    """
    if text.isascii():
        return text
    marked = translated(text, _MARKED)
    if marked == text:
        return text
    places = [place for place, (old, new) in enumerate(zip(text, marked, strict=True)) if old != new]
    attached = [place for place in places if _is_attached(text, marked, place)]
    if not attached:
        return marked
    characters = list(marked)
    for place in attached:
        characters[place] = text[place]
    return "".join(characters)


def _is_attached(text: str, marked: str, place: int) -> bool:
    """Whether a raised or lowered digit stands alone behind a letter."""
    alone = not marked[place + 1 : place + 2].isdecimal()
    return alone and text[place].isdigit() and text[max(0, place - 1) : place].isalpha()


@final
class _Marked(dict[int, str]):
    """A table for ``str.translate`` that fills itself, up to a bound, as characters are met."""

    def __missing__(self, code: int) -> str:
        written = "0" if unicodedata.category(chr(code)) in ("No", "Nl") else chr(code)
        if len(self) < _REMEMBERED:
            self[code] = written
        return written


_MARKED: Final = _Marked()
