"""Integer weights that fall with the distance, and rows of them that are drawn with one integer.

The running sums of a row, one for every word, would take 260 KB at 33,000 words, and all rows 8.6 GB. What is kept
of a row is its running sum at the end of every ``SPAN`` words, 1/64 of that, so that the rows of a whole vocabulary
fit in the byte budget; the weights of the one span in which a draw falls are computed again, for all draws in that
span at once. They are the same integers, since each is a function of its two words (``vocabulary.grid``).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, Final, final

import numpy as np

from textveil.mechanisms.sampling.row_cache import ROW_BYTES, RowCache
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.grid import GridDistances, grid_distances, integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

SPAN: Final = 64
"""Words whose weights are kept as one sum."""

_BLOCK: Final = 128
"""Words whose inner products are made at once: 17 MB at 33,000 words."""

_SHARED: Final = 32
"""Rows from which two threads make them."""

_DRAWS: Final = 1 << 12
"""Draws within one span that are looked up at once: their weights take 2 MB."""


@final
class WeightRows:
    """The weights of each word's row: their sums by spans are made when a word first appears.

    The weight of output y for word x is base(y) * max(floor, floor(top * exp(-rate * d(x, y)))), an integer that
    depends on x and y alone (see ``vocabulary.grid``); 0 where x and y are of different groups. ``base`` is 1 and there
    is one group unless they are given, integers >= 0 of shape (n,).
    """

    __slots__ = (
        "_base",
        "_budget",
        "_clip",
        "_distances",
        "_floor",
        "_groups",
        "_rate",
        "_rows",
        "_top",
        "_vocabulary",
    )

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        rate: float,
        clip: float | None,
        top: int,
        floor: int,
        base: Integers | None = None,
        groups: Integers | None = None,
        budget: int = ROW_BYTES,
    ) -> None:
        self._base, self._groups = base, groups
        self._vocabulary, self._rate, self._clip, self._top, self._floor = vocabulary, rate, clip, top, floor
        self._budget = budget
        self._distances: GridDistances | None = None
        spans = -(-len(vocabulary) // SPAN)
        self._rows = RowCache(len(vocabulary), block=_BLOCK, width=spans, dtype=np.int64, budget=budget)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts empty: which rows are kept tells which words were seen.
        options: dict[str, Any] = {"rate": self._rate, "clip": self._clip, "top": self._top, "floor": self._floor}
        options |= {"base": self._base, "groups": self._groups}
        return partial(WeightRows, **options, budget=self._budget), (self._vocabulary,)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id, by a uniform integer below the row's total."""
        # On 16 bits NumPy sorts by digits, ten times as fast; the order is the same.
        order = np.argsort(ids.astype(np.min_scalar_type(len(self._vocabulary) - 1)), kind="stable")
        ordered = ids[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        words, bounds = ordered[starts], [*starts.tolist(), len(ids)]
        spans, rest = np.empty(len(ids), dtype=np.int64), np.empty(len(ids), dtype=np.int64)
        for block in range(0, len(words), _BLOCK):
            with self._rows.rows(words[block : block + _BLOCK], self._make) as slots:  # until the draws are made
                for offset, slot in enumerate(slots.tolist()):
                    sums = self._rows.table[slot]
                    here = slice(bounds[block + offset], bounds[block + offset + 1])
                    uniform = rng.integers(0, sums[-1], size=here.stop - here.start, dtype=np.int64)
                    outputs = np.searchsorted(sums, uniform, side="right")
                    spans[here] = outputs
                    rest[here] = uniform - np.where(outputs > 0, sums[outputs - 1], 0)
        out = np.empty(len(ids), dtype=np.int64)
        out[order] = self._within(ordered, spans, rest)
        return out

    def _within(self, ids: Ids, spans: Integers, rest: Integers) -> Ids:
        """The word at which the running sum of weights within a span passes ``rest``, for each id; shapes (batch,)."""
        distances = self._measured()
        out = np.empty(len(ids), dtype=np.int64)
        order = np.argsort(spans, kind="stable")
        edges = np.flatnonzero(np.diff(spans[order], prepend=-1, append=-1)).tolist()
        for first, last in pairwise(edges):
            for start in range(first, last, _DRAWS):
                here = order[start : min(start + _DRAWS, last)]
                begin = int(spans[here[0]]) * SPAN
                columns = slice(begin, min(begin + SPAN, len(self._vocabulary)))
                words, which = np.unique(ids[here], return_inverse=True)
                weights = self._weighed(distances.within(words, columns))
                self._restrict(weights, words, columns)
                sums = weights.cumsum(axis=1)
                out[here] = begin + (sums[which] <= rest[here, None]).sum(axis=1)
        return out

    def _make(self, words: Ids, table: Integers, slots: Integers, wanted: int) -> None:
        """Sums of new rows; two threads share many, for exponentials use one core at a time."""
        starts = np.arange(0, len(self._vocabulary), SPAN)

        def fill(part: slice) -> None:
            for row, slot in zip(self._weight_rows(words[part]), slots[part].tolist(), strict=True):
                np.cumsum(np.add.reduceat(row, starts), out=table[slot])

        if len(words) < _SHARED:
            fill(slice(None))
            return
        middle = len(words) // 2
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(fill, (slice(middle), slice(middle, None))))

    def weights(self, words: Ids) -> Integers:
        """Integer weights, shape (batch, n)."""
        rows = [row.copy() for row in self._weight_rows(words)]
        return np.array(rows, dtype=np.int64).reshape(len(words), len(self._vocabulary))

    def _weight_rows(self, words: Ids) -> Iterator[Integers]:
        """The rows of ``weights``, each in the same memory as the one before."""
        out = np.empty(len(self._vocabulary), dtype=np.int64)
        every = slice(0, len(self._vocabulary))
        for index, row in enumerate(self._measured().rows(words)):
            weights = self._weighed(row, out)
            self._restrict(weights[None], words[index : index + 1], every)
            yield weights

    def _restrict(self, weights: Integers, words: Ids, columns: slice) -> None:
        """Multiply weights of these words and columns by what is given of the columns, in place."""
        if self._base is not None:
            weights *= self._base[columns]
        if self._groups is not None:
            weights *= self._groups[words, None] == self._groups[columns]

    def _measured(self) -> GridDistances:
        if self._distances is None:
            self._distances = grid_distances(integer_grid(self._vocabulary), self._clip)
        return self._distances

    def _weighed(self, distances: Reals, out: Integers | None = None) -> Integers:
        """The weights of these distances, elementwise; the distances are overwritten."""
        out = np.empty(distances.shape, dtype=np.int64) if out is None else out
        distances *= -self._rate
        np.exp(distances, out=distances)
        distances *= float(self._top)
        out[...] = distances  # truncates, which is the floor of what is not negative
        return np.maximum(out, self._floor, out=out)
