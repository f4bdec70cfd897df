"""Two-sided geometric steps along a list that stop at its ends, drawn by one integer.

The integers ``tails`` fall from G_0 to G_(n-1), n the length of the list; a step of d or more to one side has weight
G_d. With h_d = G_d - G_(d+1), from position i the weight of an inner position j is h_|i - j| and that of an end G_|i -
j|, and every row has the total G_0 + G_1. Both G and h fall by the factor e^rate at most from one d to the next. Proof:
``textveil_lab/proofs/diffractor.md``, section 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from textveil.errors import need
from textveil.numerics.integer_weights import exp_floor, log_ratio_up
from textveil.types import Integers

_SCALE = 60  # Binary digits of e^rate in the recurrence, which rounds down
_FINE = 1 << 8
"""Smallest weight times the rate: rounding takes less than 2^-8 of the rate, and less for nearer positions."""

_MOST_RATE = 40.0  # Above it nothing would change but the size of numbers


@dataclass(frozen=True, slots=True, eq=False)
class GeometricSteps:
    """Law of the steps, see the module's docstring."""

    tails: Integers  # G_0 to G_(n-1), int64, falling, > 0

    @property
    def total(self) -> int:
        return int(self.tails[0]) + int(self.tails[1])

    @property
    def loss(self) -> float:
        """Largest log-ratio of two rows, ln(G_0 / G_(n-1)), rounded up."""
        return log_ratio_up(int(self.tails[0]), int(self.tails[-1]))

    def draw(self, places: Integers, rng: np.random.Generator) -> Integers:
        """Return a position for each position, shape (batch,)."""
        return self.moved(places, self.drawn(len(places), rng))

    def drawn(self, count: int, rng: np.random.Generator) -> Integers:
        """Return steps, back or ahead, before the ends stop them; shape (count,)."""
        ahead = int(self.tails[0])
        uniform = rng.integers(0, self.total, size=count, dtype=np.int64)
        back = uniform >= ahead
        # Of integers below G_0, those in [G_(d+1), G_d) are a step of d; below G_1 a step of at least 1.
        steps = np.searchsorted(-self.tails, -np.where(back, uniform - ahead, uniform), side="left") - 1
        return np.where(back, -steps, steps)

    def moved(self, places: Integers, steps: Integers) -> Integers:
        """Return the positions after the steps, shape (batch,)."""
        return np.clip(places + steps, 0, len(self.tails) - 1)

    def rows(self, places: Integers) -> Integers:
        """Return the weights of every position from each position, shape (batch, n)."""
        size = len(self.tails)
        inner = np.append(self.tails[:-1] - self.tails[1:], 0)
        apart = np.abs(np.arange(size) - places[:, None])
        out: Integers = inner[apart]
        for end in (0, size - 1):
            out[:, end] = self.tails[apart[:, end]]
        return out


def least_rate(size: int, most: int) -> float:
    """Return the smallest rate for which integers below ``most`` are fine enough."""
    return 4 * math.sqrt(_FINE / most) + 8 * size * (_FINE / most)


def geometric_steps(rate: float, size: int, most: int) -> GeometricSteps:
    """Return steps whose weights fall by at most e^rate, as steeply as integers allow.

    If the weights of all distances do not fit, those of far ones, which are hardly ever drawn, are equal.

    Args:
        rate: nats for each position, at least ``least_rate(size, most)``.
        size: number of positions, >= 3.
        most: upper limit of the total, >= 2^40.
    """
    need(least_rate(size, most) <= rate < math.inf, "rate", rate, f"at least {least_rate(size, most):.3g}")
    steep = min(rate, _MOST_RATE)
    least = math.ceil(_FINE / min(1.0, steep))
    first = _tails(steep, least, size, most)
    spare = (most // (first[0] + first[1])).bit_length() - 4
    if spare > 0:  # all distances fit: finer integers follow the rate more closely
        first = _tails(steep, least << spare, size, most)
    return GeometricSteps(np.array(first, dtype=np.int64))


def _tails(rate: float, least: int, size: int, most: int) -> list[int]:
    factor = exp_floor(rate, 1 << _SCALE)
    # The first difference is at most (e^rate - 1) G_(n-1), which pays for the weights beyond the end.
    last = (least << _SCALE) // (factor - (1 << _SCALE)) + 1
    room = (most / 4 - 2 * last - size * least) * -math.expm1(-rate) / least
    fall = math.log(room)
    rising = min(size - 2, math.ceil(fall / rate))
    part = exp_floor(min(rate, fall - (rising - 1) * rate), 1 << _SCALE)
    tails, step = [last, last + least], least
    for place in range(size - 3, -1, -1):
        if place < rising:
            step = (step * (part if place == rising - 1 else factor)) >> _SCALE
        tails.append(tails[-1] + step)
    return tails[::-1]
