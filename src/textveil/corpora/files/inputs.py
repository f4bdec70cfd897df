"""The inputs of a run as one row of numbered blocks."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from textveil.corpora.blocks import BLOCK_BYTES, Block
from textveil.corpora.files.sources import opened
from textveil.corpora.formats.records import CorpusFormat, Cut
from textveil.errors import InputError, need


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Files in their order, read once from the first to the last.

    Attributes:
        inputs: as ``sources.expanded`` gives them; ``-`` is standard input.
        secret: the job's: keys the chain of digests, which would otherwise tell what the input is.
        size: bytes that a block aims at. Blocks, and with them the draws, depend on it.
        max_expansion: bytes that a byte of a compressed input may come to; None is no limit.
    """

    inputs: tuple[str, ...]
    corpus_format: CorpusFormat
    secret: bytes = field(repr=False)
    size: int = BLOCK_BYTES
    max_expansion: float | None = None

    def __post_init__(self) -> None:
        need(len(self.inputs) > 0, "inputs", "none", "at least one")
        need(self.size >= 1, "block size", self.size, "at least 1")
        need(self.max_expansion is None or self.max_expansion >= 1, "max_expansion", self.max_expansion, ">= 1")

    def blocks(self) -> Iterator[Block]:
        """The blocks in order. What cannot be read is a block with a fault, and the next input follows."""
        number, before, chain = 0, 0, ""
        for source, name in enumerate(self.inputs, start=1):
            first, bytes_read = 1, 0
            try:
                with opened(name, self.max_expansion) as (stream, _, consumed):
                    for cut in self.corpus_format.cut(stream, self.size):
                        chain, bytes_read = self._chained(chain, source, cut.first, cut.payload), consumed()
                        yield self._block(number, source, cut, before + bytes_read, chain)
                        number, first = number + 1, cut.first + cut.count
            except InputError as error:
                where = f"from {self.corpus_format.unit} {first} on: " if first > 1 else ""
                chain = self._chained(chain, source, first, b"")
                yield self._block(number, source, Cut(b"", first, 0, f"{where}{error}"), before + bytes_read, chain)
                number += 1
            before += bytes_read

    def _block(self, number: int, source: int, cut: Cut, bytes_read: int, chain: str) -> Block:
        return Block(
            number=number,
            source=source,
            first=cut.first,
            count=cut.count,
            payload=cut.payload,
            bytes_read=bytes_read,
            chain=chain,
            fault=cut.fault,
            unit=self.corpus_format.unit,
        )

    def total(self) -> int | None:
        """Bytes of all inputs as they lie on the disk; None if one is no regular file."""
        sizes = [file_size(name) for name in self.inputs]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def _chained(self, chain: str, source: int, first: int, payload: bytes) -> str:
        mixed = hashlib.blake2b(key=self.secret, digest_size=32, person=b"textveil chain")
        mixed.update(f"{chain} {source} {first} ".encode())
        mixed.update(payload)
        return mixed.hexdigest()


def file_stamp(name: str) -> list[int]:
    """When a regular file was last written and last changed in any way, in nanoseconds; else nothing."""
    status = _status(name)
    return [] if status is None else [status.st_mtime_ns, status.st_ctime_ns]


def file_size(name: str) -> int | None:
    """Bytes of a regular file, else None."""
    status = _status(name)
    return None if status is None else status.st_size


def _status(name: str) -> os.stat_result | None:
    if name != "-":
        with contextlib.suppress(OSError):
            status = Path(name).stat()
            return status if stat.S_ISREG(status.st_mode) else None
    return None
