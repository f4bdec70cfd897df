"""The processes of this machine that release blocks, and what each of them does."""

import contextlib
import multiprocessing
import queue
import signal
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.engines.block_queue import AHEAD, BlockQueue, Failure, failure
from textveil.corpora.engines.block_worker import BlockWorker
from textveil.processors import shared_among

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
    """What a process does until its tasks end: with the process that gives them, at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the one that gives tasks decides
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
