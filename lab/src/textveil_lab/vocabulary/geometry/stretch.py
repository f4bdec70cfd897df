"""Lipschitz constant of a map on a finite table: the largest stretch of a distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Ids, Progress, Reals

_UNIT = 2.0**-53
_ROWS = 1024
_CHECKED = 4096  # Number of pairs in one pass by their differences
_LEAST = 1e-300  # Keeps a quotient of two zeros from being taken


def largest_stretch(before: NDArray[Any], after: NDArray[Any], progress: Progress | None = None) -> float:
    """Return the largest ||a_i - a_j||_2 / ||b_i - b_j||_2 over pairs of rows with b_i != b_j, rounded up.

    Matrix products find the pairs that may attain it, and their differences decide. So it is exact to a relative (dims
    + 16) 2^-53, also for rows that nearly coincide.

    Args:
        before: b, finite real numbers, shape (n, dim), n >= 2.
        after: a, of the same rows, finite, shape (n, other dim).

    Raises:
        ParameterError: the shapes differ, or two equal rows have different images.
    """
    fits = before.ndim == after.ndim == 2 and len(before) == len(after) >= 2
    need(fits, "after", f"shape {after.shape}", f"of as many rows as before, which has shape {before.shape}")
    short, long = _Squares.of(before), _Squares.of(after)
    parts = [slice(start, min(start + _ROWS, len(before))) for start in range(0, len(before), _ROWS)]
    done, total = 0, len(parts) * (len(parts) + 1) // 2
    best = 0.0
    for index, left in enumerate(parts):
        for right in parts[index:]:
            best = _best_of_block(short, long, left, right, best)
            done += 1
            if progress is not None:
                progress(done, total)
    return float(np.sqrt(best)) * (1 + (before.shape[1] + after.shape[1] + 16) * _UNIT)


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    rows: Reals  # float64, the mean taken away, shape (n, dim)
    squares: Reals  # squared norms of the rows, shape (n,)
    error: float  # a bound on the rounding of a squared distance from the products
    raw: NDArray[Any]

    @classmethod
    def of(cls, raw: NDArray[Any]) -> _Squares:
        rows = raw.astype(np.float64)
        rows -= rows.mean(axis=0)
        squares = np.einsum("nd,nd->n", rows, rows)
        return cls(rows, squares, (8 * raw.shape[1] + 32) * _UNIT * float(squares.max()), raw)

    def block(self, left: slice, right: slice) -> Reals:
        """Return squared distances by matrix products, off by at most ``error``."""
        return self.squares[left, None] + self.squares[right] - 2 * (self.rows[left] @ self.rows[right].T)

    def exactly(self, first: Ids, second: Ids) -> Reals:
        gaps = self.raw[first].astype(np.float64) - self.raw[second]
        return np.einsum("nd,nd->n", gaps, gaps)


def _best_of_block(short: _Squares, long: _Squares, left: slice, right: slice, best: float) -> float:
    before, after = short.block(left, right), long.block(left, right)
    if left == right:
        after[np.tri(len(after), dtype=bool)] = -np.inf  # each pair once
    likely = int(np.argmax(after / np.maximum(before, 16 * short.error + _LEAST)))
    row, column = divmod(likely, after.shape[1])
    best = max(best, _largest_ratio(short, long, np.array([left.start + row]), np.array([right.start + column])))
    # Pairs whose ratio exceeds the best, as far as the rounding of the products lets one tell.
    rows, columns = np.nonzero(after + long.error > best * (before - short.error))
    for start in range(0, len(rows), _CHECKED):
        part = slice(start, start + _CHECKED)
        best = max(best, _largest_ratio(short, long, left.start + rows[part], right.start + columns[part]))
    return best


def _largest_ratio(short: _Squares, long: _Squares, first: Ids, second: Ids) -> float:
    before, after = short.exactly(first, second), long.exactly(first, second)
    same = before == 0
    need(not after[same].any(), "after", "different rows for two equal ones", "one row for equal rows of before")
    return float((after[~same] / before[~same]).max(initial=0.0))
