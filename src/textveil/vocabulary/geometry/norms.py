"""Norms of vectors, and vectors with norms held to a bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Reals, Vectors

SHRINK = 1 - 2.0**-22
"""Factor on every shortened vector, so that rounding to float32 cannot carry it past the bound."""

_UNIT = 2.0**-53
_BLOCK_BYTES = 1 << 24
_RANGE = 1e30


def norms(vectors: NDArray[Any]) -> Reals:
    """Euclidean norms of the rows, computed in float64, shape (n,).

    The relative error is at most ``norm_error(dim)``.
    """
    out = np.empty(len(vectors))
    for part, rows in _blocks(vectors):
        out[part] = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    return out


def norm_error(dim: int) -> float:
    """Bound on the relative error of a norm in ``dim`` dimensions: half that of the sum, and the root's."""
    return (dim + 16) * _UNIT


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
    for part, rows in _blocks(vectors):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        long = lengths * guard > norm
        factors = np.where(long, norm * SHRINK / np.where(long, lengths, 1.0), 1.0)
        out[part] = np.multiply(rows, factors[:, None], out=rows)
    return out


def normalize(vectors: NDArray[Any]) -> Vectors:
    """Each row divided by its norm, rounded to float32; zero rows stay zero.

    The exact norm of a row of the result differs from 1 by at most 2^-23.
    """
    out = np.empty(vectors.shape, dtype=np.float32)
    for part, rows in _blocks(vectors):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        out[part] = np.divide(rows, np.where(lengths > 0, lengths, 1.0)[:, None], out=rows)
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
    return norm * (SHRINK * unit_value + (1 - SHRINK) * reach) * (1 + 8 * _UNIT)


def _blocks(vectors: NDArray[Any]) -> Iterator[tuple[slice, Reals]]:
    """Row blocks of about 16 MB, as private float64 copies."""
    rows = max(1, _BLOCK_BYTES // (8 * vectors.shape[1]))
    for start in range(0, len(vectors), rows):
        part = slice(start, start + rows)
        yield part, vectors[part].astype(np.float64)
