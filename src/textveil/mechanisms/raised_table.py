"""All rows of a weighted neighborhood as a public table, and draws from it.

The table holds how long each row is and its words, in the row's order. What each of them gains follows from the
weights: all that it may, and the last one what is left.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import (
    TABLED,
    ByCosine,
    NestedOrder,
    RaisedEntries,
    RowLock,
    Rows,
    expected_length,
    made_rows,
    unordered,
)
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers, Progress
from textveil.vocabulary.grid import nested_limit
from textveil.vocabulary.public_tables import OpenTable, PublicTable, builds, grid_digest
from textveil.vocabulary.table_files import UNTOLD, Arrays, ArrayShape, TableKey
from textveil.vocabulary.vocabulary import Vocabulary

LENGTHS: Final = "lengths"
OUTPUTS: Final = "outputs"
_CHECKED: Final = 1 << 20  # Entries, about, that are looked at together


def raised_table(
    vocabulary: Vocabulary,
    weights: BaseWeights,
    neighbors: Sequence[PublicTable] = (),
    order: NestedOrder | None = None,
) -> PublicTable:
    """The table of all rows.

    Args:
        vocabulary: public words and vectors.
        weights: what rows hand out.
        neighbors: tables of nearest words that save work if they are there.
        order: in which words are raised; None is by falling cosine.
    """
    n = len(vocabulary)
    order = ByCosine(vocabulary) if order is None else order
    return PublicTable(
        key=rows_key(
            "raised-rows",
            vocabulary,
            weights,
            order,
            (ArrayShape(LENGTHS, _little(n), (n,)), ArrayShape(OUTPUTS, _little(n - 1), (UNTOLD,))),
        ),
        describe=f"the table of the words that each of {n:,} raises",
        make=partial(_made, order, weights, neighbors),
        sound=partial(_sound, weights),
        expected={OUTPUTS: n * expected_length(weights)},
    )


def starts_of(lengths: NDArray[Any]) -> Integers:
    """Offsets at which the rows of a ragged table begin and the last ends, shape (rows + 1,)."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def gathered(starts: Integers, rows: Ids) -> tuple[Integers, Integers]:
    """For rows of a ragged table, taken in this order: where each begins, and the index of every entry in the table."""
    lengths = starts[rows + 1] - starts[rows]
    begins = starts_of(lengths)
    return begins, np.arange(begins[-1]) + np.repeat(starts[rows] - begins[:-1], lengths)


def rows_key(
    kind: str, vocabulary: Vocabulary, weights: BaseWeights, order: NestedOrder, arrays: tuple[ArrayShape, ...]
) -> TableKey:
    """The key of a table that is made from all rows: of everything that decides them."""
    made_from = {"vocabulary": vocabulary.digest, "grid": grid_digest(vocabulary)}
    made_from |= {"weights": weights.digest, "rule": order.rule}
    return TableKey(kind=kind, made_from=made_from, arrays=arrays)


def _little(largest: int) -> str:
    return np.min_scalar_type(largest).newbyteorder("<").str


def _made(
    order: NestedOrder, weights: BaseWeights, neighbors: Sequence[PublicTable], progress: Progress | None
) -> Arrays:
    n = order.size
    lengths = np.zeros(n, dtype=np.min_scalar_type(n))
    parts: list[tuple[Ids, NDArray[Any]]] = []
    done = 0
    tables = [opened for table in neighbors if (opened := table.opened()) is not None]
    for rows in made_rows(order, weights, np.arange(n), tables):
        lengths[rows.words] = rows.lengths
        parts.append((rows.words, rows.outputs.astype(np.min_scalar_type(n - 1))))
        done += len(rows.words)
        if progress is not None and len(rows.words):
            progress(done, n)
    starts = starts_of(lengths)
    outputs = np.empty(starts[-1], dtype=np.min_scalar_type(n - 1))
    for words, part in parts:
        outputs[gathered(starts, words)[1]] = part
    return {LENGTHS: lengths, OUTPUTS: outputs}


def _sound(weights: BaseWeights, arrays: Arrays) -> bool:
    """Every row names distinct words that can gain, and the last of them what is left: all that the proof asks."""
    lengths, outputs = arrays[LENGTHS], arrays[OUTPUTS]
    starts = starts_of(lengths)
    if len(outputs) != starts[-1] or not lengths.all() or int(outputs.max()) >= weights.size:
        return False
    for first, last in spans(starts):
        part = outputs[starts[first] : starts[last]]
        gains = weights.gains[part]
        inner = starts[first:last] - starts[first]
        sums = np.add.reduceat(gains, inner)  # of distinct words: far below 2^63
        before = sums - gains[starts[first + 1 : last + 1] - starts[first] - 1]
        kind = np.min_scalar_type((last - first) * weights.size)  # half as wide is sorted in half the time
        keys = np.repeat(np.arange(last - first).astype(kind) * kind.type(weights.size), lengths[first:last])
        keys += part.astype(kind, copy=False)
        keys.sort()
        fits = gains.min() > 0 and before.max() < weights.row_gain <= sums.min()
        if not fits or bool((keys[1:] == keys[:-1]).any()):
            return False
    return True


