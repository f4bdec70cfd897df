"""Words on a line: integrals of the noise over the places where the released word stays the same.

On a line the nearest words change at finitely many points, so a word's probability is a sum of integrals of smooth
functions: Gauss-Legendre on each piece is exact to about 1e-13 of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from textveil.types import Reals

NODES = 48
"""Of the quadrature on each piece."""

ABSOLUTE = 1e-11
"""Error of an integral of a density that is smooth between the breaks; with room to spare."""

_REACH = 40.0  # how many times the noise's scale is followed beyond the outermost break: what is left is below e^-40
_LONGEST = 2.0  # length of a piece in units of the scale


@cache
def _rule() -> tuple[Reals, Reals]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def integral(values: Callable[[Reals], Reals], breaks: Sequence[float], scale: float) -> Reals:
    """The integral over the line of a function that is smooth between ``breaks`` and falls off with ``scale``.

    Args:
        values: from points, shape (m,), to values, shape (m, k).
        breaks: where it may jump or bend.
        scale: > 0; it has fallen below 1e-17 of itself at 40 times this beyond the breaks.

    Returns:
        Shape (k,).
    """
    inner = np.unique(np.asarray(breaks, dtype=np.float64))
    ends = np.concatenate([[inner[0] - _REACH * scale], inner, [inner[-1] + _REACH * scale]])
    total: Reals = np.zeros(1)
    nodes, weights = _rule()
    for start, stop in pairwise(ends.tolist()):
        parts = np.linspace(start, stop, 1 + max(1, int(np.ceil((stop - start) / (_LONGEST * scale)))))
        half = np.diff(parts) / 2
        at = (parts[:-1] + half)[:, None] + half[:, None] * nodes
        weighted = values(at.reshape(-1)) * (half[:, None] * weights).reshape(-1)[:, None]
        total = total + weighted.sum(axis=0)
    return total


def breaks_of(points: Reals) -> list[float]:
    """Where the order of the words by distance changes: the points themselves and the middle of every two."""
    return [*points.tolist(), *((a + b) / 2 for a, b in combinations(points.tolist(), 2))]


def laplace(at: Reals, center: float, scale: float) -> Reals:
    """The density of Laplace noise around ``center``."""
    return np.exp(-np.abs(at - center) / scale) / (2 * scale)
