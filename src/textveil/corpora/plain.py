"""Plain text: a document a line, or the whole file as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, final

from textveil.corpora.records import MAX_DOCUMENT_BYTES, Record, checked_size, decoded, encoded, lines, read
from textveil.errors import InputError


def _joined(texts: Sequence[str]) -> bytes:
    return encoded(texts[0])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """UTF-8 text; line ends are kept as they are.

    Attributes:
        whole: one document instead of one for each line.
        max_document_bytes: larger documents are refused.
    """

    whole: bool = False
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """See ``CorpusFormat.records``."""
        if not self.whole:
            for _, text in lines(stream, self.max_document_bytes):
                yield Record((text,), _joined)
            return
        raw = read(stream.read, self.max_document_bytes + 1)
        if len(raw) > self.max_document_bytes:
            raise InputError(
                f"the document must have at most {self.max_document_bytes} bytes; got more. Raise --max-document-bytes."
            )
        if raw:
            yield Record((decoded(raw.removeprefix(b"\xef\xbb\xbf"), "the document"),), _joined)

    def header(self) -> bytes:
        """Nothing stands before plain text."""
        return b""
