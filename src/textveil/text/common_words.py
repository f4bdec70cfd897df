"""Common words: public lists of words that tell little about who wrote a text or whom it is about.

The embedded lists are chosen by ``tools/build_common_words.py`` from public biographies; ``common_words_of`` makes
such a list from public text of your own.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from textveil.errors import InputError, need
from textveil.json_text import json_file
from textveil.text.patterns import lazy_regex

DATA: Final = Path(__file__).parent / "data"
FILE: Final = "common_words.txt"
RECORD: Final = "common_words.json"
LEVELS: Final = ("low", "medium", "high")
"""How much linkage a list allows; ``measured`` holds what was measured. Each list holds the one before it."""

# For ``common_words_of``: the largest ln(documents / documents with the word) sqrt(uses per document with it).
_LARGEST_SCORE: Final = {"low": 1.5, "medium": 2.2, "high": 3.3}

_FEWEST: Final = 20  # documents that a list can be made from
_WORDS: Final = lazy_regex(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
# Words that do not begin in a-z and follow a word in lower case, a comma or a semicolon: they begin no sentence.
_CAPITALS: Final = lazy_regex(r"(?<=[a-z,;] )[^\W\d_a-z][^\W\d_]*(?:['\u2019][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class CommonWords:
    """A list of words that stay."""

    words: frozenset[str]  # in lower case
    names: frozenset[str]  # those of ``words`` that are also names or months: with a capital they do not stay


@cache
def _entries() -> tuple[tuple[str, str, bool], ...]:
    data = (DATA / FILE).read_bytes()
    if hashlib.sha256(data).hexdigest() != measured()["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    lines = (line.split() for line in data.decode("ascii").splitlines())
    return tuple((level, word, bool(name)) for level, word, *name in lines)


@cache
def measured() -> dict[str, Any]:
    """The rule of the embedded lists, and for each level the linkage that was measured (a copy of the record)."""
    record: dict[str, Any] = json_file(DATA / RECORD)
    return record


@cache
def common_words(level: str = "low") -> CommonWords:
    """Return the embedded list of a level. Raises ParameterError for another level, InputError for a changed file."""
    need(level in LEVELS, "level", level, f"one of {', '.join(LEVELS)}")
    levels = LEVELS[: LEVELS.index(level) + 1]
    entries = [(word, name) for entry, word, name in _entries() if entry in levels]
    return CommonWords(frozenset(word for word, _ in entries), frozenset(word for word, name in entries if name))


def common_words_of(documents: Iterable[str], level: str = "low") -> tuple[str, ...]:
    """Words that are common and evenly used in public documents, sorted.

    A word is listed if ln(documents / documents with it) sqrt(uses per document with it) is at most a number that the
    level sets, and if it is written in lower case more often than with a capital inside a sentence. Lists made from 302
    biographies and measured on 302 others had about the linkage of the embedded levels. The linkage of a list from
    other text is not known: measure it with ``textveil risk``.

    Args:
        documents: public ones, none of them the text to be released or chosen by it.
        level: one of ``LEVELS``.

    Raises:
        ParameterError: the level is unknown, there are fewer than 20 documents, or no word is common.
    """
    need(level in LEVELS, "level", level, f"one of {', '.join(LEVELS)}")
    uses, holders, capitals = (Counter[str]() for _ in range(3))
    total = 0
    for document in documents:
        total += 1
        written = Counter(_WORDS.findall(document))
        words = {word: times for word, times in written.items() if word.islower()}
        uses.update(words)
        holders.update(words.keys())
        capitals.update(word.lower() for word in _CAPITALS.findall(document) if not word.islower())
    need(total >= _FEWEST, "background", f"{total} documents", f"at least {_FEWEST} public documents")
    words_in_order = sorted(holders)
    held = np.array([holders[word] for word in words_in_order], dtype=np.float64)
    used = np.array([uses[word] for word in words_in_order], dtype=np.float64)
    even = np.log(total / held) * np.sqrt(used / held) <= _LARGEST_SCORE[level]
    chosen = tuple(
        word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        for word, common in zip(words_in_order, even.tolist(), strict=True)
        if common and capitals[word] < uses[word]
    )
    need(bool(chosen), "background", "documents without a common word", "documents that share words")
    return tuple(sorted(set(chosen)))
