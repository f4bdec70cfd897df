"""Processes that release blocks, and the queue that gives them out: again after a death, and in order.

A block is suspected of a death if the worker held it. Whatever was held is done again, each block alone in its worker's
hands, so that the next death tells whose it is; a block over which a second worker dies, alone, is given up.
"""

import contextlib
import multiprocessing
import queue
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final, NamedTuple

from textveil.corpora.block_worker import BlockWorker
from textveil.corpora.blocks import Block, Outcome, lost
from textveil.environment import collect_seldom, shared_among
from textveil.errors import MissingExtra, TextveilError

AHEAD = 2  # blocks that a worker holds: the one it works on and the next, so that it never waits for this process

BYTES_AHEAD = 64 * 2**20  # past so many input bytes under way no block is read while another is under way

DEATHS = 2  # deaths over a block at which it is given up


class BlockQueue:
    """Blocks in their order, read as they are needed; outcomes in the same order."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._more = True
        self._waiting: deque[Block] = deque()
        self._order: deque[int] = deque()
        self._done: dict[int, Outcome] = {}
        self._deaths: dict[int, int] = {}
        self._false_starts = 0
        self._under_way = 0

    def ready(self) -> Iterator[Outcome]:
        """The outcomes whose turn it is."""
        while self._order and self._order[0] in self._done:
            yield self._done.pop(self._order.popleft())

    def waits(self, count: int, workers: int) -> bool:
        """Tell if so many blocks can be given out; reads on if need be and if there is room for so many workers'."""
        most = 2 * AHEAD * max(1, workers)
        while len(self._waiting) < count and self._more:
            if self._order and (len(self._order) >= most or self._under_way >= BYTES_AHEAD):
                break
            if (block := next(self._blocks, None)) is None:
                self._more = False
            else:
                self._waiting.append(block)
                self._order.append(block.number)
                self._under_way += len(block.payload)
        return len(self._waiting) >= count

    def unfinished(self, workers: int) -> bool:
        return bool(self._order) or self.waits(1, workers)

    def taken(self, held: Sequence[Block], depth: int, workers: int) -> Block | None:
        """The next block for a worker that holds these, up to ``depth`` in all; None if it gets none now."""
        if len(held) >= depth or not self.waits(1, workers):
            return None
        if held and (held[0].number in self._deaths or self._waiting[0].number in self._deaths):
            return None
        return self._waiting.popleft()

    def finish(self, block: Block, outcome: Outcome) -> None:
        self._done[block.number] = outcome
        self._under_way -= len(block.payload)
        self._deaths.pop(block.number, None)

    def died(self, held: Sequence[Block]) -> None:
        """Note that a worker died that held these, oldest first: they come again, or the last of them is given up."""
        for block in held:
            self._deaths[block.number] = self._deaths.get(block.number, 0) + 1
        if len(held) == 1 and self._deaths[held[0].number] >= DEATHS:
            reason = f"{held[0].where} must be released by a process; two crashed on them. Is there enough memory?"
            self.finish(held[0], lost(held[0], reason))
        else:
            self._waiting.extendleft(reversed(held))

    def never_started(self, held: Sequence[Block], workers: int, problem: str) -> None:
        """Note that a worker died before it could do anything: what it holds comes again, and is not suspected.

        Raises TextveilError: that happened more often than there are workers; says ``problem``.
        """
        self._false_starts += 1
        if self._false_starts > workers:
            raise TextveilError(problem)
        self._waiting.extendleft(reversed(held))


class Failure(NamedTuple):
    """An error in a worker: its class if it is one of ours, else None, and a line without input text."""

    kind: type[TextveilError] | None
    message: str

    def error(self) -> TextveilError:
        return (self.kind or TextveilError)(self.message)


def failure(error: Exception) -> Failure:
    """Return what may be told of an error: our message; of others type and place, for a message could hold text."""
    if isinstance(error, TextveilError):
        return Failure(None if isinstance(error, MissingExtra) else type(error), str(error))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
    return Failure(None, f"internal error: {name}. Run on the local engine with `workers=1` to see it whole.")


_NO_START: Final = "the processes must start; they crashed at once. Is there enough memory? Try `workers=1`."