def spans(starts: Integers) -> Iterator[tuple[int, int]]:
    """Parts of a ragged table, some rows each."""
    first, n = 0, len(starts) - 1
    while first < n:
        last = min(n, int(np.searchsorted(starts, starts[first] + _CHECKED)))
        yield first, max(last, first + 1)
        first = max(last, first + 1)


class WholeRows:
    """All rows of an open table; a process adds 4 bytes an entry to what it maps. Never changes: threads share it."""

    def __init__(self, table: OpenTable, weights: BaseWeights) -> None:
        self.outputs, self.starts, self.row_gain = table[OUTPUTS], starts_of(table[LENGTHS]), weights.row_gain
        kind = key_type(weights)
        # Key number i is what was handed out up to entry i, over all rows: row x ends at (x + 1) row_gain.
        self.keys = np.minimum(weights.gains, weights.row_gain).astype(kind)[self.outputs]
        over = np.add.reduceat(self.keys, self.starts[:-1], dtype=kind) - kind.type(self.row_gain)
        self.keys[self.starts[1:] - 1] -= over  # the last word takes what is left
        self._first = self.keys[self.starts[:-1]].astype(np.int64)
        np.cumsum(self.keys, dtype=kind, out=self.keys)

    def drawn(self, ids: Ids, raised: Integers) -> Ids:
        at = self.starts[ids]
        beyond = (raised >= self._first[ids]).nonzero()[0]  # the word itself, the first, has most of its row
        wanted = (ids[beyond] * self.row_gain + raised[beyond]).astype(self.keys.dtype)
        at[beyond] = self.keys.searchsorted(wanted, side="right")
        return self.outputs[at].astype(np.int64)

    def row(self, word: int) -> RaisedEntries:
        """One row: its raised words in their order, with their gains in units."""
        part = slice(self.starts[word], self.starts[word + 1])
        reached = self.keys[part].astype(np.int64) - word * self.row_gain
        outputs = self.outputs[part].astype(np.int64)
        return RaisedEntries(np.full_like(outputs, word), outputs, np.diff(reached, prepend=0))


_WHOLE: WeakKeyDictionary[OpenTable, WholeRows] = WeakKeyDictionary()
"""Rows of tables that are open, for all mechanisms of the same weights."""


def whole_rows(table: OpenTable, weights: BaseWeights) -> WholeRows:
    """All rows of a table that is of these weights."""
    if (rows := _WHOLE.get(table)) is None:
        rows = _WHOLE[table] = WholeRows(table, weights)
    return rows


def key_type(weights: BaseWeights) -> np.dtype[Any]:
    """The smallest type that holds what all rows hand out."""
    return np.min_scalar_type(weights.size * weights.row_gain)


ROW_BYTES: Final = 256 * 2**20
"""Byte budget of the rows that are kept; past it all are dropped and made again when needed."""

_FIRST: Final = 64  # nearest words that a table holds at least


