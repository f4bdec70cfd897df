"""Norms of vectors, and vectors with norms held to a bound."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Vectors
from textveil.vocabulary.facts import UNIT_ROUNDOFF, norm_error, row_blocks

SHRINK = 1 - 2.0**-22  # Factor on every shortened vector, so that rounding to float32 cannot carry it past the bound
_RANGE = 1e30


def clip(vectors: NDArray[Any], norm: float) -> Vectors:
    """Each row v as v * min(1, norm / ||v||), in float32, its exact norm at most ``norm``.

    A row that must be shortened is also multiplied by ``SHRINK`` = 1 - 2^-22, and so is a row whose norm
    is within rounding of the bound; every other row is unchanged. Scaling is done in float64.

    Args:
        vectors: finite float32 numbers, shape (n, dim).
        norm: the bound, between 1e-30 and 1e30.

    Returns:
        A new array, float32, C-contiguous, shape (n, dim).

    Raises:
        ParameterError: norm is outside that range.
    """
    need(1 / _RANGE <= norm <= _RANGE, "norm", norm, f"between {1 / _RANGE:g} and {_RANGE:g}")
    out = np.empty(vectors.shape, dtype=np.float32)
    guard = 1 + norm_error(vectors.shape[1])
    for part, rows in row_blocks(vectors):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        long = lengths * guard > norm
        factors = np.where(long, norm * SHRINK / np.where(long, lengths, 1.0), 1.0)
        out[part] = np.multiply(rows, factors[:, None], out=rows)
    return out


def clipped_bound(unit_value: float, norm: float, dim: int, order: float) -> float:
    """Upper bound on a distance between rows of ``clip``, all shortened, from one between unit vectors.

    A shortened row is norm * SHRINK * u up to a relative 2^-23, where u is the unit vector; so a distance is
    at most norm * (SHRINK * unit_value + 2^-22 * r), where r bounds the norm of u in this order. That is
    norm * unit_value, or less, as soon as unit_value >= r.

    Args:
        unit_value: an upper bound on the distance of the unit vectors.
        norm: the clipping norm.
        order: 1, 2 or infinity.
    """
    reach = math.sqrt(dim) if order == 1 else 1.0
    return norm * (SHRINK * unit_value + (1 - SHRINK) * reach) * (1 + 8 * UNIT_ROUNDOFF)
