"""Public lists of all words, each word followed by the nearest remaining one: lines through the vectors.

Source: Meisenbacher, Chevli and Matthes 2024 (1-Diffractor).
"""

import hashlib
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids, Progress, Reals
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.table_files import Arrays, ArrayShape, TableKey
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary import DATA
from textveil_lab.vocabulary.geometry import nearest_neighbors, remembered

KIND: Final = "word-lists"
LISTS: Final = "lists"  # The array: ids, shape (lists, n), every row all words
SHIPPED: Final = DATA / "lists.table"
SHIPPED_LISTS: Final = (5, 0)
"""Count and seed of the shipped table of the embedded vocabulary: the defaults of 1-Diffractor."""

_RULE: Final = "nearest by Euclidean distance of those that are left, ties to the lower id; 1"  # Changes when lists do
_KEPT: Final = 4096  # Words from which on a table is kept on disk; shorter lists take a second at most
_UNIT: Final = 2.0**-53
_NEAR = 32  # Neighbors of every word that are tried before all remaining words
_SHRINK = 0.75  # The table of words that are left is made anew when so few of its rows are


def word_lists(vocabulary: Vocabulary, count: int, seed: int, progress: Progress | None = None) -> Ids:
    """Return ``count`` lists of all words, from different random first words, made once; see ``lists_table``.

    Args:
        count: number of lists, between 1 and the number of words.

    Returns:
        Word ids in the order of each list, shape (count, n).

    Raises:
        ParameterError: ``count`` is outside its domain.
    """
    need(1 <= count <= len(vocabulary), "lists", count, f"between 1 and the {len(vocabulary)} words of the vocabulary")

    def made() -> Ids:
        table = lists_table(vocabulary, count, seed)
        if len(vocabulary) < _KEPT:
            arrays = table.make(progress)
        else:
            arrays = (table.opened() or table.build(progress).table).arrays
        out = arrays[LISTS].astype(np.int64)
        out.flags.writeable = False
        return out

    return remembered(vocabulary, ("lists", count, seed), made)


def lists_table(vocabulary: Vocabulary, count: int, seed: int) -> PublicTable:
    """Return the table of ``count`` lists; the default ones of the embedded vocabulary are shipped.

    Args:
        count: between 1 and the number of words.
    """
    n = len(vocabulary)
    shape = ArrayShape(LISTS, np.min_scalar_type(n - 1).newbyteorder("<").str, (count, n))
    return PublicTable(
        key=TableKey(
            kind=KIND, made_from={"vocabulary": vocabulary.digest, "seed": seed, "rule": _RULE}, arrays=(shape,)
        ),
        describe=f"the table of {count:,} lists of {n:,} words",
        make=partial(_made, vocabulary, count, seed),
        sound=partial(_sound, n),
        shipped=SHIPPED if (count, seed) == SHIPPED_LISTS else None,
    )


def _made(vocabulary: Vocabulary, count: int, seed: int, progress: Progress | None) -> Arrays:
    size = len(vocabulary)
    near = remembered(vocabulary, ("near", _NEAR), lambda: _near(vocabulary))
    firsts = seeded_generator(seed).permutation(size)[:count]
    out = np.empty((count, size), dtype=np.min_scalar_type(size - 1))
    for row, first in enumerate(firsts.tolist()):
        out[row] = _chain(vocabulary.vectors, near, int(first))
        if progress is not None:
            progress(row + 1, count)
    return {LISTS: out}


def _sound(words: int, arrays: Arrays) -> bool:
    """Tell whether every list has every word once, the only premise of 1-Diffractor's proof."""
    return all(np.array_equal(np.sort(row), np.arange(words)) for row in arrays[LISTS])


def lists_digest(lists: Ids) -> str:
    """Return 16 hexadecimal digits of SHA-256 over the lists, for reports."""
    return hashlib.sha256(np.ascontiguousarray(lists, dtype="<i8").tobytes()).hexdigest()[:16]


def _near(vocabulary: Vocabulary) -> Ids:
    size = len(vocabulary)
    return nearest_neighbors(vocabulary.vectors, np.arange(size), min(_NEAR, size), metric="euclidean")


def _chain(vectors: NDArray[np.float32], near: Ids, first: int) -> Ids:
    """Return every word once, each the nearest remaining one by Euclidean distance; the lower id wins a tie."""
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
    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors, self._ids = vectors, np.arange(len(vectors))
        self._table: NDArray[np.float64] = vectors.astype(np.float64)
        self._halves: Reals = (self._table**2).sum(axis=1) / 2
        # A score and the best are each off by at most (2 dim + 8) roundings of terms up to twice the largest square.
        self._margin = (8 * vectors.shape[1] + 64) * _UNIT * 2 * float(self._halves.max())

    def nearest(self, word: int, left: NDArray[np.bool_]) -> int:
        """Return the remaining word nearest to ``word``; the lower id wins a tie, on every machine."""
        here = left[self._ids]
        if here.mean() < _SHRINK:
            self._ids, self._table, self._halves = self._ids[here], self._table[here], self._halves[here]
            here = np.ones(len(self._ids), dtype=bool)
        point = self._vectors[word].astype(np.float64)
        scores = np.where(here, self._table @ point - self._halves, -np.inf)
        close = np.flatnonzero(scores >= scores.max() - self._margin)
        distances = ((self._table[close] - point) ** 2).sum(axis=1)
        return int(self._ids[close[np.argmin(distances)]])
