"""Guarantees as frozen data; accountants and reports read only this.

``P`` is the distribution of what is released, and x, x' are two adjacent inputs: which those are is the guarantee's
``adjacency``, by default two texts that differ in one token of the same kind. Every notion answers the same questions
(``worst_case``, ``pure``, ``approximate``, ``to_data``), so that nothing else needs to know which notions there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, localcontext
from enum import Enum
from typing import Any, ClassVar, Final, TypeAlias

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.units import ONE_TOKEN, Adjacency, Unit


class Status(Enum):
    """Trust in a guarantee."""

    PROVED = "proved"  # a proof stands in `privacy/proofs` and a test demands the file
    CERTIFIED = "certified"  # computed exactly from the finite channel
    CLAIMED = "claimed"  # its maker says so
    REFUTED = "refuted"  # shown to be false; `source` says where
    NONE = "none"  # nothing is promised

    @property
    def shown(self) -> str:
        """Name for readers, with who claims it if it is neither proved nor certified."""
        return "claimed by its maker" if self is Status.CLAIMED else self.value


TRUSTED: Final = (Status.PROVED, Status.CERTIFIED)
"""Statuses that a release may rest on; ``catalog.guarantee_of`` says whose word counts."""


def shown_up(value: float, digits: int = 6) -> str:
    """Show a number rounded up in its last digit: a printed guarantee is never below the true one.

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
    """Return a logarithm of delta with a margin for the rounding of a logarithm and of an exponential."""
    return log_delta + 2.0**-50 * max(1.0, abs(log_delta)) if math.isfinite(log_delta) else log_delta


