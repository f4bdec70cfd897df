"""A corpus read in one format and written in another."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol

from textveil.corpora.formats.fields import FieldChoice
from textveil.corpora.formats.records import Assembled, CorpusFormat, Cut, RecordError, Records, Sink
from textveil.corpora.formats.rows import RecordRows, RowReader, RowWriter, records_of


class AssembledWriter(RowWriter, Assembled, Protocol):
    """Writes a format whose output is no concatenation of blocks' data."""


def converted(source: RowReader, target: RowWriter, name: str) -> CorpusFormat:
    """The format that reads as ``source`` and writes as ``target``, which messages call ``name``."""
    if isinstance(target, Assembled):
        return ConvertedWhole(source=source, target=target, name=name)
    return Converted(source=source, target=target, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Reads one format and writes another, block by block."""

    source: RowReader
    target: RowWriter
    name: str

    @property
    def choice(self) -> FieldChoice:
        return self.source.choice

    @property
    def unit(self) -> str:
        return self.source.unit

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        return self.source.cut(stream, size)

    def records(self, payload: bytes, first: int) -> Records:
        """See ``CorpusFormat.records``; a record that the other format cannot hold is a fault."""
        rows = self.source.rows(payload, first)
        reasons = [_reason(rows, place, self.source, self.target, self.name) for place in range(len(rows.cells))]
        bad = [RecordError(number, reason) for number, reason in zip(rows.numbers, reasons, strict=True) if reason]
        places = [place for place, reason in enumerate(reasons) if not reason]
        good = replace(rows.of(places, bad), bare=False)
        return records_of(good, self.choice, self.target, self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedWhole(Converted):
    """The same for a format that is assembled when all blocks are there."""

    target: AssembledWriter

    def sink(self, stream: BinaryIO) -> Sink:
        return self.target.sink(stream)


def _reason(rows: RecordRows, place: int, source: RowReader, target: RowWriter, name: str) -> str:
    for field, cell in zip(rows.names, rows.cells[place], strict=True):
        # What is sanitized is replaced by text that every format holds.
        if field not in source.choice.sanitized and (got := target.refused(cell)):
            where = f"{source.unit} {rows.numbers[place]}"
            return f"{where}: the field {field!r} must be one that {name} can hold; got {got}. Leave it out."
    return ""
