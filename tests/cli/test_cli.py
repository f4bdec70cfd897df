"""The command line: every bad input gets one line and a documented code, nothing is half written."""

import csv
import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.shared import needs_lab

SECRET = "Xylophonia"


def one_line(err: str) -> None:
    assert err.startswith("textveil: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert SECRET.lower() not in err.lower()


def test_a_pipe(command) -> None:
    code, out, err = command("sanitize", stdin=b"Zbigniewska has 2 cats.\nTwo lines.\n")
    assert code == 0
    assert out.count(b"\n") == 2
    assert b"zbigniewska" not in out.lower()
    assert "2 texts -> standard output" in err
    assert "8-DP each, proved" in err


def test_quiet_and_explicit_standard_input(command) -> None:
    code, out, err = command("sanitize", "-", "-q", stdin=b"one")
    assert (code, err) == (0, "")
    assert out


def test_files_and_a_report(command, tmp_path) -> None:
    source, out, report = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "report.json"
    source.write_text("A secret word.\nAnother xqzvbnm 12.\n")
    code, stdout, err = command("sanitize", source, "-o", out, "--report", report)
    assert (code, stdout) == (0, b"")
    assert "1 word not in the vocabulary" in err
    data = json.loads(report.read_text())
    assert data["documents"] == 2
    assert data["for_release"] is True
    assert data["tokens"]["word"] == 5
    assert "unknown" not in report.read_text()
    assert data["guarantee"]["per_document"]["protected_tokens"] == 3
    assert data["mechanism"]["name"] == "neighborhood"
    assert out.read_text().count("\n") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt", "report.json"]


def test_whole_file(command, tmp_path) -> None:
    report = tmp_path / "r.json"
    code, _, _ = command("sanitize", "--whole-file", "--report", report, stdin=b"one\ntwo\n")
    assert code == 0
    assert json.loads(report.read_text())["documents"] == 1


def test_jsonl_by_its_ending(command, tmp_path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"id": 1, "text": SECRET, "ssn": 9}) + "\n")
    code, out, _ = command("sanitize", source, "--keep", "id")
    record = json.loads(out)
    assert code == 0
    assert set(record) == {"id", "text"}
    assert record["text"].lower() != SECRET.lower()


def test_csv_with_a_field(command) -> None:
    code, out, _ = command("sanitize", "-f", "csv", "--field", "note", stdin=b"id,note\n1,secret words\n")
    rows = list(csv.reader(io.StringIO(out.decode())))
    assert code == 0
    assert rows[0] == ["note"]
    assert len(rows[1][0].split()) == 2


def test_several_fields_are_one_document(command, tmp_path) -> None:
    report = tmp_path / "r.json"
    command("sanitize", "-f", "jsonl", "--field", "a", "--field", "b", "--report", report, stdin=b'{"a":"x","b":"y"}')
    data = json.loads(report.read_text())
    assert (data["documents"], data["guarantee"]["per_document"]["protected_tokens"]) == (1, 2)


def test_a_seed_repeats_and_stamps(command, tmp_path) -> None:
    report = tmp_path / "r.json"
    outs = {command("sanitize", "--seed", "3", "--report", report, stdin=b"some words here")[1] for _ in range(2)}
    assert len(outs) == 1
    assert json.loads(report.read_text())["for_release"] is False


@needs_lab
def test_the_published_truncation_is_refused_and_can_be_allowed(command, tmp_path) -> None:
    options = ("sanitize", "-m", "truncated-laplace-published", "--epsilon", "1")
    code, out, err = command(*options, stdin=b"words")
    assert (code, out) == (2, b"")
    one_line(err)
    assert "refuted" in err
    assert "truncated-laplace, the valid form" in err
    report = tmp_path / "r.json"
    code, out, err = command(*options, "--allow-refuted", "--report", report, stdin=b"words")
    assert code == 0
    assert err.startswith("NO GUARANTEE")
    assert json.loads(report.read_text())["guarantee"]["per_token"]["notion"] == "none"


