"""Accounts that pay for a release: their limits, and when these are renewed."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from textveil.errors import need
from textveil.json_text import json_data


@dataclass(frozen=True, slots=True)
class Account:
    """A tenant, a person of a tenant, or an API key of one; None means all of them.

    Names are private: they are not in the representation, and a ledger keeps only keyed digests of them. Raises
    ParameterError: a name is empty, no str, or not in Unicode's composed form (NFC): two spellings of one name would be
    two accounts.
    """

    tenant: str = field(repr=False)  # an organization, or the owner of the ledger
    # the person whose texts are released, by a name that is unique within the tenant
    unit: str | None = field(default=None, repr=False)
    key: str | None = field(default=None, repr=False)  # the name of an API key of the tenant

    def __post_init__(self) -> None:
        for name, value in (("tenant", self.tenant), ("unit", self.unit), ("key", self.key)):
            if not (value is None and name != "tenant") and not (isinstance(value, str) and value):
                got = "an empty one" if value == "" else type(value).__name__
                need(False, name, got, "a name of at least one character")
            composed = value is None or unicodedata.is_normalized("NFC", value)
            need(composed, name, "another spelling", "in Unicode's composed form (NFC)", "Normalize it.")

    @property
    def scope(self) -> str:
        """The account's kind, in words."""
        if self.unit is not None:
            return "person" if self.key is None else "person by this key"
        return "tenant" if self.key is None else "key"


Composition: TypeAlias = Literal["sum", "optimal", "gaussian"]
Period: TypeAlias = Literal["day", "week", "month"]


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that an account may spend. Raises ParameterError: one of them is outside."""

    epsilon: float  # nats, finite and >= 0
    delta: float = 0.0  # in [0, 1)
    # how costs add up; all ways hold even if earlier outputs choose later releases. "sum" adds epsilons and deltas.
    # "optimal" admits more draws of a small epsilon, by moments (``charge.Order``) or by the sum, whichever admits
    # more; it keeps a part of delta for that, and leaves ``draw_delta`` to the draws. "gaussian" does the same for
    # Gaussian noise, by the squares of sensitivity / sigma (``charge.gaussian_allowance``).
    composition: Composition = "sum"
    # None: for ever; else the limit is renewed every day, week (from Monday) or month of the calendar, in UTC. That is
    # a policy and no guarantee: the promise over all time is the sum over the periods.
    period: Period | None = None
    # under "optimal" and "gaussian", the part of delta that the deltas of draws (of Gaussian noise: failures beside it)
    # may add up to: >= 0 and below delta. 0 is for draws without, and admits most of them. None is half of delta.
    draw_delta: float | None = None
    # under "gaussian", the part of epsilon for draws that are not known to be Gaussian: >= 0 and below epsilon
    pure_epsilon: float = 0.0

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(0 <= self.delta < 1, "delta", self.delta, "in [0, 1)")
        ways = ("sum", "optimal", "gaussian")
        need(self.composition in ways, "composition", self.composition, '"sum", "optimal" or "gaussian"')
        keeps = self.composition != "sum"
        need(not keeps or self.delta > 0, "delta", self.delta, f"> 0 for {self.composition} composition")
        need(
            self.draw_delta is None or (keeps and 0 <= self.draw_delta < self.delta),
            "draw_delta",
            self.draw_delta,
            ">= 0 and below delta, with optimal or gaussian composition",
        )
        need(
            self.pure_epsilon == 0 or (self.composition == "gaussian" and 0 <= self.pure_epsilon < self.epsilon),
            "pure_epsilon",
            self.pure_epsilon,
            ">= 0 and below epsilon, with gaussian composition",
        )
        need(self.period in (None, "day", "week", "month"), "period", self.period, 'None, "day", "week" or "month"')

    def period_start(self, now: datetime) -> datetime | None:
        """Return when the period that holds ``now`` began; None without one."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if self.period == "week":
            return day - timedelta(days=day.weekday())
        if self.period == "month":
            return day.replace(day=1)
        return day if self.period == "day" else None

    def period_end(self, now: datetime) -> datetime | None:
        """Return when the next period begins; None without one."""
        if (start := self.period_start(now)) is None:
            return None
        days = {"day": 1, "week": 7}.get(str(self.period))
        # Any day of the next month, back to its first.
        return start + timedelta(days=days) if days else (start + timedelta(days=32)).replace(day=1)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data, without what limits that were set before do not have."""
        usual = (("draw_delta", None), ("pure_epsilon", 0.0))
        return {name: value for name, value in asdict(self).items() if (name, value) not in usual}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Limit:
        return cls(**data)

    @classmethod
    def of_text(cls, text: str) -> Limit:
        """Return the limit of ``to_data`` as JSON text."""
        return cls.of_data(json_data(text))
