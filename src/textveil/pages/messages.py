"""Messages and pages in German, French and Spanish: one table of texts, by the English that the code holds.

A row is a text, or a text with places: what stands at ``{}`` is translated in turn, what stands at ``{_}`` stays. What
the table lacks stays English, so that no message is lost.
"""

import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from textveil.environment import LANGUAGE
from textveil.errors import InternalError, need
from textveil.json_text import json_data

LANGUAGES: Final = ("en", "de", "fr", "es")

WIDTH: Final = 80
_LABEL: Final = 10  # characters before the text of each line of a summary

_COUNTED = re.compile(r"([0-9][0-9,]{0,30}) (.+)", re.DOTALL)
_GAP: Final = "\N{NARROW NO-BREAK SPACE}"  # within thousands: a comma or a point is a decimal mark somewhere
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FIGURE = re.compile(r"\(?-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?\)?(?:-DP)?(?: %)?")
_PLACE = re.compile(r"\{_?\}")
_WITHIN: Final = r"((?:(?!\. [A-Z]).)+?)"  # what stands at a place; no two sentences do
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z`])")
_PARTS: Final = ("; ", ", ", " and ")
"""Marks that join the parts of a text that the table has one by one, the loosest first."""


def message_language() -> str:
    """Return the language that the environment asks for, else English.

    Raises ParameterError: there are no texts in it.
    """
    language = os.environ.get(LANGUAGE) or "en"
    need(language in LANGUAGES, LANGUAGE, language[:20], f"one of {', '.join(LANGUAGES)}")
    return language


def said(text: str) -> str:
    """Return a text of one or several sentences in the environment's language; what the table lacks stays English."""
    if (language := message_language()) == "en":
        return text
    return _matched(text, language) or " ".join(_translated(part, language) for part in _SENTENCES.split(text))


_NAMES: Final = {
    "person": "name",
    "demographic": "demographic fact",
    "money": "amount",
    "ip": "IP address",
    "url": "URL",
    "encoded": "encoded text",
}
"""Kinds that a reader calls otherwise."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in English, as the table has it: "1 name", "2 names".

    ``noun``: in the singular, or a kind of spans.
    """
    name = _NAMES.get(noun, noun.replace("-", " "))
    if count != 1:
        name = re.sub("([^aeiou])y$", r"\1ie", re.sub("s$", "se", name)) + "s"
    return f"{count:,} {name}"


def row(label: str, text: str) -> list[str]:
    """Return a line with a label, wrapped at the width of a terminal."""
    return wrapped(f"{said(label):<{_LABEL - 1}} {said(text) if label else text}")


def plain_row(label: str, text: str) -> list[str]:
    """Return a line with a label, wrapped; its text is in the language already, or in none."""
    return wrapped(f"{said(label):<{_LABEL - 1}} {text}")


def wrapped(line: str) -> list[str]:
    """Return a line in lines of a terminal's width; what follows the first is indented."""
    indent = " " * _LABEL
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


@cache
def _table(language: str) -> Mapping[str, str]:
    rows = json_data(files("textveil.pages").joinpath("messages.json").read_bytes())
    checked_rows(rows)
    return {english: row[LANGUAGES.index(language) - 1] for english, row in rows.items()}


def checked_rows(rows: Mapping[str, Sequence[str]]) -> None:
    """Refuse a table in which a text lacks a language, or has other places in one than in English.

    Raises InternalError: it is so.
    """
    for english, own in rows.items():
        places = _PLACE.findall(english)
        if len(own) != len(LANGUAGES) - 1 or not all(own) or any(_PLACE.findall(text) != places for text in own):
            raise InternalError(f"a text of the table of messages must have all languages: {english[:60]}")


@cache
def _templates(language: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...], str], ...]:
    """Return the rows with places, those with the most letters of their own first: pattern, places, translation."""
    rows = [row for row in _table(language).items() if _PLACE.search(row[0])]
    rows.sort(key=lambda row: (-len(row[0]), row[0]))
    patterns = [_WITHIN.join(map(re.escape, _PLACE.split(english))) for english, _ in rows]
    return tuple(
        (re.compile(pattern, re.DOTALL), tuple(_PLACE.findall(english)), _PLACE.sub("{}", own))
        for pattern, (english, own) in zip(patterns, rows, strict=True)
    )


def _matched(text: str, language: str) -> str:
    """Return what a row of the table says; empty if none fits the whole text."""
    table = _table(language)
    if text in table:
        return table[text]
    if _FIGURE.fullmatch(text):
        return _THOUSANDS.sub(_GAP, text).replace(".", ",")
    if (count := _COUNTED.fullmatch(text)) and count[2] in table:
        return f"{_THOUSANDS.sub(_GAP, count[1])} {table[count[2]]}"
    for pattern, places, own in _templates(language):
        if match := pattern.fullmatch(text):
            parts = zip(places, match.groups(), strict=True)
            return own.format(*(part if place == "{_}" else _translated(part, language) for place, part in parts))
    return ""


def _translated(text: str, language: str) -> str:
    matched = _matched(text, language)
    mark = next((mark for mark in _PARTS if mark in text), "")
    if matched or not mark:
        return matched or text
    parts = text.split(mark)
    own = [_translated(part, language) for part in parts]
    return text if own == parts else _table(language).get(mark, mark).join(own)
