"""Digits, separators and numerals of any writing in plain form, and which of them are one number.

A number may stand in several tokens: a card number written in groups, a date, a license plate, feet and inches.
Groups of digits are one number if they touch or are parted by a single separator: by letters, addresses and
symbols without white space and marks (A1B2), by one character of white space or punctuation, whatever it is
(1234 5678, 12/03/2024), with or without letters that touch the groups (SW1A 1AA), or by one of ``JOINING`` with
white space around it ((555) 123, 12 / 03). Two marks part numbers, and so does a comma or a point with a space:
"1, 2, 3" are three. Only kinds of tokens, white space and punctuation are looked at, all of it public.

How many digits there are and where '.' and ',' stand between them is public. What is attached to a number
(keycap marks, direction marks) is not written again, and every digit comes out as one of 0 to 9, whatever
writing it came in.

``number_places`` also ends a number at letters, symbols, tabs and line ends, since these stay if numbers alone are
drawn: a column is no number. Numerals that are letters (\u4e09) are none, nor is a single raised or lowered digit
behind a letter (m\u00b2).
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from textveil.text.patterns import CharacterTable, lazy_regex, matches, translated
from textveil.text.tokens import MARKS_IN_VIEW, class_view
from textveil.types import Flags, Ids

_NOT_ASCII: Final = lazy_regex(r"[^\x00-\x7f]")
_IN_DIGITS: Final = lazy_regex(r"[0-9/.()]+")


def has_numerals(text: str) -> bool:
    """Return whether a number is written otherwise than in 0 to 9; Chinese letters that are numbers (\u4e09) count."""
    return not text.isascii() and any(character.isnumeric() and not character.isascii() for character in text)


def in_digits(text: str) -> str:
    """Return the text with its numbers in 0 to 9: digits of any script, small and circled ones, \u00bd as 1/2.

    Numerals that are written otherwise (\u2163, \u4e09) stay; ``has_numerals`` finds them.
    """
    if not has_numerals(text):
        return text
    return _NOT_ASCII.sub(lambda match: _in_digits(text, match), text)


def _in_digits(text: str, match: re.Match[str]) -> str:
    """Write one character in digits, apart from a digit before it if it is a number of its own: 5½ is 5 1/2."""
    numeral = match[0]
    if not numeral.isnumeric():
        return numeral
    if (digit := unicodedata.digit(numeral, None)) is not None:
        return str(digit)
    written = unicodedata.normalize("NFKC", numeral).replace("\N{FRACTION SLASH}", "/")
    if not _IN_DIGITS.fullmatch(written):
        return numeral
    return f" {written}" if text[: match.start()][-1:].isdigit() else written


def marked_numerals(text: str) -> str:
    """Return the text with a digit for each numeral that is no decimal digit and no letter: \u2464, \u00bd, \u2163.

    A single raised or lowered digit behind a letter stays: it is a part of a unit or a formula (m\u00b2, H\u2082O).
    """
    if text.isascii():
        return text
    if (marked := translated(text, _MARKED)) == text:
        return text
    places = [place for place, (old, new) in enumerate(zip(text, marked, strict=True)) if old != new]
    if not (attached := [place for place in places if _is_attached(text, marked, place)]):
        return marked
    characters = list(marked)
    for place in attached:
        characters[place] = text[place]
    return "".join(characters)


def _is_attached(text: str, marked: str, place: int) -> bool:
    """Tell whether a raised or lowered digit stands alone behind a letter."""
    alone = not marked[place + 1 : place + 2].isdecimal()
    return alone and text[place].isdigit() and text[max(0, place - 1) : place].isalpha()


_MARKED: Final = CharacterTable(lambda character: "0" if unicodedata.category(character) in ("No", "Nl") else character)
JOINING: Final = "-/()'\""
"""Marks that, with one character of white space on one side or both, are still a single separator."""

_SEPARATORS: Final = ".,"
# Characters of white space and punctuation, all together, that one number may have between two groups of digits.
_MOST: Final = 3


def plain_number(surface: str) -> str:
    """Return the decimal digits of any writing in ``surface`` as 0 to 9, and its '.' and ','; nothing else survives."""
    if surface.isascii() and surface.isdecimal():
        return surface
    kept = (character for character in surface if character.isdecimal() or character in _SEPARATORS)
    return "".join([str(int(character)) if character.isdecimal() else character for character in kept])


def same_number(ends: Ids, starts: Ids, blank: Flags, mark: Flags, joins: Callable[[Ids], Flags]) -> Flags:
    """Return for each pair of groups of digits whether they are one number by the rule above, in linear time.

    ``ends`` has the place of the last digit of each group, ``starts`` of the first of the next, shape (pairs,);
    ``blank`` and ``mark`` tell white space and punctuation at every place, ``joins`` whether places hold one of
    ``JOINING``.
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
    """Return whether ``same_number`` is False for every pair, for all that stands between; in a tenth of the time.

    ``kinds`` has a byte for every place; ``separators`` are the kinds of white space and punctuation.
    """
    return all(
        sum(kinds.count(kind, end, start) for kind in separators) > _MOST
        for end, start in zip(ends.tolist(), starts.tolist(), strict=True)
    )


_BLANK: Final = " "
_LINE_ENDS: Final = str.maketrans("\x85\u2028\u2029", "\n\n\n")  # line ends that a view shows as spaces
_SEPARATOR: Final = rf"(?:[{MARKS_IN_VIEW}]|{_BLANK}|{_BLANK}[-/()'\"]{_BLANK}?|[-/()'\"]{_BLANK})"
_DIGIT: Final = re.compile("[0-9]").search
_NUMBERS: Final = lazy_regex(rf"[0-9]++(?:{_SEPARATOR}[0-9]++)*+")


def number_places(text: str) -> list[tuple[int, int]]:
    """Return start and end of every number, in order; no digit or numeral stands outside. Time is linear."""
    if text.isascii() and _DIGIT(text) is None:  # as in most stretches
        return []
    return [match.span() for match in matches(_NUMBERS, class_view(translated(marked_numerals(text), _LINE_ENDS)))]
