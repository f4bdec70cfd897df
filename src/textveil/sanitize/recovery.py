"""Share of public texts that a decoder recovered, measured beforehand, which reports quote for a setting.

Every number is looked up by public facts alone, never computed from a text that is to be protected. The table is made
by ``tools/build_recovery.py``; an audit with a reference text measures settings that are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from textveil.json_text import json_file

TABLE: Final = Path(__file__).resolve().parent / "data" / "recovery.json"
"""Shares by setting and epsilon, with what they were measured on."""

COMPARED: Final = ("base_weights", "prior", "context")
"""Parameters of a mechanism that tell its rows from others', beside epsilon."""

TUNED: Final = ("alpha", "base_mass", "context_weight", "neighborhood_size")
"""Parameters that follow from epsilon unless a user names them; nothing was measured of such a setting."""


def quoted_recovery(
    mechanism: str, parameters: Mapping[str, Any], vocabulary: str, epsilon: float
) -> dict[str, Any] | None:
    """Return what was measured for a setting at the smallest stored epsilon not below its own; None: nothing.

    Between two stored epsilons the setting must be tuned as one of them is.

    Args:
        vocabulary: digest of its public words and vectors.
        epsilon: nats of one word.
    """
    table = stored_table()
    if not table or vocabulary != table["vocabulary"]:
        return None
    asked = {name: parameters.get(name) for name in COMPARED}
    fits = [row for row in table["rows"] if row["mechanism"] == mechanism and row["parameters"] == asked]
    above = [row for row in fits if row["epsilon"] >= epsilon - 1e-9]
    if not above:
        return None
    row = min(above, key=lambda fit: float(fit["epsilon"]))
    below = [fit for fit in fits if fit["epsilon"] <= epsilon + 1e-9]
    near = [row, *([max(below, key=lambda fit: float(fit["epsilon"]))] if below else [])]
    if {name: parameters.get(name) for name in TUNED} not in [fit["tuned"] for fit in near]:
        return None
    return {"epsilon": row["epsilon"], "model": table["model"], "texts": row["texts"]}


def recovery_lines(quoted: Mapping[str, Any] | None) -> list[str]:
    """Return the quotation for a reader; empty if nothing was measured."""
    if quoted is None:
        return []
    shares = []
    for place, name in enumerate(("words", "content words", "names")):
        estimates = [measured["kinds"][place]["in_context"]["estimate"] for measured in quoted["texts"].values()]
        low, high = (round(100 * end) for end in (min(estimates), max(estimates)))
        shares.append(f"{low} % of {name}" if low == high else f"{low} to {high} % of {name}")
    return [f"recovery    at epsilon {quoted['epsilon']:g} a decoder named {', '.join(shares)} of public texts"]


@cache
def stored_table() -> dict[str, Any]:
    """Read the table that comes with the package."""
    if not TABLE.is_file():  # while the table itself is built
        return {}
    data: dict[str, Any] = json_file(TABLE)
    return data
