"""Records as rows of cells: what a reader of one format hands to a writer of another.

A format that reads rows and one that writes them make a format together, and none knows another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, NamedTuple, Protocol

from textveil.corpora.formats import records as base
from textveil.errors import InputError

_JSON_NAMES = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    str: "a string",
}

_ENCODED = json.JSONEncoder(ensure_ascii=False).encode
"""A text as JSON writes it; ``json.dumps`` would make an encoder for each."""


class Cell(NamedTuple):
    """The value of one field of one record."""

    value: Any  # a text, None if there is none, or of anything else a value of its JSON type
    written: str = ""  # how JSON writes it, to the letter as it was read; empty for a text that was not read from JSON

    @property
    def json(self) -> str:
        return self.written or (_ENCODED(self.value) if isinstance(self.value, str) else json.dumps(self.value))

    @property
    def kind(self) -> str:
        """The name of a value of its type in messages."""
        return _JSON_NAMES[type(self.value)]

    @property
    def plain(self) -> str | None:
        """The same value as text, whatever format it stands in; None for null."""
        return self.value if isinstance(self.value, str | None) else self.written

    @property
    def encodes(self) -> bool:
        """True if UTF-8 can hold it: JSON writes lone surrogates, other formats cannot."""
        try:
            str(self.value).encode()
        except UnicodeEncodeError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class RecordRows:
    """The good records of a payload, and the bad ones."""

    names: Sequence[str]  # fields of the output, in their order there; the same for every payload of a job
    numbers: Sequence[int]
    cells: Sequence[list[Cell]]  # for each good record a cell for each of ``names``
    faults: Sequence[base.RecordError]
    # of each field that is ``read``, a cell for each good record
    beside: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    bare: bool = False  # records are texts without a name (a JSON array of strings); there is one name then

    def of(self, places: Sequence[int], faults: Sequence[base.RecordError]) -> RecordRows:
        """The good records at these places; the others have these faults."""
        return replace(
            self,
            numbers=[self.numbers[place] for place in places],
            cells=[self.cells[place] for place in places],
            beside={name: [cells[place] for place in places] for name, cells in self.beside.items()},
            faults=sorted([*self.faults, *faults]),
        )


class RowReader(Protocol):
    """Reads a format; ``unit`` and ``cut`` are those of ``CorpusFormat``."""

    @property
    def choice(self) -> base.FieldChoice:
        """The fields that are read."""

    @property
    def unit(self) -> str:
        """Return a record's name in messages, by its number."""

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        """See ``CorpusFormat.cut``."""

    def rows(self, payload: bytes, first: int) -> RecordRows:
        """The records of a payload; ``first`` is the number of its first record."""


class RowWriter(Protocol):
    """Writes a format. A picklable object whose ``repr`` names its options."""

    def head(self, names: Sequence[str]) -> bytes:
        """Return what stands once before the first record of the output."""

    def refused(self, cell: Cell) -> str:
        """Return what the cell is if the format cannot hold it, as the end of "got ..."; else nothing."""

    def written(self, rows: RecordRows) -> bytes:
        """The records; none of their cells is refused."""


def records_of(rows: RecordRows, choice: base.FieldChoice, writer: RowWriter, unit: str = "record") -> base.Records:
    """The rows as a worker needs them: their texts, and the output's bytes with other texts in their places.

    A record with a text that is none (``text.no_text``) is a fault. ``unit``: what messages call a record.
    """
    targets = [rows.names.index(name) for name in choice.sanitized]
    rows = _of_text(rows, targets, unit)
    texts = [[row[target].value for target in targets if row[target].value is not None] for row in rows.cells]

    def joined(released: Sequence[Sequence[str] | None]) -> bytes:
        places = []
        for place, (row, fresh) in enumerate(zip(rows.cells, released, strict=True)):
            if fresh is None:
                continue
            places.append(place)
            following = iter(fresh)
            for target in targets:
                if row[target].value is not None:
                    row[target] = Cell(next(following))
        return writer.written(rows if len(places) == len(rows.cells) else rows.of(places, ()))

    nulls = len(targets) * len(texts) - sum(map(len, texts))
    beside = {name: [cell.plain for cell in cells] for name, cells in rows.beside.items()}
    return base.Records(texts, rows.faults, joined, rows.numbers, writer.head(rows.names), nulls, beside)


def _of_text(rows: RecordRows, targets: Sequence[int], unit: str) -> RecordRows:
    faults: list[base.RecordError] = []
    for number, row in zip(rows.numbers, rows.cells, strict=True):
        for target in targets:
            try:
                base.need_text(row[target].value or "", f"{unit} {number}")
            except InputError as error:
                faults.append(base.RecordError(number, str(error)))
                break
    if not faults:
        return rows
    bad = {fault.number for fault in faults}
    return rows.of([place for place, number in enumerate(rows.numbers) if number not in bad], faults)


class AssembledWriter(RowWriter, base.Assembled, Protocol):
    """Writes a format whose output is no concatenation of blocks' data."""


def converted(source: RowReader, target: RowWriter, name: str) -> base.CorpusFormat:
    """The format that reads as ``source`` and writes as ``target``, which messages call ``name``."""
    if isinstance(target, base.Assembled):
        return ConvertedWhole(source=source, target=target, name=name)
    return Converted(source=source, target=target, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Reads one format and writes another, block by block."""

    source: RowReader
    target: RowWriter
    name: str

    @property
    def choice(self) -> base.FieldChoice:
        return self.source.choice

    @property
    def unit(self) -> str:
        return self.source.unit

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        return self.source.cut(stream, size)

    def records(self, payload: bytes, first: int) -> base.Records:
        """See ``CorpusFormat.records``; a record that the other format cannot hold is a fault."""
        rows = self.source.rows(payload, first)
        reasons = [_reason(rows, place, self.source, self.target, self.name) for place in range(len(rows.cells))]
        bad = [base.RecordError(number, reason) for number, reason in zip(rows.numbers, reasons, strict=True) if reason]
        places = [place for place, reason in enumerate(reasons) if not reason]
        good = replace(rows.of(places, bad), bare=False)
        return records_of(good, self.choice, self.target, self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedWhole(Converted):
    """The same for a format that is assembled when all blocks are there."""

    target: AssembledWriter

    def sink(self, stream: BinaryIO) -> base.Sink:
        return self.target.sink(stream)


def _reason(rows: RecordRows, place: int, source: RowReader, target: RowWriter, name: str) -> str:
    for name_of_field, cell in zip(rows.names, rows.cells[place], strict=True):
        # What is sanitized is replaced by text that every format holds.
        if name_of_field not in source.choice.sanitized and (got := target.refused(cell)):
            where = f"{source.unit} {rows.numbers[place]}"
            return f"{where}: the field {name_of_field!r} must be one that {name} can hold; got {got}. Leave it out."
    return ""
