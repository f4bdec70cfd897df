"""The engine of several processes; its pool is imported when there is work for more than one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.engines.block_worker import BlockWorker, InProcess
from textveil.errors import need
from textveil.processors import cores

SMALL = 2  # An input of no more blocks is released in this process: starting others takes longer


@dataclass(frozen=True, slots=True)
class Processes:
    """``workers`` processes, started anew rather than forked: threads and locks of this one cannot harm them."""

    # how many at the most, and never more than there are blocks; one is this process itself
    workers: int = field(default_factory=cores)

    def __post_init__(self) -> None:
        need(self.workers >= 1, "workers", self.workers, "at least 1")

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        coming = iter(blocks)
        start = list(islice(coming, SMALL + 1))
        if self.workers == 1 or len(start) <= SMALL:
            yield from InProcess().outcomes(worker, chain(start, coming))
            return
        from textveil.corpora.engines.process_pool import Pool

        pool = Pool(worker, self.workers, chain(start, coming))
        try:
            yield from pool.outcomes()
            pool.close()
        finally:
            pool.kill()
