"""The mutation tool's tables against the tree: what they name exists, and what may live says why."""

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def place(target: str) -> Path:
    """A path below src/textveil, or below lab/src for the lab's."""
    return ROOT / ("lab/src" if target.startswith("textveil_lab") else "src/textveil") / target


def read(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return tomllib.load(stream)


def test_accepted_mutants_are_of_lines_that_exist_and_have_reasons() -> None:
    entries = read(ROOT / "tests/mutants/accepted.toml")["accepted"]
    assert entries
    for entry in entries:
        assert set(entry) == {"file", "line", "mutant", "reason"}
        lines = place(entry["file"]).read_text(encoding="utf-8").splitlines()
        assert entry["line"] in {" ".join(line.split()) for line in lines}, entry
        assert entry["mutant"] != entry["line"]
        assert len(entry["reason"]) > 20


def test_tests_of_mutants_exist_and_cover_the_core() -> None:
    tests = read(ROOT / "pyproject.toml")["tool"]["mutants"]["tests"]
    assert {"privacy", "mechanisms", "text", "sanitize", "numerics"} <= set(tests)
    for target, paths in tests.items():
        assert place(target).exists(), target
        assert paths
        for path in paths:
            assert (ROOT / path).exists(), path