def _facts(
    notion: str, guarantee: Guarantee, epsilon: float | None, delta: float | None, **more: Any
) -> dict[str, Any]:
    return {
        "notion": notion,
        "epsilon": epsilon,
        "delta": delta,
        **more,
        "status": guarantee.status.value,
        "source": guarantee.source,
        "text": str(guarantee),
        "unit": guarantee.unit.value,
        "adjacency": guarantee.adjacency.text,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Promise:
    promises: ClassVar[bool] = True
    of_options: ClassVar[tuple[str, ...]] = ()  # numbers, by the names of the options that ask for them
    status: Status = Status.CLAIMED  # how far to trust it
    source: str = ""  # proof file, or the reference that proves or refutes it
    adjacency: Adjacency = ONE_TOKEN  # which two inputs are compared

    @property
    def numbers(self) -> dict[str, float]:
        """Numbers of the guarantee, by the names of the options that ask for them."""
        return {name: getattr(self, name) for name in self.of_options}

    @property
    def unit(self) -> Unit:
        """Unit in which two adjacent inputs differ."""
        return self.adjacency.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP(_Promise):
    """P(S | x) <= exp(epsilon) P(S | x') for every event S and any two adjacent x, x'."""

    reason: ClassVar[str] = ""
    of_options: ClassVar[tuple[str, ...]] = ("epsilon",)
    epsilon: float  # nats, finite and >= 0

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < math.inf:  # each surrogate of each sanitizer makes two
            need(False, "epsilon", self.epsilon, "finite and >= 0")

    def worst_case(self) -> PureDP:
        """Return what holds for any two adjacent inputs, however far apart."""
        return self

    def pure(self) -> PureDP:
        """Return the pure guarantee that follows."""
        return self

    def approximate(self) -> ApproximateDP:
        """Return the (epsilon, delta) guarantee that follows."""
        return ApproximateDP(
            epsilon=self.epsilon, log_delta=-math.inf, status=self.status, source=self.source, adjacency=self.adjacency
        )

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: the notion, its numbers, status and source, unit and adjacency."""
        return _facts("pure DP", self, self.epsilon, 0.0)

    def __str__(self) -> str:
        return f"{shown_up(self.epsilon)}-DP"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP(_Promise):
    """P(S | x) <= exp(epsilon) P(S | x') + delta for every event S and any two adjacent x, x'.

    ``log_delta``: natural logarithm of delta, <= 0; a logarithm because published claims underflow (4^-1700). ``-inf``
    is pure DP.
    """

    reason: ClassVar[str] = ""
    of_options: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    epsilon: float  # nats, finite and >= 0
    log_delta: float

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(self.log_delta <= 0, "log_delta", self.log_delta, "<= 0")

    @property
    def delta(self) -> float:
        """Delta as a float, rounded up; 0.0 if it underflows, so compare ``log_delta`` instead."""
        return min(1.0, math.exp(raised_log(self.log_delta)))

    def worst_case(self) -> ApproximateDP:
        """Return what holds for any two adjacent inputs, however far apart."""
        return self

    def pure(self) -> PureDP:
        """None follows. Raises UnsupportedGuarantee: always."""
        raise UnsupportedGuarantee(
            f"no pure guarantee follows from {self}; wanted a pure or metric one. Take it as it is, by approximate()."
        )

    def approximate(self) -> ApproximateDP:
        """Return the (epsilon, delta) guarantee that follows."""
        return self

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: the notion, its numbers, status and source, unit and adjacency."""
        log_delta = self.log_delta if self.log_delta > -math.inf else None
        return _facts("approximate DP", self, self.epsilon, self.delta, log_delta=log_delta)

    def __str__(self) -> str:
        if self.delta == 0 and self.log_delta > -math.inf:
            tenths = math.ceil(10 * self.log_delta / math.log(10) - 1e-9) / 10
            return f"({shown_up(self.epsilon)}, 10^{tenths:.1f})-DP"
        return f"({shown_up(self.epsilon)}, {shown_up(self.delta, digits=3)})-DP"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDP(_Promise):
    """P(S | x) <= exp(epsilon_per_distance d(x, x')) P(S | x') for every event S and any two words.

    ``epsilon_per_distance``: nats per unit of the metric, finite and >= 0. Not comparable across vocabularies, nor with
    an epsilon.
    """

    reason: ClassVar[str] = ""
    of_options: ClassVar[tuple[str, ...]] = ("epsilon_per_distance",)
    epsilon_per_distance: float
    metric: str  # the name of d, with what it is measured on (for example `"euclidean on vectors clipped to norm 1"`)
    diameter: float  # max d(x, x') over the public vocabulary; converts the promise to pure DP

    def __post_init__(self) -> None:
        value = self.epsilon_per_distance
        need(0 <= value < math.inf, "epsilon_per_distance", value, "finite and >= 0")
        need(0 < self.diameter < math.inf, "diameter", self.diameter, "finite and > 0")

    def worst_case(self) -> PureDP:
        """Return what holds for any two adjacent inputs, however far apart: the loss at the diameter, rounded up."""
        product = self.epsilon_per_distance * self.diameter
        return PureDP(
            epsilon=math.nextafter(product, math.inf) if product > 0 else 0.0,
            status=self.status,
            source=self.source,
            adjacency=self.adjacency,
        )

    def pure(self) -> PureDP:
        """Return the pure guarantee that follows, at the diameter."""
        return self.worst_case()

    def approximate(self) -> ApproximateDP:
        """Return the (epsilon, delta) guarantee that follows."""
        return self.worst_case().approximate()

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: the notion, its numbers, status and source, unit and adjacency."""
        return _facts(
            "metric DP",
            self,
            self.worst_case().epsilon,
            0.0,
            epsilon_per_distance=self.epsilon_per_distance,
            metric=self.metric,
            diameter=self.diameter,
        )

    def __str__(self) -> str:
        per_distance = shown_up(self.epsilon_per_distance)
        two = "documents" if self.adjacency.unit is Unit.DOCUMENT else "words"
        which = f"two {two} that share what is public" if self.adjacency.shared else f"any two {two}"
        return f"{per_distance} d-privacy ({self.metric}; {self.worst_case()} for {which})"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGuarantee(_Promise):
    """Nothing is promised; ``reason`` says why and what was claimed."""

    promises: ClassVar[bool] = False

    reason: str
    status: Status = Status.NONE

    def worst_case(self) -> NoGuarantee:
        """Nothing holds."""
        return self

    def pure(self) -> PureDP:
        """None follows. Raises UnsupportedGuarantee: always."""
        raise UnsupportedGuarantee(f"nothing follows from {self}. Choose a mechanism that is proved.")

    def approximate(self) -> ApproximateDP:
        """None follows. Raises UnsupportedGuarantee: always."""
        raise UnsupportedGuarantee(f"nothing follows from {self}. Choose a mechanism that is proved.")

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: no numbers, and the reason in words."""
        return _facts("none", self, None, None)

    def __str__(self) -> str:
        return f"no guarantee ({self.reason})"


Guarantee: TypeAlias = PureDP | ApproximateDP | MetricDP | NoGuarantee


def claimed(guarantee: Guarantee) -> Guarantee:
    """Return the same numbers as a claim of whoever made the object that states them."""
    return replace(guarantee, status=Status.CLAIMED)
