"""Two integer weights, and draws that no floating-point number decides.

A row of a two-level channel gives weight ``inside`` to ``members`` outputs and weight ``outside`` to the
other ``size - members``. Its total is the same for every input, so the ratio of any two probabilities of one
output is a ratio of these integers: the privacy loss is exactly ln(inside / outside).
Proof: ``privacy/proofs/neighborhood.md``.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import numpy as np

from textveil.errors import need
from textveil.types import Ids, Integers

_TOTAL_BITS = 53  # totals stay below 2^53: a 64-bit draw is then rejected with probability below 2^-11
_DIGITS = 60  # decimal digits for exp(epsilon); e^epsilon is irrational, so a floor at 60 digits is the true floor


def exp_floor(epsilon: float, multiplier: int = 1) -> int:
    """floor(multiplier * exp(epsilon)), exact for results below 10^50."""
    with localcontext() as context:
        context.prec = _DIGITS
        return int((Decimal(epsilon).exp() * multiplier).to_integral_value(rounding=ROUND_FLOOR))


def log_ratio_up(numerator: int, denominator: int) -> float:
    """ln(numerator / denominator) for numerator >= denominator, rounded up to a float."""
    with localcontext() as context:
        context.prec = _DIGITS
        exact = (Decimal(numerator) / Decimal(denominator)).ln()
        nearest = float(exact)
        return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)


def exp_minus_half_ceiling(epsilon: float, multiplier: int) -> int:
    """ceil(multiplier * exp(-epsilon / 2)), exact for multipliers below 10^50."""
    with localcontext() as context:
        context.prec = _DIGITS
        # exp underflows to 0 far below any weight; the ceiling of a positive number is at least 1.
        return max(1, int((Decimal(-epsilon / 2).exp() * multiplier).to_integral_value(rounding=ROUND_CEILING)))


def stated_epsilon(spent: float, asked: float) -> float:
    """The epsilon to state: the one asked for, or what weights spend if they had to be cut below it."""
    return spent if spent < asked - 1e-9 else asked


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLevelWeights:
    """Integer weights of a two-level row."""

    size: int  # number of outputs n
    members: int  # number m of outputs with the larger weight, 1 <= m <= n
    inside: int  # weight of a member, >= outside
    shift: int  # the other weight is 2^shift, so that dividing by it is a shift

    def __post_init__(self) -> None:
        need(1 <= self.members <= self.size, "members", self.members, f"between 1 and {self.size}")
        need(self.inside >= self.outside, "inside", self.inside, "at least the outside weight")
        need(self.total < 2**62, "total", self.total, "below 2^62")

    @property
    def outside(self) -> int:
        """Weight of an output that is not a member."""
        return 1 << self.shift

    @property
    def total(self) -> int:
        """Sum of a row, the same for every input."""
        return self.members * self.inside + (self.size - self.members) * self.outside

    @property
    def epsilon(self) -> float:
        """ln(inside / outside), rounded up to a float: what a draw really costs at most."""
        return log_ratio_up(self.inside, self.outside)

    @property
    def base_mass(self) -> float:
        """Probability of a draw that says nothing about the input: by the other weight alone, for every output."""
        return self.size * self.outside / self.total

    @property
    def probability_inside(self) -> float:
        return self.members * self.inside / self.total

    def stated(self, asked: float) -> float:
        """The epsilon to state: the one asked for, or the smaller one if the weights had to be cut."""
        return stated_epsilon(self.epsilon, asked)

    def rows(self, members: Integers) -> Integers:
        """The weights of every output, shape (batch, size), for rows whose members have shape (batch, members)."""
        out = np.full((len(members), self.size), self.outside, dtype=np.int64)
        np.put_along_axis(out, members, self.inside, axis=1)
        return out

    def common(self, drawn: Integers) -> Integers:
        """Return what integers below the total stand for in what all rows share: an output, or ``size`` and more."""
        return drawn >> self.shift

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
        """One uniform integer below the total for each draw, split into the two parts of a row.

        A row is 2^shift for every output plus (inside - outside) more for each member.

        Returns:
            ``uniform``: an output in [0, size) if the draw fell in the common part, else -1; and
            ``member``: a place in [0, members) among the members if it did not, else -1.
        """
        drawn = rng.integers(0, self.total, size=count, dtype=np.int64)
        uniform = self.common(drawn)
        extra = self.inside - self.outside
        member = np.empty(count, dtype=np.int64)
        member.fill(-1)
        raised = (uniform >= self.size).nonzero()[0]
        if extra > 0 and len(raised):
            member[raised] = (drawn[raised] - (self.size << self.shift)) // extra
        uniform[raised] = -1
        return uniform, member


def two_level_weights(*, size: int, members: int, epsilon: float) -> TwoLevelWeights:
    """The integer weights whose ratio is the greatest not above exp(epsilon).

    The outside weight is the largest power of two that keeps the total at 2^52 or below. If epsilon is so large that
    not even 1 does (about 36 - ln m), the inside weight is cut: less is spent than asked. ``size``: number of outputs,
    >= 2; ``members``: number of outputs with the larger weight; ``epsilon``: nats, finite and > 0.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(size >= 2, "size", size, "at least 2")
    need(1 <= members <= size, "members", members, f"between 1 and {size}")
    limit = 2**_TOTAL_BITS
    if epsilon > 40:  # beyond the cut for every size; exp would only grow
        epsilon = 40.0
    row = members * math.exp(epsilon) + (size - members)
    shift = max(0, math.floor(_TOTAL_BITS - 1 - math.log2(row)))
    inside = exp_floor(epsilon, 1 << shift)
    most = (limit - (size - members) * (1 << shift)) // members
    return TwoLevelWeights(size=size, members=members, inside=min(inside, most), shift=shift)


def flip(values: Ids, weights: TwoLevelWeights, rng: np.random.Generator) -> Ids:
    """Keep each value with weight ``inside``, else any other with weight ``outside``; one member a row."""
    uniform = weights.common(rng.integers(0, weights.total, size=len(values), dtype=np.int64))
    return np.where(uniform < weights.size, uniform, values)


def all_below(values: Integers, limit: int) -> bool:
    """Tell whether every one of ``values``, integers and at least one of them, is in [0, limit)."""
    if values.dtype == np.int64:  # as unsigned integers the negative ones are the largest
        return bool(np.maximum.reduce(values.view(np.uint64)) < limit)
    return bool(values.min() >= 0 and values.max() < limit)
