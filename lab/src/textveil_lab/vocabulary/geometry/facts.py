"""Geometry of a public vocabulary: norms, clipping, exact diameters, closest pair, neighborhoods.

Functions of a vocabulary use its stored facts if they apply, and otherwise compute the result once for each vocabulary
object. The facts have these keys:

    digest                  SHA-256 of words and vectors, as ``Vocabulary.digest`` defines it
    norms                   minimum (rounded down), mean, maximum (rounded up)
    raw, unit               for the vectors unchanged, and divided by their norms:
      diameter.1, .2, .inf    value (rounded up), first, second
      minimum_distance        smallest L2 distance between two words
    neighborhood            sizes; sums: the mean over all words of the sum of cosines of the m nearest words
"""

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.types import Progress, Reals, Vectors
from textveil.vocabulary.facts import (
    UNIT_ROUNDOFF,
    neighborhood_sizes,
    remembered,
    row_blocks,
    similarity_sums,
)
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.geometry.pairs import Diameter, diameter, shortest_distance

SHRINK = 1 - 2.0**-22  # Factor on every shortened vector, so that rounding to float32 cannot carry it past the bound


_RANGE = 1e30


def norms(vectors: NDArray[Any]) -> Reals:
    """Euclidean norms of the rows, computed in float64, shape (n,).

    The relative error is at most ``norm_error(dim)``.
    """
    out = np.empty(len(vectors))
    for part, rows in row_blocks(vectors):
        out[part] = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    return out


def norm_error(dim: int) -> float:
    """Bound on the relative error of a norm in ``dim`` dimensions: half that of the sum, and the root's."""
    return (dim + 16) * UNIT_ROUNDOFF


