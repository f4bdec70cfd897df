"""Where the numbers of a text stand: every digit and numeral of any writing lies in one of them.

Numerals that are letters (\u4e09) are none, nor is a single raised or lowered digit behind a letter (m\u00b2).

A number is a row of groups of digits, each parted from the next by a single separator: one space or punctuation,
or one of ``numbers.JOINING`` with a space on one side or both. So far it is the rule of ``numbers``; but letters,
symbols, tabs and line ends end a number here, since they stay where numbers alone are drawn: a column is no number.
"""

from __future__ import annotations

import re
from typing import Final

from textveil.text.numerals import marked_numerals
from textveil.text.patterns import lazy_regex
from textveil.text.slices import matches, translated
from textveil.text.tokens import MARKS_IN_VIEW, class_view

_BLANK: Final = " "
_LINE_ENDS: Final = str.maketrans("\x85\u2028\u2029", "\n\n\n")
"""Line ends that a view shows as spaces."""

_SEPARATOR: Final = rf"(?:[{MARKS_IN_VIEW}]|{_BLANK}|{_BLANK}[-/()'\"]{_BLANK}?|[-/()'\"]{_BLANK})"
_DIGIT: Final = re.compile("[0-9]").search
_NUMBERS: Final = lazy_regex(rf"[0-9]++(?:{_SEPARATOR}[0-9]++)*+")


def number_places(text: str) -> list[tuple[int, int]]:
    """Start and end of every number, in order; no digit or numeral stands outside. Time is linear in the text.

    Args:
        text: any string.
    """
    if text.isascii() and _DIGIT(text) is None:  # as in most stretches
        return []
    return [match.span() for match in matches(_NUMBERS, class_view(translated(marked_numerals(text), _LINE_ENDS)))]
