"""The standing of an account: the sums of its entries, the rest of its limit, and what was reserved.

What a limit admits is proved in privacy/proofs/ledger.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from textveil.budget import charge as charges
from textveil.budget.account import Account, Limit
from textveil.budget.charge import order_of
from textveil.privacy.accountant import Accountant, Remaining
from textveil.privacy.guarantees import Guarantee, Status

_SUMS = ("epsilon", "delta", "period_epsilon", "period_delta", "period_moment")  # stored as text: they have no bound
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(time: datetime) -> int:
    """Return the time since 1970."""
    return (time - _FIRST) // _MICROSECOND


def time_of(at: int) -> datetime:
    """Return the time of so many microseconds since 1970, UTC."""
    return _FIRST + at * _MICROSECOND


class Costs(NamedTuple):
    """Amounts in units, as a limit's composition counts them."""

    epsilon: int  # by "gaussian" of draws alone that are not known to be Gaussian
    delta: int
    moment: int  # by "optimal" of the rule of moments, by "gaussian" the squares of mu


def costs_of(charge: charges.Charge, limit: Limit) -> Costs:
    """Return what a charge costs under a limit."""
    if limit.composition == "gaussian":
        return Costs(*charges.gaussian_sums(charge.draws))
    order = order_for(limit)
    return Costs(charge.epsilon, charge.delta, 0 if order is None else charges.moments_of(charge.draws, order))


def allowances(limit: Limit) -> Costs:
    """Return what may be spent under a limit; a moment of -1 admits nothing."""
    delta = _delta_limit(limit)
    if limit.composition == "gaussian":
        moment = charges.gaussian_allowance(limit.epsilon, limit.pure_epsilon, _kept_delta(limit))
        return Costs(charges.units_within(limit.pure_epsilon, charges.EPSILON_UNIT), delta, moment)
    order = order_for(limit)
    return Costs(
        charges.units_within(limit.epsilon, charges.EPSILON_UNIT), delta, -1 if order is None else order.allowance
    )


class CountedSums(NamedTuple):
    """Sums in units that count against a limit at one level; ``moment`` is by the rule of its composition."""

    limit: Limit
    epsilon: int
    delta: int
    moment: int

    def fits(self, charge: charges.Charge) -> bool:
        """Tell whether one more release with this charge stays within the limit."""
        left, cost = self.left, costs_of(charge, self.limit)
        by_sum, by_moment = cost.epsilon <= left.epsilon, cost.moment <= left.moment
        enough = by_sum and by_moment if self.limit.composition == "gaussian" else by_sum or by_moment
        return cost.delta <= left.delta and enough

    @property
    def left(self) -> Costs:
        """The rest of each sum, in units; below 0 if more was taken than there was."""
        most = allowances(self.limit)
        return Costs(most.epsilon - self.epsilon, most.delta - self.delta, most.moment - self.moment)

    def affords(self, charge: charges.Charge) -> int | None:
        """Return how many more releases with this charge stay within the limit, each by ``fits``; None if all do."""
        by_sum, by_delta, by_moment = map(_times, self.left, costs_of(charge, self.limit))
        both = min if self.limit.composition == "gaussian" else max
        most = min(by_delta, both(by_sum, by_moment))
        return None if most == math.inf else int(most)


def _times(left: int, each: int) -> int | float:
    """Return how often something can be taken from the rest; never if more was taken than there was."""
    return 0 if left < 0 else left // each if each else math.inf


