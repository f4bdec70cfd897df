"""The records of a corpus, to be read and not released: what has been released already."""

from collections.abc import Iterator
from typing import NamedTuple

from textveil.corpora.blocks import BLOCK_BYTES
from textveil.corpora.files.inputs import Inputs
from textveil.corpora.formats.records import CorpusFormat, Records
from textveil.errors import InputError
from textveil.randomness import SECRET_BYTES
from textveil.types import Progress

_NO_SECRET = bytes(SECRET_BYTES)  # of a chain of digests that nobody reads


class ReleasedBlock(NamedTuple):
    """Records in a row, all of them good.

    Attributes:
        first: number of the first record in its input, for messages.
        place: what stands before a message about it: the input's number, if there are several.
    """

    records: Records
    first: int
    place: str

    @property
    def texts(self) -> list[str]:
        """One for each record and chosen field that has a text."""
        return [text for parts in self.records.texts for text in parts]


def released_blocks(
    corpus_format: CorpusFormat,
    inputs: tuple[str, ...],
    progress: Progress | None = None,
    *,
    block_bytes: int = BLOCK_BYTES,
    max_expansion: float | None = None,
) -> Iterator[ReleasedBlock]:
    """The records of all inputs in their order, block by block, in constant memory.

    Args:
        block_bytes: input bytes a block aims at.
        max_expansion: bytes that a byte of a compressed input may come to; None is no limit.

    Raises:
        InputError: an input or a record cannot be read; says which, never what.
    """
    rows = Inputs(
        inputs=inputs, corpus_format=corpus_format, secret=_NO_SECRET, size=block_bytes, max_expansion=max_expansion
    )
    total = rows.total()
    for block in rows.blocks():
        place = f"input {block.source}, " if len(inputs) > 1 else ""
        if block.fault:
            raise InputError(f"{place}{block.fault}")
        records = corpus_format.records(block.payload, block.first)
        if records.faults:
            raise InputError(f"{place}{records.faults[0].reason}")
        yield ReleasedBlock(records, block.first, place)
        if progress is not None:
            progress(block.bytes_read, total)
