"""Laplace noise on every coordinate, truncated at a bound."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc

from textveil.errors import need
from textveil.randomness import resolve
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
    flip_signs,
    rounded_down,
    rounded_log,
)
from textveil_lab.noise.laplace_profile import LaplaceProfile, worst_laplace_log_delta
from textveil_lab.noise.truncation import log_outer_strip_mass, truncated_log_delta
from textveil_lab.noise.unbounded import exponentials

_UNIFORM = 2.0**-60  # below this ratio of bound to scale the density is flat to the last place


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedLaplace:
    """Independent coordinates with density exp(-|x| / scale) / normalizer on [-bound, bound].

    The normalizer is 2 scale (1 - exp(-bound / scale)). The valid mechanism and the published one share this
    distribution, and differ in the calibration of scale and bound.

    Source: Geng, Ding, Guo and Kumar 2020, section 2; proofs: textveil_lab/proofs/truncated_laplace.md and
    textveil_lab/proofs/truncated_laplace_published.md.
    """

    norm: ClassVar[int] = 1
    dim: int  # number of coordinates, >= 1
    scale: float  # in units of the vectors, finite and > 0
    bound: float  # half-width of the support of one coordinate, same units, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, scale=self.scale, bound=self.bound)

    @property
    def variance(self) -> float:
        """Variance of one coordinate: the mean of x^2, in closed form by the incomplete gamma function."""
        ratio = self.bound / self.scale
        if ratio < _UNIFORM:
            return self.bound * self.bound / 3
        incomplete = 2 * float(gammainc(3, ratio)) / -math.expm1(-ratio)
        # The smaller of the two lengths carries the unit, so that no square overflows or vanishes.
        if ratio > 1:
            return self.scale * self.scale * incomplete
        return self.bound * self.bound * (incomplete / ratio**2)

    def sample(self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32) -> Draws:
        """Return draws made in float64; shape (count, dim). None lies beyond the bound, in either precision.

        If the bound is at least one scale, draws are exponential magnitudes with random signs; those beyond the bound,
        fewer than 37 %, are drawn again. They reach every bound (``noise.unbounded``). Else draws use the inverse CDF.
        """
        if self.bound < self.scale:
            return self.sample_by_inversion(count, rng, dtype)
        check_draw(count, dtype, length=min(self.scale, self.bound))
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            noise = self._magnitudes(rows * self.dim, source)
            flip_signs(noise, source)
            return noise

        return self._within_bound(drawn(count, self.dim, dtype, draw))

    def sample_by_inversion(
        self, count: int, rng: np.random.Generator | None = None, dtype: Precision = np.float32
    ) -> Draws:
        """Return draws by the inverse CDF, one uniform number a coordinate; shape (count, dim).

        The uniform numbers are the odd multiples of 2^-53 in (-1, 1), so the distribution is symmetric, and neither
        zero nor the logarithm of zero occurs. Magnitudes end at 36.7 scales: for a larger bound this is a second method
        for tests, not for releases.
        """
        check_draw(count, dtype, length=min(self.scale, self.bound))
        source = resolve(rng)

        def draw(rows: int) -> Reals:
            centered = source.random(rows * self.dim)
            centered *= 2
            centered -= 1 - 2.0**-53  # exact
            return self._from_centered(centered)

        return self._within_bound(drawn(count, self.dim, dtype, draw))

    def log_density(self, z: ArrayLike) -> Reals:
        """Return ln of the density, -inf outside the support; shape (batch, dim) to (batch,)."""
        sizes = np.abs(as_points(z, self.dim))
        return self._at_norms(sizes.sum(axis=1), sizes.max(axis=1))

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        norms = (distances(points, centers, self.dim, norm) for norm in ("cityblock", "chebyshev"))
        return self._at_norms(*norms)

    def _at_norms(self, norms: Reals, largest: Reals) -> Reals:
        inside = -norms / self.scale - self.dim * self._log_normalizer()
        return np.where(largest > self.bound, -np.inf, inside)

    def cdf(self, x: ArrayLike) -> Reals:
        """Return P(one coordinate <= x), to a few ulps of the smaller tail; any shape."""
        points = np.clip(np.asarray(x, dtype=np.float64), -self.bound, self.bound)
        room = self.bound - np.abs(points)
        ratio = self.bound / self.scale
        if ratio < _UNIFORM:
            tail = 0.5 * room / self.bound
        else:
            decay = np.exp(-np.abs(points) / self.scale)
            tail = 0.5 * decay * np.expm1(-room / self.scale) / math.expm1(-ratio)
        return np.where(points < 0, tail, 1 - tail)

    def inverse_cdf(self, probability: ArrayLike) -> Reals:
        """Return the x with P(one coordinate <= x) = probability in [0, 1]; any shape.

        ``sample_by_inversion`` applies this map to uniform numbers.
        """
        probabilities = np.asarray(probability, dtype=np.float64)
        inside = bool(np.all((probabilities >= 0) & (probabilities <= 1)))
        need(inside, "probability", "an entry outside", "in [0, 1]")
        with np.errstate(divide="ignore"):  # the logarithm of zero at the ends is cut off at the bound
            points = self._from_centered(2 * np.atleast_1d(probabilities) - 1)
        return points.reshape(probabilities.shape)

    def _from_centered(self, centered: Reals) -> Reals:
        ratio = self.bound / self.scale
        sizes = np.abs(centered)
        if ratio < _UNIFORM:
            sizes *= self.bound
        else:
            sizes *= math.expm1(-ratio)
            np.log1p(sizes, out=sizes)
            sizes *= -self.scale
        np.minimum(sizes, self.bound, out=sizes)
        return np.copysign(sizes, centered, out=sizes)

    def _magnitudes(self, size: int, source: np.random.Generator) -> Reals:
        sizes = exponentials(size, source) * self.scale
        beyond = np.flatnonzero(sizes > self.bound)
        while beyond.size:
            again = exponentials(beyond.size, source) * self.scale
            sizes[beyond] = again
            beyond = beyond[again > self.bound]
        return sizes

    def _within_bound(self, noise: Draws) -> Draws:
        limit = noise.dtype.type(rounded_down(self.bound, noise.dtype.type))
        return np.clip(noise, -limit, limit, out=noise)

    def _log_normalizer(self) -> float:
        ratio = self.bound / self.scale
        if ratio < _UNIFORM:
            return math.log(2) + math.log(self.bound)
        return math.log(2) + math.log(self.scale) + math.log(-math.expm1(-ratio))

    def privacy_profile(self, shift: ArrayLike) -> LaplaceProfile:
        return LaplaceProfile(shift=checked_shift(shift, self.dim), scale=self.scale, bound=self.bound)

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        return worst_laplace_log_delta(self.scale, self.bound, epsilon, reach, widest)

    def log_outside(self, shifts: ArrayLike) -> Reals:
        return truncated_log_delta(shifts, self.scale, self.bound)

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Return bounds on the tail along an axis; None for other directions. See ``capabilities.LineNoise``."""
        if np.count_nonzero(direction) > 1:
            return None
        return rounded_log(log_outer_strip_mass(np.maximum(self.bound - distance, 0.0), self.scale, self.bound))
