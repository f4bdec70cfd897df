"""``textveil tables``: built, found again, listed, cleared; and a run that builds its table."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_cli import one_line

from textveil.corpora import processes as policy
from textveil.vocabulary.public_tables import close_unused


@pytest.fixture
def cache(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Six hundred made words in ten dimensions."""
    folder = tmp_path / "vectors"
    folder.mkdir()
    np.save(folder / "vectors.npy", np.random.default_rng(2).normal(size=(600, 10)).astype(np.float32))
    letters = "abcdefghij"
    words = [letters[a] + letters[b] + letters[c] + "x" for a in range(6) for b in range(10) for c in range(10)]
    (folder / "words.txt").write_text("".join(word + "\n" for word in words))
    return folder


def test_built_once_listed_and_cleared(command, cache: Path, vectors: Path) -> None:
    arguments = ("tables", "build", "--vocabulary", vectors, "--neighborhood-size", 5, "--json")
    for first in (True, False):
        code, out, err = command(*arguments)
        assert (code, err) == (0, "")
        (row,) = json.loads(out)
        assert row["built"] is first and Path(row["path"]).parent == cache
    code, out, _ = command("tables", "list", "--json")
    listed = json.loads(out)
    assert listed["folder"] == str(cache)
    (table,) = listed["tables"]
    assert table["kind"] == "neighbor-order" and table["intact"] is True
    assert table["arrays"] == [{"name": "neighbors", "dtype": "<u2", "shape": [600, 9]}]
    (cache / "other.table").write_bytes(b"?")
    code, out, _ = command("tables", "list")
    assert b"600 x 9" in out and b"not intact" in out
    code, out, _ = command("tables", "clear", "--json")
    assert json.loads(out)["removed"] == 2
    assert list(cache.iterdir()) == []
    assert b"removed 0 files" in command("tables", "clear")[1]
    assert b"no tables" in command("tables", "list")[1]


def test_the_table_of_flat_weights_comes_with_the_package(command, cache: Path) -> None:
    code, out, _ = command("tables", "build", "--base-weights", "flat")
    assert code == 0 and out.startswith(b"there") and b"neighbors.table" in out
    assert not cache.exists()


def test_the_table_of_all_rows_is_built_for_the_default(command, cache: Path, vectors: Path) -> None:
    for first in (True, False):
        code, out, err = command("tables", "build", "--vocabulary", vectors, "--json")
        assert (code, err) == (0, "")
        (row,) = json.loads(out)
        (path,) = cache.iterdir()
        assert row == {"kind": "raised-rows", "bytes": path.stat().st_size, "path": str(path), "built": first}


def test_what_cannot_be_built_is_told_in_one_line(command, cache: Path, vectors: Path, monkeypatch) -> None:
    code, _, err = command("tables", "build", "--mechanism", "randomized-response")
    assert code == 2
    one_line(err)
    monkeypatch.setenv("TEXTVEIL_CACHE", str(vectors / "words.txt"))
    code, out, err = command("tables", "build", "--vocabulary", vectors, "--neighborhood-size", 5)
    assert (code, out) == (1, b"")
    one_line(err)
    assert "TEXTVEIL_CACHE" in err


def _sanitize(command, vectors: Path, lines: int):
    options = ("--vocabulary", vectors, "--neighborhood-size", 5, "--seed", 3, "-q", "--workers", 1)
    source = vectors.parent / "in.txt"
    source.write_text("abcx defx hijx.\n" * lines)
    return command("sanitize", source, *options)


def test_a_run_builds_its_table_by_the_size_of_the_input_alone(command, cache: Path, vectors: Path) -> None:
    """Three words, and the table is built; nothing less is ever written."""
    assert not policy.pays(500, 600) and policy.pays(1000, 600)
    code, _, err = _sanitize(command, vectors, 30)
    assert code == 0 and "seed" in err and not cache.exists()
    code, large, err = _sanitize(command, vectors, 63)
    (path,) = cache.iterdir()
    assert path.suffix == ".table"
    path.unlink()
    without = command(
        *("sanitize", "-", "--format", "txt", "--vocabulary", vectors, "--neighborhood-size", 5),
        *("--seed", 3, "-q", "--workers", 1),
        stdin=(vectors.parent / "in.txt").read_bytes(),
    )
    assert without[1] == large
    assert list(cache.iterdir()) == [], "the size of a pipe is not known, so nothing is built"


@pytest.mark.parametrize("full", [True, False])
def test_a_cache_that_takes_nothing_costs_one_line(command, cache: Path, vectors: Path, monkeypatch, full) -> None:
    _, right, _ = _sanitize(command, vectors, 63)
    (path,) = cache.iterdir()
    path.unlink()
    close_unused()  # as in a new process
    if full:
        monkeypatch.setattr(policy.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 10_000}))
    else:
        monkeypatch.setenv("TEXTVEIL_CACHE", str(vectors / "words.txt"))
    code, out, err = _sanitize(command, vectors, 63)
    assert (code, out) == (0, right)
    (line,) = [line for line in err.splitlines() if "cache" in line]
    assert line.startswith("textveil: ") and line.endswith("Set TEXTVEIL_CACHE to a folder with room.")
    assert list(cache.iterdir()) == []


def test_very_large_tables_are_built_only_when_asked_for(command, cache: Path, vectors: Path, monkeypatch) -> None:
    monkeypatch.setattr(policy, "MOST_BYTES", 10_000)
    assert _sanitize(command, vectors, 63)[0] == 0
    assert not cache.exists()
