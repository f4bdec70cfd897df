"""Audits of gateways as JSON, Markdown and one HTML page; replays as files."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from markupsafe import Markup

from textveil.errors import OutputError
from textveil.json_text import json_text
from textveil.pages import rendering as parts
from textveil.whole_files import write_whole
from textveil_lab.audit.gateway.figures import Figure, GatewayAudit
from textveil_lab.tables import Table

_TITLES: Final = {
    "shape": "Kinds in a plain sentence",
    "field": "Fields of a request",
    "route": "Other routes",
    "encoding": "Writings of a value",
    "transport": "Writings of a request",
    "cut": "Cut, glued and far away",
    "language": "Languages",
    "stress": "Long and broken requests",
    "broken detector": "When the detector is broken",
    "restoration": "Originals in replies",
    "mixing": "Values of others",
    "guesses": "A provider that tests guesses",
}
_EVENTS: Final = {
    "leaked": "values that reached the provider",
    "restored": "values that came back as the original",
    "crossed": "values that another read",
    "told": "guesses that were judged rightly; a coin judges half",
}
_HEAD: Final = ("setting", "share", "of", "at 99 %", "refused", "kinds", "verdict")
_MEANT: Final = (
    "Each trial draws a new value, of no real person, and sends it through the gateway to a provider on this machine, "
    "which remembers every byte. A value leaked if somebody who reads what came finds it, as it is or out of the usual "
    "encodings. Intervals are Clopper and Pearson's. All families but the first plant only kinds that the gateway "
    "hides in a plain sentence, so it is never blamed for what it does not look for. A refused request is no leak."
)


def share(figure: Figure | None) -> str:
    """Return a figure as ``count of trials [interval]``, with the number refused."""
    if figure is None or figure.bound is None:
        return "not tried"
    bound = figure.bound
    refused = f"; {figure.refused} refused" if figure.refused else ""
    return f"{figure.count} of {figure.trials} [{_percent(bound.lower)}, {_percent(bound.upper)}]{refused}"


def _percent(number: float) -> str:
    return f"{100 * number:.3g} %"


def in_short(audit: GatewayAudit) -> str:
    """Return a summary in one sentence."""
    leaks = [figure for figure in audit.figures if figure.event == "leaked" and figure.failed]
    others = len(audit.failures) - len(leaks)
    hides = ", ".join(audit.kinds) or "no kind"
    return (
        f"Of {len(audit.figures)} settings, values leak in {len(leaks)}, and {others} of replies, mixing and guesses "
        f"fail; hidden in a plain sentence: {hides}."
    )


def to_markdown(audit: GatewayAudit) -> str:
    """Return all figures as tables."""
    lines = [f"# {audit.name}", "", in_short(audit), ""]
    for title, figures in _families(audit):
        rows = tuple(_row(figure) for figure in figures)
        lines += [f"## {title}", "", Table(columns=_HEAD, rows=rows).to_markdown(), ""]
    return "\n".join(lines)


def to_html(audit: GatewayAudit) -> str:
    """Return an HTML page: the summary, every figure, and a script for each failure."""
    return parts.results_page(f"Gateway: {audit.name}", _page(audit))


def _page(audit: GatewayAudit) -> Iterator[Markup]:
    yield parts.text(in_short(audit))
    if audit.claims:
        yield parts.text(audit.claims, "Its makers say:")
    yield parts.text(_MEANT)
    for title, figures in _families(audit):
        yield parts.heading(title)
        yield parts.text(f"Counted: {_EVENTS[figures[0].event]}.")
        yield parts.table(_HEAD, [_row(figure) for figure in figures])
    replays = [figure for figure in audit.failures if figure.replay]
    if replays:
        yield parts.heading("Each failure again")
        yield parts.text("Each script needs Python alone. Start the gateway, but not this audit, and run it.")
        for figure in replays:
            yield parts.folded(f"{figure.family}: {figure.name}", Markup("<pre>{}</pre>").format(figure.replay))


def _families(audit: GatewayAudit) -> Iterator[tuple[str, tuple[Figure, ...]]]:
    for family, title in _TITLES.items():
        figures = audit.of(family)
        if figures:
            yield title, figures


def _row(figure: Figure) -> tuple[str, ...]:
    bound = figure.bound
    return (
        figure.name,
        "-" if bound is None else _percent(bound.estimate),
        str(figure.trials),
        "-" if bound is None else f"{_percent(bound.lower)} to {_percent(bound.upper)}",
        str(figure.refused or "-"),
        ", ".join(figure.kinds) or "-",
        _verdict(figure),
    )


def _verdict(figure: Figure) -> str:
    if figure.bound is None or figure.event == "marked":
        return "-"
    if not figure.failed:
        return "holds"
    return "goes on" if figure.family == "shape" else "fails"  # nobody says that every kind is found


def save_audit(audit: GatewayAudit, folder: Path) -> list[Path]:
    """Write ``gateway.json``, ``gateway.md``, ``gateway.html`` and ``replays/*.py`` into a folder, made if missing.

    Raises:
        OutputError: the folder cannot be made or written.
    """
    try:
        (folder / "replays").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"`output` must be a folder that can be made; got {reason}. Name another.") from None
    texts = {
        "gateway.json": json_text(audit.to_data()),
        "gateway.md": to_markdown(audit),
        "gateway.html": to_html(audit),
    }
    for figure in audit.failures:
        if figure.replay:
            stem = re.sub(r"\W+", "-", f"{figure.family} {figure.name}").strip("-").lower()
            texts[f"replays/{stem}.py"] = figure.replay
    return [write_whole(folder / name, text.encode("utf-8")) for name, text in texts.items()]
