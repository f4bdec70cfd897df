"""Blocks of a corpus: what goes to a worker, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from textveil.sanitize.costs import Counts
from textveil.sanitize.release import Tally

BLOCK_BYTES = 2**19
"""Input bytes that a block aims at: about 90,000 words of English. A larger record is a block of its own."""


class Skip(NamedTuple):
    """Records that were not released: ``first`` to ``last`` of the input number ``source``, and why.

    Attributes:
        source: number of the input, from 1.
        first: number of the first record in that input, from 1.
        last: number of the last one; 0 is the rest of the input, whose end is not known.
        reason: one line that names numbers and never holds text.
    """

    source: int
    first: int
    last: int
    reason: str


class Sampled(NamedTuple):
    """A document before and after, with the chance by which those of several blocks are chosen among: private.

    Attributes:
        chance: uniform between 0 and 1, by the operating system; the smallest ones are the sample.
    """

    chance: float
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Records in a row of one input, as the format cut them; picklable.

    Attributes:
        number: in the job, from 0 over all inputs.
        source: number of the input, from 1.
        first: number of its first record in that input, from 1.
        count: records in it (for text formats: lines, blank ones included); 0 if they cannot be counted.
        payload: the records' bytes, in the format's own way.
        bytes_read: bytes of all inputs that were read up to here, compressed ones where they are.
        chain: keyed digest of this payload and all before it, by which a job knows its input again.
        fault: why the records cannot be had (the payload is empty then); empty for a good block.
    """

    number: int
    source: int
    first: int
    count: int
    payload: bytes = field(repr=False)
    bytes_read: int = 0
    chain: str = ""
    fault: str = ""
    unit: str = "record"

    @property
    def last(self) -> int:
        """Number of the last record; 0 if it is not known."""
        return self.first + self.count - 1 if self.count else 0

    @property
    def where(self) -> str:
        """The block's records, by number."""
        several = f"{self.unit}s {self.first} to {self.last}"
        return several if self.last > self.first else f"{self.unit} {self.first}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A block, released; picklable.

    Attributes:
        data: the released records in the format's own way, without ``head``.
        head: what stands once before the first record of the whole output; the same for every block of a job.
        persons: draws of each person whose records are in ``data`` (``columns.person``), where a column says whose.
        nulls: sanitized fields of records in ``data`` that have no text.
        private: the block's frame of the private map, encrypted; empty if none is kept, or nothing was released.
        sampled: documents chosen by chance, for the sender alone; empty if none is wanted.
        skipped: records that are not in ``data``. Where the run is to stop at a fault there is one at most, and
            ``data`` is empty.
    """

    number: int
    bytes_read: int = 0
    chain: str = ""
    data: bytes = field(default=b"", repr=False)
    head: bytes = b""
    tally: Tally = field(default_factory=Tally)
    persons: Mapping[bytes, Counts] = field(default_factory=dict)
    nulls: int = 0
    private: bytes = field(default=b"", repr=False)
    sampled: tuple[Sampled, ...] = field(default=(), repr=False)
    skipped: tuple[Skip, ...] = ()


def lost(block: Block, reason: str) -> Outcome:
    """The outcome of a block of which nothing was released; ``reason`` names its records."""
    skipped = (Skip(block.source, block.first, block.last, reason),)
    return Outcome(number=block.number, bytes_read=block.bytes_read, chain=block.chain, skipped=skipped)
