"""Bars: drawn after a delay whatever is done, never over what goes to a file, and away before the next."""

import os
import subprocess
import sys
import threading

import pytest

from textveil.cli import progress
from textveil.cli.progress import Bar, counting


@pytest.fixture
def terminal(monkeypatch):
    """Standard error is a terminal, and bars wait for nothing."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "DELAY", 0.0)


def test_work_that_reports_nothing_is_shown_all_the_same(terminal) -> None:
    with counting("auditing") as bar:
        bar._timer.join()
        assert bar._drawn is not None and bar._drawn.tasks[0].total is None
        bar(3, 10)
        assert (bar._drawn.tasks[0].completed, bar._drawn.tasks[0].total) == (3, 10)
        drawn = bar._drawn
    assert not drawn.live.is_started


def test_short_work_draws_nothing(terminal, monkeypatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 3600.0)
    with counting("auditing") as bar:
        bar(1, 2)
    assert bar._drawn is None and bar._timer.finished.is_set()


def test_nothing_is_drawn_without_a_terminal(monkeypatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    before = set(threading.enumerate())  # threads of other tests may end
    with counting("auditing") as bar:
        bar(1, 2)
        begun = set(threading.enumerate()) - before
        assert bar._drawn is None and not any(isinstance(thread, threading.Timer) for thread in begun)


def test_nothing_is_drawn_over_what_a_person_types(terminal, monkeypatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    for inputs, shown in (["-"], False), (["a.txt"], True):
        bar = Bar("sanitizing", "words", inputs)
        bar._timer.join() if shown else None
        assert (bar._drawn is not None) is shown
        bar.close()


def test_other_work_takes_the_place_of_the_first(terminal) -> None:
    bar = Bar("sanitizing", "words")
    bar._timer.join()
    first = bar._drawn
    bar.turn_to("building", "words")
    assert first is not None and not first.live.is_started
    bar._timer.join()
    assert bar._drawn is not None and bar._drawn.tasks[0].description == "building"
    bar.close()


@pytest.mark.parametrize(
    ("policy", "unit"), [("prompts", "documents"), ("identifiers", "documents"), ("all-words", "words")]
)
def test_what_is_counted_is_what_there_is(command, monkeypatch, tmp_path, policy: str, unit: str) -> None:
    """Under a policy that keeps words none is drawn: the bar would say "0 words/s"."""
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(Bar, "update", lambda bar, done, total, counted: told.append((bar._unit, counted)))
    source = tmp_path / "in.txt"
    source.write_text("Maria Gonzalez called.\n" * 3)
    code, _, err = command("sanitize", source, "-p", policy, "-o", tmp_path / "out.txt")
    assert code == 0, err
    assert told[-1] == (unit, 9 if unit == "words" else 3)


_PIPED = """
import sys
from textveil.cli import progress
progress.DELAY = 0.0
with progress.counting("detecting") as bar:
    bar._timer.join()
    sys.stdout.write("released\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_what_goes_to_a_file_does_not_go_to_the_terminal() -> None:
    """A bar on the screen takes over the streams that are the terminal, and no other."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", _PIPED]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(ours)
    os.close(theirs)
    assert done.stdout == b"released\n"