@dataclass(slots=True)
class _Hand:
    """A process at work, with the blocks that it holds, oldest first.

    Nothing is sent to a process that has not begun to read, so that all of them start at the same time, and none that
    dies at its start is waited for: ``listens`` once it reads, ``ready`` once it has the worker.
    """

    process: BaseProcess
    tasks: Connection
    answers: Connection
    held: deque[Block] = field(default_factory=deque)
    listens: bool = False
    ready: bool = False

    def send(self, *messages: object) -> None:
        """Send to the process; a pipe to a dead one breaks, and its death is seen where its answers end."""
        with contextlib.suppress(OSError):
            for message in messages:
                self.tasks.send(message)

    def answered(self, worker: BlockWorker) -> None:
        """Note that the process listens, and then that it is ready: the worker first, then what it holds."""
        if self.listens:
            self.ready = True
            self.send(*self.held)
        else:
            self.listens = True
            self.send(worker)


class Pool:
    """Processes that take from a queue; one is started when there is a block that no other could begin with."""

    def __init__(self, worker: BlockWorker, most: int, blocks: Iterator[Block]) -> None:
        self._worker = worker
        self._most = most
        self._queue = BlockQueue(blocks)
        self._hands: list[_Hand] = []

    def outcomes(self) -> Iterator[Outcome]:
        while self._queue.unfinished(len(self._hands)):
            self._give()
            yield from self._queue.ready()
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

    def _give(self) -> None:
        """Fill the hands: a block for each, for new ones too, before any gets a second."""
        for depth in range(1, AHEAD + 1):
            for hand in self._hands:
                self._fill(hand, depth)
            while len(self._hands) < self._most and self._queue.waits(1, len(self._hands) + 1):
                self._hands.append(self._started())
                self._fill(self._hands[-1], depth)

    def _fill(self, hand: _Hand, depth: int) -> None:
        while (block := self._queue.taken(hand.held, depth, len(self._hands))) is not None:
            hand.held.append(block)
            if hand.ready:
                hand.send(block)

    def _receive(self) -> None:
        ready = wait([hand.answers for hand in self._hands])
        for index, hand in enumerate(self._hands):
            if hand.answers not in ready:
                continue
            try:
                answer = hand.answers.recv()
            except (EOFError, OSError):
                self._hands[index] = self._replaced(hand)
                continue
            if isinstance(answer, Outcome):
                self._queue.finish(hand.held.popleft(), answer)
            elif isinstance(answer, Failure):
                raise answer.error()
            else:
                hand.answered(self._worker)

    def _replaced(self, hand: _Hand) -> _Hand:
        hand.tasks.close()
        hand.answers.close()
        hand.process.join()
        if hand.ready:
            self._queue.died(hand.held)
        else:
            self._queue.never_started(hand.held, len(self._hands), _NO_START)
        return self._started()

    def _started(self) -> _Hand:
        context = multiprocessing.get_context("spawn")
        task_end, tasks = context.Pipe(duplex=False)
        answers, answer_end = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(task_end, answer_end), daemon=True)
        with shared_among(self._most):
            process.start()
        # With this process's copies gone, the death of the other one ends the pipes.
        task_end.close()
        answer_end.close()
        return _Hand(process, tasks, answers)


def _serve(tasks: Connection, answers: Connection) -> None:
    """Work until the tasks end: with the process that gives them, at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the one that gives tasks decides
    collect_seldom()
    coming: queue.SimpleQueue[Block | None] = queue.SimpleQueue()
    with contextlib.suppress(BrokenPipeError, EOFError):
        answers.send(None)
        worker: BlockWorker = tasks.recv()
        threading.Thread(target=_received, args=(tasks, coming), daemon=True).start()
        answers.send(None)
        try:
            release = worker.opened()
            while (block := coming.get()) is not None:
                answers.send(release(block))
        except BrokenPipeError:
            raise
        except Exception as error:
            answers.send(failure(error))


def _received(tasks: Connection, coming: queue.SimpleQueue[Block | None]) -> None:
    """Take tasks at once, so that who gives them never waits."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            coming.put(tasks.recv())
    coming.put(None)
