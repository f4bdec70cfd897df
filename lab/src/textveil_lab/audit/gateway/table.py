"""Table of several gateways for a page of docs, from stored audits."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from textveil_lab.audit.gateway.figures import Figure, GatewayAudit, pooled
from textveil_lab.audit.gateway.report import share
from textveil_lab.tables import Table

_BEGIN: Final = "<!-- table: python lab/benchmarks/gateways.py --page -->"
_END: Final = "<!-- end of the table -->"
_FAMILIES: Final = ("field", "route", "encoding", "transport", "cut", "language", "stress")
_OWN: Final = "textveil"


def read_audit(data: dict[str, Any]) -> GatewayAudit:
    """Return an audit from its JSON."""
    figures = tuple(
        Figure(
            family=one["family"],
            name=one["setting"],
            event=one["event"],
            trials=one["trials"],
            count=one["count"],
            refused=one["refused"],
            kinds=tuple(one["kinds"]),
        )
        for one in data["figures"]
    )
    return GatewayAudit(
        name=data["gateway"],
        api=data["api"],
        figures=figures,
        kinds=tuple(data["kinds"]),
        seed=data["seed"],
        claims=data["claims"] or "",
    )


def stored(folder: Path) -> list[GatewayAudit]:
    """Return the audits of a folder, ours first."""
    audits = [read_audit(json.loads(path.read_text("utf-8"))) for path in sorted(folder.glob("*.json"))]
    return sorted(audits, key=lambda audit: (not audit.name.startswith(_OWN), audit.name))


def tables(audits: Iterable[GatewayAudit]) -> str:
    """Return tables of what leaked, came back and was told, a row for each gateway; then each failure by name."""
    several = list(audits)
    leaks = Table(
        columns=("gateway", "hides in a plain sentence", *_FAMILIES), rows=tuple(_leaks(one) for one in several)
    )
    head = ("gateway", "restored: whole", "restored: streams", "restored: calls", "mixing", "detector broken",
            "guesses: elsewhere", "guesses: in an answer", "guesses: by a tool", "markers")  # fmt: skip
    others = Table(columns=head, rows=tuple(_others(one) for one in several))
    parts = [
        "### What reached the provider",
        "",
        leaks.to_markdown(),
        "",
        "### What came back, and what was told",
        "",
        others.to_markdown(),
    ]
    parts += ["", "### Where each fails", ""]
    for audit in several:
        parts += [f"**{audit.name}**. {audit.claims}", "", *_failures(audit), ""]
    return "\n".join(parts).rstrip()


def _leaks(audit: GatewayAudit) -> tuple[str, ...]:
    return (audit.name, ", ".join(audit.kinds) or "none", *(share(pooled(audit.of(family))) for family in _FAMILIES))


def _named(audit: GatewayAudit, family: str, *beginnings: str) -> str:
    return share(pooled([one for one in audit.of(family) if one.name.startswith(beginnings)]))


def _others(audit: GatewayAudit) -> tuple[str, ...]:
    return (
        audit.name,
        _named(audit, "restoration", "whole", "between", "within", "said"),
        _named(audit, "restoration", "stream"),
        _named(audit, "restoration", "call"),
        share(pooled(audit.of("mixing"))),
        share(pooled(audit.of("broken detector"))),
        _named(audit, "guesses", "in another", "in a conversation"),
        _named(audit, "guesses", "in an answer"),
        _named(audit, "guesses", "in the answer"),
        _named(audit, "guesses", "surrogates"),
    )


def _failures(audit: GatewayAudit) -> list[str]:
    families = dict.fromkeys(figure.family for figure in audit.failures if figure.family != "shape")
    lines = []
    for family in families:
        rows = [f"{one.name} {one.count}/{one.trials}" for one in audit.failures if one.family == family]
        lines.append(f"- {family}: {'; '.join(rows)}")
    return lines or ["- none"]


def page_with(page: str, audits: Iterable[GatewayAudit]) -> str:
    """Return the page with its table renewed."""
    head, _, rest = page.partition(_BEGIN)
    return f"{head}{_BEGIN}\n\n{tables(audits)}\n\n{_END}{rest.partition(_END)[2]}"
