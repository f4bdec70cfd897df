"""The report of a run as one HTML file with its figures and numbers in it: whoever has the file has the report."""

from __future__ import annotations

from pathlib import Path

from textveil.pages.html import data_address, html_figure, html_table, is_prose, page_head, safe
from textveil.pages.tables import Table, shown
from textveil_studies.papers import report
from textveil_studies.papers.registry import Item
from textveil_studies.papers.report import StudyRun
from textveil_studies.papers.setting import ItemOutcome


def to_html(run: StudyRun, folder: Path) -> str:
    """The report as one page; it asks nothing of the network and of no other file.

    Args:
        run: what was measured.
        folder: where the files of its items lie.
    """
    paper = run.paper
    parts = [
        page_head(paper.title),
        f"<h1>{safe(paper.title)}</h1><p>{safe(paper.citation)}.</p><p>{safe(paper.sources)}</p>",
        f"<p><strong>{report.STAMP}</strong> {safe(report.conditions(run))}</p>",
    ]
    head, rows = report.in_short(run)
    links = [f"#{item.name}" for item, _ in run.results]
    parts += [
        "<h2>In short</h2>",
        f"<p>{safe(report.counted(run))}</p>",
        html_table(head, rows, stacked=True, links=links),
    ]
    parts += ["<h2>What was read</h2>", f"<p>{safe(run.setting.origin)}</p>", html_table(*report.inputs(run))]
    parts += [f"<p>{safe(note)}</p>" for note in filter(None, (report.corpora(run), *paper.notes))]
    for item, outcome in run.results:
        parts += _section(run, item, outcome, folder)
    return "\n".join([*parts, "</body></html>", ""])


def _section(run: StudyRun, item: Item, outcome: ItemOutcome, folder: Path) -> list[str]:
    """One item: what it shows, settings, figures, comparisons, findings, numbers."""
    parts = [f"<h2 id='{item.name}'>{safe(item.name)}: {safe(item.title)}</h2>"]
    parts.append(f"<p><span class='basis'>{safe(report.basis(item, outcome))}</span> {safe(item.about)}</p>")
    if outcome.judgment is not None:
        parts.append(f"<p>{safe(outcome.judgment.why)}</p>")
    head, rows = report.settings(run, item, outcome)
    if rows:
        is_open = " open" if len(rows) <= report.FEW else ""
        named = html_table(head, rows, stacked=True)
        parts.append(f"<details{is_open}><summary>Settings: {len(rows)}</summary>{named}</details>")
    if item.draws:
        parts += [html_figure(folder / file, item.title) for file in report.images(run, item)]
    if outcome.comparisons:
        parts.append(_comparisons(outcome))
    if outcome.findings:
        parts += ["<ul>", *(f"<li>{safe(finding)}</li>" for finding in outcome.findings), "</ul>"]
    for key, table in outcome.tables.items():
        shut = item.draws or len(table.rows) > report.SHORT
        parts.append(_numbers(table, report.of_table(run, item, key), folder, shut=shut))
    return parts


def _comparisons(outcome: ItemOutcome) -> str:
    """The paper's numbers beside ours, folded where they are many."""
    table = html_table(*report.compared(outcome), stacked=True)
    count = len(outcome.comparisons)
    if count <= report.AT_ONCE:
        return table
    return f"<details><summary>The paper's numbers beside ours: {count} of them</summary>{table}</details>"


def _numbers(table: Table, files: list[str], folder: Path, *, shut: bool) -> str:
    """The first rows of a table, and all of them as a file that the page holds."""
    rows = [[shown(cell) for cell in row] for row in table.rows[: report.LONGEST]]
    more = "" if len(table.rows) <= report.LONGEST else f"<p>The first {report.LONGEST} of {len(table.rows)} rows.</p>"
    held = ", ".join(
        f"<a download='{file}' href='{data_address(folder / file)}'>{file}</a>"
        for file in files
        if file.endswith(".csv")
    )
    is_open = "" if shut else " open"
    body = html_table(table.columns, rows, stacked=is_prose(rows))
    return f"<details{is_open}><summary>Numbers: {held}</summary>{body}{more}</details>"
