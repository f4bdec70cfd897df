"""Farthest and closest pair of a public table of vectors: exact, block by block.

Pairs are visited in blocks sorted by distance from the mean, so that the triangle inequality can skip blocks; the rest
is computed in float64. Memory beyond the table stays below 200 MB.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import repeat, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.environment import cores
from textveil.errors import need
from textveil.types import Ids, Progress, Reals

_UNIT = 2.0**-53  # Unit roundoff of float64
_GEMM_ROWS = 2048
_CITY_ROWS = 512
_BLOCK_NUMBERS = 1 << 22  # Numbers in one block of points, at most; rows shrink if there are very many dimensions
_RECHECKED = 4096


@dataclass(frozen=True, slots=True)
class Diameter:
    """Largest distance between two rows."""

    # an upper bound, above the true distance by a relative (8 dim + 32) 2^-53 at most (3e-13 at 300 dimensions)
    value: float
    first: int  # a row of the pair that attains it up to rounding; ``first < second``
    second: int


def diameter(vectors: NDArray[Any], order: float, progress: Progress | None = None) -> Diameter:
    """Return the exact diameter of the rows in the L1, L2 or L-infinity norm, rounded up.

    Args:
        vectors: finite real numbers, shape (n, dim), n >= 2; neither clipped nor normalized.
        order: 1, 2 or infinity.

    Raises:
        ParameterError: another order, or fewer than two rows.
    """
    need(order in (1, 2, math.inf), "order", order, "1, 2 or infinity")
    _need_pairs(vectors)
    if order == math.inf:
        return _coordinate_diameter(vectors)
    sweep = _Sweep.of(vectors, int(order))
    if sweep.radii[0] == 0.0:
        return Diameter(0.0, 0, 1)
    return _euclidean_diameter(sweep, progress) if order == 2 else _city_diameter(sweep, progress)


def shortest_distance(vectors: NDArray[Any], progress: Progress | None = None) -> float:
    """Return the smallest Euclidean distance between two rows, to float64 accuracy; 0 if two rows coincide.

    Args:
        vectors: finite real numbers, shape (n, dim), n >= 2.

    Raises:
        ParameterError: fewer than two rows.
    """
    _need_pairs(vectors)
    sweep = _Sweep.of(vectors, 2)
    error = sweep.square_error
    best = math.inf

    def too_far(first: slice, second: slice) -> bool:
        gap = float(sweep.radii[first.stop - 1] - sweep.radii[second.start])
        return gap > 0 and gap * gap > best + 2 * error

    for first, partners in sweep.blocks(_GEMM_ROWS, too_far, progress):
        left = _augmented(sweep.rows(first), swap=True)
        for second in partners:
            squares = left @ _augmented(sweep.rows(second), swap=False).T
            if first == second:
                squares[np.tri(len(squares), dtype=bool)] = math.inf
            # The matrix product finds the candidates; their differences give the distance.
            cut = min(best, float(squares.min())) + 2 * error
            rows, columns = np.nonzero(squares <= min(cut, sys.float_info.max))
            for start in range(0, len(rows), _RECHECKED):
                part = slice(start, start + _RECHECKED)
                gaps = sweep.at(first, rows[part]) - sweep.at(second, columns[part])
                best = min(best, float(np.einsum("nd,nd->n", gaps, gaps).min()))
                if best == 0:
                    return 0.0
    return math.sqrt(best)


@dataclass(frozen=True, slots=True, eq=False)
class _Sweep:
    vectors: NDArray[Any]  # the table, shape (n, dim)
    center: Reals  # float64, shape (dim,); any fixed point would do, the mean keeps radii short
    order: Ids  # row numbers by falling radius, shape (n,)
    radii: Reals  # distances from the center in that order, shape (n,)

    @classmethod
    def of(cls, vectors: NDArray[Any], norm: int) -> _Sweep:
        """Sort the rows by their distance from the mean in the L1 or L2 norm."""
        center = vectors.mean(axis=0, dtype=np.float64)
        radii = np.empty(len(vectors))
        for part in _parts(len(vectors), _rows_of(vectors, _GEMM_ROWS)):
            radii[part] = np.linalg.norm(vectors[part].astype(np.float64) - center, ord=norm, axis=1)
        order = np.argsort(-radii, kind="stable")
        return cls(vectors, center, order, radii[order])

    @property
    def square_error(self) -> float:
        """Bound on the error of a squared distance from ``_augmented`` rows.

        With the largest radius R the product adds dim + 2 terms of total magnitude 4 R^2, and each squared norm is off
        by dim units of R^2; (6 dim + 10) 2^-53 R^2 to first order.
        """
        return (8 * self.vectors.shape[1] + 32) * _UNIT * float(self.radii[0]) ** 2

    def rows(self, part: slice) -> Reals:
        """Return centered rows at these positions of the order, float64."""
        return self.vectors[self.order[part]].astype(np.float64) - self.center

    def at(self, part: slice, offsets: Ids) -> Reals:
        """Return rows at these offsets within a part of the order, float64, not centered."""
        return self.vectors[self.order[part][offsets]].astype(np.float64)

    def blocks(
        self, most: int, skip: Callable[[slice, slice], bool], progress: Progress | None
    ) -> Iterator[tuple[slice, Iterator[slice]]]:
        """Yield each block with the blocks from it on, up to the first that ``skip`` rejects.

        ``skip`` must hold for all later second blocks once it holds for one. It is called when a block is taken, so it
        may use results found meanwhile.
        """
        parts = _parts(len(self.vectors), _rows_of(self.vectors, most))
        total = len(parts) * (len(parts) + 1) // 2
        done = 0
        for index, first in enumerate(parts):
            yield first, takewhile(partial(_unless, skip, first), parts[index:])
            done += len(parts) - index
            if progress is not None:
                progress(done, total)


def _unless(skip: Callable[[slice, slice], bool], first: slice, second: slice) -> bool:
    return not skip(first, second)


def _need_pairs(vectors: NDArray[Any]) -> None:
    need(vectors.ndim == 2 and len(vectors) >= 2, "vectors", f"shape {vectors.shape}", "a table of >= 2 rows")


def _rows_of(vectors: NDArray[Any], most: int) -> int:
    return max(16, min(most, _BLOCK_NUMBERS // vectors.shape[1]))


def _parts(n: int, rows: int) -> list[slice]:
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def _augmented(rows: Reals, *, swap: bool) -> Reals:
    """Return rows for which (a, swapped) @ (b, not swapped).T is the table of squared distances."""
    out = np.empty((len(rows), rows.shape[1] + 2))
    squares = np.einsum("nd,nd->n", rows, rows)
    if swap:
        np.multiply(rows, -2.0, out=out[:, :-2])
        out[:, -2], out[:, -1] = squares, 1.0
    else:
        out[:, :-2], out[:, -2], out[:, -1] = rows, 1.0, squares
    return out


def _result(value: float, rows: tuple[int, int]) -> Diameter:
    return Diameter(math.nextafter(value, math.inf), min(rows), max(rows))


def _too_near(sweep: _Sweep, first: slice, second: slice, best: float) -> bool:
    reach = float(sweep.radii[first.start] + sweep.radii[second.start])
    return reach * (1 + (4 * sweep.vectors.shape[1] + 32) * _UNIT) < best


def _euclidean_diameter(sweep: _Sweep, progress: Progress | None) -> Diameter:
    error = sweep.square_error
    best, pair = 0.0, (int(sweep.order[0]), int(sweep.order[-1]))

    def skip(first: slice, second: slice) -> bool:
        return _too_near(sweep, first, second, math.sqrt(max(0.0, best - error)))

    for first, partners in sweep.blocks(_GEMM_ROWS, skip, progress):
        left = _augmented(sweep.rows(first), swap=True)
        for second in partners:
            squares = left @ _augmented(sweep.rows(second), swap=False).T
            row, column = divmod(int(squares.argmax()), squares.shape[1])
            if squares[row, column] > best:
                best = float(squares[row, column])
                pair = int(sweep.order[first][row]), int(sweep.order[second][column])
    return _result(math.sqrt(best + error), pair)


def _city_diameter(sweep: _Sweep, progress: Progress | None) -> Diameter:
    from scipy.spatial.distance import cdist  # slow to import, and rarely needed

    best, pair = 0.0, (int(sweep.order[0]), int(sweep.order[-1]))

    def skip(first: slice, second: slice) -> bool:
        return _too_near(sweep, first, second, best)

    def farthest(first: slice, left: Reals, second: slice) -> tuple[float, int, int]:
        table = cdist(left, sweep.rows(second), "cityblock")
        row, column = divmod(int(table.argmax()), table.shape[1])
        return float(table[row, column]), first.start + row, second.start + column

    with ThreadPoolExecutor(cores()) as pool:
        for first, partners in sweep.blocks(_CITY_ROWS, skip, progress):
            left = sweep.rows(first)
            for value, row, column in pool.map(farthest, repeat(first), repeat(left), partners):
                if value > best:
                    best, pair = value, (int(sweep.order[row]), int(sweep.order[column]))
    # Each term carries the rounding of two centered coordinates, each sum dim more.
    slack = best * (sweep.vectors.shape[1] + 4) * _UNIT + 4 * _UNIT * float(sweep.radii[0])
    return _result(best + slack, pair)


def _coordinate_diameter(vectors: NDArray[Any]) -> Diameter:
    low, high = vectors.min(axis=0).astype(np.float64), vectors.max(axis=0).astype(np.float64)
    widest = int(np.argmax(high - low))
    column = vectors[:, widest]
    first, second = int(column.argmin()), int(column.argmax())
    value = float(high[widest] - low[widest])
    return Diameter(0.0, 0, 1) if value == 0 else _result(value, (first, second))