@dataclass(slots=True)
class Standing:
    """A row of the levels: changed in a transaction, and written at its end."""

    level: bytes  # the account's digest
    tenant: bytes  # its tenant's digest
    scope: str  # its kind, in words
    limit: Limit | None = None  # its own limit
    releases: int = 0  # how many reservations were charged to it
    epsilon: int = 0  # their sum in units, as ``delta``
    delta: int = 0
    status: str = Status.PROVED.value  # the worst of all draws
    last_at: int = 0  # when the last one was
    basis: str = ""  # the limit's terms under which the sums of the period were counted; empty if they were not
    period_start: int = 0  # since when they count; 0 is ever
    period_epsilon: int = 0  # the sum of the period in units, as ``period_delta``
    period_delta: int = 0
    period_moment: int = 0  # the cost of its draws by the rule of the limit's composition, in units

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Standing:
        """Return the standing of a row."""
        values: dict[str, Any] = {
            name: int(value) if name in _SUMS else value for name, value in row.items() if name != "limit_data"
        }
        data = row["limit_data"]
        return cls(limit=None if data is None else Limit.of_text(data), **values)

    def as_row(self) -> dict[str, Any]:
        """Return the row of the database."""
        row = {name: getattr(self, name) for name in self.__slots__ if name != "limit"}
        sums = {name: str(row[name]) for name in _SUMS}
        return {**row, **sums, "limit_data": None if self.limit is None else charges.canonical(self.limit.to_data())}

    def begins(self, limit: Limit, now: int) -> tuple[str, int]:
        """Return the terms and the start of a limit's period; a clock that goes back renews nothing."""
        order = order_for(limit)
        basis = charges.canonical([limit.composition, limit.period, None if order is None else order.value])
        start = limit.period_start(time_of(max(now, self.last_at)))
        return basis, 0 if start is None else microseconds(start)

    def is_counted(self, limit: Limit, now: int) -> bool:
        """Tell whether the sums of the period are those of the limit, now."""
        return (self.basis, self.period_start) == self.begins(limit, now)

    def begin(self, limit: Limit, now: int) -> bool:
        """Begin the sums of the period anew; return whether there may be entries of it already."""
        self.basis, self.period_start = self.begins(limit, now)
        self.period_epsilon = self.period_delta = self.period_moment = 0
        return self.releases > 0 and self.last_at >= self.period_start

    def count(self, limit: Limit, charge: charges.Charge) -> None:
        """Add to the sums of the period, which are those of the limit."""
        cost = costs_of(charge, limit)
        self.period_epsilon += cost.epsilon
        self.period_delta += cost.delta
        self.period_moment += cost.moment

    def add(self, charge: charges.Charge, at: int, limit: Limit | None) -> None:
        """Add one release to the sums since ever, and to those of the period, which are those of the limit."""
        self.releases += 1
        self.epsilon += charge.epsilon
        self.delta += charge.delta
        self.status = charges.worse(self.status, charge.status)
        self.last_at = max(self.last_at, at)  # a database may read entries in any order
        if limit is not None:
            self.count(limit, charge)
        else:
            self.basis = ""  # no limit counts it

    def take_back(self, charge: charges.Charge, at: int, limit: Limit | None) -> None:
        """Take one release, which was never drawn, from the sums, which are those of the limit.

        The status stays: it may be worse than that of the others, never better.
        """
        self.releases -= 1
        self.epsilon -= charge.epsilon
        self.delta -= charge.delta
        if limit is None:
            self.basis = ""
        elif at >= self.period_start:
            cost = costs_of(charge, limit)
            self.period_epsilon -= cost.epsilon
            self.period_delta -= cost.delta
            self.period_moment -= cost.moment

    def admits(self, limit: Limit, charge: charges.Charge) -> bool:
        """Tell whether one more release stays within the limit; a release that costs nothing always does."""
        return (charge.epsilon == 0 and charge.delta == 0) or self.counted(limit).fits(charge)

    def affords(self, limit: Limit, charge: charges.Charge) -> int | None:
        """Return how many more releases with this charge stay within the limit; None if nothing limits them."""
        return self.counted(limit).affords(charge)

    def counted(self, limit: Limit) -> CountedSums:
        """Return the sums as they are now, which are those of the limit."""
        return CountedSums(limit, self.period_epsilon, self.period_delta, self.period_moment)

    def remaining(self, limit: Limit) -> Remaining:
        """Return the most that one more draw may cost, rounded down."""
        left, order = self.counted(limit).left, order_for(limit)
        epsilon = charges.epsilon_down(left.epsilon)
        if order is not None:
            epsilon = max(epsilon, charges.one_more(left.moment, order))
        elif limit.composition == "gaussian":  # of Gaussian noise at the delta that is kept for it
            epsilon = max(epsilon, charges.epsilon_of_noise(left.moment, _kept_delta(limit)) * (1 - 2.0**-20))
        return Remaining(epsilon, charges.delta_down(left.delta))

    def spent(self, limit: Limit | None) -> Guarantee:
        """Return the guarantee that counts against the limit; under optimal composition as if this were the end."""
        if limit is None:
            return charges.guarantee_of(self.epsilon, self.delta, self.status)
        epsilon, delta, order = self.period_epsilon, self.period_delta, order_for(limit)
        kept = charges.units_within(limit.delta, charges.DELTA_UNIT) - _delta_limit(limit)
        if limit.composition == "gaussian" and self.period_moment:
            noise = charges.epsilon_of_noise(self.period_moment, _kept_delta(limit))
            epsilon, delta = epsilon + math.ceil(Fraction(noise) * charges.EPSILON_UNIT), delta + kept
            if min(self.counted(limit).left) >= 0:
                epsilon = min(epsilon, charges.units_within(limit.epsilon, charges.EPSILON_UNIT))
        if order is not None and order.offset + self.period_moment < epsilon:
            epsilon = order.offset + self.period_moment
            delta += kept
        return charges.guarantee_of(epsilon, delta, self.status)


