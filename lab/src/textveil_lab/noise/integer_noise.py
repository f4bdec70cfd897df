"""Noise on the integers, for vectors that are released on a public grid: no low digit of a float is released."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from scipy.special import log_ndtr

from textveil.errors import need
from textveil.mechanisms.capabilities import PrivacyProfile
from textveil.numerics.discrete_laplace import LARGEST_SCALE, discrete_laplace_draws
from textveil.types import Integers, Reals
from textveil_lab.noise.coarse_profiles import BoundedLoss, Postprocessed
from textveil_lab.noise.distribution import float_up
from textveil_lab.noise.gaussian import GaussianProfile
from textveil_lab.noise.unbounded import normals


class IntegerNoise(Protocol):
    """Independent draws of one law on the integers."""

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        """Fresh draws, int64, shape (count,)."""

    def log_mass(self, values: Reals) -> Reals:
        """Natural logarithm of the probability of each integer, up to a common constant; any shape."""

    def profile(self, shift: Sequence[int]) -> PrivacyProfile:
        """How far the noise on a vector of integers and its copy moved by ``shift`` are apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace:
    """P(z) proportional to exp(-|z| / scale), drawn by integers alone.

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
        """The largest loss is ||shift||_1 / scale, where every coordinate lies on the far side of the first vector."""
        reach, moved = sum(map(abs, shift)), sum(step != 0 for step in shift)
        side = -math.log1p(math.exp(-1 / self.scale))  # of z >= 0
        return BoundedLoss(largest_loss=float_up(Fraction(reach, self.scale)), log_probability=moved * side)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedGaussian:
    """N(0, sigma^2) rounded to the nearest integer.

    Added to integers it is Gaussian noise, rounded afterwards: what holds for the noise holds for it.
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
        """That of the noise before rounding, which is an upper bound."""
        return Postprocessed(GaussianProfile(sigma=self.sigma, distance=_norm_up(shift)))


def _norm_up(shift: Sequence[int]) -> float:
    """||shift||_2, rounded up."""
    square = sum(step * step for step in shift)
    root = math.isqrt(square)
    near = math.sqrt(square)
    return near if root * root == square and near == root else math.nextafter(near, math.inf)
