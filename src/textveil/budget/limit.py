"""What may be spent, and when it is renewed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from textveil.errors import need
from textveil.json_text import json_data

Composition: TypeAlias = Literal["sum", "optimal"]
Period: TypeAlias = Literal["day", "week", "month"]


@dataclass(frozen=True, slots=True)
class Limit:
    """What an account may spend.

    Attributes:
        epsilon: nats, finite and >= 0.
        delta: in [0, 1).
        composition: how costs add up. Either holds whatever later releases were chosen by. "sum" adds epsilons and
            deltas. "optimal" admits more draws of a small epsilon, by ``moments`` or by the sum, whichever is more; it
            keeps a part of delta for that, and leaves ``draw_delta`` to the draws.
        period: None is for ever; else the limit is renewed every day, week (from Monday) or month of the calendar, in
            UTC. That is a policy and no guarantee: what is promised over all time is the sum over the periods.
        draw_delta: of delta, under "optimal", what the deltas of draws may add up to: >= 0 and below delta. 0 is for
            pure draws alone, and admits most of them. None is half of delta.

    Raises:
        ParameterError: one of them is outside.
    """

    epsilon: float
    delta: float = 0.0
    composition: Composition = "sum"
    period: Period | None = None
    draw_delta: float | None = None

    def __post_init__(self) -> None:
        need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        need(0 <= self.delta < 1, "delta", self.delta, "in [0, 1)")
        need(self.composition in ("sum", "optimal"), "composition", self.composition, '"sum" or "optimal"')
        optimal = self.composition == "optimal"
        need(not optimal or self.delta > 0, "delta", self.delta, "> 0 for optimal composition")
        need(
            self.draw_delta is None or (optimal and 0 <= self.draw_delta < self.delta),
            "draw_delta",
            self.draw_delta,
            ">= 0 and below delta, with optimal composition",
        )
        need(self.period in (None, "day", "week", "month"), "period", self.period, 'None, "day", "week" or "month"')

    def period_start(self, now: datetime) -> datetime | None:
        """When the period that holds ``now`` began; None without one."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if self.period == "week":
            return day - timedelta(days=day.weekday())
        if self.period == "month":
            return day.replace(day=1)
        return day if self.period == "day" else None

    def period_end(self, now: datetime) -> datetime | None:
        """When the next period begins; None where there is none."""
        start = self.period_start(now)
        if start is None:
            return None
        days = {"day": 1, "week": 7}.get(str(self.period))
        # Any day of the next month, back to its first.
        return start + timedelta(days=days) if days else (start + timedelta(days=32)).replace(day=1)

    def to_data(self) -> dict[str, Any]:
        """JSON data; a ``draw_delta`` of None is left out, as in limits that were set before there was one."""
        return {name: value for name, value in asdict(self).items() if (name, value) != ("draw_delta", None)}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Limit:
        """The limit of ``to_data``."""
        return cls(**data)

    @classmethod
    def of_text(cls, text: str) -> Limit:
        """The limit of ``to_data`` as JSON text."""
        return cls.of_data(json_data(text))