BAD_INPUT = {
    "not UTF-8": ((), SECRET.encode() + b"\xff\xfe", 1, "must be UTF-8"),
    "NUL": ((), SECRET.encode() + b"\0", 1, "NUL"),
    "empty": ((), b"", 1, "at least one document"),
    "empty whole file": (("--whole-file",), b"", 1, "at least one document"),
    "empty jsonl": (("-f", "jsonl"), b"\n", 1, "at least one document"),
    "csv header only": (("-f", "csv"), b"text\n", 1, "at least one document"),
    "50 MB line": ((), SECRET.encode() * 5_000_000, 1, "line 1 must have at most 16777216 bytes"),
    "missing field": (("-f", "jsonl"), b'{"txt": "' + SECRET.encode() + b'"}', 1, "line 1 must have the field 'text'"),
    "missing column": (("-f", "csv"), b"id\n1\n", 1, "must name the column 'text' once"),
    "malformed JSON": (("-f", "jsonl"), b'{"text": "a"}\n{' + SECRET.encode(), 1, "line 2 must be one JSON object"),
    "epsilon 0": (("--epsilon", "0"), b"x", 2, "--epsilon must be finite and > 0; got 0.0"),
    "epsilon negative": (("--epsilon", "-1"), b"x", 2, "--epsilon must be finite and > 0"),
    "epsilon NaN": (("--epsilon", "nan"), b"x", 2, "--epsilon must be finite and > 0; got nan"),
    "epsilon infinite": (("--epsilon", "inf"), b"x", 2, "--epsilon must be finite and > 0; got inf"),
    "epsilon a word": (("--epsilon", "many"), b"x", 2, "--epsilon"),
    "delta 0": (("-m", "gaussian", "--delta", "0"), b"x", 2, "--delta must be"),
    "delta 1": (("-m", "gaussian", "--delta", "1"), b"x", 2, "--delta must be"),
    "option of another mechanism": (
        ("-m", "same-class", "--base-mass", "0.3"),
        b"x",
        2,
        "same-class takes the options",
    ),
    "m too large": (("--neighborhood-size", "99999"), b"x", 2, "--neighborhood-size must be between 1 and the 32698"),
    "m zero": (("--neighborhood-size", "0"), b"x", 2, "--neighborhood-size must be"),
    "unknown mechanism": (("-m", "neighbourhood"), b"x", 2, "Did you mean 'neighborhood'"),
    "unknown format": (("-f", "xml"), b"x", 2, "--format must be one of txt, jsonl, json, csv"),
    "field for txt": (("--field", "a"), b"x", 2, "--field and --keep need"),
    "whole file of csv": (("--whole-file", "-f", "csv"), b"x", 2, "--whole-file needs"),
    "field twice": (("-f", "csv", "--field", "a", "--keep", "a"), b"x", 2, "a name twice"),
    "clip twice": (("-m", "laplace", "--clip", "2", "--no-clip"), b"x", 2, "exclude each other"),
    "both epsilons": (("-m", "exponential", "--epsilon", "1", "--epsilon-per-distance", "1"), b"x", 2, "exactly one"),
    "seed negative": (("--seed", "-3"), b"x", 2, "--seed must be an integer >= 0"),
    "limit zero": (("--max-document-bytes", "0"), b"x", 2, "--max-document-bytes must be"),
    "number epsilon": (("--number-epsilon", "nan"), b"x", 2, "--number-epsilon must be finite"),
    "unknown option": (("--espilon", "3"), b"x", 2, "No such option"),
    "limit without vocabulary": (("--vocabulary-limit", "3"), b"x", 2, "need --vocabulary"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_gets_one_line_and_a_code_and_writes_nothing(command, tmp_path, case: str) -> None:
    options, stdin, expected, message = BAD_INPUT[case]
    out, report = tmp_path / "out", tmp_path / "report"
    code, stdout, err = command("sanitize", *options, "-o", out, "--report", report, stdin=stdin)
    assert code == expected
    assert stdout == b""
    one_line(err)
    assert message in err
    assert list(tmp_path.iterdir()) == []


def _vectors(path: Path, name: str) -> Path:
    target = path / name
    if name == "pickle.pkl":
        target.write_bytes(pickle.dumps({"word": [1.0]}))
        return target
    text = {
        "ragged.txt": "one 1 2 3\ntwo 1 2\nthree 1 2 3\n",
        "duplicate.txt": "one 1 2 3\ntwo 1 2 4\none 3 2 1\n",
        "nan.txt": "one 1 2 3\ntwo 1 nan 3\n",
        "single.txt": "one 1 2 3\n",
        "empty.txt": "",
    }[name]
    target.write_text(text)
    return target


@pytest.mark.parametrize(
    "name", ["ragged.txt", "duplicate.txt", "nan.txt", "single.txt", "empty.txt", "pickle.pkl", "absent.txt"]
)
def test_bad_vocabularies_get_one_line(command, tmp_path, name: str) -> None:
    path = tmp_path / name if name == "absent.txt" else _vectors(tmp_path, name)
    code, stdout, err = command("sanitize", "--vocabulary", path, stdin=SECRET.encode())
    assert code in (1, 2)
    assert stdout == b""
    one_line(err)
    assert str(tmp_path) not in err


@needs_lab
def test_a_vocabulary_of_ones_own(command, tmp_path) -> None:
    path = tmp_path / "own.txt"
    rows = np.random.default_rng(1).normal(size=(30, 5))
    path.write_text(
        "".join(f"word{chr(97 + i % 26)}{i} " + " ".join(map(str, row)) + "\n" for i, row in enumerate(rows))
    )
    code, out, err = command("sanitize", "--vocabulary", path, "-m", "laplace", "--verbose", stdin=b"Anything at all")
    assert code == 0
    assert len(out.split()) == 3
    assert "own.txt: 30 words" in err


def test_input_that_is_missing_or_a_folder(command, tmp_path) -> None:
    for source in (tmp_path / "absent.txt", tmp_path):
        code, _, err = command("sanitize", source)
        assert code == 1
        one_line(err)
        assert "readable file" in err


def test_output_in_a_missing_folder_and_over_the_input(command, tmp_path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("words")
    code, _, err = command("sanitize", source, "-o", tmp_path / "no" / "out.txt")
    assert code == 1
    one_line(err)
    code, _, err = command("sanitize", source, "-o", source)
    assert code == 2
    one_line(err)
    assert source.read_text() == "words"


@pytest.mark.slow
def test_an_error_late_in_the_input_leaves_the_old_output(command, tmp_path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(b"fine words\n" * 200_000 + b"\xff\n")
    out.write_text("old")
    code, _, err = command("sanitize", source, "-o", out, "--report", tmp_path / "r.json")
    assert code == 1
    assert "line 200001 must be UTF-8" in err
    assert out.read_text() == "old"
    one_line(err)
    assert "--resume goes on behind them, deleting the hidden folder .out.txt.textveil-job beside" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.txt.textveil-job", "in.txt", "out.txt"]
    code, _, err = command("sanitize", source, "-o", out, "--report", tmp_path / "r.json")
    assert code == 2
    assert "unfinished job" in err
    code, _, err = command("sanitize", source, "-o", out, "--resume", "--on-error", "skip")
    assert code == 1
    told = " ".join(err.split())
    assert "skipped: line 200001 must be UTF-8; byte 1 of it is not. It looks like Windows-1252, as Excel" in told
    assert out.read_text().count("\n") == 200_000


def test_faults_of_our_own_do_not_print_the_text(command, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"here is {SECRET}")

    monkeypatch.setattr("textveil.sanitize.sanitizer.Sanitizer.batch", broken)
    code, _out, err = command("sanitize", stdin=SECRET.encode())
    assert code == 1
    one_line(err)
    assert "internal error: RuntimeError in" in err


def test_version_and_help(command) -> None:
    from textveil.version import VERSION

    assert command("--version")[:2] == (0, f"textveil {VERSION}\n".encode())
    for words in ((), ("sanitize",), ("explain",), ("mechanisms",)):
        code, out, _ = command(*words, "--help")
        assert code == 0
        assert b"--help" in out
    code, out, err = command()
    assert code == 2
    assert "Commands:" in err


def test_a_report_that_cannot_be_written_leaves_the_old_output(command, tmp_path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("words")
    out.write_text("old")
    for report in (str(tmp_path / "no" / "r.json"), "/dev/full"):
        code, _, err = command("sanitize", source, "-o", out, "--report", report)
        assert code == 1
        one_line(err)
        assert out.read_text() == "old"


@needs_lab
@pytest.mark.parametrize("options", [("--seed", "1"), ("-m", "truncated-laplace-published", "--allow-refuted")])
def test_quiet_does_not_hide_that_a_release_is_none(command, options) -> None:
    _, _, err = command("sanitize", "-q", "--epsilon", "1", *options, stdin=b"words")
    assert err.startswith(("NOT FOR RELEASE", "NO GUARANTEE"))
    assert err.count("\n") == 1


def test_extra_arguments_are_not_quoted(command) -> None:
    """More arguments are more inputs, and may be text that someone forgot to quote."""
    code, _, err = command("sanitize", SECRET, "words")
    assert code == 1
    one_line(err)
    code, _, err = command("explain", SECRET, "words")
    assert code == 2
    one_line(err)


@pytest.mark.parametrize("ending", ["xml", "tar.gz", "rtf"])
def test_markup_is_not_taken_for_text_without_being_told(command, tmp_path, ending: str) -> None:
    source = tmp_path / f"in.{ending}"
    source.write_text("[1]")
    code, _, err = command("sanitize", source)
    assert code == 2
    one_line(err)
    assert "name the one it is with --format" in err
    assert "txt" not in err.split("none of", 1)[1].split(".", 1)[1]  # keys and ids would be sanitized as text
    assert command("sanitize", source, "--format", "txt")[0] == 0


def test_a_report_to_the_text_stream_is_refused_and_output_to_it_is_the_default(command) -> None:
    code, _, err = command("sanitize", "--report", "-", stdin=b"x")
    assert code == 2
    one_line(err)
    assert command("sanitize", "-o", "-", "-q", stdin=b"x")[1]


@pytest.mark.parametrize(
    ("start", "hint"),
    [
        (b"\x1f\x8b\x08\xff", "gzip"),
        (b"a\0b\0", "--encoding utf-16-le"),
        (b"PK\x03\x04\x14\0\0\0\x08\0" + b"\xff" * 80, "archive"),
    ],
)
def test_other_files_are_recognized(command, start: bytes, hint: str) -> None:
    code, _, err = command("sanitize", stdin=start)
    assert code == 1
    one_line(err)
    assert hint in err


MISSPELLED = {
    ("sanitize", "-m", "nope"): "--mechanism must be one of the catalog",
    ("mechanisms", "nope"): "NAME must be one of the catalog",
    ("sanitize", "-m", "metric-exponential", "--metric", "nope"): "--metric must be one of",
    ("sanitize", "--vocabulary", "v.txt", "--vocabulary-format", "nope"): "--vocabulary-format must be one of",
    (
        "sanitize",
        "-m",
        "exponential",
        "--epsilon",
        "1",
        "--epsilon-per-distance",
        "1",
    ): "got --epsilon and --",
    ("sanitize", "-m", "gaussian", "--calibration", "classical"): "Use --calibration analytic",
    ("sanitize", "-m", "truncated-laplace-published"): "or --allow-refuted;",
    ("sanitize", "-f", "jsonl", "--keep", "text"): "--keep must be names other than those of --field",
    ("sanitize", "-m", "keywords", "--digit-keep-limit", "1"): "--digit-keep-limit must be left out",
}


@pytest.mark.parametrize("arguments", MISSPELLED, ids=" ".join)
def test_a_refused_value_is_told_by_its_option(command, arguments: tuple[str, ...]) -> None:
    code, _, err = command(*arguments, stdin=b"{}\n")
    assert code == 2
    one_line(err)
    assert MISSPELLED[arguments] in err
