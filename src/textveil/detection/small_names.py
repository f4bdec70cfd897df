"""Names that are written in small letters: what the lists of names hold, where no English word is written so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection import name_words as known
from textveil.detection.found import Found
from textveil.detection.lists import Marks, lists

_SHORT: Final = re.compile(r"[a-z]{3,}").findall
_WORDS: Final = re.compile(r"(?<![A-Za-z0-9_@#./'-])[a-z]+(?:['-][a-z]+)*(?![A-Za-z0-9_@/])").finditer
_CUE: Final = re.compile(
    r"(?:[Nn]ame(?:'s| is|:)|[Nn]ame(?: on the account)?\? (?:[Uu]ser: )?|[Nn]amed (?:him|her)|[Cc]alls? (?:me|him|her)"
    r"|(?<![A-Za-z])(?:mr|mrs|ms|dr|miss|prof)\.?)[ \t]+$"
).search
_BACK: Final = 40
_NOT_SMALL: Final = Marks.COMMON | Marks.SMALL | Marks.OTHER
_SHORTEST_PLACE: Final = 5
_MOST_WORDS: Final = 4


@cache
def _names() -> frozenset[str]:
    """Words that name somebody or some place, and are no English words in small letters."""
    kinds = Marks.GIVEN | Marks.FAMILY | Marks.PLACE
    return frozenset(
        word
        for word, marks in lists().words.items()
        if marks & kinds and not marks & _NOT_SMALL and word not in known.FUNCTION_WORDS and len(word) > 2
    )


def find_small_names(text: str) -> Iterator[Found]:
    """Names of persons and places in small letters."""
    cued = "name" in text or "ms. " in text or "mr. " in text or "mrs. " in text or "dr. " in text or "call" in text
    if not cued and _names().isdisjoint(_SHORT(text)):
        return
    marks_of = lists().words.get
    words = list(_WORDS(text))
    place = 0
    while place < len(words):
        word = words[place]
        low = word[0].removesuffix("'s")
        taken = 1
        marks = marks_of(low, 0)
        listed = low in _names()
        if listed or (cued and not marks & _NOT_SMALL and low not in known.FUNCTION_WORDS):
            cue = _CUE(text, max(0, word.start() - _BACK), word.start()) is not None
            kind = _kind(low, marks, words[place - 1][0] if place else "", cue=cue, listed=listed)
            if kind == "person":
                taken += _more(text, words, place)
            if kind:
                last = words[place + taken - 1]
                end = last.end() - (2 if last[0].endswith("'s") else 0)
                yield Found(word.start(), end, kind, 0.6 if cue else 0.4)
        place += taken


def _kind(low: str, marks: int, before: str, *, cue: bool, listed: bool) -> str:
    """What a word in small letters names; nothing as a rule."""
    if cue:
        return "person" if len(low) > 1 else ""
    if not listed:
        return ""
    placed = before in known.BEFORE_PLACES
    if marks & Marks.KNOWN_PLACE and len(low) > 3:
        return "place"
    if marks & Marks.GIVEN and not (placed and marks & Marks.PLACE and not marks & Marks.FAMILY):
        return "person"
    if marks & Marks.PLACE and placed and len(low) >= _SHORTEST_PLACE:
        return "place"
    return ""


def _more(text: str, words: list[re.Match[str]], place: int) -> int:
    """How many words after a given name belong to it: family names, initials, and words that no list holds."""
    count = 0
    while count < _MOST_WORDS and place + count + 1 < len(words):
        before, word = words[place + count], words[place + count + 1]
        gap = text[before.end() : word.start()]
        low = word[0].removesuffix("'s")
        marks = lists().words.get(low, 0)
        initial = len(low) == 1 and low not in "ai"
        fits = initial or low in known.PARTICLES or (not marks & _NOT_SMALL and low not in known.FUNCTION_WORDS)
        if gap not in (" ", ". ") or (gap == ". " and len(before[0]) > 1) or before[0].endswith("'s") or not fits:
            break
        count += 1
    while count and (words[place + count][0] in known.PARTICLES or len(words[place + count][0]) == 1):
        count -= 1
    return count
