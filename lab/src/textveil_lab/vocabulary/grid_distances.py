"""Euclidean distances between words, elementwise from the grid's exact inner products."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.grid import IntegerGrid


@dataclass(frozen=True, slots=True, eq=False)
class GridDistances:
    """Euclidean distances between rows, elementwise from exact products; see ``distances_on``."""

    grid: IntegerGrid
    scales: Reals  # their scales after shortening, shape (n,)
    squares: Reals  # their squared norms after shortening, shape (n,)

    def rows(self, ids: Ids) -> Iterator[Reals]:
        """Yield distances from each id to every row, always in the same memory; shape (n,)."""
        out = np.empty((1, self.grid.size), dtype=np.float64)
        products = self.grid.inner_products(ids)
        for index in range(len(ids)):
            here = slice(index, index + 1)
            yield self._measured(products[here], ids[here], slice(0, self.grid.size), out)[0]

    def within(self, ids: Ids, columns: slice) -> Reals:
        """Return distances from each id to a range of rows, shape (batch, range): the same bits as in ``rows``."""
        products = self.grid.values[ids] @ self.grid.values[columns].T
        return self._measured(products, ids, columns, np.empty(products.shape, dtype=np.float64))

    def _measured(self, products: NDArray[Any], ids: Ids, columns: slice, out: Reals) -> Reals:
        np.multiply(products, (-2.0 * self.scales[ids])[:, None] * self.scales[columns], out=out)
        out += self.squares[columns]
        out += self.squares[ids][:, None]
        np.maximum(out, 0.0, out=out)
        own = ((ids >= columns.start) & (ids < columns.stop)).nonzero()[0]
        out[own, ids[own] - columns.start] = 0.0
        return np.sqrt(out, out=out)


def grid_distances(grid: IntegerGrid, clip: float | None) -> GridDistances:
    """Return distances between the rows of a grid; rows are clipped to the norm ``clip``, None: not clipped."""
    scales, lengths = grid.scales, grid.lengths
    if clip is not None:
        factor = np.minimum(1.0, clip / np.maximum(lengths, np.finfo(np.float64).tiny))
        scales, lengths = scales * factor, lengths * factor
    return GridDistances(grid, scales, lengths**2)


def distances_on(grid: IntegerGrid, ids: Ids, clip: float | None = None) -> Reals:
    """Return Euclidean distances from each id to every row, shape (batch, n), float64.

    ``clip``: shorten longer rows to this norm first; None leaves them.

    The squared distance is computed elementwise from exact inner products; its relative error is a few ulp of the
    larger squared norm, and a row's distance to itself is exactly 0.
    """
    out = np.empty((len(ids), grid.size), dtype=np.float64)
    for into, row in zip(out, distance_rows(grid, ids, clip), strict=True):
        into[:] = row
    return out


def distance_rows(grid: IntegerGrid, ids: Ids, clip: float | None = None) -> Iterator[Reals]:
    """Yield the rows of ``distances_on`` one after another, always in the same memory; shape (n,)."""
    return grid_distances(grid, clip).rows(ids)


def rounding_of(grid: IntegerGrid, points: Vectors, clip: float | None = None) -> float:
    """Return the largest distance of a row from the vector that it represents, rounded up.

    ``points``: the public vectors, already clipped if ``clip`` is given; float32, shape (n, dim); ``clip``: norm to
    which the rows are shortened before the comparison.
    """
    largest = 0.0
    scales = grid.scales
    if clip is not None:
        scales = scales * np.minimum(1.0, clip / np.maximum(grid.lengths, np.finfo(np.float64).tiny))
    for start in range(0, grid.size, 4096):
        part = slice(start, start + 4096)
        gaps = grid.values[part].astype(np.float64) * scales[part, None] - points[part]
        largest = max(largest, float(np.sqrt(np.einsum("nd,nd->n", gaps, gaps).max())))
    # The scaled rows are off by half a unit in the last place. The sum of squares is off by as many as there are
    # coordinates, of a gap that is a small part of a row: half a step of the grid in each of them.
    return largest + 2.0**-48 * float(grid.lengths.max())
