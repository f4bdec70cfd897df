"""Commands of other packages: found by entry points, imported when they are run, and no harm to other commands."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from textveil.cli import main

GREET = '''
import typer

app = typer.Typer(add_completion=False)


@app.command()
def greet(name: str = "world", count: int = 1) -> None:
    """Say hello."""
    print("hello", name, count)


plain = greet
'''


@pytest.fixture
def textveil(monkeypatch, capsys, tmp_path):
    (tmp_path / "greeting.py").write_text(GREET)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(points: dict[str, str], *arguments: str) -> tuple[int, str, str]:
        made = [EntryPoint(name, target, main.GROUP) for name, target in points.items()]
        monkeypatch.setattr(main, "entry_points", lambda group: made if group == main.GROUP else [])
        monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
        code = main._exit_code()
        return code, *capsys.readouterr()

    return run


def test_a_command_of_another_package_runs_with_its_options(textveil) -> None:
    points = {"greet": "greeting:app"}
    assert textveil(points, "greet", "--name", "you") == (0, "hello you 1\n", "")
    code, _, told = textveil(points, "greet", "--count", "many")
    assert code == 2 and told.startswith("textveil: --count must be an integer. See: ")
    assert "--name" in textveil(points, "greet", "--help")[1]


def test_help_says_what_it_does_and_lists_one_that_cannot_be_loaded(textveil) -> None:
    code, shown, _ = textveil(
        {"greet": "greeting:app", "lost": "no_such_package:app", "odd": "greeting:plain"}, "--help"
    )
    assert code == 0 and "greet       Say hello.\n" in shown
    assert "lost        Command of another package.\n" in shown and "odd         Command of another" in shown


@pytest.mark.parametrize("target", ["no_such_package:app", "greeting:missing", "greeting:plain"])
def test_one_that_cannot_be_loaded_is_told_in_one_line_and_breaks_no_other(textveil, target: str) -> None:
    points = {"lost": target}
    code, shown, told = textveil(points, "lost")
    assert code == 2 and shown == "" and told.count("\n") == 1 and "entry point lost must" in told
    assert textveil(points, "policies")[0] == 0


def test_no_package_takes_the_place_of_an_own_command(textveil) -> None:
    assert "hello" not in textveil({"policies": "greeting:app"}, "policies")[1]


@pytest.mark.parametrize("name", ["reproduce", "rewrite"])
def test_commands_of_the_studies_say_in_one_line_what_to_install(textveil, name: str) -> None:
    code, shown, told = textveil({}, name, "--quick")
    assert code == 2 and shown == ""
    assert told == (
        f"textveil: `textveil {name}` needs the package textveil-lab. "
        "In a clone of textveil, run: python -m pip install ./lab\n"
    )
    assert name not in textveil({}, "--help")[1]


def test_textveil_does_not_import_its_studies() -> None:
    code = "import sys, textveil.cli.main; print(any(name.startswith('textveil_lab') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("sanitize", "in.txt", "-p", "prompts", "--policy", "identifiers"), "--policy"),
        (("sanitize", "-m", "neighborhood", "--epsilon", "3", "--epsilon=4"), "--epsilon"),
        (("serve", "--port", "1", "--port", "1"), "--port"),
        (("ledger", "show", "b.db", "--tenant", "a", "--tenant", "b"), "--tenant"),
        (("doctor", "--upstream", "http://a", "--upstream", "http://b"), "--upstream"),
    ],
)
def test_an_option_with_one_value_is_refused_twice(textveil, arguments: tuple[str, ...], name: str) -> None:
    code, shown, told = textveil({}, *arguments)
    assert (code, shown) == (2, "") and told.startswith(f"textveil: {name} must be given once; got it 2 times. See: ")


def test_options_that_are_lists_or_switches_may_come_twice(textveil, tmp_path) -> None:
    (tmp_path / "in.jsonl").write_text('{"a": "one two", "b": "three"}\n')
    given = ("sanitize", str(tmp_path / "in.jsonl"), "--field", "a", "--field", "b", "-p", "identifiers", "-q", "-q")
    assert textveil({}, *given)[0] == 0
