"""Tables beside figures, as CSV for people and as JSON for machines; and the folder that results go to."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from textveil.errors import ParameterError, need
from textveil.json_text import json_text
from textveil.whole_files import write_whole

Cell: TypeAlias = str | int | float | bool | None
DIGITS = 8  # significant digits that are kept: what lies beyond may differ from one machine's arithmetic to another's
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
"""How a cell begins that spreadsheets compute."""


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would compute has an apostrophe before it, numbers stay as they are.

    Labels, words and names of a released table are whatever somebody wrote, and who opens it trusts its maker.
    """
    lines = []
    for row in rows:
        out = io.StringIO()
        # With this line end the writer quotes fields that hold a lone carriage return, which would begin a row.
        cells = [f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell for cell in row]
        csv.writer(out, lineterminator="\r\n").writerow(cells)
        lines.append(out.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Named columns and rows of plain values, with the facts under which they were measured."""

    columns: tuple[str, ...]  # distinct names, units in them
    # one cell a column: text, numbers, truth values or None; numbers are rounded to ``DIGITS`` digits
    rows: tuple[tuple[Cell, ...], ...]
    # JSON values: seed, sample, vocabulary and the like
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        need(
            len(set(self.columns)) == len(self.columns) > 0, "columns", len(self.columns), "distinct names, one or more"
        )
        for row in self.rows:
            need(len(row) == len(self.columns), "row", f"{len(row)} cells", f"of {len(self.columns)} cells")
        object.__setattr__(self, "rows", tuple(tuple(_plain(cell) for cell in row) for row in self.rows))

    def to_csv(self) -> str:
        """Return the columns' names and one line a row; an empty cell for None."""
        return csv_text([self.columns, *self.rows])

    def to_data(self) -> dict[str, Any]:
        """Return facts, columns and rows."""
        return {"facts": dict(self.facts), "columns": self.columns, "rows": self.rows}

    def to_markdown(self) -> str:
        """Return the table as text, numbers to four digits."""
        lines = [self.columns, *(tuple(shown(cell) for cell in row) for row in self.rows)]
        rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
        return "\n".join([rows[0], "|" + "---|" * len(self.columns), *rows[1:]])


def shown(cell: Cell) -> str:
    """Return a cell as people read it: numbers to four significant digits, a dash for None."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4g}" if abs(cell) < 1e4 or not math.isfinite(cell) else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def save_table(table: Table, folder: Path, name: str) -> list[Path]:
    """Write ``name``.csv and ``name``.json into ``folder``."""
    return [
        write_whole(folder / f"{name}.csv", table.to_csv().encode("utf-8")),
        write_whole(folder / f"{name}.json", json_text(table.to_data(), indent=1, sort_keys=True).encode("utf-8")),
    ]


def _plain(cell: Any) -> Cell:
    value = cell.item() if hasattr(cell, "item") else cell
    need(value is None or isinstance(value, str | int | float), "cell", type(value).__name__, "text or a number")
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def results_folder(folder: Path, mark: str, *, mode: int = 0o777) -> Path:
    """Return a folder that results can be written to, made if it does not exist; to be called before long work.

    Refused is one with files, unless ``mark``, which every run writes, is among them. ``mode`` is before the umask.
    """
    try:
        folder.mkdir(mode=mode, exist_ok=True)
        names = [path.name for path in folder.iterdir()]
        left_by_kills = all(name.startswith(".") and ".textveil-" in name for name in names)
        foreign = not left_by_kills and not (folder / mark).is_file()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"`output` must be a folder that can be written, in one that exists; got {reason}. Name another."
        ) from None
    if foreign:
        raise ParameterError(
            "`output` must be a new folder, an empty one, or one of an earlier run; got one with other files. "
            "Name another."
        )
    return folder
