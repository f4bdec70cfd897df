"""Public lists of names and places, and which words are common ones (``tools/build_detection_lists.py``)."""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import dataclass
from enum import IntFlag
from functools import cache
from pathlib import Path
from typing import final

from textveil.errors import InputError

DATA = Path(__file__).parent / "data"
FILE = "names.txt.xz"
RECORD = "names.json"


class Marks(IntFlag):
    """What public lists and public text say of a word; the tool's head states the rules."""

    GIVEN = 1
    FAMILY = 2
    PLACE = 4
    COMMON = 8
    SMALL = 16
    OTHER = 32
    KNOWN_PLACE = 64


@final
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
    record = json.loads((DATA / RECORD).read_text(encoding="ascii"))
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    openings: dict[str, int] = {}
    fields = lzma.decompress(packed).decode("ascii").replace("\n", "\t").split("\t")
    names, marks = fields[:-1:2], fields[1::2]
    values = {written: int(written, 16) for written in set(marks)}
    words = dict(zip(names, map(values.__getitem__, marks), strict=True))
    phrases = [name for name in names if " " in name]
    for name in phrases:
        del words[name]
        first = name[: name.index(" ")]
        openings[first] = max(openings.get(first, 0), name.count(" ") + 1)
    return Lists(words, frozenset(phrases), openings)
