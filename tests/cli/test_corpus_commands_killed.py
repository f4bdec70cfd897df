"""A release of a corpus that is killed anywhere: it is whole or not there, and goes on with the draws it has paid for.

Run as a script, this file is what is killed: forks die at each point in turn.
"""

import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.corpora.test_jobs_killed import python_of
from tests.helpers.vocabularies import made_vocabulary

from textveil.cli.main import OWN, AllCommands
from textveil.errors import ModelError

EPSILON = 1.0
ROWS = [{"who": f"p{n % 400}", "text": "red green blue", "kind": "ab"[n % 2]} for n in range(800)]
POINTS = ("reserved", "drawn", "committed", "written", "first name")
"""Where a run dies: the budget is taken; noise is drawn; all is; files are on the disk; the first has its name."""
VALUES = {
    "--words": "words.txt",
    "--ngrams": "2",
    "--label": "kind",
    "--labels": "a,b",
    "--public": "pool.txt",
    "--documents": "4",
    "--topics": "2",
    "--delta": "1e-4",
}
"""What a command is given for each of these options that it has."""


def _options(name: str) -> list[str]:
    return [spelling for each in AllCommands(name="textveil").commands[name].params for spelling in each.opts]


def _commands() -> dict[str, list[str]]:
    """The commands of releases about a corpus, which ask whose a record is and are paid for, with their options."""
    commands = {}
    for name in OWN:
        options = _options(name)
        if {"--unit", "--records-per-person", "--ledger"} <= set(options):
            commands[name] = [word for option in options if option in VALUES for word in (option, VALUES[option])]
    return commands


COMMANDS = _commands()


