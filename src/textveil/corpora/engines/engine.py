"""Where blocks are released: in this process, or in many."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.engines.block_worker import BlockWorker


class Engine(Protocol):
    """Releases blocks; the output is the same, byte for byte, whatever the engine."""

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """The outcome of every block, in the order of the blocks.

        ``blocks`` is drawn from lazily with a bounded number of blocks in flight. A block whose worker dies is done
        again and given up as ``block_queue.py`` says. Closing the iterator ends the work.
        """


class InProcess:
    """One block after another, here: no process is started."""

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        release = worker.opened()
        return map(release, blocks)
