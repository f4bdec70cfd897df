"""Ordinary words of other languages, which name nobody even with a capital (``tools/build_ordinary_words.py``)."""

from __future__ import annotations

import hashlib
import lzma
from functools import cache
from typing import Final

from textveil.detection.lists import DATA
from textveil.errors import InputError
from textveil.json_text import json_file

FILE: Final = "ordinary.txt.xz"
RECORD: Final = "ordinary.json"
LANGUAGES: Final = ("de", "fr", "es", "it", "pt", "nl")
"""Languages beside English that have rules of their own, by ISO 639-1 code."""


@cache
def _lines() -> dict[str, str]:
    packed = (DATA / FILE).read_bytes()
    record = json_file(DATA / RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    lines = lzma.decompress(packed).decode("ascii").splitlines()
    return dict(line.split("\t", 1) for line in lines)


@cache
def ordinary_words(language: str) -> frozenset[str]:
    """The ordinary words of one of ``LANGUAGES``, in plain small letters.

    Raises:
        InputError: the file is not the one that was shipped.
    """
    return frozenset(_lines()[language].split(" "))
