"""Inputs in other encodings than UTF-8: named, or refused with what they look like."""

import csv
import gzip
import io
import json

import pytest

ROWS = [["name", "text"], ["Müller", "the café is good, said Mr. Müller."], ["Núñez", "José Núñez called."]]


def _excel(encoding: str, delimiter: str = ";") -> bytes:
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator="\r\n").writerows(ROWS)
    return table.getvalue().encode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "UTF-8"])
@pytest.mark.parametrize("delimiter", [";", ","])
def test_a_table_of_excel_is_read(command, tmp_path, encoding: str, delimiter: str) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(_excel(encoding, delimiter))
    told = ("--encoding", encoding, "--delimiter", delimiter, "--keep", "name", "-p", "prompts", "-o", out)
    code, _, err = command("sanitize", source, *told)
    assert code == 0, err
    rows = list(csv.reader(io.StringIO(out.read_bytes().decode("utf-8-sig"), newline=""), delimiter=delimiter))
    assert [row[0] for row in rows] == ["name", "Müller", "Núñez"]
    assert rows[1][1].startswith("the café is good")
    assert "Müller" not in rows[1][1] and "Núñez" not in rows[2][1]


@pytest.mark.parametrize("form", ["txt", "jsonl", "json"])
def test_other_text_is_read(command, tmp_path, form: str) -> None:
    source, out = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    record = json.dumps({"text": "the café is good"}, ensure_ascii=False)
    written = {"txt": "the café is good\n", "jsonl": record + "\n", "json": f"[{record}]"}[form]
    source.write_bytes(written.encode("cp1252"))
    code, _, err = command("sanitize", source, "--encoding", "cp1252", "-p", "prompts", "-o", out)
    assert code == 0, err
    assert "the café is good" in out.read_text(encoding="utf-8")


