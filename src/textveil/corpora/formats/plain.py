"""Plain text: a document a line, or the whole file as one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, ClassVar

from textveil.corpora.formats.encodings import recoded
from textveil.corpora.formats.records import (
    MAX_DOCUMENT_BYTES,
    Cut,
    RecordError,
    Records,
    checked_size,
    encoded,
    text_in,
    too_large,
)
from textveil.corpora.formats.text_lines import BOM, cut_lines, pieces, split_lines
from textveil.errors import InputError


def _joined(ends: Sequence[str], released: Sequence[Sequence[str] | None]) -> bytes:
    """Releases in a row; a line that came out without its end, of a mechanism of whole texts, gets one."""
    lines = [(texts[0], end) for texts, end in zip(released, ends, strict=True) if texts is not None]
    return encoded("".join([line if line.endswith("\n") else line + end for line, end in lines]))


_BLANK = {b"\n": ("\n",), b"\r\n": ("\r\n",)}
"""Lines that are read at a glance: of a compressed file they may be millions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """UTF-8 text; a line end is part of its document.

    Attributes:
        ended: a last line without an end gets one, so that another input can follow it.
    """

    choice: ClassVar[None] = None
    whole: bool = False
    ended: bool = False
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None

    @property
    def unit(self) -> str:
        return "document" if self.whole else "line"

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        stream = recoded(stream, self.encoding)
        cuts = self._document(stream, size) if self.whole else cut_lines(stream, size, self.max_document_bytes)
        for cut in cuts:
            lacks_end = self.ended and cut.payload and not cut.payload.endswith(b"\n")
            yield replace(cut, payload=cut.payload + b"\n") if lacks_end else cut

    def records(self, payload: bytes, first: int) -> Records:
        lines = [payload.removeprefix(BOM)] if self.whole else split_lines(payload, first)
        texts: list[tuple[str]] = []
        numbers: list[int] = []
        faults: list[RecordError] = []
        for number, raw in enumerate(lines, start=first):
            try:
                where = "the document" if self.whole else f"line {number}"
                texts.append(_BLANK.get(raw) or (text_in(raw, where, self.max_document_bytes),))
                numbers.append(number)
            except InputError as error:
                faults.append(RecordError(number, str(error)))
        ends = ["\n" if not self.whole and text.endswith("\n") else "" for (text,) in texts]
        return Records(texts, faults, partial(_joined, ends), numbers)

    def _document(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        held: list[bytes] = []
        length = 0
        for piece in pieces(stream, size):
            held.append(piece)
            length += len(piece)
            if length > self.max_document_bytes:
                yield Cut(b"", 1, 1, too_large("the document", self.max_document_bytes))
                return
        if length:
            yield Cut(b"".join(held), 1, 1)
