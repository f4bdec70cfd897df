"""A released corpus through a decoder: the same formats and files as a release, nothing drawn and nothing spent.

What is decoded is public, so there is no job: a run that is interrupted is run again, and leaves no half of a file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from textveil.corpora.blocks import BLOCK_BYTES
from textveil.corpora.files.sources import COMPRESSED, compressing
from textveil.corpora.formats.records import Assembled, CorpusFormat
from textveil.corpora.texts import ReleasedBlock, released_blocks
from textveil.errors import InputError
from textveil.types import Progress
from textveil.whole_files import atomic_writers


class DecodesTexts(Protocol):
    """Puts something better in place of releases: a decoder, or a repairer that asks an endpoint."""

    def texts(self, texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
        """One text for each; ``numbers`` are theirs, for errors.

        Raises:
            InputError: a text is no release that it knows.
        """


@dataclass(frozen=True, kw_only=True)
class DecodingRun:
    """What is to be decoded; ``to_stream`` and ``to_file`` do it.

    Attributes:
        corpus_format: the format of inputs and output; its sanitized fields are those that are decoded.
        max_expansion: bytes that a byte of a compressed input may come to; None is no limit.
        finish: called behind the last document, before a file gets its name; may raise ``InputError``.
        private: whether the file is for its owner only, as restored originals are.
    """

    decoder: DecodesTexts
    corpus_format: CorpusFormat
    inputs: tuple[str, ...]
    progress: Progress | None = field(default=None, repr=False)
    block_bytes: int = BLOCK_BYTES
    max_expansion: float | None = None
    finish: Callable[[], None] | None = field(default=None, repr=False)
    private: bool = False

    def to_file(self, output: Path) -> int:
        """Decode everything into a file, which is whole or not there; compressed where its name says so.

        Returns:
            How many documents.

        Raises:
            InputError: there is no document, or one cannot be read or is no release.
            OutputError: the file cannot be written.
        """
        with atomic_writers([output], private=[output] if self.private else []) as (stream,):
            writer = compressing(stream, output.name)
            if isinstance(self.corpus_format, Assembled):
                packed = output.suffix.lower() in COMPRESSED
                documents = self.to_stream(cast("BinaryIO", writer) if packed else stream)
            else:
                documents = self._pumped(writer.write)
            writer.flush_frame()
        return documents

    def to_stream(self, stream: BinaryIO) -> int:
        """Decode everything to a stream; see ``to_file``."""
        if isinstance(self.corpus_format, Assembled):
            sink = self.corpus_format.sink(stream)
            documents = self._pumped(sink.write)
            sink.close()
        else:
            documents = self._pumped(stream.write)
        stream.flush()
        return documents

    def _pumped(self, write: Callable[[bytes], object]) -> int:
        documents = 0
        for count, data in self._decoded():
            documents += count
            write(data)
        if documents == 0:
            raise InputError("the input must hold at least one document; got none. Is the file empty?")
        if self.finish is not None:
            self.finish()
        return documents

    def _decoded(self) -> Iterator[tuple[int, bytes]]:
        begun = isinstance(self.corpus_format, Assembled)  # which has no head of its own
        size, most = self.block_bytes, self.max_expansion
        for block in released_blocks(
            self.corpus_format, self.inputs, self.progress, block_bytes=size, max_expansion=most
        ):
            head = b"" if begun else block.records.head
            begun = True
            yield sum(map(bool, block.records.texts)), head + self._joined(block)

    def _joined(self, block: ReleasedBlock) -> bytes:
        shape = block.records.texts
        numbers = [block.first + place for place, parts in enumerate(shape) for _ in parts]
        try:
            decoded = iter(self.decoder.texts(block.texts, numbers))
        except InputError as error:
            raise InputError(f"{block.place}{error}") from None
        return block.records.joined([[next(decoded) for _ in parts] for parts in shape])
