"""Where an account stands: what its entries come to, and what its limit leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from textveil.budget.charge import (
    DELTA_UNIT,
    EPSILON_UNIT,
    Charge,
    canonical,
    delta_down,
    epsilon_down,
    guarantee_of,
    units_within,
    worse,
)
from textveil.budget.limit import Limit
from textveil.budget.moments import Order, moments_of, one_more, order_of
from textveil.privacy.accountant import Remaining
from textveil.privacy.guarantees import Guarantee, Status

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(time: datetime) -> int:
    """Since 1970."""
    return (time - _FIRST) // _MICROSECOND


def time_of(at: int) -> datetime:
    """The time of so many microseconds since 1970, UTC."""
    return _FIRST + at * _MICROSECOND


class CountedSums(NamedTuple):
    """What counts against a limit at one level, and so what the limit still pays for.

    Attributes:
        limit: what may be spent.
        epsilon: the sum of its period in units.
        delta: likewise.
        moment: what the period's draws cost by the rule of moments, in units, under a limit that asks for it.
    """

    limit: Limit
    epsilon: int
    delta: int
    moment: int

    def fits(self, charge: Charge) -> bool:
        """Whether one more release with this charge stays within the limit."""
        if self.delta + charge.delta > _delta_limit(self.limit):
            return False
        if self.epsilon + charge.epsilon <= units_within(self.limit.epsilon, EPSILON_UNIT):
            return True
        order = order_for(self.limit)
        return order is not None and self.moment + moments_of(charge.draws, order) <= order.allowance

    def affords(self, charge: Charge) -> int | None:
        """How many more releases with this charge stay within the limit, each by ``fits``; None where all do."""
        by_delta = _times(_delta_limit(self.limit) - self.delta, charge.delta)
        by_sum = _times(units_within(self.limit.epsilon, EPSILON_UNIT) - self.epsilon, charge.epsilon)
        order = order_for(self.limit)
        moments = 0 if order is None else _times(order.allowance - self.moment, moments_of(charge.draws, order))
        most = min(by_delta, max(by_sum, moments))
        return None if most == math.inf else int(most)


def _times(left: int, each: int) -> int | float:
    """How often something can be taken from what is left; never where more was taken than there was."""
    return 0 if left < 0 else left // each if each else math.inf


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
        period_moment: what the period's draws cost by the rule of moments, in units, under a limit that asks for it.
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
    period_moment: int = 0

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Standing:
        """The standing that a row says."""
        values = dict(row)
        data = values.pop("limit_data")
        for name in ("epsilon", "delta", "period_epsilon", "period_delta", "period_moment"):
            values[name] = int(values[name])
        return cls(limit=None if data is None else Limit.of_text(data), **values)

    def as_row(self) -> dict[str, Any]:
        """What is written of it."""
        return {
            "level": self.level,
            "tenant": self.tenant,
            "scope": self.scope,
            "limit_data": None if self.limit is None else canonical(self.limit.to_data()),
            "releases": self.releases,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "status": self.status,
            "last_at": self.last_at,
            "basis": self.basis,
            "period_start": self.period_start,
            "period_epsilon": str(self.period_epsilon),
            "period_delta": str(self.period_delta),
            "period_moment": str(self.period_moment),
        }

    def begins(self, limit: Limit, now: int) -> tuple[str, int]:
        """What sums are counted for under a limit, and since when; a clock that goes back renews nothing."""
        order = order_for(limit)
        basis = canonical([limit.composition, limit.period, None if order is None else order.value])
        start = limit.period_start(time_of(max(now, self.last_at)))
        return basis, 0 if start is None else microseconds(start)

    def is_counted(self, limit: Limit, now: int) -> bool:
        """Whether the sums of the period are those of the limit, now."""
        return (self.basis, self.period_start) == self.begins(limit, now)

    def begin(self, limit: Limit, now: int) -> bool:
        """Begin the sums of the period anew; returns whether entries of the period may have been before."""
        self.basis, self.period_start = self.begins(limit, now)
        self.period_epsilon = self.period_delta = self.period_moment = 0
        return self.last_at > 0 and self.last_at >= self.period_start

    def count(self, limit: Limit, charge: Charge) -> None:
        """Add to the sums of the period, which are those of the limit."""
        self.period_epsilon += charge.epsilon
        self.period_delta += charge.delta
        order = order_for(limit)
        if order is not None:
            self.period_moment += moments_of(charge.draws, order)

    def add(self, charge: Charge, at: int, limit: Limit | None) -> None:
        """Add one release to the sums since ever, and to those of the period, which are those of the limit."""
        self.releases += 1
        self.epsilon += charge.epsilon
        self.delta += charge.delta
        self.status = worse(self.status, charge.status)
        self.last_at = max(self.last_at, at)  # a database may read entries in any order
        if limit is not None:
            self.count(limit, charge)
        else:
            self.basis = ""  # no limit counts it

    def take_back(self, charge: Charge) -> None:
        """Take one release, which was never drawn, from the sums; those of the period are counted again.

        The status stays: it may be worse than that of the others, never better.
        """
        self.releases -= 1
        self.epsilon -= charge.epsilon
        self.delta -= charge.delta
        self.basis = ""

    def admits(self, limit: Limit, charge: Charge) -> bool:
        """Whether one more release stays within the limit; what costs nothing always does."""
        return (charge.epsilon == 0 and charge.delta == 0) or self.counted(limit).fits(charge)

    def affords(self, limit: Limit, charge: Charge) -> int | None:
        """How many more releases with this charge stay within the limit; None where nothing limits them."""
        return self.counted(limit).affords(charge)

    def counted(self, limit: Limit) -> CountedSums:
        """The sums as they are now, which are those of the limit."""
        return CountedSums(limit, self.period_epsilon, self.period_delta, self.period_moment)

    def remaining(self, limit: Limit) -> Remaining:
        """What one more draw may cost, rounded down."""
        epsilon = epsilon_down(units_within(limit.epsilon, EPSILON_UNIT) - self.period_epsilon)
        order = order_for(limit)
        if order is not None:
            epsilon = max(epsilon, one_more(order.allowance - self.period_moment, order))
        return Remaining(epsilon, delta_down(_delta_limit(limit) - self.period_delta))

    def spent(self, limit: Limit | None) -> Guarantee:
        """What counts against the limit; under optimal composition what would hold if this were the end."""
        if limit is None:
            return guarantee_of(self.epsilon, self.delta, self.status)
        epsilon, delta, order = self.period_epsilon, self.period_delta, order_for(limit)
        if order is not None and order.offset + self.period_moment < epsilon:
            epsilon = order.offset + self.period_moment
            delta += units_within(limit.delta, DELTA_UNIT) - _delta_limit(limit)
        return guarantee_of(epsilon, delta, self.status)


def order_for(limit: Limit) -> Order | None:
    """The order of a limit that asks for optimal composition; None of the others."""
    return order_of(limit.epsilon, limit.delta, limit.draw_delta) if limit.composition == "optimal" else None


def _delta_limit(limit: Limit) -> int:
    """What the deltas of draws may add up to, in units: what the limit leaves them where moments need the other."""
    if limit.draw_delta is not None:
        return units_within(limit.draw_delta, DELTA_UNIT)
    whole = units_within(limit.delta, DELTA_UNIT)
    return whole // 2 if limit.composition == "optimal" else whole
