"""Coarse public classes of English words, such as ``place`` and ``food``, from WordNet.

``tools/build_word_classes.py`` builds the embedded table. A class is a function of the word alone.
"""

import hashlib
import lzma
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np

from textveil.errors import InputError, VocabularyError
from textveil.json_text import json_file
from textveil.types import Integers
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

FILE: Final = "word_classes.xz"
RECORD: Final = "word_classes.json"

CLASS_NAMES: Final = (
    "other", "name", "function", "quality", "manner", "thing", "act", "animal", "trait", "body", "idea", "message",
    "event", "feeling", "food", "group", "place", "nature", "person", "plant", "money", "amount", "relation", "shape",
    "state", "substance", "time", "change", "think", "say", "compete", "eat", "touch", "make", "move", "perceive",
    "have", "deal", "be", "weather",
)  # fmt: skip
"""All classes. ``other`` holds words that are in no list, ``name`` those of them with a capital."""

_ENDINGS: Final = (
    ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("es", "e"), ("es", ""), ("s", ""), ("ed", "e"), ("ed", ""),
    ("ing", "e"), ("ing", ""), ("ier", "y"), ("iest", "y"), ("er", "e"), ("er", ""), ("est", "e"), ("est", ""),
    ("ly", ""), ("ily", "y"), ("bly", "ble"), ("ally", "al"), ("ness", ""), ("iness", "y"),
)  # fmt: skip
"""Endings of inflected words, and what a base form has in their place."""

_SHORTEST: Final = 3


def base_forms(word: str) -> Iterator[str]:
    """Words of which a word may be an inflected form, the likeliest first."""
    if word.endswith("'s"):
        yield word[:-2]
    for ending, base in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < _SHORTEST:
            continue
        yield stem + base
        if not base and stem[-1] == stem[-2]:
            yield stem[:-1]


@cache
def _table() -> dict[str, int]:
    packed = (DATA / FILE).read_bytes()
    record = json_file(DATA / RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    return dict(zip(load_vocabulary().words, lzma.decompress(packed), strict=True))


def word_classes(words: Sequence[str]) -> Integers:
    """The class of each word, as its place in ``CLASS_NAMES``, shape (n,).

    A word has the class of its lower case, or of a base form, in the embedded vocabulary. A word without a known class
    is a ``name`` if it begins with a capital, else ``other``.

    Raises InputError: the embedded file is not the one that was shipped.
    """
    table = _table()
    return np.array([_class_of(word, table) for word in words], dtype=np.int64)


def _class_of(word: str, table: dict[str, int]) -> int:
    lower = word.lower()
    known = table.get(lower)
    if known is None:
        known = next((table[form] for form in base_forms(lower) if form in table), 0)
    return known or int(word[:1].isupper())


MILDER_FILE = "milder.txt"  # lines of a coarse word's id and the word that is written
IDS_OF = "b9afd2a84bed2504"  # begins the digest of the vocabulary whose ids these are


def milder_words(vocabulary: Vocabulary) -> Mapping[int, int]:
    """Ids of coarse words, with the ids of the words that are written in their place.

    ``vocabulary``: the embedded one or the first words of it; another is its user's choice, and is written as it is.
    """
    whole = load_vocabulary()
    size = len(vocabulary)
    if vocabulary is whole:
        return _pairs()
    if vocabulary.name != whole.name or vocabulary.words != whole.words[:size]:
        return MappingProxyType({})
    return {coarse: milder for coarse, milder in _pairs().items() if coarse < size and milder < size}


@cache
def _pairs() -> Mapping[int, int]:
    words = load_vocabulary()
    if not words.digest.startswith(IDS_OF):  # other words would be rewritten
        raise VocabularyError(f"{MILDER_FILE} must be made again: its ids are of the vocabulary {IDS_OF}; got another.")
    lines = (line.split() for line in (DATA / MILDER_FILE).read_text(encoding="ascii").splitlines())
    pairs = {int(coarse): words.id_of(milder) for coarse, milder in lines}
    return MappingProxyType({coarse: milder for coarse, milder in pairs.items() if milder is not None})
