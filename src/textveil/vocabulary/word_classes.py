"""Coarse public classes of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

CLASS_NAMES: Final = ("word", "time", "person", "place")

_WORDS: Final = {
    "time": "year day week month today hours minutes monday friday may march june",
    "person": "man woman doctor teacher actor singer player",
    "place": "city town street country village house england america",
}
_CLASS_OF: Final = {word: CLASS_NAMES.index(name) for name, words in _WORDS.items() for word in words.split()}


def word_classes(words: Sequence[str]) -> NDArray[np.int64]:
    """The class of each word."""
    return np.array([_CLASS_OF.get(word, 0) for word in words], dtype=np.int64)
