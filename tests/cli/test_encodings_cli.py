"""Inputs in other encodings than UTF-8: named, or refused with what they look like."""

import csv
import io
import json
import sys

import pytest

from textveil.cli import main as cli

ROWS = [["name", "text"], ["Müller", "the café is good, said Mr. Müller."], ["Núñez", "José Núñez called."]]


@pytest.fixture
def textveil(capsysbinary, monkeypatch):
    """The command in this process."""

    def run(*arguments: object) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run


def _excel(encoding: str, delimiter: str = ";") -> bytes:
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator="\r\n").writerows(ROWS)
    return table.getvalue().encode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "UTF-8"])
@pytest.mark.parametrize("delimiter", [";", ","])
def test_a_table_of_excel_is_read(textveil, tmp_path, encoding: str, delimiter: str) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(_excel(encoding, delimiter))
    told = ("--encoding", encoding, "--delimiter", delimiter, "--keep", "name", "-p", "prompts", "-o", out)
    code, _, err = textveil("sanitize", source, *told)
    assert code == 0, err
    rows = list(csv.reader(io.StringIO(out.read_bytes().decode("utf-8"), newline=""), delimiter=delimiter))
    assert [row[0] for row in rows] == ["name", "Müller", "Núñez"]
    assert rows[1][1].startswith("the café is good")
    assert "Müller" not in rows[1][1] and "Núñez" not in rows[2][1]


@pytest.mark.parametrize("form", ["txt", "jsonl", "json"])
def test_other_text_is_read(textveil, tmp_path, form: str) -> None:
    source, out = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    record = json.dumps({"text": "the café is good"}, ensure_ascii=False)
    written = {"txt": "the café is good\n", "jsonl": record + "\n", "json": f"[{record}]"}[form]
    source.write_bytes(written.encode("cp1252"))
    code, _, err = textveil("sanitize", source, "--encoding", "cp1252", "-p", "prompts", "-o", out)
    assert code == 0, err
    assert "the café is good" in out.read_text(encoding="utf-8")


def test_what_an_encoding_looks_like_is_told(textveil, tmp_path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(_excel("cp1252", ","))
    code, out, err = textveil("sanitize", source, "-p", "prompts")
    assert (code, out) == (1, b"")
    assert "It looks like Windows-1252, as Excel writes it: give --encoding cp1252." in err


@pytest.mark.parametrize("name", ["klingon", "base64", "unicode_escape", "utf-7", "a b", ""])
def test_no_other_name_is_taken(textveil, tmp_path, name: str) -> None:
    source = tmp_path / "in.txt"
    source.write_text("one\n")
    code, _, err = textveil("sanitize", source, "--encoding", name)
    assert code == 2 and "--encoding must be one of text, such as cp1252" in err and "Traceback" not in err


def test_what_is_not_in_the_encoding_is_refused(textveil, tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(b"one \x81 two\n")
    code, out, err = textveil("sanitize", source, "--encoding", "cp1252", "-p", "prompts")
    assert (code, out) == (1, b"")
    assert "the input must be cp1252, as --encoding says; a byte of it is not." in err
