"""``textveil check-tables``: shipped tables and reports, by the checker that stands apart."""

import json
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

import textveil as tv
from textveil_lab.audit import tables


@pytest.fixture
def check_tables(command, monkeypatch):
    """The command, whether or not the installed lab was built before it had it; one epsilon of words."""
    point = EntryPoint("check-tables", "textveil_lab.commands.check_tables:app", "textveil.commands")
    others = [one for one in entry_points(group="textveil.commands") if one.name != point.name]
    monkeypatch.setattr("textveil.cli.main.entry_points", lambda group: [*others, point])
    monkeypatch.setattr(tables.write_statements, "__defaults__", ((14.0,),))
    return lambda *arguments: command("check-tables", *arguments)


def _report(path: Path) -> Path:
    report = tv.Sanitizer("clinical")("Seen 12/05/2020, age 47.").report()
    path.write_text(report.to_json(), encoding="utf-8")
    return path


def test_shipped_tables_and_a_report_follow_and_are_kept(check_tables, tmp_path: Path) -> None:
    code, out, _ = check_tables(_report(tmp_path / "r.json"), "-o", tmp_path / "tables.json")
    lines = out.decode().splitlines()
    assert code == 0
    assert all(line.startswith("follows: ") for line in lines) and len(lines) > 400
    assert lines[-1] == "follows: r.json: 3-DP by report; the draws add up to 3 of 3"
    assert json.loads((tmp_path / "tables.json").read_text(encoding="utf-8"))["type"] == "textveil-integers-1"


def test_a_report_whose_sum_was_lowered_is_exit_code_4(check_tables, tmp_path: Path) -> None:
    path = _report(tmp_path / "r.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"epsilon": 3.0', '"epsilon": 2.0'), encoding="utf-8")
    code, out, _ = check_tables(path)
    assert code == 4
    assert "DOES NOT FOLLOW: r.json: the draws add up to 3, and less is stated" in out.decode()
