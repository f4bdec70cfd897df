"""Tables: plain values, rounded, the same in CSV, JSON and Markdown; files whole or absent."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import textveil
from textveil.errors import OutputError, ParameterError
from textveil.json_text import json_text
from textveil.whole_files import csv_text, write_whole
from textveil_lab.tables import Table, save_table, shown


def made(**facts: object) -> Table:
    rows = (("a, b", np.int64(3), np.float64(1) / 3, None), ("c", 4, math.inf, True))
    return Table(columns=("name", "count", "share", "rest"), rows=rows, facts=facts)


def test_cells_become_plain_and_rounded() -> None:
    first, second = made().rows
    assert first == ("a, b", 3, 0.33333333, None)
    assert type(first[1]) is int
    assert type(first[2]) is float
    assert second == ("c", 4, math.inf, True)


def test_csv_reads_back() -> None:
    rows = list(csv.reader(io.StringIO(made().to_csv())))
    assert rows == [["name", "count", "share", "rest"], ["a, b", "3", "0.33333333", ""], ["c", "4", "inf", "True"]]


def test_json_is_strict_and_keeps_the_facts() -> None:
    whole = json.loads(
        json_text(made(seed=7, nested={"far": math.nan}).to_data()), parse_constant=lambda name: pytest.fail(name)
    )
    assert whole["facts"] == {"seed": 7, "nested": {"far": None}}
    assert whole["rows"][1] == ["c", 4, None, True]


def test_markdown_has_a_row_a_line_and_escapes_bars() -> None:
    lines = Table(columns=("||w||",), rows=(("x|y",), (12345.6,))).to_markdown().splitlines()
    assert lines == ["| \\|\\|w\\|\\| |", "|---|", "| x\\|y |", "| 12,346 |"]


@pytest.mark.parametrize(
    ("cell", "text"), [(None, "-"), (True, "yes"), (1234, "1,234"), (0.123456, "0.1235"), (math.inf, "inf"), ("a", "a")]
)
def test_shown(cell: object, text: str) -> None:
    assert shown(cell) == text


@pytest.mark.parametrize(
    ("columns", "rows"), [((), ()), (("a", "a"), ()), (("a", "b"), ((1,),)), (("a",), (([1],),)), (("a",), ((1j,),))]
)
def test_bad_tables_are_refused(columns: tuple, rows: tuple) -> None:
    with pytest.raises(ParameterError):
        Table(columns=columns, rows=rows)


def test_files_are_whole_or_absent(tmp_path, monkeypatch) -> None:
    paths = save_table(made(), tmp_path, "numbers")
    assert [path.name for path in paths] == ["numbers.csv", "numbers.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["numbers.csv", "numbers.json"]
    with pytest.raises(OutputError):
        write_whole(tmp_path / "missing" / "file", b"x")

    def fails(self: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.raises(OutputError, match="No space left"):
        write_whole(tmp_path / "numbers.csv", b"half")
    monkeypatch.undo()
    assert (tmp_path / "numbers.csv").read_text() == made().to_csv()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "=a\r=1"])
def test_no_spreadsheet_computes_a_text(text: str) -> None:
    (row,) = csv.reader(io.StringIO(csv_text([[text, -1, -2.5, "a=b"]]), newline=""))
    assert row == [f"'{text}", "-1", "-2.5", "a=b"]
    assert f"'{text}" in next(csv.reader(io.StringIO(Table(columns=(text,), rows=()).to_csv(), newline="")))


def test_every_table_is_written_by_one_function() -> None:
    package = Path(textveil.__file__).parent
    writers = [path for path in sorted(package.rglob("*.py")) if "csv.writer(" in path.read_text(encoding="utf-8")]
    # Of a corpus every cell is the user's own, and comes back as it was.
    assert [path.relative_to(package).as_posix() for path in writers] == [
        "corpora/formats/csv_table.py",
        "whole_files.py",
    ]