def _die(*_: object, **__: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _deadly(point: str, log: Path) -> None:
    """Have this process write down what it draws, and die at a point."""
    from textveil.aggregates import classifier
    from textveil.aggregates.topics import VoteNoise
    from textveil.cli import aggregates
    from textveil.numerics.discrete_noise import DiscreteGaussian

    replace = Path.replace

    def logged(draw: Callable[..., Any]) -> Callable[..., Any]:
        def drawn(noise: object, about: Any, rng: np.random.Generator) -> Any:
            if point == "reserved":
                _die()
            values = draw(noise, about, rng)
            with log.open("a") as stream:
                stream.write(f"{noise} {hashlib.sha256(np.asarray(values).tobytes()).hexdigest()}\n")
            return _die() if point == "drawn" else values

        return drawn

    DiscreteGaussian.sample = logged(DiscreteGaussian.sample)  # type: ignore[method-assign]
    VoteNoise.on = logged(VoteNoise.on)  # type: ignore[method-assign]
    if point == "committed":
        aggregates.write_release = _die  # type: ignore[assignment]
        classifier.atomic_writers = _die  # type: ignore[attr-defined]
    elif point == "written":
        Path.replace = _die  # type: ignore[method-assign]
    elif point == "first name":
        Path.replace = lambda path, target: _die(replace(path, target))  # type: ignore[method-assign, assignment]


def _run(command: str, point: str, log: Path, *more: str) -> int:
    """One run in a fork; its exit code, or minus the signal that killed it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    from textveil.cli import main as cli

    _deadly(point, log)
    options = ["--unit", "who", "--epsilon", str(EPSILON), "--ledger", "budget.db", "-o", "release"]
    sys.argv = ["textveil", command, "notes.jsonl", *options, *COMMANDS[command], *more]
    os._exit(cli._exit_code())


def _paid() -> float:
    """What one person has paid."""
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    with Ledger("budget.db") as ledger:
        return float(ledger.balance(Account("local", "p1")).spent.approximate().epsilon)


def _open_to_others() -> list[str]:
    """Hidden files that others may open, in folders that they may."""
    hidden = [path for path in Path().rglob("*") if ".textveil-paid" in str(path)]
    return [str(path) for path in hidden if path.stat().st_mode & 0o077]


def _released() -> str:
    files = [path for path in sorted(Path().rglob("*")) if path.is_file() and path.parts[0] == "release"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files if path.name[0] != ".")).hexdigest()


def _script(command: str) -> None:
    """Die at every point in turn, then run to the end; writes what was paid, drawn and stood there after each."""
    Path("notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    Path("words.txt").write_text("red\ngreen\nblue\n")
    Path("pool.txt").write_text(
        "".join(f"a {color} house {n}\n" for n, color in enumerate(["red", "blue", "green"] * 4))
    )
    import textveil.vocabulary.embedded  # once, not in each fork

    textveil.vocabulary.embedded.load_vocabulary()
    rows: list[dict[str, Any]] = []
    for number, point in enumerate((*POINTS, "")):
        log, before = Path(f"draws-{number}"), _released()
        code = _run(command, point, log, *([] if point or not Path("release").is_file() else ["--overwrite"]))
        named = Path("release").is_file() or Path("release/model.json").is_file()
        row = {"code": code, "paid": _paid(), "named": named, "open": _open_to_others()}
        rows.append(
            {**row, "drawn": log.read_text().split("\n") if log.exists() else [], "same": before == _released()}
        )
    rows[-1]["left"] = [str(path) for path in Path().rglob("*textveil-paid*")]
    sys.stdout.write(json.dumps(rows))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[] if name == "count" else pytest.mark.slow) for name in COMMANDS]
)
def test_a_killed_release_is_not_there_and_the_next_run_goes_on_with_it(command: str, tmp_path: Path) -> None:
    """Dies with: a payment behind the draw, a second payment, other draws, a secret that stays or that others read."""
    pytest.importorskip("sqlalchemy")
    process = python_of(__file__, command, cwd=tmp_path, stdout=-1)
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    rows = json.loads(out)
    assert [row["code"] for row in rows] == [-signal.SIGKILL] * len(POINTS) + [0], err.decode()
    assert {row["paid"] for row in rows} == {rows[0]["paid"]} and rows[0]["paid"] > 0.2 * EPSILON
    assert [row["named"] for row in rows] == [False] * 4 + [True] * 2
    draws = rows[-1]["drawn"]
    assert len(draws) > 1 and all(row["drawn"] == draws for row in rows[2:])
    assert [row["drawn"] for row in rows[:2]] == [[], [draws[0], ""]]
    assert [row["open"] for row in rows] == [[]] * len(rows) and rows[-1]["left"] == []
    assert rows[-1]["same"] or command.startswith("learn")  # of two files, one was there


def test_files_of_two_models_are_not_taken_for_one(tmp_path: Path) -> None:
    """What a kill between two names leaves where an earlier model stood."""
    from textveil.aggregates.classifier import load_model
    from textveil.aggregates.learning import learn
    from textveil.aggregates.request import CorpusRequest, PersonalRecords

    words = made_vocabulary(40)
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for name in ("one", "two"):
        records = PersonalRecords(inputs=(str(path),), unit="who", label="kind")
        (tmp_path / name).mkdir()
        request = CorpusRequest(records, epsilon=1.0, delta=1e-6, labels=["a", "b"], vocabulary=words)
        learn(request).model.save(tmp_path / name)
    load_model(tmp_path / "one", vocabulary=words)
    (tmp_path / "two/model.json").replace(tmp_path / "one/model.json")
    with pytest.raises(ModelError, match="files of two models"):
        load_model(tmp_path / "one", vocabulary=words)


if __name__ == "__main__":
    _script(sys.argv[1])


def test_every_aggregate_is_killed() -> None:
    import textveil.aggregates as package

    named = [file for file in Path(package.__path__[0]).glob("*.py") if "\nRELEASE: Final = " in file.read_text()]
    assert len(named) == len(COMMANDS), "each release about a corpus is a command that is killed"


@pytest.mark.parametrize("name", COMMANDS)
def test_what_an_aggregate_writes_has_noise(name: str, command: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """One corpus, two seeds, which are fixed: outputs that are equal were drawn without noise."""
    monkeypatch.chdir(tmp_path)
    Path("notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    Path("words.txt").write_text("red\ngreen\nblue\n")
    Path("pool.txt").write_text("".join(f"a {color} house {n}\n" for n, color in enumerate(["red", "blue"] * 6)))
    options = ["--unit", "who", "--epsilon", EPSILON, *COMMANDS[name]]
    if "--vocabulary" in _options(name):
        Path("vectors.txt").write_text("red 1 2 3\ngreen 3 1 2\nblue 2 3 1\na 1 1 1\nhouse 0 1 2\n")
        options += ["--vocabulary", "vectors.txt"]
    written = []
    for seed in (1, 2):
        assert command(name, "notes.jsonl", *options, "--seed", seed, "-o", f"out{seed}")[0] == 0
        files = sorted(path for path in Path().rglob("*") if path.is_file() and path.parts[0] == f"out{seed}")
        written.append([path.read_bytes() for path in files])
    assert written[0] != written[1]
