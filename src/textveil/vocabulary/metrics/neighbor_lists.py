"""The k words of greatest cosine with every word, and who has whom in his list."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Progress
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.metrics.metric import blocks
from textveil.vocabulary.tables.neighbor_order import NEIGHBORS, neighbor_order
from textveil.vocabulary.vocabulary import Vocabulary

_ROWS = 128


class WordLists(NamedTuple):
    """Lists one behind the other: that of x is ``words[starts[x] : starts[x + 1]]``, ids rising."""

    starts: NDArray[np.int64]
    words: NDArray[Any]

    def of(self, word: int) -> NDArray[Any]:
        """The list of one word."""
        return self.words[self.starts[word] : self.starts[word + 1]]


def neighbor_lists(vocabulary: Vocabulary, neighbors: int, progress: Progress | None = None) -> NDArray[Any]:
    """S_k(x) for every word: the k words of greatest cosine, x itself included, ids rising; shape (n, k).

    A list depends on its word alone, ties go to the lower id (``vocabulary.grid``).

    Args:
        neighbors: k, between 2 and the number of words.
    """
    grid = integer_grid(vocabulary)
    need(2 <= neighbors <= grid.size, "neighbors", neighbors, f"between 2 and the {grid.size} words of the vocabulary")
    table = neighbor_order(vocabulary, neighbors).opened()
    out = np.empty((grid.size, neighbors), dtype=np.min_scalar_type(grid.size - 1))
    for ids in blocks(grid.size, _ROWS):
        rows = grid.neighborhoods(ids, neighbors) if table is None else table[NEIGHBORS][ids, :neighbors]
        out[ids] = np.sort(rows, axis=1)
        if progress is not None:
            progress(int(ids[-1]) + 1, grid.size)
    out.flags.writeable = False
    return out


def postings(lists: NDArray[Any]) -> WordLists:
    """For every word z, the words that have z in their list."""
    n, k = lists.shape
    flat = lists.reshape(-1)
    order = np.argsort(flat, kind="stable")  # by z, then by the word whose list it is
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(flat, minlength=n), out=starts[1:])
    return WordLists(starts, (order // k).astype(lists.dtype))


def joined(lists: NDArray[Any]) -> WordLists:
    """The graph of the lists without direction: x and y are joined where either is in the other's list, x != y."""
    n, k = lists.shape
    first = np.repeat(np.arange(n, dtype=np.int64), k)
    second = lists.reshape(-1).astype(np.int64)
    apart = first != second
    keys = np.sort(np.concatenate([(first * n + second)[apart], (second * n + first)[apart]]))
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    starts = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n)
    return WordLists(starts, (keys % n).astype(lists.dtype))
