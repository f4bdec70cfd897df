"""The texts of a corpus, to be read and not released: what has been released already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from textveil.corpora.blocks import BLOCK_BYTES
from textveil.corpora.files.inputs import Inputs
from textveil.corpora.formats.records import CorpusFormat
from textveil.errors import InputError
from textveil.types import Progress


class TextBlock(NamedTuple):
    """Texts in a row.

    Attributes:
        texts: one for each record and chosen field that has a text.
        first: number of the first record in its input, for messages.
    """

    texts: list[str]
    first: int


def texts_of_inputs(
    corpus_format: CorpusFormat, inputs: tuple[str, ...], progress: Progress | None = None
) -> Iterator[TextBlock]:
    """The texts of all inputs in their order, block by block, in constant memory.

    Args:
        corpus_format: reads them.
        inputs: as ``sources.expanded`` gives them.
        progress: called with bytes read and in all.

    Raises:
        InputError: an input or a record cannot be read; says which, never what.
    """
    rows = Inputs(inputs=inputs, corpus_format=corpus_format, secret=b"no secret", size=BLOCK_BYTES)
    total = rows.total()
    for block in rows.blocks():
        where = f"input {block.source}: " if len(inputs) > 1 else ""
        if block.fault:
            raise InputError(f"{where}{block.fault}")
        records = corpus_format.records(block.payload, block.first)
        if records.faults:
            raise InputError(f"{where}{records.faults[0].reason}")
        yield TextBlock([text for record in records.texts for text in record], block.first)
        if progress is not None:
            progress(block.bytes_read, total)
