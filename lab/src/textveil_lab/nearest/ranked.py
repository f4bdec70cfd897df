"""The few nearest rows to a point, in order of distance, by NumPy alone: exact."""

import numpy as np

from textveil.errors import need
from textveil.types import Ids, Reals, Vectors
from textveil_lab.nearest.projection import checked_queries, half_squares

_ENTRIES = 1 << 22  # Scores that are made at once: 16 MB
_FEW = 3  # Up to so many are found one after the other


def nearest_few(vectors: Vectors, queries: Vectors, count: int) -> tuple[Ids, Reals]:
    """The ``count`` nearest rows to each query, the nearest first, ties to the lower row, with their distances.

    Which rows are found is decided by float32 scores, as in every backend; their distances are float64. Both are
    functions of the queries and the rows alone.

    Args:
        vectors: float32, finite, shape (n, dim).
        queries: float32, shape (batch, dim).
        count: between 1 and n.

    Returns:
        Rows, int64, and distances, both of shape (batch, count).
    """
    need(1 <= count <= len(vectors), "count", count, f"between 1 and {len(vectors)}")
    points = checked_queries(queries, vectors.shape[1])
    halves = half_squares(vectors)
    ids = np.empty((len(points), count), dtype=np.int64)
    distances = np.empty((len(points), count))
    rows = max(1, _ENTRIES // len(vectors))
    for start in range(0, len(points), rows):
        block = points[start : start + rows]
        scores = halves - block @ vectors.T
        nearest = _least(scores, count)
        gaps = block[:, None].astype(np.float64) - vectors[nearest]
        lengths = np.sqrt(np.einsum("bkd,bkd->bk", gaps, gaps))
        order = np.lexsort((nearest, lengths), axis=1)
        part = slice(start, start + len(block))
        ids[part] = np.take_along_axis(nearest, order, axis=1)
        distances[part] = np.take_along_axis(lengths, order, axis=1)
    return ids, distances


def _least(scores: Reals, count: int) -> Ids:
    """The places of the ``count`` least scores of each row, in any order; ``scores`` are written over."""
    if count > _FEW:
        return np.argpartition(scores, count - 1, axis=1)[:, :count]
    rows, nearest = np.arange(len(scores)), np.empty((len(scores), count), dtype=np.int64)
    for place in range(count):  # a pass for each takes a third of the time of parting the row
        nearest[:, place] = scores.argmin(axis=1)
        scores[rows, nearest[:, place]] = np.inf
    return nearest
