"""Plain text: lines of a binary stream, cut into payloads without being read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO, ClassVar

from textveil.corpora.formats import records as base
from textveil.errors import InputError
from textveil.text.no_text import ADVICE, what_it_begins

BOM = b"\xef\xbb\xbf"  # UTF-8's byte order mark; dropped before the first record of an input


def pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """The stream in pieces of ``size`` bytes, the last one shorter.

    Raises InputError: the rest cannot be read; what could be read was handed on before. Or the stream begins as a file
    that is no text does.
    """
    # One read of the system at a time: a longer read that fails would lose what it had already got.
    once = getattr(stream, "read1", stream.read)
    held: list[bytes] = []
    length = 0
    begun = False
    while True:
        failure = None
        try:
            data = base.read(once, size - length)
        except InputError as error:
            data, failure = b"", error
        if data:
            held.append(data)
            length += len(data)
        if length == size or (length and not data):
            piece = b"".join(held)
            if not begun and (instead := what_it_begins(piece)):
                raise InputError(f"the input must be text; got {instead}. {ADVICE}")
            begun = True
            yield piece
            held, length = [], 0
        if failure is not None:
            raise failure
        if not data:
            return


def marked_pieces(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, bool]]:
    """The same with whether it is the last one: the stream ends behind it, and has not broken off.

    Raises InputError: as ``pieces``.
    """
    source = pieces(stream, size)
    held = next(source, None)
    while held is not None:
        failure = None
        try:
            upcoming = next(source, None)
        except InputError as error:
            upcoming, failure = None, error
        yield held, upcoming is None and failure is None
        if failure is not None:
            raise failure
        held = upcoming


def cut_lines(stream: BinaryIO, size: int, limit: int) -> Iterator[base.Cut]:
    """Whole lines in pieces of about ``size`` bytes; a line of more than ``limit`` may be dropped as a fault.

    A last line without an end is a line, unless the stream broke off in it. Raises InputError: the rest of the stream
    cannot be read.
    """
    held: list[bytes] = []
    waiting, first, dropping = 0, 1, False
    for piece, last in marked_pieces(stream, size):
        start = 0
        if dropping:
            if not (start := piece.find(b"\n") + 1):
                continue
            dropping = False
        end = len(piece) if last else piece.rfind(b"\n") + 1
        if end > start:
            payload = b"".join([*held, piece[start:end]])
            count = payload.count(b"\n") + (not payload.endswith(b"\n"))
            held, waiting = [], 0
            yield base.Cut(payload, first, count)
            first += count
        held.append(piece[end:])
        waiting += len(piece) - end
        if waiting > limit:  # said at once: its end may never come
            yield base.Cut(b"", first, 1, base.too_large(f"line {first}", limit))
            held, waiting, dropping, first = [], 0, True, first + 1


def split_lines(payload: bytes, first: int) -> list[bytes]:
    """The lines of a payload with their ends; a byte order mark before line 1 is dropped."""
    parts = (payload.removeprefix(BOM) if first == 1 else payload).split(b"\n")
    last = parts.pop()
    lines = [part + b"\n" for part in parts]
    return [*lines, last] if last else lines


def _joined(ends: Sequence[str], released: Sequence[Sequence[str] | None]) -> bytes:
    """Releases in a row; a line that came out without its end, of a mechanism of whole texts, gets one."""
    lines = [(texts[0], end) for texts, end in zip(released, ends, strict=True) if texts is not None]
    return base.encoded("".join([line if line.endswith("\n") else line + end for line, end in lines]))


_BLANK = {b"\n": ("\n",), b"\r\n": ("\r\n",)}
"""Lines that are read at a glance: of a compressed file they may be millions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText(base.LimitedText):
    """UTF-8 text; a line end is part of its document."""

    choice: ClassVar[None] = None
    whole: bool = False
    ended: bool = False  # a last line without an end gets one, so that another input can follow it

    @property
    def unit(self) -> str:
        return "document" if self.whole else "line"

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        stream = base.recoded(stream, self.encoding)
        cuts = self._document(stream, size) if self.whole else cut_lines(stream, size, self.max_document_bytes)
        for cut in cuts:
            lacks_end = self.ended and cut.payload and not cut.payload.endswith(b"\n")
            yield replace(cut, payload=cut.payload + b"\n") if lacks_end else cut

    def records(self, payload: bytes, first: int) -> base.Records:
        lines = [payload.removeprefix(BOM)] if self.whole else split_lines(payload, first)
        texts: list[tuple[str]] = []
        numbers: list[int] = []
        faults: list[base.RecordError] = []
        for number, raw in enumerate(lines, start=first):
            try:
                where = "the document" if self.whole else f"line {number}"
                texts.append(_BLANK.get(raw) or (base.text_in(raw, where, self.max_document_bytes),))
                numbers.append(number)
            except InputError as error:
                faults.append(base.RecordError(number, str(error)))
        ends = ["\n" if not self.whole and text.endswith("\n") else "" for (text,) in texts]
        return base.Records(texts, faults, partial(_joined, ends), numbers)

    def _document(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        held: list[bytes] = []
        length = 0
        for piece in pieces(stream, size):
            held.append(piece)
            length += len(piece)
            if length > self.max_document_bytes:
                yield base.Cut(b"", 1, 1, base.too_large("the document", self.max_document_bytes))
                return
        if length:
            yield base.Cut(b"".join(held), 1, 1)
