"""Gaussian noise on the integers, drawn by integers alone.

P(z) is proportional to exp(-z^2 / (2 sigma^2)) for a whole sigma, exactly: a draw of two-sided geometric noise of scale
sigma is kept with probability exp(-(|z| - sigma)^2 / (2 sigma^2)). Source: Canonne, Kamath and Steinke, "The Discrete
Gaussian for Differential Privacy", 2020, algorithm 3. Proof: privacy/proofs/discrete_gaussian.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from textveil.errors import need
from textveil.numerics.discrete_laplace import discrete_laplace_draws, happen
from textveil.types import Integers

LARGEST_SIGMA = 2**25  # uniform integers below a multiple of twice its square fit into 64 bits

_LONG = 2**31  # integers whose squares may not fit into 64 bits


def discrete_gaussian_draws(sigma: int, count: int, rng: np.random.Generator) -> Integers:
    """As many independent draws of the law above; int64, shape (count,).

    Args:
        sigma: whole, between 1 and ``LARGEST_SIGMA``.
        count: >= 0.
        rng: source of uniform integers.
    """
    need(1 <= sigma <= LARGEST_SIGMA, "sigma", sigma, f"between 1 and {LARGEST_SIGMA}")
    out = np.zeros(count, dtype=np.int64)
    missing = np.arange(count)
    while missing.size:
        drawn = discrete_laplace_draws(sigma, missing.size, rng)
        excess = np.abs(drawn) - sigma
        if np.any(excess >= _LONG):
            excess = excess.astype(object)
        kept = happen(excess * excess, 2 * sigma * sigma, rng)
        out[missing[kept]] = drawn[kept]
        missing = missing[~kept]
    return out


_SMOOTHING: Final = 3  # standard deviation, in units of the grid, that the proof gives away


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """Noise of the law above for vectors that are released on a public grid: no low digit of a float is released.

    Up to a factor of 1 + 1e-75 in each coordinate it is continuous Gaussian noise of variance sigma^2 - 9, rounded at
    random: what holds for that noise holds for it. Choose a fine grid, so that the 9 does not matter.
    """

    sigma: int  # a whole number, between 64 and 2^25

    def __post_init__(self) -> None:
        need(64 <= self.sigma <= LARGEST_SIGMA, "sigma", self.sigma, f"between 64 and {LARGEST_SIGMA}")

    def sample(self, count: int, rng: np.random.Generator) -> Integers:
        """Return fresh independent draws, int64, shape (count,)."""
        return discrete_gaussian_draws(self.sigma, count, rng)

    @property
    def continuous_sigma(self) -> float:
        """Standard deviation of continuous noise that hides no more; rounded down."""
        return math.nextafter(math.sqrt(self.sigma**2 - _SMOOTHING**2), 0.0) * (1 - 2.0**-50)
