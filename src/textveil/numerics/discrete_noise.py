"""Gaussian and Laplace noise on the integers, drawn by integers alone.

P(z) is proportional to exp(-z^2 / (2 sigma^2)) for a whole sigma, exactly: a draw of two-sided geometric noise of scale
sigma is kept with probability exp(-(|z| - sigma)^2 / (2 sigma^2)). Source: Canonne, Kamath and Steinke, "The Discrete
Gaussian for Differential Privacy", 2020, algorithm 3. Proof: privacy/proofs/discrete_gaussian.md.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from textveil.errors import need
from textveil.types import Flags, Integers

LARGEST_SIGMA = 2**25  # uniform integers below a multiple of twice its square fit into 64 bits
_LONG = 2**31  # integers whose squares may not fit into 64 bits


def discrete_gaussian_draws(sigma: int, count: int, rng: np.random.Generator) -> Integers:
    """Draw ``count`` independent values of the law above; int64, shape (count,).

    ``sigma``: whole, between 1 and ``LARGEST_SIGMA``; ``count``: >= 0; ``rng``: source of uniform integers.
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


_AT_ONCE: Final = 2**18  # draws whose rejected ones are held at once: memory
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
        out = np.empty(count, dtype=np.int64)
        for start in range(0, count, _AT_ONCE):
            part = out[start : start + _AT_ONCE]
            part[:] = discrete_gaussian_draws(self.sigma, part.size, rng)
        return out

    @property
    def continuous_sigma(self) -> float:
        """Standard deviation of continuous noise that hides no more; rounded down."""
        return math.nextafter(math.sqrt(self.sigma**2 - _SMOOTHING**2), 0.0) * (1 - 2.0**-50)


def uniform_below(size: int, rng: np.random.Generator) -> int:
    """A uniform integer in [0, size), for sizes of any length."""
    need(size >= 1, "size", size, ">= 1")
    if size < 2**62:
        return int(rng.integers(size))
    bits = (size - 1).bit_length()
    while (drawn := int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)) >= size:
        pass
    return drawn


def happens(exponent: Fraction, rng: np.random.Generator) -> bool:
    """True with probability exp(-exponent), for an exponent in [0, 1]."""
    top, bottom, trials = exponent.numerator, exponent.denominator, 1
    while uniform_below(bottom * trials, rng) < top:
        trials += 1
    return trials % 2 == 1


def discrete_laplace(scale: Fraction, rng: np.random.Generator) -> int:
    """One draw of the law above.

    ``scale``: > 0; P(z + 1) / P(z) is exp(-1 / scale) for z >= 0; ``rng``: source of uniform integers.
    """
    need(scale > 0, "scale", scale, "> 0")
    top, bottom, unit = scale.numerator, scale.denominator, Fraction(1)
    while True:
        rest = uniform_below(top, rng)
        if not happens(Fraction(rest, top), rng):
            continue
        whole = 0
        while happens(unit, rng):
            whole += 1
        size = (rest + top * whole) // bottom
        negative = uniform_below(2, rng) == 1
        if size or not negative:
            return -size if negative else size


LARGEST_SCALE = 2**46  # of many draws at once: uniform integers below a multiple of it fit into 64 bits


def discrete_laplace_draws(scale: int, count: int, rng: np.random.Generator) -> Integers:
    """Draw ``count`` independent values of the law above, for a whole scale; int64, shape (count,).

    ``scale``: between 1 and ``LARGEST_SCALE``; ``count``: >= 0; ``rng``: source of uniform integers.
    """
    need(1 <= scale <= LARGEST_SCALE, "scale", scale, f"between 1 and {LARGEST_SCALE}")
    out = np.zeros(count, dtype=np.int64)
    missing = np.arange(count)
    while missing.size:
        rest = rng.integers(0, scale, missing.size)
        kept = _all_happen(rest, scale, rng)
        sizes = rest[kept] + scale * _repeats(int(kept.sum()), rng)
        negative = rng.integers(0, 2, sizes.size) == 1
        good = (sizes > 0) | ~negative  # zero is drawn once, not twice
        taken = np.flatnonzero(kept)[good]
        out[missing[taken]] = np.where(negative, -sizes, sizes)[good]
        missing = np.delete(missing, taken)
    return out


def _all_happen(tops: Integers, bottom: int, rng: np.random.Generator) -> Flags:
    """For each numerator in [0, bottom], True with probability exp(-numerator / bottom): ``happens`` side by side."""
    happened = np.zeros(tops.size, dtype=np.bool_)
    asked = np.arange(tops.size)
    trials = 1
    while asked.size:
        ended = rng.integers(0, bottom * trials, asked.size) >= tops[asked]
        happened[asked[ended]] = trials % 2 == 1
        asked = asked[~ended]
        trials += 1
    return happened


def happen(tops: Integers, bottom: int, rng: np.random.Generator) -> Flags:
    """For each numerator >= 0, True with probability exp(-numerator / bottom), independently.

    Args:
        tops: int64, or Python integers of any length; shape (count,).
        bottom: between 1 and 2^52.
        rng: source of uniform integers.
    """
    wholes, rests = tops // bottom, tops % bottom
    return (_repeats(tops.size, rng) >= wholes).astype(np.bool_) & _all_happen(rests.astype(np.int64), bottom, rng)


def _repeats(count: int, rng: np.random.Generator) -> Integers:
    out = np.zeros(count, dtype=np.int64)
    going = np.arange(count)
    while going.size:
        going = going[_all_happen(np.ones(going.size, dtype=np.int64), 1, rng)]
        out[going] += 1
    return out
