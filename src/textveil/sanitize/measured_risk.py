"""Measured risk of a release, and measured recall of a detection, as reports quote them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from textveil.errors import ParameterError
from textveil.json_text import json_file

_RISK: Final = ("risk", "Give the risk.json that `textveil risk` wrote.")
_RECALL: Final = ("detection_report", "Measure the policy itself: `textveil detect` evaluates one.")
"""What is read, and what to do where it cannot be."""

_BOUND: Final = ("lower", "estimate", "upper", "confidence")


class Attack(NamedTuple):
    """Success of an attacker at naming the right person."""

    attacker: str
    against: str
    top1: float  # share of records named at the first try
    top5: float  # share of records among the first five
    low: float | None  # lower end of the interval of `top1`; None where there were too few records
    high: float | None  # upper end


class MeasuredRisk(NamedTuple):
    """Part of a risk report that a page quotes."""

    attacks: tuple[Attack, ...]
    kept: Mapping[str, float]  # shares of words that stayed, by what is counted
    unique: float | None  # share of records that quasi-identifiers make unique; None where it was not measured


def read_risk(path: Path) -> MeasuredRisk:
    """Read the ``risk.json`` that ``textveil risk`` wrote.

    Raises:
        ParameterError: it cannot be read, or holds no linkage.
    """
    data = _json(path, _RISK)
    try:
        attacks = tuple(_attack(attack) for attack in data["linkage"])
        kept = data["kept"] if isinstance(data["kept"], Mapping) else {"words": data["kept"]}
        measured = MeasuredRisk(
            attacks, {str(name): _share(share) for name, share in kept.items()}, _unique(data.get("unique"))
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault(_RISK, "a report with the keys linkage and kept; this file is none") from None
    if not attacks:
        raise _fault(_RISK, "a report with at least one attack; got none")
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


def read_recall(path: Path) -> dict[str, Any]:
    """Read the recall in a file that an evaluation of detectors wrote as JSON.

    Raises:
        ParameterError: it cannot be read, or says no recall by kind.
    """
    return recall_of(_json(path, _RECALL))


def recall_of(data: Any) -> dict[str, Any]:
    """Return what a report may hold: the corpus, the policy and, by kind, the recall with its interval.

    Raises:
        ParameterError: ``data`` says no recall by kind, or not of which policy.
    """
    try:
        measured = {
            str(kind): scores["recall"] for kind, scores in data["kinds"].items() if scores["recall"] is not None
        }
        kinds = {kind: {"recall": _bound(recall)} for kind, recall in measured.items()}
        corpus, detector, policy = str(data["corpus"]), str(data.get("detector", "")), data.get("policy")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault(_RECALL, "an evaluation with the recall of each kind; this one is none") from None
    if not isinstance(policy, Mapping) or not all(isinstance(policy.get(key), str) for key in ("name", "digest")):
        raise _fault(_RECALL, "of the policy of the release; got one of no policy")
    bound = {"name": policy["name"], "digest": policy["digest"]}
    return {"corpus": corpus, "detector": detector, "policy": bound, "kinds": kinds}


def check_recall(recall: Mapping[str, Any] | None, digest: str | None) -> None:
    """Refuse a recall of another policy than a release's: other detectors, lists or scores find less or more.

    Args:
        recall: as ``recall_of`` has it; None is fine.
        digest: of the policy of the release; None where it has none.

    Raises:
        ParameterError: it is another's, or of none.
    """
    if recall is None:
        return
    measured = recall.get("policy") or {}
    if digest is None or measured.get("digest") != digest:
        got = "one where there is no policy" if digest is None else "one of another"
        raise _fault(_RECALL, f"of the policy of the release, by its digest; got {got}")


def _bound(interval: Mapping[str, Any]) -> dict[str, float]:
    bound = {end: float(interval[end]) for end in _BOUND}
    if not 0 <= bound["lower"] <= bound["estimate"] <= bound["upper"] <= 1:
        raise ValueError
    return bound


def _json(path: Path, source: tuple[str, str]) -> Any:
    try:
        return json_file(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _fault(source, f"a JSON file that can be read; got: {why}") from None


def _fault(source: tuple[str, str], what: str) -> ParameterError:
    parameter, hint = source
    error = ParameterError(f"{parameter} must be {what}. {hint}")
    error.parameter = parameter
    return error
