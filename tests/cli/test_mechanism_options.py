"""Options of mechanisms on the command line: those of the declarations, in groups, for anybody's mechanism."""

import io
import json
import re
import sys
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pytest
from tests.helpers.shared import needs_lab

from textveil.catalog import MECHANISMS
from textveil.cli import main as cli
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import Status
from textveil.registry.options import GUARANTEE, Option, at_least
from textveil.registry.table import entry_points

COMMANDS = ("sanitize", "explain", "audit")
SEEN: dict = {}


@declared(family="channel", notion="pure DP", status=Status.CLAIMED, proof="", source="", summary="Theirs.")
def their_own(
    vocabulary,
    *,
    epsilon: Epsilon,
    window_width: Annotated[int, Option(domain=at_least(2), help="Words in a window.", metavar="W")] = 3,
    fair: bool = True,
    seed: int = 0,
    clip: Annotated[float, Option(help="Not as textveil's.", metavar="X", group=GUARANTEE)] | None = 2.5,
    table: dict | None = None,
):
    SEEN.update(window_width=window_width, fair=fair, seed=seed, clip=clip, table=table)
    return randomized_response(vocabulary, epsilon=epsilon)


@pytest.fixture
def textveil(capsys, monkeypatch, tmp_path):
    rows = np.random.default_rng(1).normal(size=(12, 5))
    path = tmp_path / "own.txt"
    path.write_text("".join(f"word{chr(97 + i)} " + " ".join(map(str, row)) + "\n" for i, row in enumerate(rows)))
    point = SimpleNamespace(name="their-own", load=lambda: their_own)
    points = {group: list(entry_points(group)) for group in ("textveil.mechanisms", "textveil.commands")}
    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [*points.get(group, ()), point])
    monkeypatch.setenv("COLUMNS", "100")

    def run(command: str, *arguments: str) -> tuple[int, str, str]:
        SEEN.clear()
        own = () if {"--help", "--help-all"}.intersection(arguments) else ("--vocabulary", str(path))
        monkeypatch.setattr(sys, "argv", ["textveil", command, *own, *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"worda wordb")))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer := io.BytesIO(), write_through=True))
        code = cli._exit_code()
        return code, buffer.getvalue().decode(), capsys.readouterr().err

    return run


def _section(page: str, title: str) -> str:
    return page.split(f"\n{title}:\n")[1].split("\n\n")[0]


@needs_lab
@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_declared_option_in_its_group(textveil, command: str) -> None:
    code, page, _ = textveil(command, "--help-all")
    assert code == 0
    for name, entry in MECHANISMS.items():
        for key, option in entry.options().items():
            section = " ".join(_section(page, option.group).split())
            spelled = f"{key.replace('_', '-')} {option.metavar} "  # a command may have such an option itself
            assert f"--{spelled}" in section or f"--mechanism-{spelled}" in section, (name, key)
            assert all(name in section for name in option.domain.names)
    assert "--no-clip " in _section(page, "Vectors and noise")
    assert "--vocabulary PATH" in _section(page, "Vocabulary")
    own = {"sanitize": ("Jobs and processes", "--workers N"), "audit": ("Code of others", "--time-limit S")}
    title, option = own.get(command, ("Options", "--top K"))
    assert option in _section(page, title)
    assert "--mechanism NAME" in _section(page, GUARANTEE)
    assert re.search(r"--epsilon E .*\[default: 8\]", " ".join(page.split()))
    assert "For their-own: words in a window. [default: 3]" in " ".join(_section(page, Option().group).split())
    assert len(re.findall(r"^ +--clip ", page, flags=re.MULTILINE)) == 1


@needs_lab
def test_every_command_reads_the_options_of_anybodys_mechanism(textveil) -> None:
    arguments = ("--window-width", "7", "--no-fair", "--mechanism", "their-own", "--mechanism-seed=5", "--clip", "4")
    for command in COMMANDS:
        own = ("--no-attacks",) if command == "audit" else ()
        code, _, err = textveil(command, *own, *arguments)
        assert code == 0, err
        assert SEEN == {"window_width": 7, "fair": False, "seed": 5, "clip": 4.0, "table": None}
    textveil("explain", "--no-clip", "-mtheir-own")
    assert SEEN == {"window_width": 3, "fair": True, "seed": 0, "clip": None, "table": None}


def test_a_commands_own_option_keeps_its_spelling(textveil, tmp_path) -> None:
    report = tmp_path / "r.json"
    code, _, _ = textveil("sanitize", "-m", "their-own", "--seed", "9", "--report", str(report))
    assert code == 0
    assert json.loads(report.read_text())["for_release"] is False
    assert SEEN["seed"] == 0


@needs_lab
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--window-width", "1", "-m", "their-own"), "must be an integer >= 2; got 1."),
        (("--window-width", "x", "-m", "their-own"), "--window-width must be an integer"),
        (
            ("--window-width", "3"),
            "--base-mass, --context, --context-weight; got --window-width.",
        ),
        (("--no-clip",), "neighborhood takes the options"),
        (("--delta", "0.1", "-m", "their-own"), "their-own takes the options"),
        (("-m", "their-own", "--clip", "1", "--no-clip"), "--clip and --no-clip exclude each other"),
        (("-m", "theirown", "--window-width", "3"), "Did you mean 'their-own'?"),
        (("--epsilon",), "requires an argument"),
        (("--windows", "3", "-m", "their-own"), "No such option: --windows"),
        (("--table", "3", "-m", "their-own"), "No such option: --table"),
        (("--metric", "euclid", "-m", "metric-exponential"), "must be one of shared-neighbors, "),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_wrong_is_said_in_one_line(textveil, command: str, arguments: tuple[str, ...], message: str) -> None:
    if command == "audit" and "-m" not in arguments:
        arguments = ("-m", "neighborhood", *arguments)
    code, out, err = textveil(command, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("textveil: ")
    assert err.count("\n") == 1


def test_only_the_mechanism_that_is_used_is_imported() -> None:
    import subprocess

    code = (
        "import sys, textveil.cli.main as m; sys.argv = ['textveil', 'sanitize', '-q']\n"
        "assert m._exit_code() == 0\n"
        "print(*(name for name in sys.modules if name.startswith('textveil.mechanisms.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], input="a", capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "textveil.mechanisms.neighborhood" in loaded
    assert not [name for name in loaded if "additive" in name or "published" in name]


@needs_lab
def test_a_folder_without_a_model_is_a_mistake_of_use(command, tmp_path) -> None:
    """Exit code 2: another folder is the remedy; a model that cannot be read is 1."""
    pytest.importorskip("transformers", reason="needs the extra transformers", exc_type=ImportError)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    for name, wanted in (("dp-bart", "an encoder-decoder"), ("dp-prompt", "a causal language model")):
        code, _, error = command("sanitize", "-", "-m", name, "--model", tmp_path, "--epsilon", "1", stdin=b"a\n")
        assert code == 2 and wanted in error
