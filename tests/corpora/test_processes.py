"""Several processes: the same bytes as one, in order, and what happens when one of them dies."""

import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from tests.helpers.deadly import FATAL, SECRET, WORDS, deadly, made_vocabulary
from tests.helpers.runs import run_of, worker_of

from textveil.corpora import process_pool
from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.processes import Processes
from textveil.errors import InputError, ParameterError, TextveilError
from textveil.mechanisms.randomized_response import randomized_response
from textveil.sanitize.policy.choice import policy

needs_kill = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")


def made(tmp_path, lines: list[str], **changes: Any) -> Run:
    path = tmp_path / "in.txt"
    path.write_text("".join(line + "\n" for line in lines))
    options: dict[str, Any] = {
        "mechanism": randomized_response(made_vocabulary(), epsilon=0.1),
        "corpus_format": PlainText(),
        "inputs": (str(path),),
        "engine": Processes(2),
        "block_bytes": 60,
    }
    return run_of(**{**options, **changes})


def released(run: Run) -> tuple[bytes, Any]:
    stream = io.BytesIO()
    finished = run.to_stream(stream)
    return stream.getvalue(), finished


LINES = [" ".join(WORDS[20 : 20 + number % 9 + 1]) for number in range(60)]


def test_the_output_does_not_depend_on_the_number_of_processes(tmp_path) -> None:
    one, _ = released(made(tmp_path, LINES, seed=3, engine=Processes(1)))
    two, finished = released(made(tmp_path, LINES, seed=3))
    assert one == two
    assert [len(line.split()) for line in two.decode().splitlines()] == [len(line.split()) for line in LINES]
    assert finished.report.tally.documents == 60
    assert not finished.report.setting.for_release


def test_runs_differ_and_blocks_of_one_content_differ(tmp_path) -> None:
    lines = [" ".join(WORDS[:12])] * 30
    first, second = (released(made(tmp_path, lines, engine=Processes(1)))[0] for _ in range(2))
    assert first != second
    assert len(set(first.splitlines())) == 30


@pytest.mark.slow
@needs_kill
def test_a_block_whose_process_dies_is_done_once_more(tmp_path) -> None:
    lines = [*LINES[:30], f"{FATAL} {FATAL}", *LINES[30:]]
    out, finished = released(made(tmp_path, lines, mechanism=deadly(tmp_path / "deaths", 1)))
    assert [len(line.split()) for line in out.decode().splitlines()] == [len(line.split()) for line in lines]
    assert finished.skipped == 0


@pytest.mark.slow
@needs_kill
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_block_over_which_two_processes_die_is_given_up_by_number(tmp_path, on_error: str) -> None:
    lines = [*LINES[:30], f"{FATAL} {FATAL}", *LINES[30:]]
    run = made(tmp_path, lines, mechanism=deadly(tmp_path / "deaths", 2), on_error=on_error)
    if on_error == "stop":
        with pytest.raises(InputError, match=r"lines? \d+( to \d+)? must be released by a process; two crashed"):
            released(run)
        return
    out, finished = released(run)
    (skip,) = finished.totals.skipped
    assert skip.first <= 31 <= skip.last
    kept = lines[: skip.first - 1] + lines[skip.last :]
    assert [len(line.split()) for line in out.decode().splitlines()] == [len(line.split()) for line in kept]
    assert finished.report.tally.documents == len(kept)


def test_a_fault_of_a_mechanism_in_a_process_does_not_print_the_text(tmp_path) -> None:
    run = made(tmp_path, [*LINES, FATAL], mechanism=deadly(tmp_path / "deaths", -1))
    with pytest.raises(TextveilError, match=r"must draw a word for each; got RuntimeError") as caught:
        released(run)
    assert SECRET not in str(caught.value)


