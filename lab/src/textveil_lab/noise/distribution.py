"""Interface of noise distributions, and the checks that they share.

Capabilities beyond draws and a density are Protocols, whoever made the distribution.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.noise.capabilities import PrivacyProfile

Draws: TypeAlias = NDArray[Any]  # noise vectors, shape (count, dim), C-contiguous, of the requested dtype
Precision: TypeAlias = type[np.float32] | type[np.float64]  # the floating-point type of draws
_LARGEST: dict[Precision, float] = {np.float32: 2.0**100, np.float64: 2.0**1000}
"""Parameters between 1 / largest and largest leave draws clear of overflow and of underflow to zero."""

_BLOCK = 1 << 16  # numbers that are drawn at once, in float64: they stay in the cache


@runtime_checkable
class NoiseDistribution(Protocol):
    """Distribution of random vectors in R^dim, symmetric under z -> -z, that does not depend on any input."""

    @property
    def dim(self) -> int:
        """Number of coordinates."""

    @property
    def variance(self) -> float:
        """Variance of one coordinate, averaged over the coordinates if they differ."""

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return fresh independent vectors, one a row; shape (count, dim).

        Args:
            count: number of vectors, >= 0.
            dtype: ``numpy.float32`` or ``numpy.float64``.
        """

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density at each row of z; shape (batch, dim) to (batch,)."""


def check_parameters(dim: int, **lengths: float) -> None:
    """Refuse a dimension that is no integer >= 1 and a parameter that is not finite and > 0."""
    need(isinstance(dim, int) and dim >= 1, "dim", dim, "an integer >= 1")
    for name, value in lengths.items():
        need(0 < value < math.inf, name, value, "finite and > 0")


def check_draw(count: int, dtype: Precision, **lengths: float) -> None:
    """Refuse a negative count, another dtype, and a length at which draws would overflow or vanish."""
    need(isinstance(count, int | np.integer) and count >= 0, "count", count, "an integer >= 0")
    need(dtype in _LARGEST, "dtype", dtype, "numpy.float32 or numpy.float64")
    largest = _LARGEST[dtype]
    for name, value in lengths.items():
        inside = 1 / largest <= value <= largest
        wanted = f"within [1/{largest:.3g}, {largest:.3g}] to be sampled in {np.dtype(dtype)}"
        need(inside, name, value, wanted, "Rescale the vectors.")


def block_rows(dim: int) -> int:
    """Return the number of vectors that are drawn at once."""
    return max(1, _BLOCK // dim)


def drawn(count: int, dim: int, dtype: Precision, draw: Callable[[int], Reals]) -> Draws:
    """Return ``count`` vectors in ``dtype``, drawn in float64 and block by block; shape (count, dim).

    Args:
        count: number of vectors.
        dim: number of coordinates.
        dtype: of the result.
        draw: function that draws this many vectors of dim coordinates, in any shape.
    """
    out: Draws = np.empty((count, dim), dtype=dtype)
    rows = block_rows(dim)
    for start in range(0, count, rows):
        part = out[start : start + rows]
        part[:] = draw(len(part)).reshape(part.shape)
    return out


def as_points(z: ArrayLike, dim: int) -> Reals:
    """Return ``z`` as float64 of shape (batch, dim)."""
    points = np.asarray(z, dtype=np.float64)
    need(points.ndim == 2 and points.shape[1] == dim, "z", f"shape {points.shape}", f"of shape (batch, {dim})")
    return points


def rounded_down(length: float, dtype: Precision) -> float:
    """Return the largest number of type ``dtype`` that is not above ``length``."""
    nearest = dtype(length)
    return float(nearest if float(nearest) <= length else np.nextafter(nearest, dtype(0)))


def flip_signs(magnitudes: Draws, rng: np.random.Generator) -> None:
    """Negate each entry with probability 1/2, in place: one random bit an entry, moved into the sign bit.

    Args:
        magnitudes: C-contiguous, float32 or float64.
        rng: source of the bits.
    """
    size = magnitudes.size
    words = np.uint32 if magnitudes.dtype == np.float32 else np.uint64
    random_bits = np.frombuffer(rng.bytes(-(-size // 8)), dtype=np.uint8)
    signs: NDArray[Any] = np.unpackbits(random_bits, count=size).astype(words)
    signs <<= words(magnitudes.dtype.itemsize * 8 - 1)
    patterns: NDArray[Any] = magnitudes.reshape(-1).view(words)
    patterns ^= signs


def distances(
    points: ArrayLike, centers: ArrayLike, dim: int, norm: Literal["cityblock", "euclidean", "chebyshev"]
) -> Reals:
    """Return |point - center| in the L1, L2 or L-infinity norm; shapes (batch, dim) and (n, dim) to (batch, n).

    Each is a sum over coordinate differences, so it is as exact for near points as for far ones.
    """
    from scipy.spatial.distance import cdist  # a tenth of a second, which draws do not need

    measured: Reals = cdist(as_points(points, dim), as_points(centers, dim), norm)
    return measured


def checked_shift(shift: ArrayLike, dim: int) -> Reals:
    """Return ``shift`` as a read-only float64 array of shape (dim,), finite and not zero.

    Raises:
        ParameterError: the shift is anything else.
    """
    array = np.array(shift, dtype=np.float64)
    need(array.shape == (dim,), "shift", f"shape {array.shape}", f"of shape ({dim},)")
    need(bool(np.all(np.isfinite(array))), "shift", "an entry that is not finite", "finite")
    need(bool(np.any(array != 0)), "shift", "zero", "a difference of two different vectors")
    array.flags.writeable = False
    return array


def l1_over(shift: Reals, scale: float) -> float:
    """Return ||shift||_1 / scale, rounded up to a float; inf beyond floats."""
    exact = sum(map(Fraction, np.abs(shift).tolist()), Fraction(0)) / Fraction(scale)
    return float_up(exact)


def l2_times(shift: Reals, rate: float) -> float:
    """Return rate ||shift||_2, rounded up to a float; inf beyond floats."""
    square = Fraction(rate) ** 2 * sum((Fraction(coordinate) ** 2 for coordinate in shift.tolist()), Fraction(0))
    value = rate * math.hypot(*shift.tolist())
    if math.isinf(value):
        return value
    while Fraction(value) ** 2 < square:
        value = math.nextafter(value, math.inf)
    while (below := math.nextafter(value, 0.0)) > 0 and Fraction(below) ** 2 >= square:
        value = below
    return value


def rounded_log(value: Reals) -> tuple[Reals, Reals]:
    """Return bounds on a log-probability that is off by a few ulps, of itself and of its argument."""
    slack = 2.0**-48 * (1 + np.abs(np.where(np.isfinite(value), value, 0.0)))
    return value - slack, np.minimum(value + slack, 0.0)


def float_up(exact: Fraction) -> float:
    """Return the smallest float that is not below a fraction; inf beyond floats."""
    try:
        value = float(exact)
    except OverflowError:
        return math.inf
    return value if Fraction(value) >= exact else math.nextafter(value, math.inf)


@runtime_checkable
class ProfiledNoise(NoiseDistribution, Protocol):
    """Noise with a known privacy profile, for one shift and for all shifts of a vocabulary."""

    @property
    def norm(self) -> int:
        """Norm, 1 or 2, in which the shifts of a vocabulary are compared.

        For 2, delta at every epsilon grows with the L2 norm of the shift and depends on nothing else.
        """

    def privacy_profile(self, shift: ArrayLike) -> PrivacyProfile:
        """Return the profile of two vectors that differ by ``shift``, shape (dim,), finite and not zero."""

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        """Return an upper bound on ``log_delta`` for shifts of norm at most ``reach``, no entry above ``widest``."""


@runtime_checkable
class OwnCoordinates(Protocol):
    """Noise that compares shifts in its own coordinates: ``norm`` and every reach are meant there."""

    def coordinates(self, vectors: ArrayLike) -> Reals:
        """Return a linear map of each row, shape (batch, dim) to the same; lengths are known to a relative 2^-24."""


@runtime_checkable
class PairwiseDensity(Protocol):
    """Noise with a density at many differences that needs no table of them."""

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        """Return ``log_density(point - center)`` of every pair; shapes (batch, dim) and (n, dim) to (batch, n).

        The result is exact to rounding; it is -inf if a square overflows.
        """


@runtime_checkable
class BoundedSupport(Protocol):
    """Noise on a bounded support."""

    def log_outside(self, shifts: ArrayLike) -> Reals:
        """Return ln of the mass that leaves the moved support, for shifts of shape (..., dim), to 1e-12."""


@runtime_checkable
class LineNoise(Protocol):
    """Noise with a known distribution of its product with some directions."""

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Return lower and upper bounds on ln P(<Z, direction> > distance); None if they are not known.

        Args:
            direction: a unit vector, shape (dim,).
            distance: >= 0, any shape.
        """
