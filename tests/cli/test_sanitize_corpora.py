"""``textveil sanitize`` on corpora: several inputs, compression, faults by number."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.deadly import SLOW, make_searches_slow
from tests.helpers.records import SECRET, lines, shape


@pytest.mark.slow
def test_several_inputs_by_pattern_in_order_whatever_their_compression(textveil, tmp_path) -> None:
    (tmp_path / "b.txt").write_text(lines(2, 3).rstrip())  # no line end before the next input
    (tmp_path / "a.txt").write_text(lines(3))
    (tmp_path / "c.txt").write_bytes(gzip.compress(lines(4, 5).encode()))
    report = tmp_path / "r.json"
    code, out, err = textveil(f"{tmp_path}/*.txt", "--report", report)
    assert code == 0, err
    assert shape(out) == shape(lines(9).encode())
    assert json.loads(report.read_text())["documents"] == 9
    code, out, _ = textveil(tmp_path / "b.txt", "-", stdin=lines(1).encode())
    assert shape(out) == [*shape(lines(2, 3).encode()), 1]


def test_inputs_of_several_formats_need_to_be_told(textveil, tmp_path) -> None:
    (tmp_path / "a.txt").write_text(lines(1))
    (tmp_path / "b.jsonl").write_text("{}")
    code, _, err = textveil(tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert code == 2
    assert "--format must be one for all inputs; their endings say jsonl, txt" in err


def test_outputs_are_compressed_by_their_ending(textveil, tmp_path) -> None:
    source, out = tmp_path / "in.txt.gz", tmp_path / "out.txt.gz"
    source.write_bytes(gzip.compress(lines(50).encode()))
    code, _, err = textveil(source, "-o", out)
    assert code == 0, err
    raw = out.read_bytes()
    assert shape(gzip.decompress(raw)) == shape(lines(50).encode())
    assert raw[4:8] == bytes(4), "a time stands in the output"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt.gz", "out.txt.gz"]


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_mixed_encodings(textveil, tmp_path, on_error: str) -> None:
    raw = lines(3).encode() + SECRET.encode() + b"\xe9\n" + lines(2, 3).encode() + "\ufeff".encode("utf-16") + b"\n"
    source, report = tmp_path / "in.txt", tmp_path / "r.json"
    source.write_bytes(raw)
    sender = tmp_path / "s.json"
    code, out, err = textveil(source, "--on-error", on_error, "--report", report, "--sender-report", sender)
    assert code == 1
    if on_error == "stop":
        assert out == b""
        assert err.startswith("textveil: line 4 must be UTF-8; byte 11")
        assert not report.exists() and not sender.exists()
        return
    assert shape(out) == shape(lines(5).encode())
    assert [line for line in err.splitlines() if line.startswith("skipped")] == [
        "skipped: line 4 must be UTF-8; byte 11 of it is not. It looks like Windows-1252, as Excel "
        "writes it: give --encoding cp1252.",
        "skipped: line 7 must be UTF-8; byte 1 of it is not. It looks like Windows-1252, as Excel "
        "writes it: give --encoding cp1252.",
    ]
    assert "skipped" not in report.read_text()
    skipped = json.loads(sender.read_text())["skipped"]
    assert skipped["count"] == 2
    assert (skipped["first"][0]["source"], skipped["first"][0]["first"], skipped["first"][0]["last"]) == (1, 4, 4)


@pytest.mark.slow
def test_a_truncated_gzip_loses_only_what_is_missing(textveil, tmp_path) -> None:
    whole, cut = tmp_path / "b.txt", tmp_path / "a.txt"
    whole.write_text(lines(4))
    # Not compressed inside, so that all but the end can be read.
    cut.write_bytes(gzip.compress(lines(2000).encode(), compresslevel=0)[:-40])
    code, out, err = textveil(cut, whole, "--on-error", "skip")
    assert code == 1
    found = shape(out)
    assert found[-4:] == shape(lines(4).encode())
    assert found[:-4] == shape(lines(2000).encode())[: len(found) - 4]
    assert 1500 < len(found) < 2004
    assert f"skipped: input 1, from line {len(found) - 3} on: the input ends in the middle of a gzip member" in err
    code, _, err = textveil(cut, whole, "-o", tmp_path / "out")
    assert code == 1
    assert "input 1, from line" in err


def test_nothing_but_faults_is_no_release(textveil, tmp_path) -> None:
    code, _, err = textveil("-o", tmp_path / "out", "--on-error", "skip", stdin=b"\xff\n\xff\n")
    assert code == 1
    assert "No document could be released" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_large_document_is_skipped_or_released(textveil, tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_text(lines(1) + "waa " * 700_000 + "\n" + lines(1))  # 2.8 MB
    code, out, err = textveil(source, "--on-error", "skip", "--max-document-bytes", 2_000_000)
    assert code == 1
    assert shape(out) == [1, 1]
    assert "skipped: line 2 must have at most 2000000 bytes; got more. Raise --max-document-bytes." in err
    code, out, err = textveil(source, "--max-document-bytes", 3_000_000)
    assert code == 0, err
    assert shape(out) == [1, 700_000, 1]


def test_parquet_in_and_out(textveil, tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = lines(30).splitlines()
    parquet.write_table(pyarrow.table({"text": texts, "id": range(30), "ssn": [SECRET] * 30}), tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    code, _, err = textveil(tmp_path / "in.parquet", "-o", out, "--keep", "id")
    assert code == 0, err
    table = parquet.read_table(out)
    assert set(table.column_names) == {"text", "id"}
    assert [len(text.split()) for text in table["text"].to_pylist()] == [len(text.split()) for text in texts]
    assert table["id"].to_pylist() == list(range(30))
    code, _, err = textveil(tmp_path / "in.parquet", "-o", out, "--field", "note")
    assert code == 1
    assert "note" in err


@pytest.mark.parametrize(("corpus_format", "unit"), [("txt", "line"), ("csv", "record")])
def test_faults_of_several_inputs_say_which(textveil, tmp_path, corpus_format: str, unit: str) -> None:
    (tmp_path / "a").write_text("text\n" + lines(2))
    (tmp_path / "b").write_bytes(b"text\nwaa\n\xff\nwab\n")
    number = 3 if unit == "line" else 2
    options = (tmp_path / "a", tmp_path / "b", "-f", corpus_format)
    assert f"textveil: input 2, {unit} {number} must be UTF-8" in textveil(*options)[2]
    _, _, err = textveil(*options, "--on-error", "skip", "--sender-report", tmp_path / "r")
    assert f"skipped: input 2, {unit} {number} must be UTF-8" in err
    (skip,) = json.loads((tmp_path / "r").read_text())["skipped"]["first"]
    assert skip["reason"].startswith(f"input 2, {unit} {number}")


def test_a_stray_quote_takes_its_own_row_alone(textveil, tmp_path) -> None:
    """All rows behind it were lost before: the quote is never closed."""
    rows = [f"{number},waa wab\n" for number in range(1, 20_001)]
    rows[9_998] = '9999,"stray quote\n'
    (tmp_path / "in.csv").write_text("id,text\n" + "".join(rows))
    code, _, err = textveil(tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--on-error", "skip")
    assert code == 1
    assert "skipped: record 9999 must be valid CSV; a quote in it is not closed" in err
    assert err.count("skipped:") == 1
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 20_000


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 9_999, 20_000])
@pytest.mark.parametrize("broken", ['{},"stray quote\n', '{},"text, secret\nsecret,row\nsecret" x\n'])
def test_behind_a_broken_row_nothing_is_taken_for_a_kept_column(textveil, tmp_path, number: int, broken: str) -> None:
    rows = [f"{number},waa wab\n" for number in range(1, 20_001)]
    rows[number - 1] = broken.format(number)
    (tmp_path / "in.csv").write_text("id,text\n" + "".join(rows))
    (tmp_path / "next.csv").write_text("id,text\n77,waa\n")
    inputs = (tmp_path / "in.csv", tmp_path / "next.csv")
    code, _, err = textveil(*inputs, "--keep", "id", "-o", tmp_path / "out.csv", "--on-error", "skip")
    assert code == 1
    assert f"from record {number} on" in err and f"record {number} must be valid CSV" in err
    released = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert [int(row.split(",")[0]) for row in released] == [*range(1, number), 77]


@pytest.mark.parametrize("name", ["o.csv", "o.jsonl", "o.parquet.gz", "o.bz2", "o.tar.gz", "o.tsv", "o.json"])
def test_an_output_is_named_as_what_it_is(textveil, tmp_path, name: str) -> None:
    code, _, err = textveil("-o", tmp_path / name, stdin=lines(1).encode())
    assert (code, "--output must be named as what it will be, txt" in err) == (2, True)
    assert list(tmp_path.iterdir()) == []
    assert textveil("-o", tmp_path / "o.released", stdin=lines(1).encode())[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_inputs_that_are_no_files_or_one_file(textveil, tmp_path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    code, _, err = textveil(tmp_path / "loop")
    assert (code, err) == (1, "textveil: input 1 must be a readable file; got a symlink loop.\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell's redirection")
@pytest.mark.parametrize("options", [("in.txt", "-"), ("-", "-o", "in.txt")])
def test_one_file_by_name_and_as_standard_input_is_refused(small, tmp_path, options) -> None:
    (tmp_path / "in.txt").write_text(lines(3))
    command = [sys.executable, "-m", "textveil", "sanitize", *small, *options]
    with (tmp_path / "in.txt").open() as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, cwd=tmp_path, timeout=600)
    assert done.returncode in (1, 2)
    assert b"twice" in done.stderr
    assert (tmp_path / "in.txt").read_text() == lines(3)


OPTIONS = {
    "not an integer": (("--workers", SECRET), "textveil: --workers must be an integer. See: "),
    "not a number": (("--number-epsilon", SECRET), "textveil: --number-epsilon must be a number. See: "),
    "resume without a file": (("--resume",), "--resume needs --output"),
    "resume to a device": (("--resume", "-o", "/dev/null"), "--resume needs --output"),
    "on error": (("--on-error", "keep"), "--on-error must be stop or skip"),
    "engine": (("--engine", "spark"), "--engine must be local or ray"),
    "expansion": (("--max-expansion", "0.5"), "--max-expansion must be >= 1"),
    "workers": (("--workers", "0"), "--workers must be at least 1"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_do_not_fit(textveil, case: str) -> None:
    options, message = OPTIONS[case]
    code, out, err = textveil(*options, stdin=lines(1).encode())
    assert (code, out) == (2, b"")
    assert message in err


def test_tables_of_tabs_and_of_other_characters(textveil, tmp_path) -> None:
    (tmp_path / "in.tsv").write_text("id\ttext\n7\twaa wab\n")
    out = tmp_path / "out.tsv"
    code, _, err = textveil(tmp_path / "in.tsv", "-o", out, "--keep", "id")
    assert code == 0, err
    assert out.read_text().splitlines()[0] == "id\ttext"
    assert out.read_text().splitlines()[1].startswith("7\t")
    (tmp_path / "in.csv").write_text("id;text\n7;waa wab\n")
    code, _, err = textveil("--format", "csv", "--keep", "id", stdin=b"id;text\n7;waa wab\n")
    assert (code, "It looks separated by semicolons: give --delimiter ';'." in err) == (1, True)
    for told in ((), ("--delimiter", ";")):
        code, stdout, err = textveil(tmp_path / "in.csv", "--keep", "id", *told)
        assert code == 0, err
        assert stdout.startswith(b"id;text\r\n7;")
    code, _, err = textveil("--delimiter", ";", stdin=b"waa")
    assert (code, "--delimiter needs --format csv; got txt" in err) == (2, True)


def test_names_of_fields_get_a_hint(textveil, tmp_path) -> None:
    (tmp_path / "in.jsonl").write_text('{"Text": "waa", "title": "wab"}\n')
    assert "it has not. Did you mean 'Text'?" in textveil(tmp_path / "in.jsonl")[2]
    assert "repeat --field or --keep for each" in textveil(tmp_path / "in.jsonl", "--field", "title,Text")[2]
    assert "repeat the option: --field A --field B." in textveil(tmp_path / "in.jsonl", "--field", "title", "Text")[2]


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_a_json_array_comes_out_as_one(textveil, tmp_path, name: str) -> None:
    texts = lines(40).splitlines()
    rows = [{"id": 1.5, "ssn": SECRET, "text": None if number == 7 else text} for number, text in enumerate(texts)]
    (tmp_path / "in.json").write_text(json.dumps(rows, indent=2))
    out, report = tmp_path / name, tmp_path / "r.json"
    code, _, err = textveil(tmp_path / "in.json", "-o", out, "--keep", "id", "--report", report, "--verbose")
    assert code == 0, err
    found = json.loads(gzip.decompress(out.read_bytes()) if name.endswith("gz") else out.read_bytes())
    assert [list(row) for row in found] == [["id", "text"]] * 40
    assert [row["text"] is None for row in found] == [number == 7 for number in range(40)]
    facts = json.loads(report.read_text())
    assert (facts["documents"], facts["fields"]["nulls"]) == (39, 1)
    assert "1 null kept" in err
    code, stdout, err = textveil(tmp_path / "in.json", "--keep", "id")
    assert (code, len(json.loads(stdout))) == (0, 40), err


@pytest.mark.parametrize("target", ["json", "csv", "tsv", "parquet"])
def test_another_format_comes_out_by_its_ending_or_name_and_is_a_job(textveil, tmp_path, target: str) -> None:
    if target == "parquet":
        pytest.importorskip("pyarrow.parquet")
    rows = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate(lines(50).splitlines())]
    (tmp_path / "in.jsonl").write_text("\n".join(rows))
    out, report = tmp_path / f"out.{target}", tmp_path / "r"
    options = ("--keep", "id", "--seed", 3, "--report", report)
    code, _, err = textveil(tmp_path / "in.jsonl", "-o", out, *options, "--resume")
    assert code == 0, err
    assert "finished before" in textveil(tmp_path / "in.jsonl", "-o", out, *options, "--resume")[2]
    code, _, err = textveil(tmp_path / "in.jsonl", "-o", tmp_path / "o", *options, "--output-format", target)
    assert (tmp_path / "o").read_bytes() == out.read_bytes()
    assert (json.loads(report.read_text()))["documents"] == 50


def test_a_broken_array_leaves_nothing_half_written(textveil, tmp_path) -> None:
    (tmp_path / "in.json").write_text('["waa", "wab", ')
    code, _, err = textveil(tmp_path / "in.json", "-o", tmp_path / "out.json")
    assert (code, "from record 3 on: the array must end with ]; the input ends before" in err) == (1, True)
    assert not (tmp_path / "out.json").exists()
    (tmp_path / "one.json").write_text('{"text": "waa"}')
    code, _, err = textveil(tmp_path / "one.json")
    assert (code, "must be a JSON array of records; got an object. Give --format jsonl" in err) == (1, True)
    assert textveil(tmp_path / "one.json", "--format", "jsonl")[0] == 0


def test_a_null_in_json_lines_is_kept_and_counted(textveil, tmp_path) -> None:
    raw = b'{"title": "waa", "text": null}\n{"title": null, "text": null}\n{"text": "wab wac", "title": "waa"}\n'
    report = tmp_path / "r"
    code, out, err = textveil("-f", "jsonl", "--field", "text", "--field", "title", "--report", report, stdin=raw)
    assert code == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    assert [list(row) for row in rows] == [["title", "text"]] * 3
    assert [[row[name] is None for name in ("title", "text")] for row in rows] == [[0, 1], [1, 1], [0, 0]]
    facts = json.loads(report.read_text())
    assert (facts["documents"], facts["tokens"]["word"], facts["fields"]["nulls"]) == (2, 4, 3)


def test_what_a_person_pays_is_in_the_report(textveil, tmp_path) -> None:
    report = tmp_path / "r"
    raw = f"text,who\nwaa wab,{SECRET}\nwac,{SECRET}\nwad wae,b\n".encode()
    code, out, err = textveil("-f", "csv", "--unit", "who", "--report", report, "--verbose", stdin=raw)
    assert (code, out.splitlines()[0]) == (0, b"text"), err
    found = json.loads(report.read_text())["guarantee"]["per_person"]
    assert (found["persons"], found["protected_tokens"], found["epsilon"]) == (2, 3, 3.0)
    assert "for the costliest of 2 persons, 3 draws, by who" in err
    assert SECRET not in report.read_text()
    code, _, err = textveil("--unit", "who", stdin=b"waa")
    assert (code, "need --format jsonl, json, csv, tsv or parquet; got txt" in err) == (2, True)


@pytest.mark.slow
def test_columns_of_a_table_under_a_policy(small, textveil, tmp_path) -> None:
    (tmp_path / "in.csv").write_text("who,text\nXelia Quorn,Seen: Xelia Quorn.\nXelia Quorn,Ms. Quorn left.\n")
    options = ("--known", "who=person", "--scope-column", "who", "--unit", "who")
    command = [sys.executable, "-m", "textveil", "sanitize", tmp_path / "in.csv", "--policy", "identifiers", *options]
    done = subprocess.run(command, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"text\r\nSeen: ") and b"Quorn" not in done.stdout
    code, _, err = textveil(tmp_path / "in.csv", *options)
    assert (code, "--scope-column and --known need a --policy that finds spans; got none." in err) == (2, True)


def test_the_command_names_the_record_and_goes_on(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    make_searches_slow(tmp_path / "site", monkeypatch)
    source, sender = tmp_path / "in.txt", tmp_path / "s.json"
    source.write_text(f"Call 555-0101.\n{SLOW}\nMail a@b.co.\n")
    code, out, err = command(
        "sanitize",
        source,
        "--policy",
        "identifiers",
        "--record-seconds",
        1,
        "--on-error",
        "skip",
        "--sender-report",
        sender,
    )
    assert code == 1 and out.count(b"\n") == 2 and SLOW.encode() not in out
    assert "skipped: line 2 must take at most 1 s to be read; it takes longer. Raise --record-seconds" in err
    assert SLOW not in err + sender.read_text()
    assert json.loads(sender.read_text())["skipped"]["first"][0]["first"] == 2
