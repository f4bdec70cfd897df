"""The report of a run as Markdown, beside its figures."""

from collections.abc import Sequence

from textveil_lab.papers import report
from textveil_lab.papers.registry import Item
from textveil_lab.papers.report import StudyRun
from textveil_lab.papers.setting import ItemOutcome


def to_markdown(run: StudyRun) -> str:
    """The report as Markdown, figures by their files' names."""
    lines = [f"# {run.paper.title}", "", f"{run.paper.citation}.", "", run.paper.sources, ""]
    lines += [f"**{report.STAMP}** {report.conditions(run)}", ""]
    lines += ["## In short", "", *_table(*report.in_short(run)), ""]
    if count := report.counted(run):
        lines += [count, ""]
    lines += ["## What was read", "", run.setting.origin, "", *_table(*report.inputs(run)), ""]
    for note in filter(None, (report.corpora(run), *run.paper.notes)):
        lines += [note, ""]
    for item, outcome in run.results:
        lines += _section(run, item, outcome)
    return "\n".join(lines).rstrip() + "\n"


def _section(run: StudyRun, item: Item, outcome: ItemOutcome) -> list[str]:
    """One item: what it shows, settings, figures, comparisons, findings, numbers."""
    lines = [f"## {item.name}: {item.title}", "", f"*{report.basis(item, outcome)}.* {item.about}", ""]
    if outcome.judgment is not None:
        lines += [outcome.judgment.why, ""]
    head, rows = report.settings(run, item, outcome)
    if rows:
        lines += [*_table(head, rows), ""]
    for file in report.images(run, item):
        lines += [f"![{item.title}]({file})", ""]
    if outcome.comparisons:
        lines += [*_table(*report.compared(outcome)), ""]
    lines += [*(f"- {finding}" for finding in outcome.findings), ""]
    for key, table in outcome.tables.items():
        if len(table.rows) <= report.LONGEST and not outcome.charts:
            lines += [table.to_markdown(), ""]
        lines += [f"Numbers: {', '.join(report.of_table(run, item, key))}.", ""]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
