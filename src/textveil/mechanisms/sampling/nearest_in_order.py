"""The words of a vocabulary in the order of their nearness to each: first some, then more, then all."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.neighbor_rows import NeighborRows
from textveil.mechanisms.sampling.row_cache import RowCache
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.tables.neighbor_order import SHIPPED_SIZE
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

_TABLED: Final = 510
"""Nearest words that a table holds at most."""

_KEPT: Final = 2048
"""Nearest words that are kept of words whose order was asked for so far."""

_BLOCK: Final = 64


@final
class NearestInOrder:
    """For each word the word itself, then the others by falling cosine, ties to the lower id.

    An order is a function of its word alone: scores are elementwise in exact inner products (see ``vocabulary.grid``).
    Its beginnings are read from tables, where there are any. Which orders are kept tells which words were seen, so a
    pickled copy starts empty.
    """

    __slots__ = ("_deep", "_levels", "_vocabulary", "most")

    def __init__(self, vocabulary: Vocabulary) -> None:
        size = len(vocabulary)
        limit = nested_limit(size)
        self._vocabulary = vocabulary
        sizes = sorted({min(limit, size) for size in (SHIPPED_SIZE, _TABLED)} - {0, 1})
        self._levels = tuple(NeighborRows(vocabulary, size) for size in sizes)
        self.most: int = min(size, _KEPT)
        self._deep = RowCache(size, block=_BLOCK, width=self.most, dtype=np.min_scalar_type(size - 1))

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
