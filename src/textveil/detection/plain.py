"""A text as detectors read it: plain ASCII where there is a plain form, one character for one.

Accents are gone, full-width and other digits are 0 to 9, the many dashes, quotes and spaces are the common ones, and
what cannot be seen (combining marks, zero-width characters) is left out. A name or a number that is written with such
characters is then found like any other, and found spans are given in characters of the text itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from textveil.cuts import replaced
from textveil.text.patterns import translated
from textveil.text.tokens import spelling

CURRENCY, LARGE, SMALL, OTHER = "\xa4\xde\xfe\xb7"
"""Stand for a currency sign but the dollar, for a capital and a small letter of another writing, and for the rest."""

_REMEMBERED: Final = 1 << 14


class Plain(NamedTuple):
    """A text in plain form.

    Attributes:
        text: printable ASCII, white space, and the four characters above.
        places: for each character of it, and one past its end, where it stands in the original; None: where it is.
        length: characters of the original.
    """

    text: str
    places: list[int] | None
    length: int

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters ``text[start:end]`` begin and end in the original, with the marks attached to them."""
        return (start, end) if self.places is None else (self.places[start], self.places[end])


def plain(text: str) -> Plain:
    """``text`` as detectors read it, in linear time.

    Args:
        text: any string, lone surrogates included.
    """
    if text.isascii():
        return Plain(text, None, len(text))
    converted = translated(text, _TABLE)
    if len(converted) == len(text):
        return Plain(converted, None, len(text))
    places = [place for place, character in enumerate(text) if _TABLE[ord(character)]]
    return Plain(converted, [*places, len(text)], len(text))


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A plain text in which these spans are covered by characters that nothing looks for.

    Raises:
        InternalError: they do not lie in the text, in order and disjoint.
    """
    return replaced(text, [(start, end, OTHER * (end - start)) for start, end in spans])


def folded(entry: str) -> str:
    """The plain form of a public list's entry, in small letters."""
    return plain(entry).text.lower()


def _form(character: str) -> str:
    """The plain form of a character that is not ASCII: one character, or none."""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in ("Mn", "Me", "Mc", "Cf"):
        return ""
    if category[0] == "L":
        letter = spelling(character)[:1]
        if "a" <= letter <= "z":
            return letter.upper() if character.isupper() or category == "Lt" else letter
        if category == "Lm" and not letter:
            return "'"  # the okina of Hawaii, a modifier apostrophe
        return LARGE if category == "Lu" else SMALL
    return _mark(character, category)


def _mark(character: str, category: str) -> str:
    """The plain form of a character that is no letter, digit or combining mark."""
    if character in "\x85\u2028\u2029":
        return "\n"
    if character.isspace():
        return " "
    if category == "Pd" or character == "\N{MINUS SIGN}":
        return "-"
    if character in "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{PRIME}\N{ACUTE ACCENT}":
        return "'"
    if category in ("Pi", "Pf"):
        return '"'
    wide = unicodedata.normalize("NFKC", character)
    if len(wide) == 1 and " " < wide < "\x7f":
        return wide
    return CURRENCY if category == "Sc" else OTHER


class _Forms(dict[int, str]):
    """A table for ``str.translate`` that fills itself, up to a bound, as characters are met."""

    def __missing__(self, code: int) -> str:
        form = chr(code) if code < 0x80 else _form(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = form
        return form


_TABLE: Final = _Forms()
