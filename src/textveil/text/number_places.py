"""Where the numbers of a text stand: every decimal digit of any writing lies in one of them.

A number is a row of groups of digits, each parted from the next by a single separator: one character of white space or
punctuation, or one of ``numbers.JOINING`` with a character of white space on one side or both. So far it is the rule of
``numbers``; but letters and symbols end a number here, since they stay where numbers alone are drawn.
"""

from __future__ import annotations

import re
from typing import Final

from textveil.text.tokens import MARKS_IN_VIEW, class_view

_BLANK: Final = r"[\t-\r\x20]"
_SEPARATOR: Final = rf"(?:[{MARKS_IN_VIEW}]|{_BLANK}|{_BLANK}[-/()'\"]{_BLANK}?|[-/()'\"]{_BLANK})"
_NUMBERS: Final = re.compile(rf"[0-9]++(?:{_SEPARATOR}[0-9]++)*+").finditer


def number_places(text: str) -> list[tuple[int, int]]:
    """Start and end of every number, in order; no decimal digit stands outside. Time is linear in the text.

    Args:
        text: any string.
    """
    return [found.span() for found in _NUMBERS(class_view(text))]