def clip(vectors: NDArray[Any], norm: float) -> Vectors:
    """Return each row v as v * min(1, norm / ||v||), in float32, its exact norm at most ``norm``.

    A row that must be shortened is also multiplied by ``SHRINK`` = 1 - 2^-22, and so is a row whose norm is within
    rounding of the bound. Every other row is unchanged. Scaling uses float64.

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
    """Return an upper bound on a distance of rows that ``clip`` shortened, from one of unit vectors.

    A shortened row is norm * SHRINK * u up to a relative 2^-23, with the unit vector u; so a distance is at most norm *
    (SHRINK * unit_value + 2^-22 * r), where r bounds the norm of u in this order. That is norm * unit_value, or less,
    as soon as unit_value >= r.

    Args:
        unit_value: an upper bound on the distance of the unit vectors.
        norm: the clipping norm.
        order: 1, 2 or infinity.
    """
    reach = math.sqrt(dim) if order == 1 else 1.0
    return norm * (SHRINK * unit_value + (1 - SHRINK) * reach) * (1 + 8 * UNIT_ROUNDOFF)


_ORDERS = {1: "1", 2: "2", math.inf: "inf"}


def norm_range(vocabulary: Vocabulary) -> tuple[float, float]:
    """Return a lower bound of the smallest and an upper bound of the largest norm, both within rounding."""

    def measured() -> tuple[float, float]:
        lengths, error = norms(vocabulary.vectors), norm_error(vocabulary.dim)
        return float(lengths.min()) * (1 - error), float(lengths.max()) * (1 + error)

    stored = vocabulary.facts.get("norms")
    if stored is not None:
        return stored["minimum"], stored["maximum"]
    return remembered(vocabulary, "norms", measured)


def clipped_diameter(
    vocabulary: Vocabulary, clip: float | None, order: float, progress: Progress | None = None
) -> float:
    """Return an upper bound, tight to rounding, on the distance between the clipped vectors of any two words.

    It holds for the float32 rows that ``geometry.clip`` returns. If the clipping norm is at most every norm, it is the
    norm times the diameter of the unit vectors.

    Args:
        clip: clipping norm; None: no clipping.
        order: 1, 2 or infinity.

    Raises:
        ParameterError: order or clip is outside its domain.
    """
    need(order in _ORDERS, "order", order, "1, 2 or infinity")
    kind = _kind(vocabulary, clip)
    stored = vocabulary.facts.get(kind) if kind else None
    if stored is None:
        return remembered(
            vocabulary,
            ("diameter", None if kind == "raw" else clip, order),
            lambda: farthest_pair(vocabulary, _clipped(vocabulary, kind, clip), order, progress).value,
        )
    value: float = stored["diameter"][_ORDERS[order]]["value"]
    return value if kind == "raw" or clip is None else clipped_bound(value, clip, vocabulary.dim, order)


def farthest_pair(
    vocabulary: Vocabulary, points: NDArray[Any], order: float, progress: Progress | None = None
) -> Diameter:
    """Return ``diameter(points, order)``, computed once for a vocabulary and equal points.

    Args:
        points: finite real numbers, shape (n, dim), n >= 2.
        order: 1, 2 or infinity.

    Raises:
        ParameterError: another order, or fewer than two rows.
    """
    digest = hashlib.sha256(np.ascontiguousarray(points).data).digest()
    key = ("farthest pair", digest, points.dtype.str, points.shape, order)
    return remembered(vocabulary, key, lambda: diameter(points, order, progress))


def minimum_distance(vocabulary: Vocabulary, clip: float | None = None, progress: Progress | None = None) -> float:
    """Return the smallest L2 distance between the clipped vectors of two words; 0 if two words share a vector.

    If it follows from the stored distance of unit vectors it is a lower bound, smaller by at most 2^-20 clip.

    Args:
        clip: clipping norm; None: no clipping.

    Raises:
        ParameterError: clip is outside its domain.
    """
    kind = _kind(vocabulary, clip)
    stored = vocabulary.facts.get(kind) if kind else None
    if stored is None:
        return remembered(
            vocabulary,
            ("minimum", None if kind == "raw" else clip),
            lambda: shortest_distance(_clipped(vocabulary, kind, clip), progress),
        )
    value: float = stored["minimum_distance"]
    return value if kind == "raw" or clip is None else max(0.0, clip * (value - 2.0**-20))


def measured_facts(vocabulary: Vocabulary, report: Callable[[str], Progress]) -> dict[str, Any]:
    """Compute all facts of a vocabulary from its words and vectors; this takes minutes.

    Args:
        vocabulary: public words and vectors, none of them zero.
        report: function from a step's name to its progress callback.
    """
    bare = Vocabulary(vocabulary.words, vocabulary.vectors, vocabulary.name)
    raw, dim = bare.vectors, bare.dim
    lengths = norms(raw)
    least, greatest = norm_range(bare)
    need(least > 0, "vocabulary", bare.name, "one without zero vectors")
    units = raw / lengths[:, None]
    # Units are rounded: a distance of theirs is off by two relative norm errors of unit vectors.
    slack = 4 * norm_error(dim) * math.sqrt(dim)
    sums = similarity_sums(raw, np.arange(len(bare), dtype=np.int64), report("neighborhoods"))
    return {
        "digest": bare.digest,
        "norms": {"minimum": least, "mean": float(lengths.mean()), "maximum": greatest},
        "raw": _extremes(raw, 0.0, "raw", report),
        "unit": _extremes(units, slack, "unit", report),
        "neighborhood": {"sizes": neighborhood_sizes(len(bare)).tolist(), "sums": sums.tolist()},
    }


def _extremes(vectors: Vectors | Reals, slack: float, kind: str, report: Callable[[str], Progress]) -> dict[str, Any]:
    diameters = {}
    for order, label in _ORDERS.items():
        widest = diameter(vectors, order, report(f"{kind} diameter, order {label}"))
        value = widest.value + slack
        diameters[label] = {"value": value, "first": widest.first, "second": widest.second}
    closest = shortest_distance(vectors, report(f"{kind} minimum distance"))
    return {"diameter": diameters, "minimum_distance": closest}


def _kind(vocabulary: Vocabulary, clip: float | None) -> str:
    """Return the effect of clipping: ``raw`` shortens no row, ``unit`` shortens all, empty shortens some."""
    if clip is None:
        return "raw"
    need(0 < clip < math.inf, "clip", clip, "finite and > 0, or None for no clipping")
    least, greatest = norm_range(vocabulary)
    if clip <= least:
        return "unit"
    return "raw" if greatest * (1 + 2 * norm_error(vocabulary.dim)) <= clip else ""


def _clipped(vocabulary: Vocabulary, kind: str, norm: float | None) -> Vectors:
    return vocabulary.vectors if kind == "raw" or norm is None else clip(vocabulary.vectors, norm)
