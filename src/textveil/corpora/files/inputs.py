"""The inputs of a run as one row of numbered blocks."""

from __future__ import annotations

import contextlib
import hashlib
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from textveil.corpora.blocks import BLOCK_BYTES, Block
from textveil.corpora.files.sources import opened
from textveil.corpora.formats.records import CorpusFormat
from textveil.errors import InputError, need


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Files in their order, read once from the first to the last.

    Attributes:
        names: as ``sources.expanded`` gives them; ``-`` is standard input.
        form: cuts them.
        secret: the job's: keys the chain of digests, which would otherwise tell what the input is.
        size: bytes that a block aims at. Blocks, and with them the draws, depend on it.
    """

    names: tuple[str, ...]
    form: CorpusFormat
    secret: bytes = field(repr=False)
    size: int = BLOCK_BYTES

    def __post_init__(self) -> None:
        need(len(self.names) > 0, "inputs", "none", "at least one")
        need(self.size >= 1, "block size", self.size, "at least 1")

    def blocks(self) -> Iterator[Block]:
        """The blocks in order. What cannot be read is a block with a fault, and the next input follows."""
        number, before, chain = 0, 0, ""
        for source, name in enumerate(self.names, start=1):
            first, place = 1, 0
            try:
                with opened(name) as (stream, _, consumed):
                    for cut in self.form.cut(stream, self.size):
                        chain, place = self._chained(chain, source, cut.first, cut.payload), consumed()
                        yield Block(
                            number=number,
                            source=source,
                            first=cut.first,
                            count=cut.count,
                            payload=cut.payload,
                            place=before + place,
                            chain=chain,
                            fault=cut.fault,
                            unit=self.form.unit,
                        )
                        number, first = number + 1, cut.first + cut.count
            except InputError as error:
                where = f"from {self.form.unit} {first} on: " if first > 1 else ""
                chain = self._chained(chain, source, first, b"")
                yield Block(
                    number=number,
                    source=source,
                    first=first,
                    count=0,
                    payload=b"",
                    place=before + place,
                    chain=chain,
                    fault=f"{where}{error}",
                    unit=self.form.unit,
                )
                number += 1
            before += place

    def total(self) -> int | None:
        """Bytes of all inputs as they lie on the disk; None where one is no regular file."""
        sizes = [file_size(name) for name in self.names]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def _chained(self, chain: str, source: int, first: int, payload: bytes) -> str:
        mixed = hashlib.blake2b(key=self.secret, digest_size=32, person=b"textveil chain")
        mixed.update(f"{chain} {source} {first} ".encode())
        mixed.update(payload)
        return mixed.hexdigest()


def file_size(name: str) -> int | None:
    """Bytes of a regular file, else None."""
    if name != "-":
        with contextlib.suppress(OSError):
            status = Path(name).stat()
            return status.st_size if stat.S_ISREG(status.st_mode) else None
    return None
