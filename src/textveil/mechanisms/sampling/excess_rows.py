"""Rows of a weighted neighborhood by word: read from the public table of all, else made when words first appear.

Rows that were made have different lengths and lie one behind the other, in the order in which they were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.sampling.output_columns import RaisedEntries
from textveil.mechanisms.sampling.raised_rows import (
    TABLED,
    ByCosine,
    NestedOrder,
    Rows,
    expected_length,
    made_rows,
    raised_entries,
    unordered,
)
from textveil.mechanisms.sampling.raised_table import WholeRows, key_type, raised_table, whole_rows
from textveil.mechanisms.sampling.row_cache import RowLock
from textveil.numerics.base_weights import BaseWeights
from textveil.types import Ids, Integers
from textveil.vocabulary.grid import nested_limit
from textveil.vocabulary.tables.public import OpenTable, PublicTable, builds
from textveil.vocabulary.vocabulary import Vocabulary

ROW_BYTES: Final = 256 * 2**20
"""Byte budget of the rows that are kept; past it all are dropped and made again when needed."""

_FIRST: Final = 64  # nearest words that a table holds at least


@final
class ExcessRows:
    """Rows by word, made in blocks when words first appear and kept within a byte budget.

    Words are raised by falling cosine, or in the ``order`` that is given. The order of arrival, the batch, the thread,
    what was dropped before and whether a table is there change nothing but time. A pickled copy starts empty: which
    rows are kept tells which words were seen. Threads may share it.
    """

    __slots__ = (
        "_budget",
        "_held",
        "_kept",
        "_keys",
        "_lock",
        "_looked",
        "_number",
        "_open",
        "_order",
        "_outputs",
        "_starts",
        "_used",
        "_vocabulary",
        "_weights",
        "_whole",
    )

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
        """One search in the keys of all rows, after a look at the first word of the row, which has most of it."""
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