class ExcessRows:
    """Rows by word, made in blocks when words first appear and kept within a byte budget.

    Words are raised by falling cosine, or in the ``order`` that is given. The order of arrival, the batch, the thread,
    what was dropped before and whether a table is there change nothing but time. A pickled copy starts empty: which
    rows are kept tells which words were seen. Threads may share it.
    """

    def __init__(
        self, vocabulary: Vocabulary, weights: BaseWeights, budget: int = ROW_BYTES, order: NestedOrder | None = None
    ) -> None:
        self._vocabulary, self.weights, self._budget = vocabulary, weights, budget
        self.order = ByCosine(vocabulary) if order is None else order
        self._lock = RowLock()
        self.opened: tuple[OpenTable, ...] = ()
        self._held: OpenTable | None = None  # as long as this is, others find it open
        self._whole: WholeRows | None = None
        self._looked = -1
        size = len(vocabulary)
        # Row number r holds the keys r * row_gain + reached: rising over all rows, so that one search serves all.
        self._keys: NDArray[Any] = np.empty(0, dtype=key_type(weights))
        self._outputs: NDArray[Any] = np.empty(0, dtype=np.min_scalar_type(size - 1))
        self._starts = np.zeros(size + 1, dtype=np.int64)
        self._number = np.full(size, -1, dtype=np.int64)
        self._kept = self._used = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return ExcessRows, (self._vocabulary, self.weights, self._budget, self.order)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """The table of all rows if they fit the budget, else those of nearest words that rows are made from."""
        return (self.table,) if self.fits else self._neighbors

    @property
    def fits(self) -> bool:
        """True if all rows together are likely to fit the budget."""
        size = len(self._vocabulary)
        return size * expected_length(self.weights) * (self._keys.itemsize + self._outputs.itemsize) <= self._budget

    @property
    def table(self) -> PublicTable:
        return raised_table(self._vocabulary, self.weights, self._neighbors, self.order)

    @property
    def _neighbors(self) -> tuple[PublicTable, ...]:
        """Tables of nearest words from which most rows can be made without a matrix product."""
        size = len(self._vocabulary)
        typical = self.weights.row_gain * size // sum(self.weights.gains.tolist()) + 1
        longest = max(1, min(typical, nested_limit(size)))
        first = min(_FIRST, longest)
        # A longer one pays only where the mean row is more than twice as long as the first: else most is unread.
        sizes = (first, longest) if longest > 2 * _FIRST else (first,)
        return tuple(neighbors for size in sizes if (neighbors := self.order.neighbors(size)) is not None)

    @property
    def kept(self) -> Ids:
        """The words whose rows are kept, by id."""
        return np.flatnonzero(self._number >= 0)

    def entries_of(self, words: Ids) -> Iterator[RaisedEntries]:
        """The raised words of the rows that draws of distinct ``words`` read, with their gains in units."""
        if (whole := self.whole()) is not None:
            return map(whole.row, words.tolist())
        return map(unordered, made_rows(self.order, self.weights, words, self.opened))

    def drawn(self, ids: Ids, raised: Integers) -> Ids:
        """For each word, the output whose part of what the row adds holds ``raised``, in [0, row_gain)."""
        if (whole := self.whole()) is not None:
            return whole.drawn(ids, raised)
        out = np.empty(len(ids), dtype=np.int64)
        with self._lock:
            try:
                for share in self._shares(ids):
                    out[share] = self._searched(ids[share], raised[share])
            except BaseException:  # an interrupt: what is kept is no longer known
                self._forget()
                raise
        return out

    def whole(self) -> WholeRows | None:
        """Return all rows if their table is there: looked for at first, and when this process built a table since."""
        if self._whole is None and self._looked != builds():
            with self._lock:
                self._looked = builds()
                whole = self.table.opened() if self.fits else None
                if whole is None:
                    self.opened = tuple(opened for table in self._neighbors if (opened := table.opened()) is not None)
                else:
                    self._held = whole
                    self._whole = whole_rows(whole, self.weights)
                    self._forget()
                    self._keys, self._outputs = self._keys[:0].copy(), self._outputs[:0].copy()
        return self._whole

    def _shares(self, ids: Ids) -> Iterator[Any]:
        """Places of ``ids`` in parts whose rows fit the budget; the rows of each are made when it is asked for."""
        unmade = ids[self._number[ids] < 0]
        if len(unmade) == 0:  # as nearly always, and np.unique of nothing takes as long as some draws
            yield slice(None)
            return
        new = np.unique(unmade)
        if self._make(new) == len(new):
            yield slice(None)
            return
        words, which = np.unique(ids, return_inverse=True)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(len(words) + 1))
        done = 0
        while done < len(words):
            self._forget()
            rows = self._make(words[done:])
            yield order[edges[done] : edges[done + rows]]
            done += rows

    def _make(self, words: Ids) -> int:
        """Make and keep rows of ``words`` while the budget lasts, some at least if none is kept; how many."""
        done = 0
        entry = self._keys.itemsize + self._outputs.itemsize
        while done < len(words) and (self._used == 0 or self._used * entry < self._budget):
            block = words[done : done + TABLED]
            for rows in made_rows(self.order, self.weights, block, self.opened):
                self._keep(rows)
            done += len(block)
        return done

    def _keep(self, rows: Rows) -> None:
        numbers = np.arange(self._kept, self._kept + len(rows.words))
        keys = np.repeat(numbers, rows.lengths) * self.weights.row_gain + rows.reached
        self._keys = _written(self._keys, self._used, keys)
        self._outputs = _written(self._outputs, self._used, rows.outputs)
        self._starts[numbers] = self._used + np.cumsum(rows.lengths) - rows.lengths
        # In this order: whatever moment a fork comes at, numbers that the copy gives out lie above all keys it has.
        self._kept += len(rows.words)
        self._used += len(rows.outputs)
        self._number[rows.words] = numbers

    def _forget(self) -> None:
        self._number.fill(-1)
        self._used = 0
        self._kept = 0

    def _searched(self, ids: Ids, raised: Integers) -> Ids:
        numbers = self._number[ids]
        wanted = (numbers * self.weights.row_gain + raised).astype(self._keys.dtype)
        at = self._starts[numbers]
        beyond = np.flatnonzero(self._keys[at] <= wanted)
        at[beyond] = np.searchsorted(self._keys[: self._used], wanted[beyond], side="right")
        return self._outputs[at].astype(np.int64)


def _written(table: NDArray[Any], used: int, rows: NDArray[Any]) -> NDArray[Any]:
    """``table`` with ``rows`` behind the first ``used`` entries, in more memory if there was too little."""
    if used + len(rows) > len(table):
        grown = np.empty(max(2 * len(table), used + len(rows), 1 << 14), dtype=table.dtype)
        grown[:used] = table[:used]
        table = grown
    table[used : used + len(rows)] = rows
    return table
