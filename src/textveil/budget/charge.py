"""What a release costs, in whole numbers: nothing is added up in floating point.

Epsilon is counted in 2^-80 nats and delta in 2^-130, rounded up. Any epsilon of 2^-27 nats or more is a whole number
of them, so sums are exact.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from textveil.errors import UnsupportedGuarantee
from textveil.privacy.accountant import Accountant
from textveil.privacy.composition import as_approximate
from textveil.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Status
from textveil.privacy.units import Adjacency, Unit

EPSILON_UNIT: Final = 2**80
DELTA_UNIT: Final = 2**130
_SCALE = 1000  # the least float above 0 is 2^-1074

ONE_ACCOUNT: Final = Adjacency(
    Unit.PERSON,
    "two inputs that differ in the texts of this account alone, each pair of them as the report of its release says",
)
"""What an account's costs add up to."""

Drawn: TypeAlias = tuple[float, float | None, int, str]
"""Draws of one guarantee: epsilon, the logarithm of delta (None is no delta), how many, and the guarantee's status."""

_ORDER: Final = tuple(status.value for status in (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED))


def worse(first: str, second: str) -> str:
    """The status that is trusted less."""
    return max(first, second, key=_ORDER.index)


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of one release.

    Attributes:
        draws: what is drawn, equal guarantees together.
        epsilon: the sum of all epsilons in units, rounded up.
        delta: the sum of all deltas in units, rounded up; any delta is at least one unit.
        status: that of the draw that is trusted least.
    """

    draws: tuple[Drawn, ...]
    epsilon: int
    delta: int
    status: str

    @classmethod
    def of(cls, cost: Accountant) -> Charge:
        """The charge for these draws.

        Raises:
            UnsupportedGuarantee: a draw promises nothing, so that its cost is unknown.
        """
        counts: Counter[tuple[float, float | None, str]] = Counter()
        for guarantee, times, _ in cost.draws:
            if not getattr(guarantee, "promises", True):
                raise UnsupportedGuarantee(
                    f"a ledger counts what is promised; got {guarantee}. Use a mechanism whose guarantee holds."
                )
            part = as_approximate(guarantee)
            log_delta = None if part.log_delta == -math.inf else part.log_delta
            counts[part.epsilon, log_delta, part.status.value] += times
        return cls.of_draws([(*key[:2], times, key[2]) for key, times in counts.items() if times])

    @classmethod
    def of_draws(cls, draws: Iterable[Drawn]) -> Charge:
        """The charge for draws."""
        held = tuple(draws)
        status = Status.PROVED.value
        for draw in held:
            status = worse(status, draw[3])
        return cls(
            held,
            -((-sum(_scaled(draw[0]) * draw[2] for draw in held)) >> _SCALE),
            sum(_delta_units(draw[1]) * draw[2] for draw in held if draw[1] is not None),
            status,
        )

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Charge:
        """The charge with the draws of JSON data, added up again."""
        return cls.of_draws((float(draw[0]), draw[1], int(draw[2]), str(draw[3])) for draw in data["draws"])

    @property
    def guarantee(self) -> Guarantee:
        """The sum, as the guarantee of an account."""
        return guarantee_of(self.epsilon, self.delta, self.status)

    def to_data(self) -> dict[str, Any]:
        """JSON data: the draws, and what they come to in units, as decimal digits."""
        return {"draws": [list(draw) for draw in self.draws], "epsilon": str(self.epsilon), "delta": str(self.delta)}


@lru_cache(maxsize=4096)
def _scaled(epsilon: float) -> int:
    """An epsilon in units times 2^``_SCALE``: a whole number, whatever float it is."""
    return int(Fraction(epsilon) * (EPSILON_UNIT << _SCALE))


@lru_cache(maxsize=4096)
def _delta_units(log_delta: float) -> int:
    part = ApproximateDP(epsilon=0.0, log_delta=log_delta)
    return max(1, math.ceil(Fraction(part.delta) * DELTA_UNIT))


def epsilon_up(units: int) -> float:
    """Nats, rounded up."""
    return _rounded_up(units, EPSILON_UNIT)


def delta_up(units: int) -> float:
    """Delta as a float, rounded up; at most 1."""
    return min(1.0, _rounded_up(units, DELTA_UNIT))


def epsilon_down(units: int) -> float:
    """Nats, rounded down."""
    return -_rounded_up(-units, EPSILON_UNIT) + 0.0  # no zero below zero


def delta_down(units: int) -> float:
    """Delta as a float, rounded down."""
    return -_rounded_up(-units, DELTA_UNIT) + 0.0


@lru_cache(maxsize=4096)
def units_within(value: float, unit: int) -> int:
    """How many whole units a limit holds."""
    return math.floor(Fraction(value) * unit)


def guarantee_of(epsilon: int, delta: int, status: str) -> Guarantee:
    """What was spent, as the guarantee of an account."""
    about: dict[str, Any] = {
        "epsilon": epsilon_up(epsilon),
        "status": Status(status),
        "source": "privacy/proofs/ledger.md",
        "adjacency": ONE_ACCOUNT,
    }
    if delta == 0:
        return PureDP(**about)
    return ApproximateDP(log_delta=math.log(delta_up(delta)), **about)


def canonical(data: Any) -> str:
    """JSON text of data, the same for the same data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _rounded_up(units: int, unit: int) -> float:
    nearest = units / unit  # of whole numbers: the nearest float there is
    top, below = nearest.as_integer_ratio()
    return nearest if top * unit >= units * below else math.nextafter(nearest, math.inf)
