"""Tables beside figures, as CSV for people and as JSON for machines."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from textveil.errors import need
from textveil.json_text import json_text
from textveil.whole_files import csv_text, write_whole

Cell: TypeAlias = str | int | float | bool | None
DIGITS = 8  # significant digits that are kept: further ones may differ between machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Named columns and rows of plain values, with the conditions of their measurement."""

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
        """Return the columns' names and a line for each row; None is an empty cell."""
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
    """Return a cell as text: numbers to four significant digits, a dash for None."""
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
