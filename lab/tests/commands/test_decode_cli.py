"""``textveil decode``: every format, what stays, and one line for every bad input."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel
from tests.helpers.records import WORDS

from textveil.cli import main as cli
from textveil.version import VERSION

NEXT = {word: WORDS[(place + 1) % 40] for place, word in enumerate(WORDS)}
"""The language: every word has one successor."""


@pytest.fixture
def run(capsysbinary, monkeypatch, tmp_path):
    """The command in this process with a small vocabulary and its language, which no channel outweighs."""
    (tmp_path / "own.txt").write_text("".join(f"{word} {number} {number % 7} 1\n" for number, word in enumerate(WORDS)))
    follows = np.full((40, 40), 1e-30)
    follows[np.arange(40), (np.arange(40) + 1) % 40] = 1
    start = np.full(40, 1e-30)
    start[0] = 1
    model = BigramModel(follows, start)
    monkeypatch.setattr("textveil_lab.decoding.decode.default_model", lambda vocabulary: model)
    monkeypatch.chdir(tmp_path)

    def go(*arguments: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return go


MADE = ("--vocabulary", "own.txt", "--mechanism", "neighborhood", "--epsilon", "8")


def released(run, name: str, content: str, *more: str) -> None:
    Path(name).write_text(content, newline="")
    code, _, err = run("sanitize", name, "-o", f"out.{name}", "--report", "r.json", *MADE, *more)
    assert code == 0, err


def decode(run, *arguments: object, **other) -> tuple[int, bytes, str]:
    return run("decode", *arguments, "--report", "r.json", "--vocabulary", "own.txt", **other)


def test_plain_text_line_by_line_and_through_pipes(run, tmp_path) -> None:
    released(run, "a.txt", "Wxa wxa, wxa.\n\n(Wxa  wxa) x@y.com!\n")
    code, out, err = decode(run, "out.a.txt", "-o", "d.txt")
    assert (code, out) == (0, b"")
    assert "3 decoded; nothing was spent" in err
    a, b, c = WORDS[:3]
    wanted = f"{a.capitalize()} {b}, {c}.\n\n({a.capitalize()} {b}) [email]!\n"
    assert (tmp_path / "d.txt").read_text() == wanted
    code, out, _ = decode(run, "--quiet", stdin=(tmp_path / "out.a.txt").read_bytes())
    assert out.decode() == wanted
    code, out, _ = decode(run, "out.a.txt", "--whole-file", "--choose", "text")
    assert out.decode() == wanted


def test_records_keep_their_other_fields(run, tmp_path) -> None:
    rows = [{"id": 1, "note": "wxa wxa"}, {"id": 2, "note": ""}, {"id": 3, "note": "wxa"}]
    released(run, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows), "--field", "note", "--keep", "id")
    code, _, err = decode(run, "out.a.jsonl", "-o", "d.jsonl.gz")
    assert code == 0, err
    found = [json.loads(line) for line in gzip.decompress((tmp_path / "d.jsonl.gz").read_bytes()).splitlines()]
    first, second = WORDS[0].capitalize(), WORDS[1]
    assert found == [{"id": 1, "note": f"{first} {second}"}, {"id": 2, "note": ""}, {"id": 3, "note": first}]


def test_tables(run, tmp_path) -> None:
    released(run, "a.csv", 'text,n\r\n"wxa, wxa",1\r\nwxa,2\r\n', "--keep", "n")
    code, out, err = decode(run, "out.a.csv", "--format", "csv")
    assert code == 0, err
    found = list(csv.DictReader(io.StringIO(out.decode())))
    first, second = WORDS[0].capitalize(), WORDS[1]
    assert found == [{"text": f"{first}, {second}", "n": "1"}, {"text": first, "n": "2"}]


def test_parquet(run, tmp_path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"text": ["wxa wxa", None], "n": [1, 2]}), "a.parquet")
    code, _, err = run("sanitize", "a.parquet", "-o", "b.parquet", "--report", "r.json", "--keep", "n", *MADE)
    assert code == 0, err
    code, _, err = decode(run, "b.parquet", "-o", "c.parquet")
    assert code == 0, err
    first, second = WORDS[0].capitalize(), WORDS[1]
    assert parquet.read_table("c.parquet").to_pydict() == {"text": [f"{first} {second}", None], "n": [1, 2]}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"textveil": "0.0.1"}, 1, f"the report must be of textveil {VERSION}; got one of 0.0.1."),
        ({"vocabulary": {"digest": "0123"}}, 1, "got 0123. Give --vocabulary as it was released with."),
        ({"mechanism": {"name": "gaussian", "parameters": {"epsilon": 1.0, "delta": 1e-5}}}, 2, "got gaussian, which"),
        ({"mechanism": 3}, 1, "the report must say mechanism, vocabulary and fields"),
    ],
)
def test_reports_that_do_not_fit_are_refused(run, tmp_path, change, code: int, message: str) -> None:
    released(run, "a.txt", "wxa wxa\n")
    data = json.loads((tmp_path / "r.json").read_text()) | change
    if "gaussian" in message:
        from textveil.catalog import mechanism
        from textveil.vocabulary.embedded import load_vocabulary

        made = mechanism("gaussian", load_vocabulary(tmp_path / "own.txt"), epsilon=1.0, delta=1e-5)
        data["mechanism"]["parameters"] = dict(made.parameters)
    (tmp_path / "r.json").write_text(json.dumps(data))
    found, out, err = decode(run, "out.a.txt", "-o", "d.txt")
    assert (found, out) == (code, b"")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "d.txt").exists()


def test_inputs_that_are_no_release_are_refused_and_nothing_half_is_left(run, tmp_path) -> None:
    released(run, "a.txt", "wxa wxa\n")
    (tmp_path / "x.txt").write_text("wxa\nxylophonia wxa\n")
    code, _, err = decode(run, "x.txt", "-o", "d.txt")
    assert code == 2 and "--report must be of the release, by the digest of its file" in err
    report = json.loads((tmp_path / "r.json").read_text())
    (tmp_path / "r.json").write_text(
        json.dumps({key: value for key, value in report.items() if key != "release_sha256"})
    )  # as of a pipe
    code, _, err = decode(run, "x.txt", "-o", "d.txt")
    assert code == 1
    assert err.startswith("textveil: document 2 must be a release in words of this vocabulary; got 1 of other words.")
    assert "xylophonia" not in err
    code, _, err = decode(run, "out.a.txt", "x.txt", "-o", "d.txt")
    assert "input 2, document 2 must be a release" in err
    (tmp_path / "x.txt").write_bytes(b"\xff\xf1")
    code, _, err = decode(run, "x.txt", "-o", "d.txt")
    assert code == 1
    assert "must be UTF-8" in err
    (tmp_path / "x.txt").write_text("")
    code, _, err = decode(run, "x.txt", "-o", "d.txt")
    assert "the input must hold at least one document" in err
    code, _, err = decode(run, "out.a.txt", "-o", "out.a.txt")
    assert code == 2
    assert "must be different files" in err
    code, _, err = decode(run, "out.a.txt", "-o", "d.txt", "--choose", "best")
    assert code == 2
    assert err.startswith("textveil: --choose must be 'words', 'text' or 'cosine'; got 'best'")
    assert not (tmp_path / "d.txt").exists()
    assert not list(tmp_path.glob(".textveil*"))
