"""Table of the field as Markdown, CSV, JSON and one HTML page that loads nothing from the network."""

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from textveil.errors import OutputError
from textveil.json_text import json_text
from textveil.pages import rendering as parts
from textveil.whole_files import write_whole
from textveil_lab.audit.field.field_audit import FieldTable
from textveil_lab.audit.field.rows import FieldRow, witness_text
from textveil_lab.tables import Table

HEAD = ("library or paper", "part", "claim", "verdict", "claimed and found", "witness", "what mending costs")
CONTESTED = "Refuted under a contested reading"  # Title of the rows that are counted apart
STEM = "field"  # Of the files' names

_JUDGED = (
    "A claim is refuted where what was computed exceeds it by more than the error of the computation, or what was "
    "drawn does so at 99.9 % confidence. Formulas of public code were read there and derived again; none of that code "
    "was run but that of packages that are installed."
)


def in_short(table: FieldTable) -> str:
    """Return a summary of the rows in one sentence."""
    stand = sum(row.finding is not None and not row.refuted for row in table.rows)
    idle = sum(row.finding is None for row in table.rows)
    left = f" {idle} could not be run here." if idle else ""
    refuted, works, contested = len(table.violations), len(table.works), len(table.contested)
    more = f"{contested} more under a contested reading, " if contested else ""
    return (
        f"{refuted} {_plural('claim', refuted)} of {works} {_plural('library or paper', works)} refuted, "
        f"{more}{stand} {_plural('claim', stand)} not refuted.{left}"
    )


def _plural(noun: str, count: int) -> str:
    many = {"library or paper": "libraries and papers"}.get(noun, f"{noun}s")
    return noun if count == 1 else many


def _cells(row: FieldRow) -> tuple[str, ...]:
    witness = witness_text(row.finding)
    return (row.about.work, row.about.part, row.about.claim, row.verdict, row.found, witness, row.mended)


def plain_table(table: FieldTable) -> Table:
    """Return a table with a line for each row: all that is known of it except the whole finding."""
    columns = ("name", *HEAD, "why", "reading", "source", "basis", "instead", "repeat")
    rows = []
    for row in table.rows:
        about = row.about
        facts = (about.why, about.reading, about.source, about.basis.value, about.instead, row.repeat)
        rows.append((row.name, *_cells(row), *facts))
    return Table(columns=columns, rows=tuple(rows))


def to_markdown(table: FieldTable) -> str:
    """Return the table for a page of docs: refuted claims first, then those that stand."""
    lines = [in_short(table), ""]
    for title, rows in _parts(table):
        last = "the reading, and why it is contested" if title == CONTESTED else "what mending costs"
        head = ("name", "library or paper", "part", "claim", "claimed and found", "why", last)
        cells = tuple(
            # witnesses are long
            (f"`{row.name}`", *_cells(row)[:3], row.found, row.about.why, _last_cell(row, title))
            for row in rows
        )
        lines += [f"### {title}", "", Table(columns=head, rows=cells).to_markdown(), ""]
    return "\n".join(lines)


def _last_cell(row: FieldRow, title: str) -> str:
    return row.about.reading if title == CONTESTED else row.mended or "-"


def to_html(table: FieldTable) -> str:
    """Return an HTML page: the summary, then every row with its witness, its source and the command that repeats it."""
    return parts.results_page("Claims of the field, put to the test", _page_parts(table))


def _page_parts(table: FieldTable) -> Iterator[Markup]:
    yield parts.text(in_short(table))
    yield parts.text(_JUDGED)
    yield from (parts.text(f"Not installed: {package}") for package in table.missing)
    for title, rows in _parts(table):
        yield parts.heading(title)
        cells = [(_title(row), _cells(row)[2], *_cells(row)[4:]) for row in rows]
        links = [f"#{row.name}" for row in rows]
        yield parts.table(("whose", HEAD[2], *HEAD[4:]), cells, stacked=True, links=links)
    yield parts.heading("Each claim")
    for row in table.rows:
        details = parts.heading(_title(row), 3) + parts.facts(_details(row))
        yield Markup("<section id='{}'>{}</section>").format(row.name, details)


def _title(row: FieldRow) -> str:
    return f"{row.about.work}: {row.about.part}"


def _details(row: FieldRow) -> list[tuple[str, str]]:
    facts = {
        "Claim": row.about.claim,
        "Verdict": row.verdict,
        "Claimed and found": row.found,
        "Why": row.about.why,
        "The reading, and why it is contested": row.about.reading,
        "Witness": witness_text(row.finding),
        "Method": "" if row.finding is None else row.finding.method,
        "What mending costs": row.mended,
        "The mended form": "" if row.repaired is None else row.repaired.value,
        "In the catalog": row.about.instead,
        "Source": row.about.source,
        "Basis": row.about.basis.value,
        "Repeat with": row.repeat,
        "Note": row.note,
    }
    return [(key, value) for key, value in facts.items() if value]


def _parts(table: FieldTable) -> list[tuple[str, list[FieldRow]]]:
    groups = {
        "Refuted": [row for row in table.rows if row.refuted and not row.contested],
        CONTESTED: [row for row in table.rows if row.refuted and row.contested],
        "Not refuted": [row for row in table.rows if row.finding is not None and not row.refuted],
        "Not run here": [row for row in table.rows if row.finding is None],
    }
    return [(title, rows) for title, rows in groups.items() if rows]


def save_field(table: FieldTable, folder: Path) -> list[Path]:
    """Write ``field.md``, ``field.csv``, ``field.json`` and ``field.html`` into ``folder``, which is made if missing.

    Raises:
        OutputError: the folder cannot be made or written.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"`output` must be a folder, in one that exists; got {reason}. Name another.") from None
    texts = {
        "md": to_markdown(table),
        "csv": plain_table(table).to_csv(),
        "json": json_text(table.to_data()),
        "html": to_html(table),
    }
    return [write_whole(folder / f"{STEM}.{end}", text.encode("utf-8")) for end, text in texts.items()]
