"""Rows of integer weights that a function of words makes, and draws from them by one integer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, final

import numpy as np

from textveil.mechanisms.sampling.row_cache import ROW_BYTES, RowCache
from textveil.types import Ids, Integers

WeightsOf: TypeAlias = Callable[[Ids], Integers]
"""From words, shape (batch,), to integers >= 0, shape (batch, n), each a function of its two words alone."""

_BLOCK: Final = 64
"""Words whose rows are made at once: 17 MB at 33,000 words."""


@final
class ComputedRows:
    """The running sums of each word's row, made when the word first appears and kept within a byte budget.

    Args:
        size: number of words.
        make: the weights; picklable, and every row's sum is below 2^62.
        budget: bytes.
    """

    __slots__ = ("_budget", "_make", "_rows", "_size")

    def __init__(self, size: int, make: WeightsOf, budget: int = ROW_BYTES) -> None:
        self._size, self._make, self._budget = size, make, budget
        self._rows = RowCache(size, block=_BLOCK, width=size, dtype=np.int64, budget=budget)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts empty: which rows are kept tells which words were seen.
        return partial(ComputedRows, budget=self._budget), (self._size, self._make)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id, by a uniform integer below the row's total."""
        order = np.argsort(ids, kind="stable")
        words, starts = np.unique(ids[order], return_index=True)
        bounds = [*starts.tolist(), len(ids)]
        out = np.empty(len(ids), dtype=np.int64)
        for block in range(0, len(words), _BLOCK):
            with self._rows.rows(words[block : block + _BLOCK], self._fill) as slots:
                for offset, slot in enumerate(slots.tolist()):
                    sums = self._rows.table[slot]
                    here = order[bounds[block + offset] : bounds[block + offset + 1]]
                    uniform = rng.integers(0, sums[-1], size=len(here), dtype=np.int64)
                    out[here] = np.searchsorted(sums, uniform, side="right")
        return out

    def weights(self, words: Ids) -> Integers:
        """Integer weights, shape (batch, n)."""
        return self._make(words)

    def _fill(self, words: Ids, table: Integers, slots: Integers, wanted: int) -> None:
        table[slots] = self._make(words).cumsum(axis=1)
