"""The report of a run as one HTML file with its figures and numbers in it: whoever has the file has the report."""

from pathlib import Path

from textveil.pages.rendering import rendered
from textveil.pages.tables import Table, shown
from textveil_lab.papers import report
from textveil_lab.papers.report import StudyRun


def to_html(run: StudyRun, folder: Path) -> str:
    """The report as one page; it asks nothing of the network and of no other file.

    Args:
        run: what was measured.
        folder: where the files of its items lie.
    """
    links = [f"#{item.name}" for item, _ in run.results]
    return rendered(
        "study.html", title=run.paper.title, run=run, report=report, folder=folder, links=links, rows_of=_first_rows
    )


def _first_rows(table: Table) -> list[list[str]]:
    return [[shown(cell) for cell in row] for row in table.rows[: report.LONGEST]]
