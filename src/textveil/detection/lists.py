"""Public lists of names and places, and which words are common ones (``tools/build_detection_lists.py``)."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from functools import cache
from pathlib import Path
from typing import Final

from textveil.errors import InputError
from textveil.json_text import json_file

DATA = Path(__file__).parent / "data"
FILE = "names.txt.gz"
RECORD = "names.json"
_LOWEST: Final = 0x20
"""The character of no marks in the file."""
_MARKS: Final = bytes(max(0, code - _LOWEST) for code in range(256))


class Marks(IntFlag):
    """What public lists and public text say of a word; the tool's head states the rules."""

    GIVEN = 1
    FAMILY = 2
    PLACE = 4
    COMMON = 8
    SMALL = 16
    OTHER = 32
    KNOWN_PLACE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists, in plain small letters.

    Attributes:
        words: the marks of each word, as integers.
        phrases: places of several words, parted by single spaces.
        openings: the first words of those places, with the number of words of the longest that begins so.
    """

    words: dict[str, int]
    phrases: frozenset[str]
    openings: dict[str, int]


@cache
def lists() -> Lists:
    """The embedded lists, read once.

    Raises:
        InputError: the file is not the one that was shipped.
    """
    packed = (DATA / FILE).read_bytes()
    record = json_file(DATA / RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    names, marks, places = gzip.decompress(packed).decode("ascii").splitlines()
    phrases = places.split("\t")
    openings: dict[str, int] = {}
    for name in phrases:
        first = name[: name.index(" ")]
        openings[first] = max(openings.get(first, 0), name.count(" ") + 1)
    words = dict(zip(names.split("\t"), marks.encode("ascii").translate(_MARKS), strict=True))
    return Lists(words, frozenset(phrases), openings)


def packed_lists(marks: Mapping[str, int]) -> str:
    """What the file holds: the words, a character for the marks of each, and the places of several words."""
    words = sorted(name for name in marks if " " not in name)
    written = "".join(chr(marks[word] + _LOWEST) for word in words)
    return "\t".join(words) + f"\n{written}\n" + "\t".join(sorted(marks.keys() - set(words))) + "\n"
