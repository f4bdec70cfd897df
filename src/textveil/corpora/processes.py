"""The engine of several processes, whose pool is imported when there is work for more than one; and their tables.

The public tables that a mechanism reads are built before workers start, if the input is long enough. The decision reads
public facts only: the size of the input, which anybody who sees the file sees, and the size of the vocabulary. That a
table is there tells no more than that.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from textveil.corpora.block_worker import BlockWorker, InProcess
from textveil.corpora.blocks import Block, Outcome
from textveil.environment import cores
from textveil.errors import need
from textveil.mechanisms.kinds import IntegerWeights, Mechanism, SequenceMechanism, Tabulated, WordMechanism
from textveil.sanitize.policy.policy import Policy
from textveil.types import Progress

if TYPE_CHECKING:
    from textveil.vocabulary.public_tables import OpenTable, PublicTable

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


MOST_BYTES: Final = 256 * 2**20  # Larger tables are built when they are asked for by name, ``textveil tables build``
_WORD_BYTES: Final = 6  # bytes of running text for a word, with the space after it
_HEAPS: Final = 30.0
"""A text of N words has about 30 sqrt(N) different ones (Heaps' law; 21 to 31 in AG News and Wikipedia, up to 6 MB)."""


def pays(input_bytes: int, words: int) -> bool:
    """Tell if so long a text would ask for half the rows of a table or more: they are made as fast in the table."""
    return _HEAPS * (input_bytes / _WORD_BYTES) ** 0.5 >= words / 2


def provided_tables(
    mechanism: Mechanism, input_bytes: int | None, tell: Callable[[str], None], progress: Progress | None = None
) -> list[OpenTable]:
    """The tables of a mechanism, those built that are missing and pay; hold them as long as they are to be used.

    If one cannot be kept nothing is built, and a line is told: processes then make rows as words appear.

    Args:
        input_bytes: size of the input as it lies on the disk; None if it is not known: then nothing is built.
        tell: called with one line, at most.
    """
    if not isinstance(mechanism, WordMechanism | SequenceMechanism) or not isinstance(mechanism, Tabulated):
        return []
    building = input_bytes is not None and pays(input_bytes, len(mechanism.vocabulary))
    return provided(mechanism.tables, building, tell, progress)


def provided(
    tables: Iterable[PublicTable], building: bool, tell: Callable[[str], None], progress: Progress | None
) -> list[OpenTable]:
    """Hold tables; if ``building``, those that are missing are built."""
    held: list[OpenTable] = []
    for table in tables:
        if (open_table := table.opened()) is None and building:
            if table.nbytes > MOST_BYTES:
                continue
            if not (problem := _no_room(table.nbytes)):
                open_table, _, problem = table.build(progress)
            if problem:
                tell(f"{problem} Rows are made as words appear. Set TEXTVEIL_CACHE to a folder with room.")
        if open_table is not None:
            held.append(open_table)
    return held


def _no_room(size: int) -> str:
    """Why a table of so many bytes cannot be kept, known before it is made; empty if nothing speaks against it."""
    from textveil.vocabulary.public_tables import tables_folder  # which short inputs do not need

    folder = tables_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink(missing_ok=True)
        if shutil.disk_usage(folder).free < 2 * size:
            return f"A table of {size:,} bytes does not fit in the cache folder."
    except OSError as error:
        return f"The cache folder cannot be written ({error.strerror or type(error).__name__})."
    return ""
