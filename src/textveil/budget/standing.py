"""Where an account stands: what its entries come to, and what its limit leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, final

from textveil.budget.charge import (
    DELTA_UNIT,
    EPSILON_UNIT,
    Charge,
    canonical,
    delta_down,
    epsilon_down,
    units_within,
    worse,
)
from textveil.budget.limit import Limit
from textveil.privacy.accountant import Remaining
from textveil.privacy.guarantees import Status

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(time: datetime) -> int:
    """Since 1970."""
    return (time - _FIRST) // _MICROSECOND


def time_of(at: int) -> datetime:
    """The time of so many microseconds since 1970, UTC."""
    return _FIRST + at * _MICROSECOND


@final
@dataclass(slots=True)
class Standing:
    """A row of the levels: changed in a transaction, and written at its end.

    Attributes:
        level: the account's digest.
        tenant: its tenant's digest.
        scope: what it is, in words.
        limit: its own limit.
        releases: how many reservations were charged to it.
        epsilon: their sum in units.
        delta: likewise.
        status: the worst of all draws.
        last_at: when the last one was.
        basis: what the sums of the period were counted for; empty where they were not.
        period_start: since when they count; 0 is ever.
        period_epsilon: the sum of the period in units.
        period_delta: likewise.
    """

    level: bytes
    tenant: bytes
    scope: str
    limit: Limit | None = None
    releases: int = 0
    epsilon: int = 0
    delta: int = 0
    status: str = Status.PROVED.value
    last_at: int = 0
    basis: str = ""
    period_start: int = 0
    period_epsilon: int = 0
    period_delta: int = 0

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Standing:
        """The standing that a row says."""
        values = dict(row)
        data = values.pop("limit_data")
        for name in ("epsilon", "delta", "period_epsilon", "period_delta"):
            values[name] = int(values[name])
        return cls(limit=None if data is None else Limit.of_text(data), **values)

    def as_row(self) -> dict[str, Any]:
        """What is written of it."""
        return {
            "level": self.level,
            "tenant": self.tenant,
            "scope": self.scope,
            "limit_data": None if self.limit is None else canonical(self.limit.as_data()),
            "releases": self.releases,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "status": self.status,
            "last_at": self.last_at,
            "basis": self.basis,
            "period_start": self.period_start,
            "period_epsilon": str(self.period_epsilon),
            "period_delta": str(self.period_delta),
        }

    def begins(self, limit: Limit, now: int) -> tuple[str, int]:
        """What sums are counted for under a limit, and since when; a clock that goes back renews nothing."""
        basis = canonical([limit.composition, limit.period])
        start = limit.period_start(time_of(max(now, self.last_at)))
        return basis, 0 if start is None else microseconds(start)

    def is_counted(self, limit: Limit, now: int) -> bool:
        """Whether the sums of the period are those of the limit, now."""
        return (self.basis, self.period_start) == self.begins(limit, now)

    def begin(self, limit: Limit, now: int) -> bool:
        """Begin the sums of the period anew; returns whether entries of the period may have been before."""
        self.basis, self.period_start = self.begins(limit, now)
        self.period_epsilon = self.period_delta = 0
        return self.last_at > 0 and self.last_at >= self.period_start

    def count(self, charge: Charge) -> None:
        """Add to the sums of the period."""
        self.period_epsilon += charge.epsilon
        self.period_delta += charge.delta

    def add(self, charge: Charge, at: int) -> None:
        """Add one release to the sums since ever; and to those of the period, where a limit counts them."""
        self.releases += 1
        self.epsilon += charge.epsilon
        self.delta += charge.delta
        self.status = worse(self.status, charge.status)
        self.last_at = at
        if self.basis:
            self.count(charge)

    def admits(self, limit: Limit, charge: Charge) -> bool:
        """Whether one more release stays within the limit; what costs nothing always does."""
        if charge.epsilon == 0 and charge.delta == 0:
            return True
        epsilon = self.period_epsilon + charge.epsilon <= units_within(limit.epsilon, EPSILON_UNIT)
        return epsilon and self.period_delta + charge.delta <= units_within(limit.delta, DELTA_UNIT)

    def remaining(self, limit: Limit) -> Remaining:
        """What one more release may cost, rounded down."""
        epsilon = units_within(limit.epsilon, EPSILON_UNIT) - self.period_epsilon
        delta = units_within(limit.delta, DELTA_UNIT) - self.period_delta
        return Remaining(epsilon_down(epsilon), delta_down(delta))
