"""The engine of several processes; its pool is imported when there is work for more than one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from textveil.corpora.block_worker import BlockWorker, InProcess
from textveil.corpora.blocks import Block, Outcome
from textveil.environment import cores
from textveil.errors import need
from textveil.mechanisms.kinds import IntegerWeights
from textveil.sanitize.policy.policy import Policy

SMALL = 2  # An input of no more blocks is released in this process: starting others takes longer
QUICK_BYTES = 2**23
"""The same for the bytes of an input whose words are drawn and whose spans nobody looks for: that takes a third of a
second of processor time a megabyte, and each process a second until it draws.
"""


@dataclass(frozen=True, slots=True)
class Processes:
    """``workers`` processes, started anew rather than forked: threads and locks of this one cannot harm them."""

    # how many at the most, and never more than there are blocks; one is this process itself. None: as many as there
    # are cores, if the input is so long that they pay: its length and the policy decide, never its text
    workers: int | None = None

    def __post_init__(self) -> None:
        need(self.workers is None or self.workers >= 1, "workers", self.workers, "at least 1")

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        coming, start, size = iter(blocks), list[Block](), 0
        least = QUICK_BYTES if self.workers is None and _is_quick(worker) else 0
        workers = cores() if self.workers is None else self.workers
        while workers > 1 and (len(start) <= SMALL or size <= least) and (block := next(coming, None)) is not None:
            start.append(block)
            size += len(block.payload)
        if workers == 1 or len(start) <= SMALL or size <= least:
            yield from InProcess().outcomes(worker, chain(start, coming))
            return
        from textveil.corpora.process_pool import Pool

        pool = Pool(worker, workers, chain(start, coming))
        try:
            yield from pool.outcomes()
            pool.close()
        finally:
            pool.kill()


def _is_quick(worker: BlockWorker) -> bool:
    chosen = worker.options.mechanism
    return not chosen.finds_spans if isinstance(chosen, Policy) else isinstance(chosen, IntegerWeights)
