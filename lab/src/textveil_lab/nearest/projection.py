"""Interface of nearest-word backends, and the checks that they share.

``nearest_few`` finds the nearest rows to a point, in order of distance, exactly and by NumPy alone.

``ExactNumpy`` finds the nearest word on the CPU, in float32, by NumPy alone: the reference of every other backend.
"""

import math
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Reals, Vectors
from textveil_lab.nearest.identical_rows import FirstRows, first_rows

_BLOCK = 2**20  # Number of entries in one pass
LONGEST: Final = 1e15  # Norm of a vector up to which its inner products with any noisy vector fit float32


@runtime_checkable
class Projection(Protocol):
    """Map from points to the ids of their nearest words."""

    @property
    def exact(self) -> bool:
        """Whether the answer is the nearest word for every query; audits refuse an approximate search."""

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows by Euclidean distance; float32 (batch, dim) to int64 (batch,).

        Ties, and distances that float32 cannot tell apart, go to one of the tied rows; the first of identical rows
        wins.
        """


def checked_table(vectors: Vectors) -> Vectors:
    """Return ``vectors`` as a C-contiguous float32 table with at least one row; not copied if it is one already.

    Raises:
        ParameterError: no array of real numbers; another shape; an entry that is not finite in float32.
    """
    _need_reals(vectors, "vectors")
    need(vectors.ndim == 2 and vectors.size > 0, "vectors", f"shape {vectors.shape}", "of shape (n, dim), n >= 1")
    with np.errstate(over="ignore"):  # too large for float32: infinite, and refused below
        table = np.ascontiguousarray(vectors, dtype=np.float32)
    rows = max(1, _BLOCK // table.shape[1])
    finite = all(bool(np.isfinite(table[start : start + rows]).all()) for start in range(0, len(table), rows))
    need(finite, "vectors", "NaN, or infinite in float32", "finite", "Drop or correct those rows.")
    return table


def checked_queries(queries: Vectors, dim: int) -> Vectors:
    """Return ``queries`` as float32 of shape (batch, dim).

    Raises:
        ParameterError: no array of real numbers; another shape.
    """
    _need_reals(queries, "queries")
    fits = queries.ndim == 2 and queries.shape[1] == dim
    need(fits, "queries", f"shape {queries.shape}", f"of shape (batch, {dim})")
    return np.ascontiguousarray(queries, dtype=np.float32)


def _need_reals(array: object, name: str) -> None:
    """Refuse anything but a NumPy array of real numbers; the message has its type, no value."""
    kind = f"dtype {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
    reals = isinstance(array, np.ndarray) and array.dtype.kind in "fiub"
    need(reals, name, kind, "a NumPy array of real numbers", "numpy.asarray(..., dtype='float32') makes one.")


def half_squares(vectors: Vectors) -> NDArray[np.float32]:
    """Return ||v||^2 / 2 of each row, summed in float64; shape (n,).

    Raises:
        ParameterError: a row is too long for float32 scores.
    """
    squares = np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
    longest = math.sqrt(float(squares.max(initial=0.0)))
    need(longest <= LONGEST, "vectors", f"a norm of {longest:.3g}", f"of norms up to {LONGEST:g}", "Rescale them.")
    return (squares / 2).astype(np.float32)


_ENTRIES = 1 << 22  # Scores that are made at once: 16 MB


_FEW = 3  # Up to so many are found one after the other


def nearest_few(vectors: Vectors, queries: Vectors, count: int) -> tuple[Ids, Reals]:
    """Return the ``count`` nearest rows to each query, nearest first, the lower row first in a tie, and distances.

    Float32 scores decide the rows, as in every backend; their distances are float64. Both are functions of the queries
    and the rows alone.

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
    """Return the positions of the ``count`` smallest scores of each row, in any order; overwrites ``scores``."""
    if count > _FEW:
        return np.argpartition(scores, count - 1, axis=1)[:, :count]
    rows, nearest = np.arange(len(scores)), np.empty((len(scores), count), dtype=np.int64)
    for place in range(count):  # a pass for each takes a third of the time of parting the row
        nearest[:, place] = scores.argmin(axis=1)
        scores[rows, nearest[:, place]] = np.inf
    return nearest


_QUERY_BLOCK = 4096


_WORD_BLOCK = 1024
"""With a block of queries, 16 MB of scores: large blocks multiply faster, and this much fits the last-level cache."""


_LEAST_SCORES = 1 << 20
"""Scores of a tile if queries are few: threads wait for each other at a product's end, so few products are best."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactNumpy:
    """Search for the nearest row of ``vectors`` by Euclidean distance; the first of identical rows wins.

    Scores are float32: two rows tie if their scores differ by less than the rounding of one inner product.
    """

    vectors: Vectors  # float32, shape (n, dim), kept as given and never written
    half_squares: NDArray[np.float32]  # ||v||^2 / 2 of each row, float32, shape (n,)
    _first_row: FirstRows = field(repr=False)

    @property
    def exact(self) -> bool:
        return True

    def __call__(self, queries: Vectors) -> Ids:
        """Return ids of the nearest rows; see ``Projection``.

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
    """Return a callable from queries of shape (batch, dim) to ids of shape (batch,), int64."""
    table = checked_table(vectors)
    return ExactNumpy(table, half_squares(table), first_rows(table))
