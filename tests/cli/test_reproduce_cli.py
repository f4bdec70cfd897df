"""``textveil reproduce``: lists, one line for bad input, code 2, and nothing half written."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

from textveil.cli import main as cli

pytest.importorskip("matplotlib")


@pytest.fixture
def textveil(capsysbinary, monkeypatch):
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        monkeypatch.delenv("TEXTVEIL_SHARED", raising=False)
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run


def glove(path, size: int, twins: bool = False):
    vectors = np.random.default_rng(5).normal(size=(size, 6)).round(4)
    if twins:
        vectors[1] = vectors[0]
    path.write_text("".join(f"w{row} {' '.join(map(str, vector))}\n" for row, vector in enumerate(vectors)))
    return path


def refused(code: int, err: str, *, holds: str) -> None:
    assert code == 2
    assert err.startswith("textveil: ")
    assert err.count("\n") == 1
    assert holds in err


def test_papers_are_listed(textveil) -> None:
    code, out, err = textveil("reproduce")
    assert (code, err) == (0, "")
    assert "curse: dX-Privacy for Text" in out
    assert "figure-10" in out


def test_a_quick_run(textveil, tmp_path) -> None:
    words = glove(tmp_path / "small.txt", 140)
    code, out, _ = textveil(
        "reproduce", "curse", "table-2", "figure-9", "--quick", "--vocabulary", words, "-o", tmp_path / "o"
    )
    assert code == 0
    assert "not for release" in out
    assert {"index.html", "report.md", "figure-9.svg", "table-2.csv"} <= {
        path.name for path in (tmp_path / "o").iterdir()
    }


def test_a_quick_run_on_the_embedded_vocabulary_in_json(textveil, tmp_path) -> None:
    code, out, _ = textveil("reproduce", "curse", "table-2", "--quick", "--sample", 30, "--json", "-o", tmp_path / "o")
    assert code == 0
    facts = json.loads(out)
    assert facts["origin"].startswith("The embedded vocabulary")
    assert facts["items"][0]["name"] == "table-2"


def test_bad_input_is_one_line(textveil, tmp_path) -> None:
    small, twins = glove(tmp_path / "small.txt", 90), glove(tmp_path / "twins.txt", 120, twins=True)
    target = tmp_path / "out"
    cases = [
        (("cursed",), "one of curse"),
        (("curse", "figure-99"), "figure-10, table-1"),
        (("curse", "figure-1"), "--output"),
        (("curse", "figure-1", "-o", tmp_path / "missing/out"), "--output must be a folder"),
        (("curse", "figure-1", "-o", small), "--output must be a folder"),
        (("curse", "table-2", "--vocabulary", small, "-o", target), "more than 101 words"),
        (("curse", "table-2", "--vocabulary", twins, "-o", target), "repeated vectors (distance 0)"),
        (("curse", "table-2", "--vocabulary", small, "--sample", 91, "-o", target), "at most the 90 words"),
        (("curse", "figure-1", "--seed", -1, "-o", target), "seed"),
        (("curse", "figure-2", "--quick", "--vocabulary", small, "-o", target), "between 1 and 89"),
    ]
    for arguments, holds in cases:
        code, out, err = textveil("reproduce", *arguments)
        refused(code, err, holds=holds)
        assert out == ""
        assert sorted(path.name for path in tmp_path.iterdir()) == ["small.txt", "twins.txt"]
