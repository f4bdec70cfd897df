"""All rows of a weighted neighborhood as a public table, and draws from it.

The table holds how long each row is and its words, in the row's order. What each of them gains follows from the
weights: all that it may, and the last one what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.output_columns import RaisedEntries, gathered, starts_of
from textveil.mechanisms.sampling.raised_rows import (
    TABLED,
    ByCosine,
    NestedOrder,
    ReadByColumns,
    Rows,
    expected_length,
    made_rows,
    raised_entries,
    unordered,
)
from textveil.mechanisms.sampling.row_cache import RowLock
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Flags, Ids, Integers, Progress
from textveil.vocabulary.grid import nested_limit
from textveil.vocabulary.tables.files import UNTOLD, Arrays, ArrayShape, TableKey
from textveil.vocabulary.tables.public import OpenTable, PublicTable, builds, grid_digest
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
        neighbors: tables of nearest words that save work where they are there.
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
    for first, last in _spans(starts):
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


def _spans(starts: Integers) -> Iterator[tuple[int, int]]:
    first, n = 0, len(starts) - 1
    while first < n:
        last = min(n, int(np.searchsorted(starts, starts[first] + _CHECKED)))
        yield first, max(last, first + 1)
        first = max(last, first + 1)


class WholeRows:
    """All rows of an open table; a process adds 4 bytes an entry to what it maps. Never changes: threads share it."""

    def __init__(self, table: OpenTable, weights: BaseWeights) -> None:
        self._outputs, self._starts, self._row_gain = table[OUTPUTS], starts_of(table[LENGTHS]), weights.row_gain
        kind = key_type(weights)
        # Key number i is what was handed out up to entry i, over all rows: row x ends at (x + 1) row_gain.
        self._keys = np.minimum(weights.gains, weights.row_gain).astype(kind)[self._outputs]
        over = np.add.reduceat(self._keys, self._starts[:-1], dtype=kind) - kind.type(self._row_gain)
        self._keys[self._starts[1:] - 1] -= over  # the last word takes what is left
        self._first = self._keys[self._starts[:-1]].astype(np.int64)
        np.cumsum(self._keys, dtype=kind, out=self._keys)

    def drawn(self, ids: Ids, raised: Integers) -> Ids:
        at = self._starts[ids]
        beyond = (raised >= self._first[ids]).nonzero()[0]  # the word itself, the first, has most of its row
        wanted = (ids[beyond] * self._row_gain + raised[beyond]).astype(self._keys.dtype)
        at[beyond] = self._keys.searchsorted(wanted, side="right")
        return self._outputs[at].astype(np.int64)

    def row(self, word: int) -> RaisedEntries:
        """One row: its raised words in their order, with their gains in units."""
        part = slice(self._starts[word], self._starts[word + 1])
        reached = self._keys[part].astype(np.int64) - word * self._row_gain
        outputs = self._outputs[part].astype(np.int64)
        return RaisedEntries(np.full_like(outputs, word), outputs, np.diff(reached, prepend=0))

    def parts(self) -> Iterator[RaisedEntries]:
        for first, last in _spans(self._starts):
            words, part = np.arange(first, last), slice(self._starts[first], self._starts[last])
            before = first * self._row_gain
            gains = np.diff(self._keys[part].astype(np.int64), prepend=before)
            lengths = np.diff(self._starts[first : last + 1])
            yield RaisedEntries(np.repeat(words, lengths), self._outputs[part].astype(np.int64), gains)

    def entries(self) -> RaisedEntries:
        """All raised words of all rows with their gains in units, by input."""
        words = np.arange(len(self._starts) - 1).astype(self._outputs.dtype)
        gains = np.diff(self._keys, prepend=self._keys.dtype.type(0)).astype(np.min_scalar_type(self._row_gain))
        return RaisedEntries(np.repeat(words, np.diff(self._starts)), self._outputs, gains)


_WHOLE: WeakKeyDictionary[OpenTable, WholeRows] = WeakKeyDictionary()
"""Rows of tables that are open, for all mechanisms of the same weights."""


def whole_rows(table: OpenTable, weights: BaseWeights) -> WholeRows:
    """All rows of a table that is of these weights."""
    rows = _WHOLE.get(table)
    if rows is None:
        rows = _WHOLE[table] = WholeRows(table, weights)
    return rows


def key_type(weights: BaseWeights) -> np.dtype[Any]:
    """The smallest type that holds what all rows hand out."""
    return np.min_scalar_type(weights.size * weights.row_gain)


LAST: Final = "last"
LEFT: Final = "left"
_BLOCK: Final = 128  # outputs whose columns are made at once: their scores take 17 MB at 33,000 words


def ends_table(vocabulary: Vocabulary, weights: BaseWeights, order: NestedOrder) -> PublicTable:
    """The table of the last word that each row raises in this order, and the units that are left for it."""
    n = len(vocabulary)
    return PublicTable(
        key=rows_key(
            "raised-ends",
            vocabulary,
            weights,
            order,
            (ArrayShape(LAST, np.min_scalar_type(n - 1).newbyteorder("<").str, (n,)), ArrayShape(LEFT, "<i8", (n,))),
        ),
        describe=f"the table of the last word that each of {n:,} raises",
        make=partial(_made_ends, order, weights),
        sound=partial(_sound_ends, weights),
    )


def _made_ends(order: NestedOrder, weights: BaseWeights, progress: Progress | None) -> Arrays:
    n = order.size
    last = np.empty(n, dtype=np.min_scalar_type(n - 1))
    left = np.empty(n, dtype=np.int64)
    done = 0
    for rows in made_rows(order, weights, np.arange(n)):
        ends = np.cumsum(rows.lengths) - 1
        last[rows.words] = rows.outputs[ends]
        before = np.where(rows.lengths > 1, rows.reached[ends - 1], 0)
        left[rows.words] = weights.row_gain - before
        done += len(rows.words)
        if progress is not None and len(rows.words):
            progress(done, n)
    return {LAST: last, LEFT: left}


def _sound_ends(weights: BaseWeights, arrays: Arrays) -> bool:
    """Whether these can be ends; no guarantee rests on them, for nothing is drawn by them."""
    last, left = arrays[LAST], arrays[LEFT]
    return int(last.max()) < weights.size and bool(((left > 0) & (left <= weights.gains[last])).all())


class EndColumns:
    """Columns of rows that are too long to keep, by their ends; the table is built when the first column is asked for.

    The row of x raises the words before its last one in its order by all that they may gain. So where a row ends tells
    of every output whether x raises it: one inner product, and no row. Threads may share it.

    Args:
        vocabulary: the public words.
        weights: of the rows.
        order: in which they raise words.
    """

    def __init__(self, vocabulary: Vocabulary, weights: BaseWeights, order: ReadByColumns) -> None:
        self._vocabulary, self._weights, self._order = vocabulary, weights, order
        self._table: OpenTable | None = None
        self._scores = np.empty(0, dtype=np.float32)
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return EndColumns, (self._vocabulary, self._weights, self._order)

    @property
    def table(self) -> PublicTable:
        """The table of the ends of rows."""
        return ends_table(self._vocabulary, self._weights, self._order)

    def of(self, outputs: Ids) -> tuple[Integers, Ids, Integers]:
        ends = self._opened()
        words, places = np.unique(outputs, return_inverse=True)
        parts = [words[start : start + _BLOCK] for start in range(0, len(words), _BLOCK)]
        blocks = [self._block(ends, part, len(words)) for part in parts]
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(block[0] for block in blocks)])
        inputs = np.concatenate([np.zeros(0, dtype=np.int64), *(block[1] for block in blocks)])
        gains = np.concatenate([np.zeros(0, dtype=np.int64), *(block[2] for block in blocks)])
        starts, at = gathered(starts_of(lengths), places)
        return starts, inputs[at], gains[at]

    def _block(self, ends: OpenTable, words: Ids, wanted: int) -> tuple[Integers, Ids, Integers]:
        last = ends[LAST]
        scores = self._order.scores_in(words, wanted)
        raised: Flags = scores > self._scores
        raised |= (scores == self._scores) & (words[:, None] <= last)
        raised &= self._weights.gains[words, None] > 0
        rows, inputs = raised.nonzero()
        outputs = words[rows]
        gains = np.where(outputs == last[inputs], ends[LEFT][inputs], self._weights.gains[outputs])
        return np.count_nonzero(raised, axis=1), inputs, gains

    def _opened(self) -> OpenTable:
        with self._lock:
            if self._table is None:
                opened = self.table.opened() or self.table.build().table
                self._scores = self._order.scores_of_pairs(opened[LAST].astype(np.int64))
                self._table = opened
            return self._table


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
        self._vocabulary, self._weights, self._budget = vocabulary, weights, budget
        self._order = ByCosine(vocabulary) if order is None else order
        self._lock = RowLock()
        self._open: tuple[OpenTable, ...] = ()
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
        return ExcessRows, (self._vocabulary, self._weights, self._budget, self._order)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """The table of all rows if they fit the budget, else those of nearest words that rows are made from."""
        return (self._table,) if self.fits else self._neighbors

    @property
    def fits(self) -> bool:
        """Whether all rows together are likely to fit the budget."""
        size = len(self._vocabulary)
        return size * expected_length(self._weights) * (self._keys.itemsize + self._outputs.itemsize) <= self._budget

    @property
    def _table(self) -> PublicTable:
        return raised_table(self._vocabulary, self._weights, self._neighbors, self._order)

    @property
    def _neighbors(self) -> tuple[PublicTable, ...]:
        """Tables of nearest words from which most rows can be made without a matrix product."""
        size = len(self._vocabulary)
        typical = self._weights.row_gain * size // sum(self._weights.gains.tolist()) + 1
        longest = max(1, min(typical, nested_limit(size)))
        first = min(_FIRST, longest)
        # A longer one pays only where the mean row is more than twice as long as the first: else most is unread.
        sizes = (first, longest) if longest > 2 * _FIRST else (first,)
        return tuple(neighbors for size in sizes if (neighbors := self._order.neighbors(size)) is not None)

    @property
    def kept(self) -> Ids:
        """The words whose rows are kept, by id."""
        return np.flatnonzero(self._number >= 0)

    def entries_of(self, words: Ids) -> Iterator[RaisedEntries]:
        """The raised words of the rows that draws of distinct ``words`` read, with their gains in units."""
        if (whole := self._found_whole()) is not None:
            return map(whole.row, words.tolist())
        return map(unordered, made_rows(self._order, self._weights, words, self._open))

    def entries(self) -> RaisedEntries:
        """All raised words of all rows, with their gains in units.

        If they fit the budget, they come from their table, which is built where it is not there. They are all asked for
        whatever the text is, so that the table is there tells nothing of it.
        """
        whole = self._found_whole()
        if whole is None and self.fits:
            built = self._table.build()
            whole = whole_rows(built.table, self._weights)
        if whole is not None:
            return whole.entries()
        inputs, outputs, gains = [], [], []
        kind = self._outputs.dtype
        for part in self.entries_of(np.arange(len(self._vocabulary))):
            inputs.append(part.inputs.astype(kind))
            outputs.append(part.outputs.astype(kind))
            gains.append(part.gains.astype(np.min_scalar_type(self._weights.row_gain)))
        return RaisedEntries(np.concatenate(inputs), np.concatenate(outputs), np.concatenate(gains))

    def parts(self) -> Iterator[RaisedEntries]:
        """What ``entries`` holds, made as it is asked for; nothing of it is kept, and no table is built."""
        if (whole := self._found_whole()) is not None:
            return whole.parts()
        return raised_entries(self._order, self._weights, np.arange(len(self._vocabulary)), self._open)

    def drawn(self, ids: Ids, raised: Integers) -> Ids:
        """For each word, the output whose part of what the row adds holds ``raised``, in [0, row_gain)."""
        if (whole := self._found_whole()) is not None:
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

    def _found_whole(self) -> WholeRows | None:
        """All rows, where their table is there: looked for at first, and when this process has built a table since."""
        if self._whole is None and self._looked != builds():
            with self._lock:
                self._looked = builds()
                whole = self._table.opened() if self.fits else None
                if whole is None:
                    self._open = tuple(opened for table in self._neighbors if (opened := table.opened()) is not None)
                else:
                    self._held = whole
                    self._whole = whole_rows(whole, self._weights)
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
        """Make and keep rows of ``words`` while the budget lasts, some at least where none is kept; how many."""
        done = 0
        entry = self._keys.itemsize + self._outputs.itemsize
        while done < len(words) and (self._used == 0 or self._used * entry < self._budget):
            block = words[done : done + TABLED]
            for rows in made_rows(self._order, self._weights, block, self._open):
                self._keep(rows)
            done += len(block)
        return done

    def _keep(self, rows: Rows) -> None:
        numbers = np.arange(self._kept, self._kept + len(rows.words))
        keys = np.repeat(numbers, rows.lengths) * self._weights.row_gain + rows.reached
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
        wanted = (numbers * self._weights.row_gain + raised).astype(self._keys.dtype)
        at = self._starts[numbers]
        beyond = np.flatnonzero(self._keys[at] <= wanted)
        at[beyond] = np.searchsorted(self._keys[: self._used], wanted[beyond], side="right")
        return self._outputs[at].astype(np.int64)


def _written(table: NDArray[Any], used: int, rows: NDArray[Any]) -> NDArray[Any]:
    """``table`` with ``rows`` behind the first ``used`` entries, in more memory where there was too little."""
    if used + len(rows) > len(table):
        grown = np.empty(max(2 * len(table), used + len(rows), 1 << 14), dtype=table.dtype)
        grown[:used] = table[:used]
        table = grown
    table[used : used + len(rows)] = rows
    return table
