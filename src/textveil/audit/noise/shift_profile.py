"""The privacy profile of additive noise for one shift: delta as a function of epsilon, between two bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln

from textveil.errors import need
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.noise.gaussian import Gaussian
from textveil.noise.spherical_laplace import SphericalLaplace
from textveil.noise.truncated_laplace import TruncatedLaplace
from textveil.privacy.accounting import GaussianTokens
from textveil.privacy.calibration import gaussian_log_delta
from textveil.privacy.loss_distribution import LossDistribution, laplace_loss, truncated_laplace_loss
from textveil.privacy.truncation import truncated_delta
from textveil.statistics import Bound, exactly
from textveil.types import Reals

Distribution: TypeAlias = Gaussian | CoordinateLaplace | SphericalLaplace | TruncatedLaplace

_BINS = 1 << 14
"""Bins of a composed loss between its two extremes."""

_EDGE = 2.0**-40
"""Relative distance from the largest loss within which rounding decides on which side epsilon lies."""

_SMALLEST = 2.0**-1074


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftProfile:
    """Delta at any epsilon for two vectors that differ by a shift, under one noise distribution.

    Attributes:
        distribution: of the noise.
        shift: difference of the two vectors, float64, shape (dim,), not zero.

    Raises:
        ParameterError: the shift has another shape, is not finite, or is zero.
    """

    distribution: Distribution
    shift: Reals

    def __post_init__(self) -> None:
        shift = np.array(self.shift, dtype=np.float64)
        need(
            shift.shape == (self.distribution.dim,),
            "shift",
            f"shape {shift.shape}",
            f"of shape ({self.distribution.dim},)",
        )
        need(bool(np.all(np.isfinite(shift))), "shift", "an entry that is not finite", "finite")
        need(bool(np.any(shift != 0)), "shift", "zero", "a difference of two different vectors")
        shift.flags.writeable = False
        object.__setattr__(self, "shift", shift)

    @classmethod
    def of(cls, distribution: Distribution, shift: ArrayLike) -> ShiftProfile:
        """The profile of ``shift``, any array of shape (dim,)."""
        return cls(distribution=distribution, shift=np.asarray(shift, dtype=np.float64))

    @cached_property
    def l1(self) -> float:
        """Sum of the magnitudes."""
        return math.fsum(np.abs(self.shift).tolist())

    @cached_property
    def l2(self) -> float:
        """Euclidean norm."""
        return math.hypot(*self.shift.tolist())

    @property
    def largest_coordinate(self) -> float:
        """Largest magnitude."""
        return float(np.abs(self.shift).max())

    @property
    def max_loss(self) -> float:
        """Supremum of the finite losses, nats; inf for Gaussian noise."""
        if isinstance(self.distribution, Gaussian):
            return math.inf
        return (
            self.distribution.rate * self.l2
            if isinstance(self.distribution, SphericalLaplace)
            else self.l1 / self.distribution.scale
        )

    @cached_property
    def outside(self) -> float:
        """Mass that leaves the moved support: delta at every epsilon from ``max_loss`` on; 0 for full supports."""
        if isinstance(self.distribution, TruncatedLaplace):
            return float(truncated_delta(self.shift, self.distribution.scale, self.distribution.bound))
        return 0.0

    def delta(self, epsilon: float) -> Bound:
        """The least delta at epsilon; exact where lower = upper, and otherwise between them.

        For spherical noise below its largest loss the interval is ten times the difference of two quadratures.

        Args:
            epsilon: nats, finite and >= 0.
        """
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if isinstance(self.distribution, Gaussian):
            value = math.exp(gaussian_log_delta(epsilon or 2.0**-1000, self.distribution.sigma, self.l2))
            return Bound(value * (1 - 4e-9), min(1.0, value), min(1.0, value), 1.0)  # it is rounded up by 3e-9
        beyond = self.max_loss - epsilon
        if beyond <= 0:
            return exactly(self.outside)
        if beyond <= _EDGE * self.max_loss:
            return Bound(self.outside, self.outside, min(1.0, self.outside + beyond), 1.0)
        if isinstance(self.distribution, SphericalLaplace):
            return _spherical(self.distribution, self.l2, epsilon)
        upper = max(self.outside, self._composed(True).delta(epsilon))
        lower = min(upper, max(self.outside, self._composed(False).delta(epsilon), self._all_atoms(beyond)))
        return Bound(lower, (lower + upper) / 2, upper, 1.0)

    def epsilon(self, delta: float) -> Bound:
        """The least epsilon at delta; inf where no epsilon reaches it.

        Args:
            delta: in [0, 1].
        """
        need(0 <= delta <= 1, "delta", delta, "in [0, 1]")
        if isinstance(self.distribution, Gaussian):
            return exactly(GaussianTokens(sigma=self.distribution.sigma, l2_sensitivity=self.l2).epsilon(delta))
        if self.outside > delta:
            return exactly(math.inf)
        if delta == 0:
            return exactly(self.max_loss)
        if isinstance(self.distribution, SphericalLaplace):
            value = self._crossing(delta)
            return Bound(max(0.0, value - 1e-6 * self.max_loss), value, min(self.max_loss, value * (1 + 1e-6)), 1.0)
        upper = min(self.max_loss, self._composed(True).epsilon(delta))
        lower = min(upper, self._composed(False).epsilon(delta))
        return Bound(lower, (lower + upper) / 2, upper, 1.0)

    def _crossing(self, delta: float) -> float:
        low, high = 0.0, self.max_loss
        if self.delta(low).estimate <= delta:
            return 0.0
        for _ in range(22):  # 2.4e-7 of the largest loss
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle).upper <= delta else (middle, high)
        return high

    def _composed(self, upper: bool) -> LossDistribution:
        return self._upper if upper else self._lower

    @cached_property
    def _upper(self) -> LossDistribution:
        return _coordinates(self.distribution, self.shift, 2 * self.max_loss / _BINS, upper=True)

    @cached_property
    def _lower(self) -> LossDistribution:
        return _coordinates(self.distribution, self.shift, 2 * self.max_loss / _BINS, upper=False)

    def _all_atoms(self, beyond: float) -> float:
        """What the event adds on which every coordinate has its largest loss: 2^-dim for plain Laplace noise."""
        if not isinstance(self.distribution, CoordinateLaplace):
            return 0.0
        return max(_SMALLEST, 2.0 ** -float(np.count_nonzero(self.shift)) * -math.expm1(-beyond) * (1 - 2.0**-30))


def _coordinates(distribution: Distribution, shift: Reals, step: float, *, upper: bool) -> LossDistribution:
    """The loss of independent coordinates, each moved by its part of the shift."""
    total = LossDistribution(step=step, first=0, masses=np.ones(1), upper=upper)
    widths, counts = np.unique(np.abs(shift[shift != 0]), return_counts=True)
    for width, count in zip(widths.tolist(), counts.tolist(), strict=True):
        if isinstance(distribution, TruncatedLaplace):
            one = truncated_laplace_loss(width, distribution.scale, distribution.bound, step=step, upper=upper)
        else:
            assert isinstance(distribution, CoordinateLaplace)
            one = laplace_loss(width, distribution.scale, step=step, upper=upper)
        for _ in range(count):
            total = total.compose(one)
    return total


def _spherical(distribution: SphericalLaplace, distance: float, epsilon: float) -> Bound:
    """Delta of spherical Laplace noise below its largest loss, by quadrature at two resolutions.

    Integrating by parts, delta = integral over l in [epsilon, rate D] of e^(epsilon - l) P(L > l). Given the
    radius r, the loss rate (||z - v|| - r) exceeds l exactly when the cosine u of the angle to v is below
    (D^2 - e^2 - 2 r e) / (2 r D), e = l / rate; (1 + u) / 2 has distribution Beta((dim - 1)/2, (dim - 1)/2) and rate r
    has distribution Gamma(dim). The bounds are the finer value, ten times the difference of the two away.
    """
    reach = distribution.rate * distance
    if distribution.dim == 1:
        return exactly(-math.expm1((epsilon - reach) / 2))
    coarse, fine = (_spherical_sum(distribution.dim, reach, epsilon, panels) for panels in (24, 48))
    error = 10 * abs(fine - coarse) + 2.0**-30 * fine
    return Bound(max(_SMALLEST, fine - error), fine, min(1.0, fine + error), 1.0)


def _spherical_sum(dim: int, reach: float, epsilon: float, panels: int) -> float:
    """The integral of ``_spherical`` in units of 1/rate, with ``panels`` Gauss-Legendre panels of 8 on each axis."""
    losses, loss_weights = _panels(epsilon, reach, np.linspace(0.0, 1.0, panels // 4 + 1))
    spread = 12 * math.sqrt(dim) + 40
    low, high = max(0.0, dim - spread), dim + spread
    total = 0.0
    for loss, weight in zip(losses.tolist(), loss_weights.tolist(), strict=True):
        kink = min(max((reach - loss) / 2, low), high)  # below it every direction has a larger loss
        mass = 0.0
        for start, stop in ((low, kink), (kink, high)):
            if stop <= start:
                continue
            # Quadratic spacing resolves the root-like start of the angle's distribution past the kink.
            radii, weights = _panels(start, stop, np.linspace(0.0, 1.0, panels + 1) ** 2)
            log_density = (dim - 1) * np.log(radii) - radii - gammaln(dim)
            cosine = np.clip((reach * reach - loss * loss - 2 * radii * loss) / (2 * radii * reach), -1.0, 1.0)
            below = betainc((dim - 1) / 2, (dim - 1) / 2, (1 + cosine) / 2)
            mass += float(weights @ (np.exp(log_density) * below))
        total += weight * math.exp(epsilon - loss) * mass
    return total


def _panels(low: float, high: float, fractions: Reals) -> tuple[Reals, Reals]:
    points, weights = np.polynomial.legendre.leggauss(8)
    edges = low + (high - low) * fractions
    half = np.diff(edges)[:, None] / 2
    centers = (edges[:-1] + edges[1:])[:, None] / 2
    return (centers + half * points).ravel(), (half * weights).ravel()
