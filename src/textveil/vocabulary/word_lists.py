"""Public lists of all words, each word followed by the nearest of those that are left: lines through the vectors.

Source: Meisenbacher, Chevli and Matthes 2024 (1-Diffractor).
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids, Progress, Reals
from textveil.vocabulary.geometry import nearest_neighbors, remembered
from textveil.vocabulary.vocabulary import Vocabulary

_NEAR = 32
"""Neighbors of every word that are looked at before all words that are left."""

_SHRINK = 0.75
"""The table of words that are left is made anew when so few of its rows are."""


def word_lists(vocabulary: Vocabulary, count: int, seed: int, progress: Progress | None = None) -> Ids:
    """``count`` lists of all words from different random words on, remembered as long as the vocabulary lives.

    Args:
        vocabulary: public words and vectors.
        count: lists, between 1 and the number of words.
        seed: of the first words; public.
        progress: called as words are placed, where the lists are new.

    Returns:
        Word ids in the order of each list, shape (count, n).

    Raises:
        ParameterError: ``count`` is outside its domain.
    """
    size = len(vocabulary)
    need(1 <= count <= size, "lists", count, f"between 1 and the {size} words of the vocabulary")

    def made() -> Ids:
        near = remembered(vocabulary, ("near", _NEAR), lambda: _near(vocabulary))
        firsts = seeded_generator(seed).permutation(size)[:count]
        out = np.empty((count, size), dtype=np.int64)
        for row, first in enumerate(firsts.tolist()):
            out[row] = _chain(vocabulary.vectors, near, int(first))
            if progress is not None:
                progress(row + 1, count)
        out.flags.writeable = False
        return out

    return remembered(vocabulary, ("lists", count, seed), made)


def lists_digest(lists: Ids) -> str:
    """16 hexadecimal digits of SHA-256 over the lists, for reports."""
    return hashlib.sha256(np.ascontiguousarray(lists, dtype="<i8").tobytes()).hexdigest()[:16]


def _near(vocabulary: Vocabulary) -> Ids:
    size = len(vocabulary)
    return nearest_neighbors(vocabulary.vectors, np.arange(size), min(_NEAR, size), metric="euclidean")


def _chain(vectors: NDArray[np.float32], near: Ids, first: int) -> Ids:
    """Every word once, each the nearest by Euclidean distance of those that are left; ties to the lower id."""
    size = len(vectors)
    left = np.ones(size, dtype=bool)
    rest = _Rest(vectors)
    out = np.empty(size, dtype=np.int64)
    word = first
    for place in range(size):
        out[place] = word
        left[word] = False
        if place + 1 == size:
            break
        open_ones = near[word][left[near[word]]]
        word = int(open_ones[0]) if len(open_ones) else rest.nearest(word, left)
    return out


class _Rest:
    """The words that are left, in a table that shrinks with them."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors, self._ids = vectors, np.arange(len(vectors))
        self._table: NDArray[np.float64] = vectors.astype(np.float64)
        self._halves: Reals = (self._table**2).sum(axis=1) / 2

    def nearest(self, word: int, left: NDArray[np.bool_]) -> int:
        """The word that is left and nearest to ``word``."""
        here = left[self._ids]
        if here.mean() < _SHRINK:
            self._ids, self._table, self._halves = self._ids[here], self._table[here], self._halves[here]
            here = np.ones(len(self._ids), dtype=bool)
        scores = self._table @ self._vectors[word].astype(np.float64) - self._halves
        return int(self._ids[np.argmax(np.where(here, scores, -np.inf))])
