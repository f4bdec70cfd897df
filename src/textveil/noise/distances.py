"""Distances of every two points, without a table of their differences."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from textveil.noise.base import as_points
from textveil.types import Reals


def distances(
    points: ArrayLike, centers: ArrayLike, dim: int, norm: Literal["cityblock", "euclidean", "chebyshev"]
) -> Reals:
    """|point - center| in the L1, L2 or L-infinity norm; shapes (batch, dim) and (n, dim) to (batch, n).

    Each is a sum over the differences of coordinates, so it is as exact for near points as for far ones.
    """
    from scipy.spatial.distance import cdist  # a tenth of a second, which draws do not need

    measured: Reals = cdist(as_points(points, dim), as_points(centers, dim), norm)
    return measured