def test_small_inputs_start_no_process(tmp_path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(process_pool, "Pool", refuse)
    assert released(made(tmp_path, LINES[:3]))[0].count(b"\n") == 3
    assert released(made(tmp_path, LINES, engine=Processes(1)))[0].count(b"\n") == 60


@pytest.mark.slow
def test_there_are_no_more_processes_than_blocks(tmp_path, monkeypatch) -> None:
    """A process that is started beside the blocks would have nothing to do: 500 of them took minutes and memory."""
    started = []
    begin = process_pool.Pool._started

    def counted(pool: process_pool.Pool) -> process_pool._Hand:
        started.append(pool)
        return begin(pool)

    monkeypatch.setattr(process_pool.Pool, "_started", counted)
    out, _ = released(made(tmp_path, LINES[:20], engine=Processes(50), seed=3, block_bytes=60))
    blocks = len(list(made(tmp_path, LINES[:20], block_bytes=60)._inputs(bytes(32)).blocks()))
    assert 2 < blocks < 20
    assert len(started) <= blocks
    assert out == released(made(tmp_path, LINES[:20], engine=Processes(1), seed=3, block_bytes=60))[0]


class _Counted:
    """Blocks that know how many of them were read."""

    def __init__(self, count: int) -> None:
        self.read = 0
        self._count = count

    def __iter__(self) -> Iterator[Block]:
        for number in range(self._count):
            self.read += 1
            payload = (WORDS[20] + " ") * 50 + "\n"
            yield Block(number=number, source=1, first=number + 1, count=1, payload=payload.encode())


def test_no_more_blocks_are_read_than_are_needed() -> None:
    worker = worker_of(
        mechanism=randomized_response(made_vocabulary(), epsilon=0.1), corpus_format=PlainText(), secret=bytes(32)
    )
    blocks = _Counted(200)
    outcomes = Processes(2).outcomes(worker, blocks)
    numbers = []
    for outcome in outcomes:
        numbers.append(outcome.number)
        assert blocks.read <= len(numbers) + 9
        if len(numbers) == 40:
            break
    outcomes.close()
    assert numbers == list(range(40))
    assert blocks.read < 60


class _Nowhere(io.RawIOBase):
    """Takes everything and keeps nothing."""

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        return len(data)


def test_memory_does_not_grow_with_the_input(tmp_path) -> None:
    """Ten times the input, a tenth more memory at most; a run that kept its outcomes would need nine times more."""
    peaks = []
    for count in (200, 2000):
        run = made(tmp_path, [" ".join(WORDS)] * count, engine=Processes(1), block_bytes=9000)
        run.to_stream(_Nowhere())  # what is imported and remembered once
        tracemalloc.start()
        run.to_stream(_Nowhere())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0], peaks


_DYING = """
import sys
from textveil.cli.main import run
if __name__ != "__main__":
    sys.exit(3)  # as a process that cannot be started dies, before it reads anything
run()
"""


@pytest.mark.slow
def test_processes_that_die_at_their_start_end_the_run(tmp_path) -> None:
    """The worker is larger than a pipe holds: who sends it to a dead process must not wait for ever."""
    (tmp_path / "dying.py").write_text(_DYING)
    (tmp_path / "in.txt").write_text("a few words of a line\n" * 70_000)
    command = [sys.executable, "dying.py", "sanitize", "in.txt", "-o", "out.txt", "--workers", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1
    assert "processes must start; they crashed at once" in done.stderr


def test_workers_have_a_domain() -> None:
    with pytest.raises(ParameterError, match="workers must be at least 1"):
        Processes(0)


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize("megabytes", [2, 9])
@pytest.mark.parametrize("finds", [False, True], ids=["words", "spans"])
def test_processes_start_where_they_pay_or_were_asked_for(
    monkeypatch: pytest.MonkeyPatch, finds: bool, megabytes: int, workers: int | None
) -> None:
    """Kills: two cores take twice the processor time for words that one draws in a second."""
    started: list[int] = []

    class Pool:
        def __init__(self, worker: object, workers: int, blocks: Iterable[Block]) -> None:
            started.append(sum(len(block.payload) for block in blocks))

        def outcomes(self) -> Iterator[Outcome]:
            yield from ()

        close = kill = lambda self: None

    class Here:
        def outcomes(self, worker: object, blocks: Iterable[Block]) -> Iterator[Outcome]:
            assert sum(len(block.payload) for block in blocks) == megabytes * 2**20
            yield from ()

    monkeypatch.setattr("textveil.corpora.process_pool.Pool", Pool)
    monkeypatch.setattr("textveil.corpora.processes.InProcess", Here)
    monkeypatch.setattr("textveil.corpora.processes.cores", lambda: 2)
    chosen = policy("identifiers") if finds else randomized_response(made_vocabulary(), epsilon=0.1)
    worker = worker_of(mechanism=chosen, corpus_format=PlainText(), secret=bytes(32))
    payload = bytes(2**19)
    blocks = [Block(number=n, source=1, first=n, count=1, payload=payload) for n in range(2 * megabytes)]
    assert list(Processes(workers).outcomes(worker, blocks)) == []
    pays = finds or megabytes > 8 or workers is not None
    assert started == ([megabytes * 2**20] if pays else [])
