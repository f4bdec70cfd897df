"""Counts of an audit of a gateway, with exact bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from textveil.statistics import Bound, clopper_pearson

CONFIDENCE: Final = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """How often an event happened in one setting.

    Args:
        family: its table.
        name: the setting.
        event: "leaked", "restored", "crossed", "told" or "marked".
        trials: independent draws of a value, each sent.
        count: trials with the event.
        refused: trials that the gateway refused.
        kinds: of the values of ``count``.
        replay: script that repeats the first of them; empty if there is none.
    """

    family: str
    name: str
    event: str
    trials: int
    count: int
    refused: int = 0
    kinds: tuple[str, ...] = ()
    replay: str = ""

    @property
    def bound(self) -> Bound | None:
        """Share with its Clopper-Pearson interval at 99 %; None if there were no trials."""
        return clopper_pearson(self.count, self.trials, CONFIDENCE) if self.trials else None

    @property
    def failed(self) -> bool:
        """Whether it speaks against the gateway: a leak, a crossing, a value not restored, a guess told surely."""
        if self.event == "restored":
            return self.count < self.trials
        if self.event == "marked":  # it shows that something was hidden, but not its value
            return False
        if self.event == "told":  # a coin tells half of the guesses
            return self.bound is not None and self.bound.lower > 0.5
        return self.count > 0

    def to_data(self) -> dict[str, Any]:
        bound = self.bound
        return {
            "family": self.family,
            "setting": self.name,
            "event": self.event,
            "trials": self.trials,
            "count": self.count,
            "refused": self.refused,
            "kinds": list(self.kinds),
            "bound": None if bound is None else [bound.lower, bound.upper],
            "failed": self.failed,
            "replay": self.replay or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayAudit:
    """All figures of one gateway.

    Args:
        name: of the gateway, with its version.
        api: "chat" or "messages".
        figures: in the order of the attacks.
        kinds: kinds that it hides in a plain sentence; all other attacks plant only these.
        seed: of the values.
        claims: of its makers, with their source; empty if unknown.
    """

    name: str
    api: str
    figures: tuple[Figure, ...]
    kinds: tuple[str, ...]
    seed: int
    claims: str = ""

    def of(self, *families: str) -> tuple[Figure, ...]:
        """Return the figures of some families."""
        return tuple(figure for figure in self.figures if figure.family in families)

    @property
    def failures(self) -> tuple[Figure, ...]:
        return tuple(figure for figure in self.figures if figure.failed)

    def to_data(self) -> dict[str, Any]:
        return {
            "gateway": self.name,
            "claims": self.claims or None,
            "api": self.api,
            "kinds": list(self.kinds),
            "seed": self.seed,
            "confidence": CONFIDENCE,
            "failures": len(self.failures),
            "figures": [figure.to_data() for figure in self.figures],
        }


def pooled(figures: Sequence[Figure]) -> Figure | None:
    """Return several settings as one figure over all trials; None if there are no settings."""
    if not figures:
        return None
    first = figures[0]
    return Figure(
        family=first.family,
        name=f"{len(figures)} settings",
        event=first.event,
        trials=sum(figure.trials for figure in figures),
        count=sum(figure.count for figure in figures),
        refused=sum(figure.refused for figure in figures),
    )
