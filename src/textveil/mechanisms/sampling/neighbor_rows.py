"""The nearest words of each word: sets and orders, from public tables where there are any, else made when needed."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.sampling.output_columns import RaisedEntries
from textveil.mechanisms.sampling.row_cache import ROW_BYTES, RowCache
from textveil.types import Ids, Integers
from textveil.vocabulary.facts import mean_neighbor_similarity
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.tables.neighbor_order import NEIGHBORS, SHIPPED_SIZE, neighbor_order
from textveil.vocabulary.tables.public import OpenTable, PublicTable, builds
from textveil.vocabulary.vocabulary import Vocabulary

_BLOCK = 256  # words whose rows are made at once: their scores take 33 MB at 33,000 words


class NeighborRows:
    """The sets S(x) of the ``size`` nearest words, x included, each in its order (``IntegerGrid.neighborhoods``).

    A table and rows made here hold the same ids in the same order, so draws are the same. A pickled copy starts
    empty and looks for the table itself.
    """

    def __init__(self, vocabulary: Vocabulary, size: int, budget: int = ROW_BYTES) -> None:
        self.size = size
        self._vocabulary, self._budget = vocabulary, budget
        self._rows = RowCache(
            len(vocabulary), block=_BLOCK, width=size, dtype=np.min_scalar_type(len(vocabulary) - 1), budget=budget
        )
        self._open: OpenTable | None = None
        self._looked = -1

    def __reduce__(self) -> tuple[Any, ...]:
        return NeighborRows, (self._vocabulary, self.size, self._budget)

    @property
    def table(self) -> PublicTable:
        """The table that can hold these rows."""
        return neighbor_order(self._vocabulary, self.size)

    @property
    def tabled(self) -> bool:
        """Whether the table is there."""
        if self._open is None and self._looked != builds():
            self._looked = builds()
            self._open = self.table.opened()
        return self._open is not None

    def members(self, ids: Ids, indices: Integers) -> Ids:
        """Member number ``indices[i]`` of S(ids[i]); shapes (batch,)."""
        if self.tabled and self._open is not None:
            return self._open[NEIGHBORS][ids, indices].astype(np.int64)
        return self._rows.entries(ids, indices, self._make)

    def entries(self) -> RaisedEntries:
        """All words in all sets, each with a gain of one; nothing of them is kept."""
        count, every = len(self._vocabulary), np.arange(self.size)
        kind = np.min_scalar_type(count - 1)
        members = np.empty((count, self.size), dtype=kind)
        for start in range(0, count, _BLOCK):
            words = np.arange(start, min(start + _BLOCK, count))
            neighbors = self.members(np.repeat(words, self.size), np.tile(every, len(words)))
            members[words] = neighbors.reshape(len(words), self.size)
        owners = np.repeat(np.arange(count).astype(kind), self.size)
        return RaisedEntries(owners, members.reshape(-1), np.ones(len(owners), dtype=np.uint8))

    def _make(self, words: Ids, table: NDArray[Any], slots: Integers, wanted: int) -> None:
        table[slots] = integer_grid(self._vocabulary).neighborhoods(words, self.size, wanted)


def best_neighborhood_size(vocabulary: Vocabulary, epsilon: float) -> int:
    """The m that maximizes the mean cosine between a word and its output, over a public grid of sizes.

    With T(m) the mean over words of the sum of cosines of the m nearest, the mean cosine of the output is
    (T(n) + (e^epsilon - 1) T(m)) / (m e^epsilon + n - m).
    It depends on the public vectors and on epsilon only.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    sizes, sums = mean_neighbor_similarity(vocabulary)
    gain = math.expm1(min(epsilon, 40.0))
    means = (sums[-1] + gain * sums) / (sizes * (gain + 1) + (len(vocabulary) - sizes))
    return int(sizes[int(np.argmax(means))])


_TABLED: Final = 510  # nearest words that a table holds at most
_KEPT: Final = 2048  # nearest words that are kept of words whose order was asked for so far
_ORDER_BLOCK: Final = 64


class NearestInOrder:
    """For each word the word itself, then the others by falling cosine, ties to the lower id.

    An order is a function of its word alone: scores are elementwise in exact inner products (see ``vocabulary.grid``).
    Its beginnings are read from tables, where there are any. Which orders are kept tells which words were seen, so a
    pickled copy starts empty.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        size = len(vocabulary)
        limit = nested_limit(size)
        self._vocabulary = vocabulary
        sizes = sorted({min(limit, size) for size in (SHIPPED_SIZE, _TABLED)} - {0, 1})
        self._levels = tuple(NeighborRows(vocabulary, size) for size in sizes)
        self.most: int = min(size, _KEPT)
        self._deep = RowCache(size, block=_ORDER_BLOCK, width=self.most, dtype=np.min_scalar_type(size - 1))

    def __reduce__(self) -> tuple[Any, ...]:
        return NearestInOrder, (self._vocabulary,)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """The tables that can hold the orders' beginnings."""
        return tuple(level.table for level in self._levels)

    @property
    def near(self) -> int:
        """How many words of every order can be had without much work."""
        return self._levels[0].size if self._levels else self.most

    @property
    def steps(self) -> tuple[int, ...]:
        """After how many words the next ones take more work; the last is ``most``."""
        return *(level.size for level in self._levels), self.most

    def first(self, words: Ids, count: int) -> Ids:
        """The first ``count`` words of each order, at most ``most``; shape (words, count)."""
        which, columns = np.repeat(words, count), np.tile(np.arange(count), len(words))
        return self.members(which, columns).reshape(len(words), count)

    def members(self, words: Ids, columns: Integers) -> Ids:
        """Number ``columns[i]`` of the order of ``words[i]``, each below ``most``; shapes (batch,)."""
        last = int(columns.max(initial=0))
        for level in self._levels:
            # Without a table, longer orders are made at once as long as any draw needs: one product, not two.
            if last < level.size and (level.size == self.near or level.tabled):
                return level.members(words, columns)
        return self._deep.entries(words, columns, self._make)

    def whole(self, words: Ids) -> Ids:
        """Each order to its end, shape (words, n)."""
        distinct, which = np.unique(words, return_inverse=True)
        return self._ordered(distinct, len(self._vocabulary))[which]

    def _make(self, words: Ids, table: NDArray[Any], slots: Integers, wanted: int) -> None:
        table[slots] = self._ordered(words, self.most)

    def _ordered(self, words: Ids, count: int) -> Ids:
        return by_falling_score(integer_grid(self._vocabulary).cosines(words), count)
