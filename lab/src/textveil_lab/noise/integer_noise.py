"""Noise on the integers, for vectors released on a public grid: no low digit of a float is released.

Their privacy profiles know the largest loss exactly, and bound delta below it from both sides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import log_ndtr

from textveil.errors import need
from textveil.numerics.discrete_noise import LARGEST_SCALE, discrete_laplace_draws
from textveil.statistics import Bound, exactly
from textveil.types import Integers, Reals
from textveil_lab.noise.capabilities import PrivacyProfile
from textveil_lab.noise.distribution import float_up
from textveil_lab.noise.gaussian import GaussianProfile
from textveil_lab.noise.unbounded import normals

_SLACK = 2.0**-40  # Absolute, of a logarithm: covers the rounding of the formulas


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedLoss:
    """Privacy profile of a law that attains its largest loss L with a known probability.

    Losses are at most L, so delta at epsilon is at most 1 - e^(epsilon - L): P - e^epsilon Q is at most P (1 -
    e^(epsilon - L)). The event of loss L gives the lower bound, its probability times that.
    """

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # Nothing that one input gives is impossible from the other

    largest_loss: float  # L, nats, rounded up
    log_probability: float  # ln of the probability, under the first input, that the loss is L

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        gain = math.log(-math.expm1(epsilon - self.largest_loss))
        upper = min(0.0, gain + _SLACK)
        lower = min(upper, gain + self.log_probability - _SLACK * (1 + abs(self.log_probability)))
        return Bound(lower, upper if self.log_probability == 0 else (lower + upper) / 2, upper, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownInput:
    """Privacy profile of a release that shows its input with a known probability."""

    log_shown: float  # ln of the probability of outputs that the other input cannot give; > -inf

    @property
    def largest_loss(self) -> float:
        return math.inf

    @property
    def log_outside(self) -> Bound:
        return Bound(self.log_shown, self.log_shown, 0.0, 1.0) if self.log_shown < 0 else exactly(0.0)

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        return self.log_outside


@dataclass(frozen=True, slots=True)
class Postprocessed:
    """Privacy profile of a rounding of an output whose profile is known.

    Its delta is at most that of the whole. The rounding is fine and the noise unbounded, so the losses of far cells
    come arbitrarily near to the largest loss of the whole.
    """

    whole: PrivacyProfile  # the profile before rounding

    @property
    def largest_loss(self) -> float:
        return self.whole.largest_loss

    @property
    def log_outside(self) -> Bound:
        """Bound of the whole: no mass leaves the support."""
        return self.whole.log_outside

    def log_delta(self, epsilon: float) -> Bound:
        """Return ln of the smallest delta at epsilon: an upper bound only."""
        exact = self.whole.log_delta(epsilon)
        return Bound(-math.inf, exact.estimate, exact.upper, 1.0)


class IntegerNoise(Protocol):
    """Independent draws of one law on the integers."""

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        """Return fresh draws, int64, shape (count,)."""

    def log_mass(self, values: Reals) -> Reals:
        """Return ln of the probability of each integer, up to a common constant; any shape."""

    def profile(self, shift: Sequence[int]) -> PrivacyProfile:
        """Return the profile of the noise on a vector of integers against its copy moved by ``shift``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace:
    """Noise with P(z) proportional to exp(-|z| / scale), drawn by integers alone.

    Source: Ghosh, Roughgarden and Sundararajan 2012; the sampler: Canonne, Kamath and Steinke 2020, section 5.
    """

    scale: int  # a whole number, between 1 and 2^46

    def __post_init__(self) -> None:
        need(1 <= self.scale <= LARGEST_SCALE, "scale", self.scale, f"between 1 and {LARGEST_SCALE}")

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        return discrete_laplace_draws(self.scale, count, rng)

    def log_mass(self, values: Reals) -> Reals:
        return -np.abs(values) / self.scale

    def profile(self, shift: Sequence[int]) -> BoundedLoss:
        """Return the profile; the largest loss is ||shift||_1 / scale, with all coordinates beyond the first vector."""
        reach, moved = sum(map(abs, shift)), sum(step != 0 for step in shift)
        side = -math.log1p(math.exp(-1 / self.scale))  # of z >= 0
        return BoundedLoss(largest_loss=float_up(Fraction(reach, self.scale)), log_probability=moved * side)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedGaussian:
    """Noise N(0, sigma^2), rounded to the nearest integer.

    Added to integers it is Gaussian noise rounded afterwards, so the guarantee of Gaussian noise holds.
    """

    sigma: float  # standard deviation before rounding, between 1 and 2^40

    def __post_init__(self) -> None:
        need(1 <= self.sigma <= 2.0**40, "sigma", self.sigma, "between 1 and 2^40")

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        return np.rint(self.sigma * normals(count, rng)).astype(np.int64)

    def log_mass(self, values: Reals) -> Reals:
        near, far = (np.abs(values) - 0.5) / self.sigma, (np.abs(values) + 0.5) / self.sigma
        low, high = log_ndtr(-far), log_ndtr(-near)
        return high + np.log(-np.expm1(low - high))

    def profile(self, shift: Sequence[int]) -> Postprocessed:
        return Postprocessed(GaussianProfile(sigma=self.sigma, distance=_norm_up(shift)))


def _norm_up(shift: Sequence[int]) -> float:
    square = sum(step * step for step in shift)
    root = math.isqrt(square)
    near = math.sqrt(square)
    return near if root * root == square and near == root else math.nextafter(near, math.inf)