def order_for(limit: Limit) -> charges.Order | None:
    """Return the order of a limit with optimal composition; None for the others."""
    return order_of(limit.epsilon, limit.delta, limit.draw_delta) if limit.composition == "optimal" else None


def _delta_limit(limit: Limit) -> int:
    """Return the most that deltas of draws may add up to, in units: moments may need the rest of delta."""
    if limit.draw_delta is not None:
        return charges.units_within(limit.draw_delta, charges.DELTA_UNIT)
    whole = charges.units_within(limit.delta, charges.DELTA_UNIT)
    return whole if limit.composition == "sum" else whole // 2


def _kept_delta(limit: Limit) -> float:
    """Return the rest of delta, rounded down."""
    rest = Fraction(limit.delta) / 2 if limit.draw_delta is None else Fraction(limit.delta) - Fraction(limit.draw_delta)
    return float(rest) * (1 - 2.0**-50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The standing of an account, at the one of its levels that leaves least."""

    scope: str  # whose budget it is: "person", "key", "tenant"
    limit: Limit | None  # the most that it may spend; None: no limit
    spent: Guarantee  # counts against the limit, of this period if there is one, else since ever; reserved amounts too
    remaining: Remaining | None  # the most that one more release may cost, rounded down; None without a limit
    # the part of ``spent`` that nobody has committed: under way, or lost in a crash; None if not asked for
    reserved: Guarantee | None
    period_end: datetime | None  # when the limit is renewed; None if never
    lifetime: Guarantee  # spent since ever, over all periods
    releases: int  # how many there were since ever
    # sums that count against the limit of each level that has one
    counted: tuple[CountedSums, ...] = field(default=(), repr=False, compare=False)

    def affords(self, cost: Accountant) -> int | None:
        """Return how many more releases of this cost all levels can pay, in turn; None if nothing limits them.

        The database is not asked again: it is what could be paid when the balance was taken.

        Raises UnsupportedGuarantee: a draw promises nothing.
        """
        charge = charges.Charge.of(cost)
        left = [sums.affords(charge) for sums in self.counted]
        return min((times for times in left if times is not None), default=None)

    def tightness(self) -> tuple[float, float]:
        """Return a key for sorting: the less is left, the smaller."""
        return (math.inf, math.inf) if self.remaining is None else (self.remaining.epsilon, self.remaining.delta)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data."""

        def amounts(guarantee: Guarantee) -> dict[str, Any]:
            data = guarantee.to_data()
            return {name: data[name] for name in ("epsilon", "delta", "status")}

        return {
            "scope": self.scope,
            "limit": None if self.limit is None else self.limit.to_data(),
            "spent": amounts(self.spent),
            "remaining": None if self.remaining is None else self.remaining._asdict(),
            "reserved": None if self.reserved is None else amounts(self.reserved),
            "period_end": None if self.period_end is None else self.period_end.isoformat(),
            "lifetime": amounts(self.lifetime),
            "releases": self.releases,
        }


class Charged(NamedTuple):
    """Where a release left those whom it was charged to. If records name them, it tells who is in the records."""

    accounts: int
    balance: Balance  # of the one that has least left, and among those without a limit spent most

    @classmethod
    def of(cls, balances: Sequence[Balance]) -> Charged:
        """Choose the balance."""
        least = min(balances, key=lambda each: (*each.tightness(), -each.spent.approximate().epsilon))
        return cls(len(balances), least)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data."""
        return {"accounts": self.accounts, **self.balance.to_data()}


def balance_of(standing: Standing, limit: Limit | None, now: int, counted: tuple[CountedSums, ...]) -> Balance:
    """Return the balance of an account at one level; ``counted`` has the sums of all levels that have a limit."""
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


@dataclass(frozen=True, slots=True)
class Reservation:
    """Budget that was taken; it is spent whether or not it is committed."""

    account: Account  # that pays
    number: int  # of its entry in the ledger, among those of the tenant
    charge: charges.Charge = field(repr=False)  # the amount taken
    balance: Balance = field(repr=False)  # after it

    @property
    def guarantee(self) -> Guarantee:
        """The amount taken, as the guarantee of the account."""
        return self.charge.guarantee
