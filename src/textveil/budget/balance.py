"""What is left of a budget, for whoever asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, final

from textveil.budget.charge import guarantee_of
from textveil.budget.limit import Limit
from textveil.budget.standing import Standing, time_of
from textveil.privacy.accountant import Remaining
from textveil.privacy.guarantees import Guarantee


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Where an account stands, at the one of its levels that leaves least.

    Attributes:
        scope: whose budget it is: "person", "key", "tenant".
        limit: what it may spend; None is no limit.
        spent: what counts against the limit: of this period where there is one, else since ever; reserved amounts too.
        remaining: what one more release may cost, rounded down; None where there is no limit.
        reserved: the part of ``spent`` that nobody has committed: under way, or lost in a crash; None where it was not
            asked for.
        period_end: when the limit is renewed; None where it never is.
        lifetime: what was spent since ever, over all periods.
        releases: how many there were since ever.
    """

    scope: str
    limit: Limit | None
    spent: Guarantee
    remaining: Remaining | None
    reserved: Guarantee | None
    period_end: datetime | None
    lifetime: Guarantee
    releases: int

    def tightness(self) -> tuple[float, float]:
        """The less is left, the smaller."""
        return (math.inf, math.inf) if self.remaining is None else (self.remaining.epsilon, self.remaining.delta)

    def as_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "scope": self.scope,
            "limit": None if self.limit is None else self.limit.as_data(),
            "spent": _amounts(self.spent),
            "remaining": None if self.remaining is None else self.remaining._asdict(),
            "reserved": None if self.reserved is None else _amounts(self.reserved),
            "period_end": None if self.period_end is None else self.period_end.isoformat(),
            "lifetime": _amounts(self.lifetime),
            "releases": self.releases,
        }


def _amounts(guarantee: Guarantee) -> dict[str, Any]:
    data = guarantee.as_data()
    return {"epsilon": data["epsilon"], "delta": data["delta"], "status": data["status"]}


def balance_of(standing: Standing, limit: Limit | None, now: int, reserved: tuple[int, int] | None = None) -> Balance:
    """The balance of one account; its sums are counted for the limit."""
    return Balance(
        scope=standing.scope,
        limit=limit,
        spent=standing.spent(limit),
        remaining=None if limit is None else standing.remaining(limit),
        reserved=None if reserved is None else guarantee_of(*reserved, standing.status),
        period_end=None if limit is None else limit.period_end(time_of(max(now, standing.last_at))),
        lifetime=standing.spent(None),
        releases=standing.releases,
    )
