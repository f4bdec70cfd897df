"""Rows that list the few words with a weight; one uniform integer is looked up in their running sums.

A function of public data (``ListRows``) makes a word's row when the word first appears; rows are kept within a byte
budget.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.raised_rows import ROW_BYTES, RowCache
from textveil.types import Ids, Integers

_BLOCK = 128


class ListedRow(NamedTuple):
    """Words with a weight, each once, and the running sums of their weights, which are integers > 0."""

    members: Ids
    sums: Integers


ListRows: TypeAlias = Callable[[Ids], list[ListedRow]]
"""Function that returns the rows of these words; a function of each word alone, and picklable."""


class ListedRows:
    """Rows of words, made when a word first appears.

    A pickled copy starts empty, since the kept rows show which words were seen.

    Args:
        size: number of words n.
        make: see ``ListRows``.
        budget: largest number of bytes to keep.
    """

    def __init__(self, size: int, make: ListRows, budget: int = ROW_BYTES) -> None:
        self._size, self._list, self._budget = size, make, budget
        self._cache = RowCache(
            size, block=_BLOCK, size=lambda row: int(row.members.nbytes + row.sums.nbytes), budget=budget
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(ListedRows, budget=self._budget), (self._size, self._list)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        out = np.empty(len(ids), dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        words, starts = np.unique(ids[order], return_index=True)
        bounds = np.append(starts, len(ids))
        for block in range(0, len(words), _BLOCK):
            with self._cache.rows(words[block : block + _BLOCK], self._make) as slots:
                rows: list[ListedRow] = self._cache.table[slots].tolist()
            for place, row in enumerate(rows, block):
                here = order[bounds[place] : bounds[place + 1]]
                uniform = rng.integers(0, row.sums[-1], size=len(here), dtype=np.int64)
                out[here] = row.members[np.searchsorted(row.sums, uniform, side="right")]
        return out

    def weights(self, words: Ids) -> Integers:
        """Return integer weights, shape (batch, n)."""
        out = np.zeros((len(words), self._size), dtype=np.int64)
        for values, row in zip(out, self._list(words), strict=True):
            values[row.members] = np.diff(row.sums, prepend=0)
        return out

    def _make(self, words: Ids, table: NDArray[Any], slots: Integers, wanted: int) -> None:
        for slot, row in zip(slots.tolist(), self._list(words), strict=True):
            table[slot] = row


WeightsOf: TypeAlias = Callable[[Ids], Integers]
"""Function from words, shape (batch,), to integers >= 0, shape (batch, n), each a function of its two words alone."""

_WHOLE_BLOCK: Final = 64  # words whose rows are made at once: 17 MB at 33,000 words


class ComputedRows:
    """Running sums of each word's row, made when the word first appears and kept within a byte budget.

    Args:
        size: number of words.
        make: function of the weights; picklable, every row's sum below 2^62.
        budget: largest number of bytes to keep.
    """

    def __init__(self, size: int, make: WeightsOf, budget: int = ROW_BYTES) -> None:
        self._size, self._make, self._budget = size, make, budget
        self._rows = RowCache(size, block=_WHOLE_BLOCK, width=size, dtype=np.int64, budget=budget)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts empty: which rows are kept tells which words were seen.
        return partial(ComputedRows, budget=self._budget), (self._size, self._make)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        order = np.argsort(ids, kind="stable")
        words, starts = np.unique(ids[order], return_index=True)
        bounds = [*starts.tolist(), len(ids)]
        out = np.empty(len(ids), dtype=np.int64)
        for block in range(0, len(words), _WHOLE_BLOCK):
            with self._rows.rows(words[block : block + _WHOLE_BLOCK], self._fill) as slots:
                for offset, slot in enumerate(slots.tolist()):
                    sums = self._rows.table[slot]
                    here = order[bounds[block + offset] : bounds[block + offset + 1]]
                    uniform = rng.integers(0, sums[-1], size=len(here), dtype=np.int64)
                    out[here] = np.searchsorted(sums, uniform, side="right")
        return out

    def weights(self, words: Ids) -> Integers:
        """Return integer weights, shape (batch, n)."""
        return self._make(words)

    def _fill(self, words: Ids, table: Integers, slots: Integers, wanted: int) -> None:
        table[slots] = self._make(words).cumsum(axis=1)
