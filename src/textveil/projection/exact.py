"""Exact nearest word on the CPU, in float32, blocked so that the score tile stays in cache.

The nearest row v to a query z maximizes z.v - ||v||^2 / 2, one matrix product and a running maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Vectors

_QUERY_BLOCK = 512
_WORD_BLOCK = 1024


@final
@dataclass(frozen=True, slots=True, eq=False)
class ExactNumpy:
    """Nearest row of ``vectors`` by Euclidean distance; ties go to the lower id.

    Attributes:
        vectors: float32, shape (n, dim), kept as given and never written.
        half_squares: ||v||^2 / 2 of each row, float32, shape (n,).

    Scores are float32: two rows whose scores differ by less than the rounding of one inner product count
    as tied.
    """

    vectors: Vectors
    half_squares: NDArray[np.float32]

    def __call__(self, queries: Vectors) -> Ids:
        """Ids of the nearest rows.

        Args:
            queries: float32, shape (batch, dim).

        Returns:
            int64, shape (batch,).

        Raises:
            ParameterError: the queries' shape does not fit the vectors'.
        """
        need(
            queries.ndim == 2 and queries.shape[1] == self.vectors.shape[1],
            "queries",
            f"shape {queries.shape}",
            f"of shape (batch, {self.vectors.shape[1]})",
        )
        out = np.empty(len(queries), dtype=np.int64)
        tile = np.empty((_QUERY_BLOCK, _WORD_BLOCK), dtype=np.float32)
        for start in range(0, len(queries), _QUERY_BLOCK):
            block = np.ascontiguousarray(queries[start : start + _QUERY_BLOCK], dtype=np.float32)
            out[start : start + len(block)] = self._nearest(block, tile)
        return out

    def _nearest(self, block: Vectors, tile: NDArray[np.float32]) -> Ids:
        """Running maximum over blocks of words; the scores of one tile at a time."""
        count = len(block)
        rows = np.arange(count)
        best = np.full(count, -np.inf, dtype=np.float32)
        winner = np.zeros(count, dtype=np.int64)
        for start in range(0, len(self.vectors), _WORD_BLOCK):
            words = self.vectors[start : start + _WORD_BLOCK]
            scores = np.matmul(block, words.T, out=tile[:count, : len(words)] if count == _QUERY_BLOCK else None)
            scores -= self.half_squares[start : start + len(words)]
            place = scores.argmax(axis=1)
            value = scores[rows, place]
            better = value > best
            best[better] = value[better]
            winner[better] = place[better] + start
        return winner


def nearest(vectors: Vectors) -> ExactNumpy:
    """A callable from queries of shape (batch, dim) to ids of shape (batch,), int64.

    Args:
        vectors: float32, shape (n, dim), n >= 1.
    """
    need(vectors.ndim == 2 and len(vectors) > 0, "vectors", f"shape {vectors.shape}", "of shape (n, dim), n >= 1")
    table = np.ascontiguousarray(vectors, dtype=np.float32)
    squares = np.einsum("nd,nd->n", table, table, dtype=np.float64)
    return ExactNumpy(table, (squares / 2).astype(np.float32))
