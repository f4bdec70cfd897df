"""All rows of a weighted neighborhood as a public table, and draws from it.

The table holds how long each row is and its words, in the row's order. What each of them gains follows from the
weights: all that it may, and the last one what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from threading import Lock
from typing import Any, Final, final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.output_columns import RaisedEntries, gathered, starts_of
from textveil.mechanisms.sampling.raised_rows import ByCosine, NestedOrder, ReadByColumns, expected_length, made_rows
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Flags, Ids, Integers, Progress
from textveil.vocabulary.tables.files import UNTOLD, Arrays, ArrayShape, TableKey
from textveil.vocabulary.tables.neighbor_order import grid_digest
from textveil.vocabulary.tables.public import OpenTable, PublicTable
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
    """Ranges of rows of ``_CHECKED`` entries or little more."""
    first, n = 0, len(starts) - 1
    while first < n:
        last = min(n, int(np.searchsorted(starts, starts[first] + _CHECKED)))
        yield first, max(last, first + 1)
        first = max(last, first + 1)


@final
class WholeRows:
    """All rows of an open table; a process adds 4 bytes an entry to what it maps. Never changes: threads share it."""

    __slots__ = ("_first", "_keys", "_outputs", "_row_gain", "_starts")

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


@final
class EndColumns:
    """Columns of rows that are too long to keep, by their ends; the table is built when the first column is asked for.

    The row of x raises the words before its last one in its order by all that they may gain. So where a row ends tells
    of every output whether x raises it: one inner product, and no row. Threads may share it.

    Args:
        vocabulary: the public words.
        weights: of the rows.
        order: in which they raise words.
    """

    __slots__ = ("_lock", "_order", "_scores", "_table", "_vocabulary", "_weights")

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
        """How many inputs raise each of these outputs, which, and by how much."""
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
