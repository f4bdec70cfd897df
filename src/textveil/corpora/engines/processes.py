"""Blocks released by several processes of this machine, each with all that it needs, none with a generator."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, final

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.engines.base import InProcess, abandoned
from textveil.corpora.engines.block_worker import BlockWorker
from textveil.errors import MissingExtra, TextveilError, need

SMALL = 2
"""An input of no more blocks is released in this process: starting others takes longer."""

_AHEAD = 2
"""Blocks that a process holds: the one it works on and the next, so that it never waits for this one."""

_BYTES_AHEAD = 64 * 2**20
"""Past so many input bytes under way no block is given out while another is under way."""

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Failure(NamedTuple):
    """An error in a worker: its class where it is one of ours, else None, and a line without input text."""

    kind: type[TextveilError] | None
    message: str


@final
@dataclass(frozen=True, slots=True)
class Processes:
    """``workers`` processes, started anew rather than forked: threads and locks of this one cannot harm them.

    Attributes:
        workers: how many; one is this process itself.
    """

    workers: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        need(self.workers >= 1, "workers", self.workers, "at least 1")

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See ``Engine.outcomes``."""
        coming = iter(blocks)
        start = list(islice(coming, SMALL + 1))
        if self.workers == 1 or len(start) <= SMALL:
            yield from InProcess().outcomes(worker, chain(start, coming))
            return
        pool = _Pool(worker, self.workers)
        try:
            yield from pool.outcomes(chain(start, coming))
            pool.close()
        finally:
            pool.kill()


@final
@dataclass(slots=True)
class _Hand:
    """A process at work, with the blocks that it holds, oldest first."""

    process: BaseProcess
    tasks: Connection
    answers: Connection
    held: deque[Block] = field(default_factory=deque)
    ready: bool = False


@final
class _Pool:
    """Gives blocks out and puts outcomes in order."""

    def __init__(self, worker: BlockWorker, count: int) -> None:
        self._worker = worker
        self._hands: list[_Hand] = []
        self._again: deque[Block] = deque()
        self._died_over: dict[int, int] = {}
        self._false_starts = 0
        self._order: deque[int] = deque()
        self._done: dict[int, Outcome] = {}
        self._under_way = 0
        self._threads = max(1, cores() // count)
        for _ in range(count):
            self._hands.append(self._started())

    def outcomes(self, blocks: Iterator[Block]) -> Iterator[Outcome]:
        """See ``Engine.outcomes``."""
        more = True
        while more or self._order:
            more = self._give(blocks, more)
            while self._order and self._order[0] in self._done:
                yield self._done.pop(self._order.popleft())
            if any(hand.held for hand in self._hands):
                self._receive()

    def close(self) -> None:
        """Let the processes end by themselves."""
        for hand in self._hands:
            hand.tasks.close()
        for hand in self._hands:
            hand.process.join(timeout=5)

    def kill(self) -> None:
        """End the processes, whatever they do."""
        for hand in self._hands:
            hand.process.terminate()
        for hand in self._hands:
            hand.process.join()
            hand.tasks.close()
            hand.answers.close()

    def _give(self, blocks: Iterator[Block], more: bool) -> bool:
        """Fill the hands; whether there may be more blocks."""
        for depth in range(1, _AHEAD + 1):
            for hand in self._hands:
                while len(hand.held) < depth and (self._again or (more and self._room())):
                    block = self._again.popleft() if self._again else next(blocks, None)
                    if block is None:
                        more = False
                        break
                    if block.number not in self._died_over:
                        self._died_over[block.number] = 0
                        self._order.append(block.number)
                        self._under_way += len(block.payload)
                    hand.held.append(block)
                    # A pipe to a dead process breaks: what it held is seen to when its answers end.
                    with contextlib.suppress(OSError):
                        hand.tasks.send(block)
        return more

    def _room(self) -> bool:
        """Whether another block may be read: outcomes that wait for an earlier one count too."""
        return not self._order or (len(self._order) < 2 * _AHEAD * len(self._hands) and self._under_way < _BYTES_AHEAD)

    def _receive(self) -> None:
        """Wait for at least one answer, or death."""
        ready = wait([hand.answers for hand in self._hands])
        for index, hand in enumerate(self._hands):
            if hand.answers not in ready:
                continue
            try:
                answer = hand.answers.recv()
            except (EOFError, OSError):
                self._hands[index] = self._mourned(hand)
                continue
            if isinstance(answer, Outcome):
                self._finish(hand.held.popleft(), answer)
            elif isinstance(answer, _Failure):
                raise (answer.kind or TextveilError)(answer.message)
            else:
                hand.ready = True

    def _finish(self, block: Block, outcome: Outcome) -> None:
        self._done[block.number] = outcome
        self._under_way -= len(block.payload)
        del self._died_over[block.number]

    def _mourned(self, hand: _Hand) -> _Hand:
        """A new process for one that died; the block that it worked on is given up at the second death over it."""
        hand.tasks.close()
        hand.answers.close()
        hand.process.join()
        if not hand.ready:
            self._false_starts += 1
            if self._false_starts > len(self._hands):
                raise TextveilError(
                    "the processes must start; they died at once. Is there enough memory? Try `workers=1`."
                )
        elif hand.held:
            suspect = hand.held[0]
            self._died_over[suspect.number] += 1
            if self._died_over[suspect.number] > 1:
                self._finish(hand.held.popleft(), abandoned(suspect))
        self._again.extendleft(reversed(hand.held))
        return self._started()

    def _started(self) -> _Hand:
        context = multiprocessing.get_context("spawn")
        task_end, tasks = context.Pipe(duplex=False)
        answers, answer_end = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(self._worker, task_end, answer_end), daemon=True)
        with _environment(dict.fromkeys(_THREADS, str(self._threads))):
            process.start()
        # With this process's copies gone, the death of the other one ends the pipes.
        task_end.close()
        answer_end.close()
        return _Hand(process, tasks, answers)


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """These variables, where they are not set, for a process that starts meanwhile."""
    added = [name for name in wanted if name not in os.environ]
    os.environ.update({name: wanted[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _serve(worker: BlockWorker, tasks: Connection, answers: Connection) -> None:
    """What a process does until its tasks end: with the process that gives them, at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the one that gives tasks decides
    coming: queue.SimpleQueue[Block | None] = queue.SimpleQueue()
    threading.Thread(target=_received, args=(tasks, coming), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        answers.send(None)
        try:
            release = worker.opened()
            while (block := coming.get()) is not None:
                answers.send(release(block))
        except BrokenPipeError:
            raise
        except Exception as error:
            answers.send(_failure(error))


def _received(tasks: Connection, coming: queue.SimpleQueue[Block | None]) -> None:
    """Take tasks at once, so that who gives them never waits."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            coming.put(tasks.recv())
    coming.put(None)


def _failure(error: Exception) -> _Failure:
    """What may be told of an error: of ours the message, of others type and place, for a message could hold text."""
    if isinstance(error, TextveilError):
        return _Failure(None if isinstance(error, MissingExtra) else type(error), str(error))
    index = traceback.extract_tb(error.__traceback__)[-1]
    name = f"{type(error).__name__} in {Path(index.filename).name}:{index.lineno}"
    return _Failure(None, f"internal error: {name}. Run with `workers=1` to see it whole.")
