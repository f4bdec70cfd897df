"""What ``textveil risk`` measured of a release, as the page to file quotes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, final

from textveil.errors import ParameterError


class Attack(NamedTuple):
    """How often an attacker named the right person.

    Attributes:
        top1: share of records named at the first try.
        top5: share of records among the first five.
        low: lower end of the interval of ``top1``; None where there were too few records.
        high: upper end.
    """

    attacker: str
    against: str
    top1: float
    top5: float
    low: float | None
    high: float | None


@final
class MeasuredRisk(NamedTuple):
    """The part of a risk report that a page quotes.

    Attributes:
        kept: shares of words that stayed, by what is counted.
        unique: share of records that quasi-identifiers make unique; None where it was not measured.
    """

    attacks: tuple[Attack, ...]
    kept: Mapping[str, float]
    unique: float | None


def read_risk(path: Path) -> MeasuredRisk:
    """The measured risk in the ``risk.json`` that ``textveil risk`` wrote.

    Raises:
        ParameterError: it cannot be read, or holds no linkage.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _fault(f"a JSON file that can be read; got: {why}") from None
    try:
        attacks = tuple(_attack(one) for one in data["linkage"])
        kept = data["kept"] if isinstance(data["kept"], Mapping) else {"words": data["kept"]}
        measured = MeasuredRisk(
            attacks, {str(name): _share(share) for name, share in kept.items()}, _unique(data.get("unique"))
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault("a report with the keys linkage and kept; this file is none") from None
    if not attacks:
        raise _fault("a report with at least one attack; got none")
    return measured


def _attack(data: Mapping[str, Any]) -> Attack:
    low, high = (None if data[end] is None else _share(data[end]) for end in ("low", "high"))
    return Attack(str(data["attacker"]), str(data["against"]), _share(data["top1"]), _share(data["top5"]), low, high)


def _unique(data: Any) -> float | None:
    share = data.get("share") if isinstance(data, Mapping) else data
    return None if share is None else _share(share)


def _share(value: Any) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError
    return share


def _fault(what: str) -> ParameterError:
    error = ParameterError(f"risk must be {what}. Give the risk.json that `textveil risk` wrote.")
    error.parameter = "risk"
    return error
