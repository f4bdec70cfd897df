"""Privacy profiles of which the largest loss is known exactly, and delta below it between two bounds."""

import math
from dataclasses import dataclass
from typing import ClassVar

from textveil.errors import need
from textveil.mechanisms.capabilities import PrivacyProfile
from textveil.statistics import Bound, exactly

_SLACK = 2.0**-40  # Absolute, of a logarithm: covers the rounding of the formulas


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedLoss:
    """See ``capabilities.PrivacyProfile``: a law under which the largest loss L is attained with a known probability.

    Where losses are at most L, delta at epsilon is at most 1 - e^(epsilon - L): P - e^epsilon Q is at most
    P (1 - e^(epsilon - L)). The event on which the loss is L gives its probability times that.
    """

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # Nothing that one input gives is impossible from the other

    largest_loss: float  # L, nats, rounded up
    log_probability: float  # natural logarithm of the probability, under the first input, that the loss is L

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, between two bounds."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        gain = math.log(-math.expm1(epsilon - self.largest_loss))
        upper = min(0.0, gain + _SLACK)
        lower = min(upper, gain + self.log_probability - _SLACK * (1 + abs(self.log_probability)))
        return Bound(lower, upper if self.log_probability == 0 else (lower + upper) / 2, upper, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownInput:
    """See ``capabilities.PrivacyProfile``: with a known probability, what is released shows which input it was."""

    log_shown: float  # natural logarithm of the probability that the other input cannot give what is released; > -inf

    @property
    def largest_loss(self) -> float:
        """Nothing is known of the finite losses."""
        return math.inf

    @property
    def log_outside(self) -> Bound:
        """The probability that the input is shown."""
        return Bound(self.log_shown, self.log_shown, 0.0, 1.0) if self.log_shown < 0 else exactly(0.0)

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, between two bounds."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        return self.log_outside


@dataclass(frozen=True, slots=True)
class Postprocessed:
    """See ``capabilities.PrivacyProfile``: what is released is a rounding of something whose profile is known.

    Its delta is at most that of the whole. The rounding is so fine, beside noise without end, that the losses of far
    cells come as near to the largest one of the whole as one likes.
    """

    whole: PrivacyProfile  # the profile before rounding

    @property
    def largest_loss(self) -> float:
        """That of the whole."""
        return self.whole.largest_loss

    @property
    def log_outside(self) -> Bound:
        """That of the whole: no mass leaves the support."""
        return self.whole.log_outside

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon: an upper bound, and no lower one."""
        exact = self.whole.log_delta(epsilon)
        return Bound(-math.inf, exact.estimate, exact.upper, 1.0)