def test_what_an_encoding_looks_like_is_told(command, tmp_path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(_excel("cp1252", ","))
    code, out, err = command("sanitize", source, "-p", "prompts")
    assert (code, out) == (1, b"")
    assert "It looks like Windows-1252, as Excel writes it: give --encoding cp1252." in err


@pytest.mark.parametrize("name", ["klingon", "base64", "unicode_escape", "utf-7", "a b", ""])
def test_no_other_name_is_taken(command, tmp_path, name: str) -> None:
    source = tmp_path / "in.txt"
    source.write_text("one\n")
    code, _, err = command("sanitize", source, "--encoding", name)
    assert code == 2 and "--encoding must be one of text, such as cp1252" in err and "Traceback" not in err


def test_what_is_not_in_the_encoding_is_refused(command, tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(b"one \x81 two\n")
    code, out, err = command("sanitize", source, "--encoding", "cp1252", "-p", "prompts")
    assert (code, out) == (1, b"")
    assert "the input must be cp1252, as --encoding says; a byte of it is not." in err


TEXT = "the café is good, said Mr. Müller."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be-marked"])
@pytest.mark.parametrize("told", [(), ("--encoding", "cp1252")])
def test_a_byte_order_mark_tells_the_encoding(command, tmp_path, encoding: str, told: tuple[str, ...]) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    marked = f"\ufeff{TEXT}".encode("utf-16-be") if encoding.endswith("marked") else TEXT.encode(encoding)
    source.write_bytes(marked)
    code, _, err = command("sanitize", source, *told, "-p", "prompts", "-o", out)
    assert code == 0, err
    assert out.read_text(encoding="utf-8").startswith("the café is good, said Mr. ")


@pytest.mark.parametrize(
    ("raw", "told", "wanted"),
    [
        (TEXT.encode("utf-16-le"), (), "it looks like UTF-16: give --encoding utf-16-le."),
        (TEXT.encode("utf-16-be"), (), "it looks like UTF-16: give --encoding utf-16-be."),
        (TEXT.encode(), ("--encoding", "cp1252"), "it is UTF-8. Leave --encoding out."),
        (TEXT.encode(), ("--encoding", "latin-1"), "it is UTF-8. Leave --encoding out."),
        (b"a\0b", (), "got a NUL character"),
    ],
)
def test_an_encoding_that_is_another_is_refused_in_a_line(command, tmp_path, raw, told, wanted: str) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(raw)
    code, out, err = command("sanitize", source, *told, "-p", "prompts")
    assert (code, out, err.count("\n")) == (1, b"", 1) and wanted in err


@pytest.mark.parametrize("raw", [b"plain words", b"caf\xe9", b"\xe9t\xe9 caf\xe9", "Ã".encode("cp1252")])
def test_windows_1252_that_is_no_utf_8_is_read(command, tmp_path, raw: bytes) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(raw)
    code, out, err = command("sanitize", source, "--encoding", "cp1252", "-p", "prompts")
    assert (code, out.decode()) == (0, raw.decode("cp1252")), err


EXCEL = 'Nr;Wert;text\r\n7;1,50;Herr Müller kam.\r\n8;2,25;"Er kam; nicht."\r\n'


@pytest.mark.parametrize("start", ["", "sep=;\r\n", "SEP=;\n", '"sep=;"\r\n'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_table_of_excel_needs_no_options(command, tmp_path, start: str, encoding: str, ending: str) -> None:
    source, out = tmp_path / f"in{ending}", tmp_path / "out.csv"
    raw = (start + EXCEL).encode(encoding)
    source.write_bytes(gzip.compress(raw) if ending.endswith("gz") else raw)
    code, _, err = command("sanitize", source, "--keep", "Nr", "--keep", "Wert", "-p", "prompts", "-o", out)
    assert code == 0, err
    released = out.read_bytes()
    assert released.startswith("\ufeff".encode()) == (encoding == "utf-8-sig")  # without it Excel reads Windows-1252
    rows = list(csv.reader(io.StringIO(released.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert [row[:2] for row in rows] == [["Nr", "Wert"], ["7", "1,50"], ["8", "2,25"]]
    assert rows[2][2] == "Er kam; nicht." and "Müller" not in rows[1][2]


def test_faults_behind_the_line_of_excel_have_the_numbers_of_their_records(command, tmp_path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b"sep=;\r\nNr;text\r\n1;one\r\n2;two;three\r\n")
    code, _, err = command("sanitize", source, "-p", "prompts")
    assert code == 1 and "record 2 must have 2 columns; got 3." in err


@pytest.mark.parametrize(
    ("raw", "told", "wanted"),
    [
        (b"sep=;\nNr;text\n1;one\n", ("--delimiter", "|"), "the first line says sep=;: give --delimiter ';'."),
        (b"sep=;\n", (), "the header row must name the column 'text' once; it does not."),
        (b"Nr;note\n1;one\n", (), "Columns are separated by commas; 1 were found."),
    ],
)
def test_a_table_that_tells_no_columns_is_refused(command, tmp_path, raw: bytes, told, wanted: str) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(raw)
    code, out, err = command("sanitize", source, *told, "-p", "prompts")
    assert (code, out) == (1, b"") and wanted in err


def test_a_release_is_reviewed_beside_originals_in_their_encoding(command, tmp_path) -> None:
    """The command of the summary: the release is UTF-8, whatever its originals are."""
    source, out, page = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "review.html"
    source.write_bytes(_excel("cp1252"))
    told = ("--encoding", "cp1252", "-p", "prompts")
    assert command("sanitize", source, *told, "-o", out)[0] == 0
    code, _, err = command("review", out, "--original", source, *told, "-o", page)
    assert code == 0, err
    assert "Ã" not in page.read_text(encoding="utf-8")


def test_a_release_is_attacked_beside_originals_in_their_encoding(command, tmp_path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(_excel("cp1252"))
    told = ("--delimiter", ";", "--encoding", "cp1252")
    assert command("sanitize", source, "-p", "prompts", "-o", out, *told)[0] == 0
    code, shown, err = command("risk", out, "--original", source, *told)
    assert code == 0 and shown.startswith(b"2 of 2 records attacked"), err
    code, _, err = command("risk", out, "--original", source, "--delimiter", ";")
    assert code == 1 and "It looks like Windows-1252" in err


def test_a_corpus_of_excel_in_a_folder_is_counted(command, tmp_path) -> None:
    """Each of 200 persons wrote "café" in one of two files: one of them alone would have half."""
    folder = tmp_path / "in"
    (folder / "more").mkdir(parents=True)
    for name, start in (("a.csv", 0), ("more/b.csv", 100)):
        rows = "".join(f"{start + row};the café is good\r\n" for row in range(100))
        (folder / name).write_bytes(f"who;text\r\n{rows}".encode("cp1252"))
    options = ("--unit", "who", "--epsilon", "50", "--delta", "1e-6", "--seed", "1")
    code, out, err = command("count", folder, *options, "--encoding", "cp1252")
    assert code == 0, err
    counts = {row["item"]: float(row["count"]) for row in csv.DictReader(io.StringIO(out.decode()))}
    assert counts["good"] > 150
    code, _, err = command("count", folder, *options)
    assert (code, "give --encoding cp1252" in err) == (1, True)
