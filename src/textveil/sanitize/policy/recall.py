"""What was measured of a detection on labelled text, as a report quotes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from textveil.errors import ParameterError

_BOUND: Final = ("lower", "estimate", "upper", "confidence")


def read_recall(path: Path) -> dict[str, Any]:
    """The measured recall in a file that an evaluation of detectors wrote as JSON.

    Raises:
        ParameterError: it cannot be read, or says no recall by kind.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _fault(f"a JSON file that can be read; got: {why}") from None
    return recall_of(data)


def recall_of(data: Any) -> dict[str, Any]:
    """The corpus, the detector and, by kind, the recall with its interval: what a report may hold, and nothing else.

    Raises:
        ParameterError: ``data`` says no recall by kind.
    """
    try:
        measured = {str(kind): found["recall"] for kind, found in data["kinds"].items() if found["recall"] is not None}
        kinds = {kind: {"recall": _bound(recall)} for kind, recall in measured.items()}
        return {"corpus": str(data["corpus"]), "detector": str(data.get("detector", "")), "kinds": kinds}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault("an evaluation with the recall of each kind; this one is none") from None


def _bound(found: Mapping[str, Any]) -> dict[str, float]:
    bound = {end: float(found[end]) for end in _BOUND}
    if not 0 <= bound["lower"] <= bound["estimate"] <= bound["upper"] <= 1:
        raise ValueError
    return bound


def _fault(what: str) -> ParameterError:
    error = ParameterError(f"detection_report must be {what}. Give the JSON of an evaluation on labelled text.")
    error.parameter = "detection_report"
    return error
