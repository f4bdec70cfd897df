"""What is left of a budget, for whoever asks."""

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from textveil.budget.charge import Charge
from textveil.budget.limit import Limit
from textveil.budget.standing import CountedSums, Standing, time_of
from textveil.privacy.accountant import Accountant, Remaining
from textveil.privacy.guarantees import Guarantee


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
        counted: what counts against the limit of each level that has one.
    """

    scope: str
    limit: Limit | None
    spent: Guarantee
    remaining: Remaining | None
    reserved: Guarantee | None
    period_end: datetime | None
    lifetime: Guarantee
    releases: int
    counted: tuple[CountedSums, ...] = field(default=(), repr=False, compare=False)

    def affords(self, cost: Accountant) -> int | None:
        """How many more releases of this cost all levels can pay, one after another; None where nothing limits them.

        Nothing is asked of the database: it is what could be paid when the balance was taken.

        Raises:
            UnsupportedGuarantee: a draw promises nothing.
        """
        charge = Charge.of(cost)
        left = [sums.affords(charge) for sums in self.counted]
        return min((times for times in left if times is not None), default=None)

    def tightness(self) -> tuple[float, float]:
        """The less is left, the smaller."""
        return (math.inf, math.inf) if self.remaining is None else (self.remaining.epsilon, self.remaining.delta)

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "scope": self.scope,
            "limit": None if self.limit is None else self.limit.to_data(),
            "spent": _amounts(self.spent),
            "remaining": None if self.remaining is None else self.remaining._asdict(),
            "reserved": None if self.reserved is None else _amounts(self.reserved),
            "period_end": None if self.period_end is None else self.period_end.isoformat(),
            "lifetime": _amounts(self.lifetime),
            "releases": self.releases,
        }


def _amounts(guarantee: Guarantee) -> dict[str, Any]:
    data = guarantee.to_data()
    return {"epsilon": data["epsilon"], "delta": data["delta"], "status": data["status"]}


def balance_of(standing: Standing, limit: Limit | None, now: int, counted: tuple[CountedSums, ...]) -> Balance:
    """The balance of one account; its sums are counted for the limit.

    Args:
        standing: of the account at one level.
        limit: of that level.
        now: microseconds since 1970.
        counted: the sums of all levels that have a limit.
    """
    return Balance(
        scope=standing.scope,
        limit=limit,
        spent=standing.spent(limit),
        remaining=None if limit is None else standing.remaining(limit),
        reserved=None,
        period_end=None if limit is None else limit.period_end(time_of(max(now, standing.last_at))),
        lifetime=standing.spent(None),
        releases=standing.releases,
        counted=counted,
    )
