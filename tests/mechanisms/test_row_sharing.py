"""Shared rows: made once for all processes, the same as one's own, and gone at the end."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.mechanisms.channels.exponential import exponential
from textveil.mechanisms.channels.neighborhood import Neighborhood, neighborhood
from textveil.mechanisms.channels.randomized_response import randomized_response
from textveil.mechanisms.sampling import row_sharing
from textveil.mechanisms.sampling.row_sharing import SharedTable, shared_rows
from textveil.randomness import seeded_generator
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary


def _vocabulary(n: int = 700) -> Vocabulary:
    rng = np.random.default_rng(5)
    return Vocabulary([f"w{index}" for index in range(n)], rng.normal(size=(n, 20)).astype(np.float32), "made")


def _members(made: Neighborhood, words: list[int]) -> list[list[int]]:
    size = made.weights.members
    indices = np.arange(size)
    return [sorted(made._rows.members(np.full(size, word), indices).tolist()) for word in words]


def _in_child(made: Any, words: list[int], answers: Any) -> None:
    if isinstance(made, bytes):
        made = pickle.loads(made)
    found = _members(made, words)
    answers.put((made._rows._shared is not None, int(made._rows._used), found))


LINUX = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="no anonymous memory here")


@LINUX
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_copies_in_other_processes_make_each_row_once(method: str) -> None:
    made = neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9)
    right = [sorted(row) for row in integer_grid(made.vocabulary).neighborhoods(np.arange(40), 9).tolist()]
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    with shared_rows(made):
        table = made._rows._shared
        first = _members(made, list(range(20)))
        workers = [context.Process(target=_in_child, args=(made, list(range(40)), answers)) for _ in range(2)]
        for worker in workers:
            worker.start()
        found = [answers.get(timeout=60) for _ in workers]
        for worker in workers:
            worker.join()
        assert (table._held[1][:40] == row_sharing._READY).all()
        assert not table._held[1][40:].any()
        del table
    assert found == [(True, 0, right)] * 2  # in common memory, none of their own
    assert first == right[:20]
    assert _members(made, list(range(40))) == right  # its own again


_KILLED = """
import multiprocessing, time
from tests.mechanisms.test_row_sharing import _members, _shares, _vocabulary
from textveil.mechanisms.channels.neighborhood import neighborhood
from textveil.mechanisms.sampling.row_sharing import shared_rows

if __name__ == "__main__":
    made = neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9)
    context = multiprocessing.get_context("spawn")
    answers, end = context.Pipe(duplex=False)
    with shared_rows(made):
        _members(made, [1, 2, 3])
        context.Process(target=_shares, args=(made, end)).start()
        print("shared" if answers.recv() else "alone", flush=True)
        time.sleep(60)
"""


def _shares(made: Neighborhood, end: Any) -> None:
    _members(made, [3, 4])
    end.send(made._rows._shared is not None)
    time.sleep(60)


def _named() -> set[str]:
    """Python's memory with a name, and ours; what others keep there comes and goes meanwhile."""
    return {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith(("psm_", "textveil"))}


@LINUX
def test_nothing_stays_when_every_process_is_killed_at_once(tmp_path: Path) -> None:
    """Flags that stay would tell which words the text had. Memory with a name, which a tracker removes, dies here."""
    script, root = tmp_path / "shares.py", Path(__file__).resolve().parents[2]
    script.write_text(_KILLED)
    before = _named()
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])},
        start_new_session=True,
    ) as group:
        try:
            assert group.stdout is not None
            assert group.stdout.readline() == b"shared\n"
            mapped = Path(f"/proc/{group.pid}/maps").read_text()
        finally:
            os.killpg(group.pid, signal.SIGKILL)
    assert "/memfd:textveil (deleted)" in mapped
    assert "/dev/shm/" not in mapped
    assert _named() <= before


def test_where_there_is_no_such_memory_rows_are_not_shared(monkeypatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    made = neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9)
    with shared_rows(made):
        assert made._rows._shared is None
        assert len(_members(made, [5])[0]) == 9


@LINUX
def test_memory_of_another_shape_is_not_opened() -> None:
    table = SharedTable(700, 9, np.dtype(np.uint16))
    try:
        descriptor = os.dup(table._descriptor)
        with pytest.raises(OSError, match="another size"):
            row_sharing._inherited(_Name(descriptor), 700 * 9 * 2 + 699)
        os.close(descriptor)
    finally:
        table.close()


class _Name:
    """As ``multiprocessing`` hands a descriptor on."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def detach(self) -> int:
        return self.descriptor


@LINUX
def test_a_claim_of_a_dead_process_does_not_block(monkeypatch) -> None:
    monkeypatch.setattr(row_sharing, "_PATIENCE", 0.05)
    made = neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9)
    with shared_rows(made):
        made._rows._shared._held[1][:] = row_sharing._CLAIMED
        found = _members(made, [3, 4])
    assert found == [sorted(row) for row in integer_grid(made.vocabulary).neighborhoods(np.array([3, 4]), 9).tolist()]


def test_draws_are_those_of_rows_of_ones_own() -> None:
    made, alone = (neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9) for _ in range(2))
    ids = np.random.default_rng(1).integers(0, 700, 3000)
    with shared_rows(made):
        drawn = made.privatize(ids, seeded_generator(3))
    np.testing.assert_array_equal(drawn, alone.privatize(ids, seeded_generator(3)))


@LINUX
def test_rows_made_in_any_order_are_right() -> None:
    vocabulary = _vocabulary()
    table = SharedTable(700, 9, np.dtype(np.uint16))
    try:
        rng = np.random.default_rng(2)
        grid = integer_grid(vocabulary)
        right = grid.neighborhoods(np.arange(700), 9)
        for _ in range(10):
            ids, indices = rng.integers(0, 700, 50), rng.integers(0, 9, 50)
            found = table.members(ids, indices, lambda words: grid.neighborhoods(words, 9), 8)
            np.testing.assert_array_equal(found, right[ids, indices])
    finally:
        table.close()


@pytest.mark.parametrize("make", [exponential, randomized_response])
def test_mechanisms_without_such_rows_are_left_alone(make) -> None:
    made = make(_vocabulary(50), epsilon=2.0)
    with shared_rows(made):
        assert made.privatize(np.arange(50)).shape == (50,)


@LINUX
def test_rows_beyond_the_budget_are_not_shared_and_no_copy_outlives_the_block() -> None:
    made = neighborhood(_vocabulary(), epsilon=4.0, neighborhood_size=9)
    made._rows._budget = 700 * 9 * 2 - 1
    with shared_rows(made):
        assert made._rows._shared is None
    made._rows._budget = 700 * 9 * 2
    with shared_rows(made):
        packed = pickle.dumps(made)
        with shared_rows(made):  # within itself it does nothing
            pass
        assert made._rows._shared is not None
        assert pickle.loads(packed)._rows._shared is None  # no process is being started: nothing to share with
    answers: Any = multiprocessing.get_context("spawn").SimpleQueue()
    worker = multiprocessing.get_context("spawn").Process(target=_in_child, args=(packed, [1], answers))
    worker.start()
    shared, used, _ = answers.get()
    worker.join()
    assert (shared, used) == (False, 1)
