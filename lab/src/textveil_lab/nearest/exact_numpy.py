"""Exact nearest word on the CPU, in float32, by NumPy alone: the reference of every other backend.

The nearest row v to a query z maximizes z.v - ||v||^2 / 2: a matrix product and a running maximum, tile by tile
while the scores are in the cache.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows
from textveil_lab.nearest.projection import checked_queries, checked_table, half_squares

_QUERY_BLOCK = 4096
_WORD_BLOCK = 1024
"""With a block of queries, 16 MB of scores: large blocks multiply faster, and this much stays in the last cache."""
_LEAST_SCORES = 1 << 20
"""Scores of a tile where queries are few: threads of a product wait for each other at its end, so few products."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactNumpy:
    """Nearest row of ``vectors`` by Euclidean distance; of identical rows the first.

    Scores are float32: two rows whose scores differ by less than the rounding of one inner product count
    as tied.
    """

    vectors: Vectors  # float32, shape (n, dim), kept as given and never written
    half_squares: NDArray[np.float32]  # ||v||^2 / 2 of each row, float32, shape (n,)
    _first_row: FirstRows = field(repr=False)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Ids of the nearest rows; see ``Projection``.

        Raises:
            ParameterError: the queries' shape does not fit the vectors'.
        """
        points = checked_queries(queries, self.vectors.shape[1])
        out = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _QUERY_BLOCK):
            block = points[start : start + _QUERY_BLOCK]
            out[start : start + len(block)] = self._nearest(block)
        return self._first_row(out)

    def _nearest(self, block: Vectors) -> Ids:
        count = len(block)
        rows = np.arange(count)
        best = np.full(count, -np.inf, dtype=np.float32)
        winner = np.zeros(count, dtype=np.int64)
        width = max(_WORD_BLOCK, _LEAST_SCORES // count)
        tile = np.empty((count, min(width, len(self.vectors))), dtype=np.float32)
        for start in range(0, len(self.vectors), width):
            words = self.vectors[start : start + width]
            scores = tile if len(words) == tile.shape[1] else np.empty((count, len(words)), dtype=np.float32)
            np.matmul(block, words.T, out=scores)
            scores -= self.half_squares[start : start + len(words)]
            index = scores.argmax(axis=1)
            value = scores[rows, index]
            better = value > best
            best[better] = value[better]
            winner[better] = index[better] + start
        return winner


def exact_numpy(vectors: Vectors) -> ExactNumpy:
    """A callable from queries of shape (batch, dim) to ids of shape (batch,), int64.

    Args:
        vectors: float32, shape (n, dim), n >= 1.
    """
    table = checked_table(vectors)
    return ExactNumpy(table, half_squares(table), first_rows(table))
