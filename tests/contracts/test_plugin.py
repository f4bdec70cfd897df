"""The example of a third-party package, without installing it: by its entry points, through every command."""

import io
import json
import re
import sys
import tomllib
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import ENTRY_POINT_GROUP, MECHANISMS, entries, mechanism
from textveil.cli import main as cli
from textveil.mechanisms.declaration import entry_of
from textveil.testing import check_mechanism

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "examples/plugin"
LINES = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
NAMES = [name for name in LINES[ENTRY_POINT_GROUP] if name != "logistic" or find_spec("textveil_lab")]
OPTIONS = {"frequency-window": ("--window", "6"), "logistic": ("--clip", "2.5")}


@pytest.fixture(autouse=True)
def plugin(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGIN / "src"))
    points = [EntryPoint(name, line, ENTRY_POINT_GROUP) for name, line in LINES[ENTRY_POINT_GROUP].items()]
    points = [point for point in points if point.name in NAMES]
    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: points)


@pytest.fixture
def textveil(capsys, monkeypatch, tmp_path):
    vocabulary = made_vocabulary(40)
    path = tmp_path / "own.txt"
    rows = zip(vocabulary.words, vocabulary.vectors.tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))

    def run(command: str, *arguments: str) -> tuple[int, str, str]:
        has_help = {"--help", "--help-all"}.intersection(arguments)
        own = () if command == "mechanisms" or has_help else ("--vocabulary", str(path))
        monkeypatch.setattr(sys, "argv", ["textveil", command, *own, *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Some words and 12.")))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer := io.BytesIO(), write_through=True))
        code = cli._exit_code()
        return code, buffer.getvalue().decode(), capsys.readouterr().err

    return run


def test_the_catalog_lists_them_behind_its_own() -> None:
    assert list(entries()) == [*MECHANISMS, *NAMES]
    assert set(NAMES) >= {"frequency-window"}


@pytest.mark.parametrize("name", NAMES)
def test_they_keep_their_declarations_and_their_proofs_are_there(name: str, tiny) -> None:
    constructor = entries()[name].constructor()
    check_mechanism(constructor, tiny)
    assert len(entry_of(constructor).proof_file().read_text(encoding="utf-8").split()) > 100
    assert mechanism(name, tiny).guarantee.epsilon == 8.0


@pytest.mark.parametrize("name", NAMES)
def test_every_command_takes_them_with_their_options(textveil, tmp_path, name: str) -> None:
    flag, value = OPTIONS[name]
    chosen = ("--mechanism", name, "--epsilon", "2", flag, value)
    code, out, err = textveil("mechanisms", name)
    assert code == 0, err
    assert re.search(rf"\n{flag[2:]} +", out)
    code, out, err = textveil("explain", *chosen, "--json", "--samples", "500")
    assert code == 0, err
    assert json.loads(out)["mechanism"]["parameters"][flag[2:]] == float(value)
    report = tmp_path / "r.json"
    code, out, err = textveil("sanitize", *chosen, "--report", str(report))
    assert code == 0, err
    assert len(out.split()) == 4
    assert json.loads(report.read_text())["mechanism"]["parameters"][flag[2:]] == float(value)
    if find_spec("textveil_lab"):
        code, out, err = textveil("audit", *chosen, "--no-attacks", "--samples", "2000", "--json")
        assert code == 0, err
        assert json.loads(out)["verdict"] != "refuted"
    assert f"{flag} " in textveil("sanitize", "--help-all")[1]


def test_ci_installs_and_tests_it() -> None:
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "python -m pip install --quiet --no-deps ./examples/plugin\npython -m pytest examples/plugin\n" in ci
    assert str(Path("tests/test_plugin.py")) in (PLUGIN / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", (PLUGIN / "README.md").read_text(encoding="utf-8")):
        assert (PLUGIN / link).is_file(), link
