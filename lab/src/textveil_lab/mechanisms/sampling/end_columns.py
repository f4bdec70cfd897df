"""Columns of weighted neighborhoods with rows too long to keep, from the end of each row."""

from functools import partial
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import ByCosine, NestedOrder, made_rows
from textveil.mechanisms.raised_table import gathered, rows_key, starts_of
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Flags, Ids, Integers, Progress
from textveil.vocabulary.grid import IntegerGrid, integer_grid
from textveil.vocabulary.public_tables import OpenTable, PublicTable
from textveil.vocabulary.table_files import Arrays, ArrayShape
from textveil.vocabulary.vocabulary import Vocabulary

LAST: Final = "last"
LEFT: Final = "left"
_BLOCK: Final = 128  # outputs whose columns are made at once: their scores take 17 MB at 33,000 words


def ends_table(vocabulary: Vocabulary, weights: BaseWeights) -> PublicTable:
    """Return the table of the last word that each row raises by falling cosine, and of the units left for it."""
    n = len(vocabulary)
    return PublicTable(
        key=rows_key(
            "raised-ends",
            vocabulary,
            weights,
            ByCosine(vocabulary),
            (ArrayShape(LAST, np.min_scalar_type(n - 1).newbyteorder("<").str, (n,)), ArrayShape(LEFT, "<i8", (n,))),
        ),
        describe=f"the table of the last word that each of {n:,} raises",
        make=partial(_made_ends, ByCosine(vocabulary), weights),
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
    """Tell whether these can be ends; no guarantee rests on them, since nothing is drawn by them."""
    last, left = arrays[LAST], arrays[LEFT]
    return int(last.max()) < weights.size and bool(((left > 0) & (left <= weights.gains[last])).all())


class EndColumns:
    """Columns of rows that are too long to keep, by their ends; the first column builds the table.

    The row of x raises the words before its last one by all that they may gain. So the end of a row tells for every
    output whether x raises it, by one inner product and without the row. Threads may share it.
    """

    def __init__(self, vocabulary: Vocabulary, weights: BaseWeights) -> None:
        self._vocabulary, self._weights = vocabulary, weights
        self._table: OpenTable | None = None
        self._scores = np.empty(0, dtype=np.float32)
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return EndColumns, (self._vocabulary, self._weights)

    @property
    def table(self) -> PublicTable:
        """Table of the ends of rows."""
        return ends_table(self._vocabulary, self._weights)

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
        scores = cosines_with(integer_grid(self._vocabulary), words, wanted)
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
                self._scores = cosines_of_pairs(integer_grid(self._vocabulary), opened[LAST].astype(np.int64))
                self._table = opened
            return self._table


def cosines_with(grid: IntegerGrid, ids: Ids, wanted: int = 0) -> NDArray[np.float32]:
    """Return the columns ``ids`` of all rows of ``cosines``, bit for bit, shape (batch, n)."""
    scores: NDArray[np.float32] = grid.inner_products(ids, wanted).astype(np.float32, copy=False)
    scores *= grid.inverse_lengths.astype(np.float32)[ids, None]
    scores[np.arange(len(ids)), ids] = np.inf
    return scores


def cosines_of_pairs(grid: IntegerGrid, columns: Ids) -> NDArray[np.float32]:
    """Return one column of each row of ``cosines``, bit for bit; both shapes (n,)."""
    scores = np.empty(grid.size, dtype=np.float32)
    for start in range(0, grid.size, 4096):
        part = slice(start, start + 4096)
        scores[part] = np.einsum("nd,nd->n", grid.values[part], grid.values[columns[part]])
    scores *= grid.inverse_lengths.astype(np.float32)[columns]
    scores[columns == np.arange(grid.size)] = np.inf
    return scores
