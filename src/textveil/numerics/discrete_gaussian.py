"""Gaussian noise on the integers, drawn by integers alone.

P(z) is proportional to exp(-z^2 / (2 sigma^2)) for a whole sigma, exactly: a draw of two-sided geometric noise of scale
sigma is kept with probability exp(-(|z| - sigma)^2 / (2 sigma^2)). Source: Canonne, Kamath and Steinke, "The Discrete
Gaussian for Differential Privacy", 2020, algorithm 3.
"""

from __future__ import annotations

import numpy as np

from textveil.errors import need
from textveil.numerics.discrete_laplace import discrete_laplace_draws, happen
from textveil.types import Integers

LARGEST_SIGMA = 2**25
"""Uniform integers below a multiple of twice its square fit into 64 bits."""

_LONG = 2**31
"""Integers whose squares may not fit into 64 bits."""


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
