"""A release of a corpus that is killed anywhere: it is whole or not there, and no payment serves two draws.

Run as a script, this file is what is killed: forks die at each point in turn.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.corpora.test_jobs_killed import python_of

from textveil.errors import ModelError

EPSILON = 1.0
ROWS = [{"who": f"p{n % 40}", "text": "red green blue", "kind": "ab"[n % 2]} for n in range(160)]
POINTS = ("reserved", "drawn", "committed", "written", "first name")
"""Where a run dies: the budget is taken; noise is drawn; that is noted; files are on the disk; one of two has its name.
A count has one file and no ``first name``."""


def _die(*_: object, **__: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _deadly(command: str, point: str) -> None:
    """Have this process die at a point."""
    from textveil.aggregates import classifier, learning
    from textveil.aggregates.counts import Counting
    from textveil.cli import count

    module, name = (Counting, "release") if command == "count" else (learning, "_drawn")
    draw: Callable[..., object] = getattr(module, name)
    replace = Path.replace
    if point == "reserved":
        setattr(module, name, _die)
    elif point == "drawn":
        setattr(module, name, lambda *given: _die(draw(*given)))
    elif point == "committed":
        count.write_release = classifier.atomic_writers = _die  # type: ignore[assignment]
    elif point == "written":
        Path.replace = _die  # type: ignore[method-assign, assignment]
    else:
        Path.replace = lambda path, target: _die(replace(path, target))  # type: ignore[method-assign]


def _run(command: str, output: str, point: str = "") -> int:
    """One run in a fork; its exit code, or minus the signal that killed it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    from textveil.cli import main as cli

    if point:
        _deadly(command, point)
    label = ["--label", "kind", "--labels", "a,b"] if command == "learn" else ["--words", "words.txt"]
    options = ["--unit", "who", "--epsilon", str(EPSILON), "--delta", "1e-6", "--ledger", "budget.db"]
    sys.argv = ["textveil", command, "notes.jsonl", *options, *label, "-o", output]
    os._exit(cli._exit_code())


def _paid() -> float:
    """What one person has paid."""
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    with Ledger("budget.db") as ledger:
        return float(ledger.balance(Account("local", "p1")).spent.epsilon)


def _script(command: str, points: Sequence[str]) -> None:
    """Die at every point in turn, then run to the end; writes what was paid and what stood there after each."""
    Path("notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    Path("words.txt").write_text("red\ngreen\nblue\n")
    import textveil.vocabulary.embedded  # once, not in each fork

    textveil.vocabulary.embedded.load_vocabulary()
    rows = []
    for point in (*points, ""):
        code = _run(command, "release", point)
        named = Path("release").is_file() or Path("release/model.json").is_file()
        rows.append({"code": code, "paid": _paid(), "named": named})
    sys.stdout.write(json.dumps(rows))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.parametrize("command", ["count", "learn"])
def test_a_killed_release_is_not_there_and_the_next_run_pays_again(command: str, tmp_path: Path) -> None:
    """Dies with: a commit behind the file's name, a file written under its name, a payment behind the draw."""
    pytest.importorskip("sqlalchemy")
    points = POINTS[:4] if command == "count" else POINTS
    process = python_of(__file__, command, ",".join(points), cwd=tmp_path, stdout=-1)
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    rows = json.loads(out)
    assert [row["code"] for row in rows] == [-signal.SIGKILL] * len(points) + [0], err.decode()
    paid = np.array([row["paid"] for row in rows])
    assert (np.diff(paid, prepend=0) > 0.2 * EPSILON).all()  # every run has paid; together they cost less than alone
    assert [row["named"] for row in rows] == [False] * 4 + [True] * (len(rows) - 4)


def test_files_of_two_models_are_not_taken_for_one(tmp_path: Path) -> None:
    """What a kill between two names leaves where an earlier model stood."""
    from textveil.aggregates.classifier import load_model
    from textveil.aggregates.learning import learn
    from textveil.aggregates.records import PersonalRecords

    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for name in ("one", "two"):
        records = PersonalRecords(inputs=(str(path),), unit="who", label="kind")
        (tmp_path / name).mkdir()
        learn(records, epsilon=1.0, delta=1e-6, labels=["a", "b"]).model.save(tmp_path / name)
    load_model(tmp_path / "one")
    (tmp_path / "two/model.json").replace(tmp_path / "one/model.json")
    with pytest.raises(ModelError, match="files of two models"):
        load_model(tmp_path / "one")


if __name__ == "__main__":
    _script(sys.argv[1], sys.argv[2].split(","))
