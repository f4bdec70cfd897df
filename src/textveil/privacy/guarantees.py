"""Guarantees as frozen data; accountants and reports read only this.

All three notions speak of one token: two texts are adjacent when they differ in one token of the
same kind. ``P`` is the distribution of the released text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from enum import Enum
from typing import TypeAlias, final

from textveil.errors import UnsupportedGuarantee, need


class Status(Enum):
    """How far a guarantee can be trusted."""

    PROVED = "proved"
    """A proof stands in ``privacy/proofs`` and a test demands the file."""
    CERTIFIED = "certified"
    """Computed exactly from the finite channel."""
    CLAIMED = "claimed"
    """Somebody says so."""
    REFUTED = "refuted"
    """Shown to be false; ``source`` says where."""
    NONE = "none"
    """Nothing is promised."""


def shown_up(value: float, digits: int = 6) -> str:
    """A number for readers, rounded up in its last digit: a printed guarantee is never below the true one.

    An excess below 1e-12 of the value, the trace of floating point, does not raise the digit.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    exact = Decimal(value * (1 - 1e-12))
    with localcontext() as context:
        context.prec = digits
        context.rounding = ROUND_CEILING
        return f"{float(+exact):.{digits}g}"


def raised_log(log_delta: float) -> float:
    """A logarithm of delta with a margin that covers the rounding of a logarithm and of an exponential."""
    return log_delta + 2.0**-50 * max(1.0, abs(log_delta)) if math.isfinite(log_delta) else log_delta


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP:
    """P(S | x) <= exp(epsilon) P(S | x') for every event S and any two words x, x'.

    Attributes:
        epsilon: nats, finite and >= 0.
        status: how far to trust it.
        source: proof file, or the reference that proves or refutes it.
    """

    epsilon: float
    status: Status = Status.CLAIMED
    source: str = ""

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")

    def __str__(self) -> str:
        return f"{shown_up(self.epsilon)}-DP"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP:
    """P(S | x) <= exp(epsilon) P(S | x') + delta for every event S and any two words x, x'.

    Attributes:
        epsilon: nats, finite and >= 0.
        log_delta: natural logarithm of delta, <= 0; a logarithm because published claims underflow
            (4^-1700). ``-inf`` is pure DP.
        status: how far to trust it.
        source: proof file, or the reference that proves or refutes it.
    """

    epsilon: float
    log_delta: float
    status: Status = Status.CLAIMED
    source: str = ""

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(self.log_delta <= 0, "log_delta", self.log_delta, "<= 0")

    @property
    def delta(self) -> float:
        """Delta as a float, rounded up; 0.0 where it underflows, so compare ``log_delta`` instead."""
        return min(1.0, math.exp(raised_log(self.log_delta)))

    def __str__(self) -> str:
        if self.delta == 0 and self.log_delta > -math.inf:
            tenths = math.ceil(10 * self.log_delta / math.log(10) - 1e-9) / 10
            return f"({shown_up(self.epsilon)}, 10^{tenths:.1f})-DP"
        return f"({shown_up(self.epsilon)}, {shown_up(self.delta, digits=3)})-DP"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDP:
    """P(S | x) <= exp(epsilon_per_distance d(x, x')) P(S | x') for every event S, any two words.

    Attributes:
        epsilon_per_distance: nats per unit of the metric, finite and >= 0. Not comparable across
            vocabularies, nor with an epsilon.
        metric: the name of d, with what it is measured on (for example
            ``"euclidean on vectors clipped to norm 1"``).
        diameter: max d(x, x') over the public vocabulary; converts the promise to pure DP.
        status: how far to trust it.
        source: proof file, or the reference that proves or refutes it.
    """

    epsilon_per_distance: float
    metric: str
    diameter: float
    status: Status = Status.CLAIMED
    source: str = ""

    def __post_init__(self) -> None:
        value = self.epsilon_per_distance
        need(0 <= value < math.inf, "epsilon_per_distance", value, "finite and >= 0")
        need(0 < self.diameter < math.inf, "diameter", self.diameter, "finite and > 0")

    def __str__(self) -> str:
        return f"{shown_up(self.epsilon_per_distance)} d-privacy ({self.metric}; {to_pure(self)} for any two words)"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoGuarantee:
    """Nothing is promised; ``reason`` says why and what was claimed."""

    reason: str
    status: Status = Status.NONE
    source: str = ""

    def __str__(self) -> str:
        return f"no guarantee ({self.reason})"


Guarantee: TypeAlias = PureDP | ApproximateDP | MetricDP | NoGuarantee


def to_pure(guarantee: PureDP | MetricDP) -> PureDP:
    """The pure guarantee that ``guarantee`` implies for any two words of its vocabulary.

    A metric guarantee costs at most ``epsilon_per_distance * diameter``; the product is rounded up.

    Raises:
        UnsupportedGuarantee: nothing pure follows (an approximate guarantee, or none).
    """
    if isinstance(guarantee, PureDP):
        return guarantee
    if isinstance(guarantee, MetricDP):
        product = guarantee.epsilon_per_distance * guarantee.diameter
        return PureDP(
            epsilon=math.nextafter(product, math.inf) if product > 0 else 0.0,
            status=guarantee.status,
            source=guarantee.source,
        )
    raise UnsupportedGuarantee(
        f"no pure guarantee follows from {type(guarantee).__name__}; wanted PureDP or MetricDP. "
        "Use to_approximate() or report it as it is."
    )


def to_approximate(guarantee: Guarantee) -> ApproximateDP:
    """The (epsilon, delta) guarantee that ``guarantee`` implies for any two words.

    Raises:
        UnsupportedGuarantee: there is no guarantee to convert.
    """
    if isinstance(guarantee, ApproximateDP):
        return guarantee
    if isinstance(guarantee, NoGuarantee):
        raise UnsupportedGuarantee(f"nothing follows from {guarantee}. Choose a mechanism that is proved.")
    pure = to_pure(guarantee)
    return ApproximateDP(epsilon=pure.epsilon, log_delta=-math.inf, status=pure.status, source=pure.source)
