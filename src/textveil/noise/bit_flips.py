"""Independent flips of bits, drawn by integers, and how far apart two codes are under them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from typing import ClassVar, final

import numpy as np
from scipy.special import gammaln, logsumexp

from textveil.errors import need
from textveil.numerics.integer_weights import log_ratio_up
from textveil.statistics import Bound, exactly
from textveil.types import Flags

_ALL = 1 << 53  # A uniform integer below this decides a flip
_ROUNDING = 2.0**-30  # covers the rounding of logarithms of binomial probabilities and of their sum


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BitFlips:
    """Every bit is flipped with probability flips / 2^53, each by an integer of its own.

    Attributes:
        flips: an integer between 1 and 2^52.

    Source: Warner 1965; proof: privacy/proofs/brr.md.
    """

    flips: int

    def __post_init__(self) -> None:
        need(1 <= self.flips <= _ALL // 2, "flips", self.flips, f"between 1 and {_ALL // 2}")

    @property
    def probability(self) -> float:
        """Of a flip; exact."""
        return self.flips / _ALL

    @property
    def loss(self) -> float:
        """Nats by which one bit tells its value at most, rounded up."""
        return log_ratio_up(_ALL - self.flips, self.flips)

    def sample(self, count: int, bits: int, generator: np.random.Generator) -> Flags:
        """Which bits are flipped; shape (count, bits)."""
        return generator.integers(0, _ALL, size=(count, bits), dtype=np.int64) < self.flips


def bit_flips(epsilon: float) -> BitFlips:
    """The flips of least probability, in units of 2^-53, that cost one bit at most epsilon: 1 / (1 + e^epsilon).

    Args:
        epsilon: nats for one bit, finite and > 0. Beyond 36.7 less is spent.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    with localcontext() as context:
        context.prec = 60
        wanted = _ALL / (1 + Decimal(min(epsilon, 40.0)).exp())
        rounded = BitFlips(flips=min(_ALL // 2, int(wanted.to_integral_value(rounding=ROUND_CEILING))))
    while (
        rounded.loss > epsilon and rounded.flips < _ALL // 2
    ):  # the loss is rounded up, so it may pass by its last place
        rounded = BitFlips(flips=rounded.flips + 1)
    return rounded


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedBitsProfile:
    """The privacy profile of two codes that differ in some bits; see ``noise.capabilities.PrivacyProfile``.

    With K of those bits flipped the loss is (bits - 2 K) ln((1 - p) / p), and K is binomial.

    Attributes:
        flips: the flips.
        bits: in how many bits the codes differ, >= 1.
    """

    log_outside: ClassVar[Bound] = exactly(-math.inf)
    """No mass leaves the support, which is all codes."""

    flips: BitFlips
    bits: int

    @property
    def largest_loss(self) -> float:
        """The loss where none of those bits is flipped, rounded up."""
        return math.nextafter(self.bits * self.flips.loss, math.inf) if self.bits > 1 else self.flips.loss

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, by summing over K."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        flipped = np.arange(self.bits + 1)
        losses = (self.bits - 2 * flipped) * self.flips.loss
        above = flipped[losses > epsilon]
        if not len(above):
            return Bound(-math.inf, -math.inf, 0.0, 1.0)
        chances = gammaln(self.bits + 1) - gammaln(above + 1) - gammaln(self.bits - above + 1)
        chances += above * math.log(self.flips.probability)
        chances += (self.bits - above) * math.log1p(-self.flips.probability)
        log_sum = float(logsumexp(chances + np.log(-np.expm1(epsilon - losses[above]))))
        slack = _ROUNDING * (1 + abs(log_sum))
        return Bound(log_sum - slack, log_sum, min(0.0, log_sum + slack), 1.0)
