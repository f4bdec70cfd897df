"""Independent Gaussian noise on every coordinate."""

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from textveil.errors import need
from textveil.privacy.composition import gaussian_log_delta
from textveil.randomness import resolve
from textveil.statistics import Bound, exactly
from textveil.types import Reals
from textveil_lab.noise.distribution import (
    Draws,
    Precision,
    as_points,
    check_draw,
    check_parameters,
    checked_shift,
    distances,
    drawn,
    l2_times,
    rounded_log,
)
from textveil_lab.noise.unbounded import normals

_LOWEST = -sys.float_info.max
_ROUNDED = 2.0**-36  # ``gaussian_log_delta`` is rounded up by less than this, relatively


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianProfile:
    """Privacy profile of Gaussian noise, exact up to 1e-11 of the logarithm; see ``capabilities.PrivacyProfile``."""

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # No mass leaves the support, which is everything

    sigma: float  # standard deviation of one coordinate, finite and > 0
    distance: float  # L2 norm of the shift, finite and > 0

    @property
    def largest_loss(self) -> float:
        """Infinity: losses have no bound, and no epsilon holds with delta 0."""
        return math.inf

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        # At 0 it is the total variation, which the smallest epsilon bounds to rounding.
        value = gaussian_log_delta(epsilon or 2.0**-1000, self.sigma, self.distance)
        if value < _LOWEST:
            return Bound(-math.inf, _LOWEST, _LOWEST, 1.0)
        return Bound(value * (1 + _ROUNDED), value, value, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """Gaussian noise of density (2 pi sigma^2)^(-dim/2) exp(-||z||_2^2 / (2 sigma^2)) on R^dim.

    Source: Balle and Wang 2018; proof: textveil_lab/proofs/gaussian.md.
    """

    norm: ClassVar[int] = 2
    dim: int  # number of coordinates, >= 1
    sigma: float  # standard deviation of one coordinate, in units of the vectors, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, sigma=self.sigma)

    @property
    def variance(self) -> float:
        """Variance of one coordinate: sigma^2."""
        return self.sigma * self.sigma

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return normal draws times sigma in float64; shape (count, dim).

        The tail is unbounded (``noise.unbounded``).
        """
        check_draw(count, dtype, sigma=self.sigma)
        source = resolve(rng)
        return drawn(count, self.dim, dtype, lambda rows: self.sigma * normals(rows * self.dim, source))

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density; shape (batch, dim) to (batch,)."""
        points = as_points(z, self.dim) / self.sigma
        with np.errstate(over="ignore"):  # so far out the logarithm itself is below every float: -inf
            return self._log_peak - 0.5 * np.square(points).sum(axis=1)

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        with np.errstate(over="ignore"):
            return self._log_peak - 0.5 * np.square(distances(points, centers, self.dim, "euclidean") / self.sigma)

    @property
    def _log_peak(self) -> float:
        return -self.dim * (math.log(self.sigma) + 0.5 * math.log(2 * math.pi))

    def privacy_profile(self, shift: ArrayLike) -> GaussianProfile:
        return GaussianProfile(sigma=self.sigma, distance=l2_times(checked_shift(shift, self.dim), 1.0))

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        return GaussianProfile(sigma=self.sigma, distance=reach).log_delta(epsilon).upper

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals]:
        """Return the tail of the product with a unit vector, which is Gaussian; see ``capabilities.LineNoise``."""
        return rounded_log(log_ndtr(-distance / self.sigma))
