"""How blocks are given to workers, done again after a death and put in order: the same for processes and actors.

A block is suspected of a death if the worker held it. Whatever was held is done again, each block alone in its worker's
hands, so that the next death tells whose it is; a block over which a second worker dies, alone, is given up.
"""

import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from textveil.corpora.blocks import Block, Outcome, lost
from textveil.errors import MissingExtra, TextveilError

AHEAD = 2
"""Blocks that a worker holds: the one it works on and the next, so that it never waits for this process."""

BYTES_AHEAD = 64 * 2**20
"""Past so many input bytes under way no block is read while another is under way."""

DEATHS = 2
"""Deaths over a block at which it is given up."""


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
        """Whether so many blocks can be given out; reads on if need be and if there is room for so many workers'."""
        while len(self._waiting) < count and self._more and self._room(workers):
            block = next(self._blocks, None)
            if block is None:
                self._more = False
            else:
                self._waiting.append(block)
                self._order.append(block.number)
                self._under_way += len(block.payload)
        return len(self._waiting) >= count

    def unfinished(self, workers: int) -> bool:
        """Return whether an outcome is still to come."""
        return bool(self._order) or self.waits(1, workers)

    def taken(self, held: Sequence[Block], depth: int, workers: int) -> Block | None:
        """The next block for a worker that holds these, up to ``depth`` in all; None if it gets none now."""
        if len(held) >= depth or not self.waits(1, workers):
            return None
        if held and (held[0].number in self._deaths or self._waiting[0].number in self._deaths):
            return None
        return self._waiting.popleft()

    def finish(self, block: Block, outcome: Outcome) -> None:
        """Note the outcome of a block."""
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

        Raises:
            TextveilError: that happened more often than there are workers; says ``problem``.
        """
        self._false_starts += 1
        if self._false_starts > workers:
            raise TextveilError(problem)
        self._waiting.extendleft(reversed(held))

    def _room(self, workers: int) -> bool:
        most = 2 * AHEAD * max(1, workers)
        return not self._order or (len(self._order) < most and self._under_way < BYTES_AHEAD)


class Failure(NamedTuple):
    """An error in a worker: its class where it is one of ours, else None, and a line without input text."""

    kind: type[TextveilError] | None
    message: str

    def error(self) -> TextveilError:
        """What to raise here."""
        return (self.kind or TextveilError)(self.message)


def failure(error: Exception) -> Failure:
    """What may be told of an error: of ours the message, of others type and place, for a message could hold text."""
    if isinstance(error, TextveilError):
        return Failure(None if isinstance(error, MissingExtra) else type(error), str(error))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
    return Failure(None, f"internal error: {name}. Run on the local engine with `workers=1` to see it whole.")
