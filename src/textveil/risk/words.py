"""The words that attacks compare: lower case, without possessives and placeholders."""

import re
from typing import Final

from textveil.text.english import FUNCTION_WORDS

_PLACEHOLDER: Final = re.compile(r"\[[a-z][a-z -]*\]")
_WORDS: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
BLANK: Final = "_"
"""Stands for every word of a text that is blanked; it is no word."""


def without_placeholders(text: str) -> str:
    """The text with a space for each placeholder, and plain apostrophes."""
    return _PLACEHOLDER.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def words_of(text: str) -> list[str]:
    """The words and numbers of a text in their order; placeholders such as ``[email]`` are none."""
    plain = without_placeholders(text).lower()
    words: list[str] = _WORDS.findall(plain)
    if "'s" not in plain:
        return words
    return [word[:-2] if word.endswith("'s") and word not in FUNCTION_WORDS else word for word in words]


def blanked(text: str) -> str:
    """The text with every word and number as ``BLANK``; marks and white space stay."""
    return _WORDS.sub(BLANK, text)
