"""Extras by name: docs and messages speak of those that are there; no message installs another textveil."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

import textveil as tv
from textveil.cli import main as cli
from textveil.errors import MissingExtra, MissingLab
from textveil.registry.table import LAB_COMMANDS, LAB_MECHANISMS, loaded

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def _extras() -> set[str]:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        return set(tomllib.load(stream)["project"]["optional-dependencies"])


def test_messages_name_extras_that_are_there() -> None:
    named = re.compile(r"(?:MissingExtra\([^\n]*, |^EXTRA.* = )\"(\w+)\"", re.MULTILINE)
    found = [extra for path in ROOT.glob("src/**/*.py") for extra in named.findall(path.read_text(encoding="utf-8"))]
    assert len(found) >= 15 and set(found) <= _extras()


def test_pages_install_in_one_way_and_name_extras_that_are_there() -> None:
    """From a clone: ``python -m pip install ".[NAME]"``."""
    named = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for line in text.splitlines():
            if "pip install" in line and page.name != "CHANGELOG.md" and "Messages that miss a package" not in line:
                assert "-m pip install" in line and "'textveil[" not in line, f"{page.name}: {line}"
        named |= {one for found in re.findall(r"\"(?:\.|textveil)\[([\w,]+)\]\"", text) for one in found.split(",")}
    assert {"server", "maps", "test"} <= named <= _extras()


def test_the_command_of_a_message_adds_to_the_textveil_that_is_installed() -> None:
    """Without any index: pip does not ask for another textveil."""
    try:
        distribution("textveil")
    except PackageNotFoundError:
        pytest.skip("textveil is not installed here: it runs from its source")
    told = str(MissingExtra("cryptography", "maps"))
    wanted = re.search(r"Run: pip install '(textveil\[maps\])'$", told)
    assert wanted and "\n" not in told
    pytest.importorskip("cryptography")
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--disable-pip-version-check"]
    done = subprocess.run([*command, wanted[1]], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "Would install" not in done.stdout, done.stdout + done.stderr


INSTALL = "python -m pip install ./lab"


@pytest.fixture(autouse=True)
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [])
    monkeypatch.setattr("textveil.cli.main.entry_points", lambda group: [])


@pytest.mark.parametrize("name", ["audit", "decode", "frontier"])
def test_a_function_of_the_face(name: str) -> None:
    monkeyed = tv.__dict__.pop(name, None)
    with pytest.raises(MissingLab, match=INSTALL):
        getattr(tv, name)
    if monkeyed is not None:
        setattr(tv, name, monkeyed)


def test_a_mechanism(tiny) -> None:
    for name in LAB_MECHANISMS.split():
        with pytest.raises(MissingLab, match=f"^the mechanism {name} needs .*{INSTALL}"):
            tv.mechanism(name, tiny)


def test_vectors_of_a_release(tiny) -> None:
    release = tv.Sanitizer(tv.mechanism("randomized-response", tiny))("w0 w1")
    with pytest.raises(MissingLab, match=INSTALL):
        release.vectors()


COMMANDS = [[name, "--help"] for name in LAB_COMMANDS.split()] + [
    ["explain", "--mechanism", "gaussian", "--word", "cat"]
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: words[0])
def test_a_command(arguments: list[str], capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
    assert cli._exit_code() == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and INSTALL in told


def test_the_list_of_mechanisms_says_how_many_there_are_more(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", "mechanisms"])
    assert cli._exit_code() == 0
    out, err = capsys.readouterr()
    assert "neighborhood" in out and err.count("\n") == 1 and INSTALL in err


def test_a_function_of_the_lab_that_needs_an_extra_names_it() -> None:
    class Point:
        name = "frontier"

        def load(self) -> None:
            raise MissingExtra("scikit-learn", "learn")

    with pytest.raises(MissingExtra, match=r"Run: pip install 'textveil\[learn\]'$"):
        loaded(Point())


def test_estimates_and_frontiers_need_no_scikit_learn() -> None:
    pytest.importorskip("textveil_lab")
    hidden = "import sys; sys.modules['sklearn'] = None; "
    told = "import textveil_lab.estimation.frequencies, textveil_lab.frontiers.comparison"
    done = subprocess.run([sys.executable, "-c", hidden + told], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("error", "told"), [(ImportError, MissingExtra), (KeyError, KeyError)])
def test_a_failed_import_is_told_as_its_extra_and_nothing_else_is(error: type[Exception], told: type) -> None:
    with pytest.raises(Exception, match="nowhere") as caught, MissingExtra("nowhere", "learn"):
        raise error("nowhere")
    assert caught.type is told
