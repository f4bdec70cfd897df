"""Rows of a weighted neighborhood: for every word, its nearest words and what each of them gains; and their cache.

The row of x lists its nearest words in a nested order (x first, then by falling cosine, unless another order is given),
and for each the units of gain handed out up to and with it; the last of them takes what is left, so every row ends at
the same number. A row is a function of its word and of public parameters alone, bit for bit: the order of arrival, the
batch, the thread and what was given up before change nothing but time. Which rows are kept tells which words were seen,
so rows never leave the process: a pickled copy of what holds them starts empty.
"""

import math
import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.facts import mean_neighbor_similarity
from textveil.vocabulary.grid import by_falling_score, integer_grid, nested_limit
from textveil.vocabulary.public_tables import NEIGHBORS, SHIPPED_SIZE, OpenTable, PublicTable, builds, neighbor_order
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
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words; a quarter if rows are long."""


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
    """About how many words a row raises, as if it met words at random; up to ten times as many if rows are long."""
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


ROW_BYTES: Final = 128 * 2**20  # byte budget of the rows of one mechanism; the least recently used go first
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
            len(vocabulary), block=_ROWS, width=size, dtype=np.min_scalar_type(len(vocabulary) - 1), budget=budget
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
    Its beginnings are read from tables, if there are any. Which orders are kept tells which words were seen, so a
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


class RowLock:
    """``with`` block for the state of a cache of rows.

    In the child of a fork the lock is new: the thread that may have held it does not exist there. Caches write
    a row before they say that it is there, so what the child inherits is whole.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def __enter__(self) -> None:
        if self._owner != os.getpid():
            self._lock, self._owner = threading.Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


Make = Callable[[Ids, NDArray[Any], Integers, int], None]
"""``make(words, table, slots, wanted)`` writes the rows of distinct words into ``table[slots]``; ``wanted`` rows are
about to be made in all."""

_FIRST: Final = 256  # rows for which there is room at first


class RowCache:
    """Rows in one array, ``table``: of ``width`` numbers each, or objects.

    Args:
        words: number of words.
        block: words whose rows are made at once; so many rows are kept whatever the budget.
        width: numbers in a row; None for objects.
        dtype: of the numbers.
        size: bytes of a row that is an object.
        budget: bytes.

    Safe to use from several threads at once.
    """

    def __init__(
        self,
        words: int,
        *,
        block: int,
        width: int | None = None,
        dtype: Any = object,
        size: Callable[[Any], int] | None = None,
        budget: int = ROW_BYTES,
    ) -> None:
        self.table: NDArray[Any] = np.empty((0,) if width is None else (0, width), dtype=dtype)
        most = words if width is None else budget // (width * self.table.itemsize)
        self.capacity = min(words, max(block, most))
        self._block, self._size, self._budget = block, size, budget
        self._slot = np.full(words, -1, dtype=np.int32)
        self._word, self._last, self._bytes = (np.empty(0, dtype=np.int64) for _ in range(3))
        self._clock = self.used = 0
        self._lock = RowLock()

    @property
    def kept(self) -> Ids:
        """The words whose rows are kept, by id."""
        return np.flatnonzero(self._slot >= 0)

    @contextmanager
    def rows(self, words: Ids, make: Make) -> Iterator[Integers]:
        """While open, row ``slots[i]`` of ``table`` is that of ``words[i]``; no other thread has the cache meanwhile.

        ``words``: ids with at most ``capacity`` distinct ones; ``make``: writes rows that are missing, always the same
        function (not kept: its owner holds the cache).
        """
        with self._lock:
            yield self._slots(words, make)

    def entries(self, ids: Ids, columns: Integers, make: Make) -> Ids:
        """Number ``columns[i]`` of the row of ``ids[i]``, shape (batch,); of any number of words."""
        if self.capacity == len(self._slot):
            with self.rows(ids, make) as slots:
                return self.table[slots, columns].astype(np.int64)
        out = np.empty(len(ids), dtype=np.int64)
        words, which = np.unique(ids, return_inverse=True)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(0, len(words) + self.capacity, self.capacity))
        for start, stop in pairwise(edges):
            share = order[start:stop]
            with self.rows(ids[share], make) as slots:
                out[share] = self.table[slots, columns[share]]
        return out

    def _slots(self, words: Ids, make: Make) -> Integers:
        slots = self._slot[words]
        missing = slots < 0
        self._clock += 1
        if self.capacity < len(self._slot) or self._size is not None:  # else no row is ever given up
            self._last[slots[~missing]] = self._clock
        if missing.any():
            try:
                self._add(np.unique(words[missing]), make)
            except BaseException:  # an interrupt: which slots hold what is no longer known
                self._forget()
                raise
            slots = self._slot[words]
        return slots.astype(np.int64)

    def _add(self, new: Ids, make: Make) -> None:
        """Make and keep rows. A row is written before the cache says that it is there: a fork may come between."""
        slots = self._room(len(new))
        for start in range(0, len(new), self._block):
            words, places = new[start : start + self._block], slots[start : start + self._block]
            make(words, self.table, places, len(new))
            self._last[places] = self._clock
            self._word[places] = words
            self._slot[words] = places
        if self._size is not None:
            self._bytes[slots] = [self._size(row) for row in self.table[slots]]
            self.used += int(self._bytes[slots].sum())
            self._shrink()

    def _room(self, count: int) -> Integers:
        """Slots for new rows: free ones while there are any, then those of the least recently used words."""
        free = np.flatnonzero(self._word < 0)
        short = count - len(free)
        size = len(self._word)
        if short > 0 and size < self.capacity:
            self._grow(min(self.capacity, max(size + short, 2 * size, _FIRST)))
            free = np.flatnonzero(self._word < 0)
            short = count - len(free)
        if short > 0:
            idle = np.flatnonzero((self._last < self._clock) & (self._word >= 0))
            self._give_up(idle[np.argsort(self._last[idle], kind="stable")][:short])
            free = np.flatnonzero(self._word < 0)
        return free[:count]

    def _grow(self, size: int) -> None:
        grown = np.empty((size, *self.table.shape[1:]), dtype=self.table.dtype)
        grown[: len(self.table)] = self.table
        self.table = grown
        for name in ("_last", "_bytes", "_word"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.full(size - len(old), -1, dtype=np.int64)]))

    def _shrink(self) -> None:
        """Give up the least recently used rows until the others fit the budget; ``block`` of them stay."""
        if self.used <= self._budget:
            return
        taken = np.flatnonzero(self._word >= 0)
        oldest = taken[np.argsort(self._last[taken], kind="stable")][: max(0, len(taken) - self._block)]
        freed = np.cumsum(self._bytes[oldest])
        self._give_up(oldest[: int(np.searchsorted(freed, self.used - self._budget)) + 1])

    def _give_up(self, slots: Integers) -> None:
        self._slot[self._word[slots]] = -1
        self._word[slots] = -1
        if self._size is not None:
            self.used -= int(self._bytes[slots].sum())
            self.table[slots] = None

    def _forget(self) -> None:
        self._slot.fill(-1)
        self._word.fill(-1)
        self.used = 0
