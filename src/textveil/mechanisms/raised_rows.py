"""Rows of a weighted neighborhood made: for every word, its nearest words and what each of them gains.

The row of x lists its nearest words in a nested order (x first, then by falling cosine, unless another order is given),
and for each the units of gain handed out up to and with it; the last of them takes what is left, so every row ends at
the same number.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.row_cache import ROW_BYTES, RowCache
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.facts import mean_neighbor_similarity
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.tables.public import NEIGHBORS, SHIPPED_SIZE, OpenTable, PublicTable, builds, neighbor_order
from textveil.vocabulary.vocabulary import Vocabulary


class NestedOrder(Protocol):
    """Words are raised by falling score, ties to the lower id.

    Scores are a function of the two words and of public data, whatever else is asked for beside them. Guarantees hold
    for any order; that a row is one row, and the same wherever it is made, rests on this.
    """

    @property
    def size(self) -> int:
        """Number of words."""

    @property
    def rule(self) -> str:
        """The name that tells it from other orders of the same vocabulary in keys of tables."""

    def scores(self, words: Ids, wanted: int) -> NDArray[Any]:
        """Return scores of every word for these, no NaN, shape (batch, n); ``wanted`` rows will be asked for in all."""

    def neighbors(self, size: int) -> PublicTable | None:
        """The table of at least the first ``size`` words of every order, if there is such a table."""


@dataclass(frozen=True, slots=True)
class ByCosine:
    """The word itself, then the others by falling cosine on the integer grid."""

    vocabulary: Vocabulary

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.vocabulary)

    @property
    def rule(self) -> str:
        return "greatest cosine on the integer grid, the word first, ties to the lower id, until row_gain is spent; 1"

    def scores(self, words: Ids, wanted: int) -> NDArray[np.float32]:
        return integer_grid(self.vocabulary).cosines(words, wanted)

    def neighbors(self, size: int) -> PublicTable:
        return neighbor_order(self.vocabulary, size)


TABLED: Final = 4096  # words whose rows are read from a table at once
_BLOCK: Final = 256
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words; a quarter where rows are long."""


class RaisedEntries(NamedTuple):
    """Entries of a channel's table above the least of their column, in any order."""

    inputs: NDArray[Any]  # whose rows they stand in
    outputs: NDArray[Any]  # their columns
    gains: NDArray[Any]  # what they have above the least, in a unit of the channel's own


class Rows(NamedTuple):
    """Rows of several words, one behind another."""

    words: Ids  # whose rows they are
    lengths: Integers  # of each row
    outputs: Ids  # ids of the raised words, each row in its order
    reached: Integers  # the units handed out up to and with each of them, rising strictly in every row up to `row_gain`


def expected_length(weights: BaseWeights) -> int:
    """About how many words a row raises, as if it met words at random; up to ten times as many where rows are long."""
    able = weights.gains[weights.gains > 0].astype(np.float64)
    typical = math.exp(float(np.log(able).mean())) * len(able) / weights.size
    return min(weights.size, math.ceil(weights.row_gain / typical))


def made_rows(order: NestedOrder, weights: BaseWeights, words: Ids, tables: Sequence[OpenTable] = ()) -> Iterator[Rows]:
    """The rows of distinct ``words``, each raised in its order; in parts, the words in any order.

    A row is a function of its word alone: so are the scores, and tables of neighbors hold what they give.
    """
    words = yield from rows_of_tables(weights, words, tables)
    size, block = max(1, nested_limit(order.size)), _BLOCK
    if (typical := expected_length(weights)) > 4 * size:
        size, block = typical, _BLOCK // 4
    for start in range(0, len(words), block):
        yield from _from_scores(order, weights, words[start : start + block], len(words), size)


def unordered(rows: Rows) -> RaisedEntries:
    """The entries of finished rows."""
    gains = np.diff(rows.reached, prepend=0)
    firsts = np.cumsum(rows.lengths) - rows.lengths
    gains[firsts] = rows.reached[firsts]
    return RaisedEntries(np.repeat(rows.words, rows.lengths), rows.outputs, gains)


def rows_of_tables(weights: BaseWeights, words: Ids, tables: Sequence[OpenTable]) -> Generator[Rows, None, Ids]:
    """The rows for which tables hold enough neighbors; returns the words that are left."""
    for table in tables:
        left = [words[:0]]
        for start in range(0, len(words), TABLED):
            part = words[start : start + TABLED]
            whole, row = _raised(weights, part, table[NEIGHBORS][part].astype(np.int64))
            left.append(part[~whole])
            yield row
        words = np.concatenate(left)
    return words


def _from_scores(order: NestedOrder, weights: BaseWeights, words: Ids, wanted: int, size: int) -> Iterator[Rows]:
    """Rows of a block by its scores, of the first ``size`` words and more until every row is whole."""
    scores = order.scores(words, wanted)
    while len(words):
        whole, row = _raised(weights, words, by_falling_score(scores, size))
        yield row
        words, scores = words[~whole], scores[~whole]
        size = min(4 * size, order.size)


def _raised(weights: BaseWeights, words: Ids, order: Ids) -> tuple[NDArray[np.bool_], Rows]:
    gains = weights.gains[order]
    reached = np.minimum(np.cumsum(gains, axis=1), weights.row_gain)  # n times row_gain is far below 2^63
    whole = reached[:, -1] == weights.row_gain
    order, reached = order[whole], reached[whole]
    # A word gains if the units before it fall short of the row's, and it can take some.
    rises = np.diff(reached, axis=1, prepend=0) > 0
    return whole, Rows(words[whole], rises.sum(axis=1), order[rises], reached[rises])


def raised_row(weights: BaseWeights, order: Ids) -> tuple[Ids, Integers]:
    """The raised words of a row whose words come in this order, and the units handed out up to and with each."""
    _, row = _raised(weights, order[:1], order[None])
    return row.outputs, row.reached


_ROWS = 256  # words whose rows are made at once: their scores take 33 MB at 33,000 words


class NeighborRows:
    """The sets S(x) of the ``size`` nearest words, x included, each in its order (``IntegerGrid.neighborhoods``).

    A table and rows made here hold the same ids in the same order, so draws are the same. A pickled copy starts
    empty and looks for the table itself.
    """

    def __init__(self, vocabulary: Vocabulary, size: int, budget: int = ROW_BYTES) -> None:
        self.size = size
        self._vocabulary, self._budget = vocabulary, budget
        self._rows = RowCache(
            len(vocabulary),
            block=_ROWS,
            width=size,
            dtype=np.min_scalar_type(len(vocabulary) - 1),
            budget=budget,
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
        """True if the table is there."""
        if self._open is None and self._looked != builds():
            self._looked = builds()
            self._open = self.table.opened()
        return self._open is not None

    def members(self, ids: Ids, indices: Integers) -> Ids:
        """Member number ``indices[i]`` of S(ids[i]); shapes (batch,)."""
        if self.tabled and self._open is not None:
            return self._open[NEIGHBORS][ids, indices].astype(np.int64)
        return self._rows.entries(ids, indices, self._make)

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
        """Number of words of every order that cost little work."""
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
