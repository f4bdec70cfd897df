"""The written report of a run: the paper's numbers beside ours, as Markdown and as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from textveil.research.evaluation.pages import html_table, page_head, safe
from textveil.research.evaluation.tables import shown
from textveil.research.papers.registry import Basis, Item, Paper
from textveil.research.papers.setting import ItemOutcome, Sample, StudySetting

STAMP = "An experiment: draws repeat by their seed, so none of them may be released."

_LONGEST = 40
"""Rows of a table that the report shows; the files hold all."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyRun:
    """What was measured, under what, in which files.

    Attributes:
        paper: whose items they are.
        setting: of the run.
        results: items with their outcomes, in the paper's order.
        files: names of the files of each item, by its name.
        samples: what each item drew, by its name; empty where it draws no words.
        seconds: of each item, by its name.
        version: of textveil.
    """

    paper: Paper
    setting: StudySetting
    results: Sequence[tuple[Item, ItemOutcome]]
    files: Mapping[str, Sequence[str]]
    samples: Mapping[str, Sequence[Sample]]
    seconds: Mapping[str, float]
    version: str

    def facts(self) -> dict[str, Any]:
        """The run as JSON values: seed, vocabularies, items, findings and comparisons."""
        return {
            "paper": self.paper.name,
            "citation": self.paper.citation,
            "version": self.version,
            "for_release": False,
            "seed": self.setting.seed,
            "quick": self.setting.quick,
            "origin": self.setting.origin,
            "vocabularies": [
                {"name": one.name, "words": len(one), "dim": one.dim, "digest": one.digest}
                for one in self.setting.vocabularies
            ],
            "items": [
                {
                    "name": item.name,
                    "title": item.title,
                    "basis": item.basis.value,
                    "files": list(self.files[item.name]),
                    "samples": [sample._asdict() for sample in self.samples[item.name]],
                    "findings": list(outcome.findings),
                    "comparisons": [
                        {"what": one.what, "paper": one.paper, "ours": one.ours, "note": one.note}
                        for one in outcome.comparisons
                    ],
                }
                for item, outcome in self.results
            ],
        }


def to_markdown(run: StudyRun) -> str:
    """The report as Markdown, figures by their files' names."""
    lines = [f"# {run.paper.title}", "", f"{run.paper.citation}.", "", run.paper.sources, ""]
    lines += [f"**{STAMP}** {_conditions(run)}", ""]
    lines += [run.setting.origin, "", *_rows(*_vocabularies(run)), ""]
    for note in run.paper.notes:
        lines += [note, ""]
    for item, outcome in run.results:
        lines += [f"## {item.name}: {item.title}", "", f"*{_basis(item)}.* {_about(run, item)}", ""]
        for file in _images(run, item):
            lines += [f"![{item.title}]({file})", ""]
        if outcome.comparisons:
            lines += [*_rows(*_compared(outcome)), ""]
        lines += [*(f"- {finding}" for finding in outcome.findings), ""]
        for key, table in outcome.tables.items():
            if len(table.rows) <= _LONGEST and not outcome.charts:
                lines += [table.to_markdown(), ""]
            lines += [f"Numbers: {', '.join(_of_table(run, item, key))}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def to_html(run: StudyRun) -> str:
    """The report as one page beside its figures; it asks nothing of the network."""
    parts = [
        page_head(run.paper.title),
        f"<h1>{safe(run.paper.title)}</h1><p>{safe(run.paper.citation)}.</p><p>{safe(run.paper.sources)}</p>",
        f"<p><strong>{STAMP}</strong> {safe(_conditions(run))}</p>",
        f"<p>{safe(run.setting.origin)}</p>",
        html_table(*_vocabularies(run)),
        *(f"<p>{safe(note)}</p>" for note in run.paper.notes),
    ]
    for item, outcome in run.results:
        parts.append(f"<h2 id='{item.name}'>{safe(item.name)}: {safe(item.title)}</h2>")
        parts.append(f"<p><span class='basis'>{safe(_basis(item))}</span> {safe(_about(run, item))}</p>")
        parts += [
            f"<div class='wide'><a href='{file}'><img src='{file}' alt='{safe(item.title)}'></a></div>"
            for file in _images(run, item)
        ]
        if outcome.comparisons:
            parts.append(html_table(*_compared(outcome)))
        parts += ["<ul>", *(f"<li>{safe(finding)}</li>" for finding in outcome.findings), "</ul>"]
        for key, table in outcome.tables.items():
            links = ", ".join(f"<a href='{file}'>{file}</a>" for file in _of_table(run, item, key))
            body = html_table(table.columns, [[shown(cell) for cell in row] for row in table.rows[:_LONGEST]])
            more = "" if len(table.rows) <= _LONGEST else f"<p>The first {_LONGEST} of {len(table.rows)} rows.</p>"
            parts.append(f"<details><summary>Numbers: {links}</summary>{body}{more}</details>")
    return "\n".join([*parts, "</body></html>", ""])


def _basis(item: Item) -> str:
    return item.basis.value[0].upper() + item.basis.value[1:] if item.basis is not Basis.PAPER else "As in the paper"


def _conditions(run: StudyRun) -> str:
    quick = " A quick run: small samples and few points." if run.setting.quick else ""
    return f"Seed {run.setting.seed}, textveil {run.version}.{quick}"


def _about(run: StudyRun, item: Item) -> str:
    """What the paper shows there, and the words that this run drew for it."""
    drawn = "; ".join(f"{one.words:,} of the {one.of:,} words of {one.vocabulary}" for one in run.samples[item.name])
    return f"{item.about} Drawn here: {drawn}." if drawn else item.about


def _vocabularies(run: StudyRun) -> tuple[tuple[str, ...], list[list[str]]]:
    rows = [[one.name, f"{len(one):,}", f"{one.dim}", one.digest[:16]] for one in run.setting.vocabularies]
    return ("vocabulary", "words", "dimensions", "SHA-256 begins"), rows


def _compared(outcome: ItemOutcome) -> tuple[tuple[str, ...], list[list[str]]]:
    rows = [[one.what, one.paper, one.ours, one.note] for one in outcome.comparisons]
    return ("quantity", "the paper", "here", "why they may differ"), rows


def _images(run: StudyRun, item: Item) -> list[str]:
    return [file for file in run.files[item.name] if file.endswith(".svg")]


def _of_table(run: StudyRun, item: Item, key: str) -> list[str]:
    stem = f"{item.name}-{key}" if key else item.name
    return [file for file in run.files[item.name] if file in (f"{stem}.csv", f"{stem}.json")]


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
