"""CSV and TSV with a header row: some columns sanitized, some kept, the others dropped."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar

from textveil.corpora.formats.csv_records import CsvRow, cut_rows, rows
from textveil.corpora.formats.encodings import recoded
from textveil.corpora.formats.fields import FieldChoice, other_name
from textveil.corpora.formats.records import (
    MAX_DOCUMENT_BYTES,
    Cut,
    RecordError,
    Records,
    checked_size,
    decoded,
    encoded,
    too_large,
)
from textveil.corpora.formats.rows import Cell, RecordRows, records_of
from textveil.corpora.formats.text_lines import BOM
from textveil.errors import InputError, need

_SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", ":": "colons"}
"""What stands between columns as a rule, as messages call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvTable:
    """Values separated by commas, tabs or another character, else as RFC 4180 has them.

    A field that holds the delimiter, a quote or a line end stands in quotes, and a quote in it is written twice: of
    tab-separated values too. Lines end in CRLF.

    Several inputs may drop different columns, but the chosen ones must come in one order in all: one object serves
    one job.

    Attributes:
        delimiter: stands between fields, of inputs and output: one ASCII character, neither letter nor digit.
    """

    unit: ClassVar[str] = "record"
    choice: FieldChoice
    delimiter: str = ","
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)
        fits = len(self.delimiter) == 1 and self.delimiter.isascii() and not self.delimiter.isalnum()
        # The value is not repeated: somebody may have put text in its place.
        need(
            fits and self.delimiter not in '"\r\n\0',
            "delimiter",
            "another",
            r"one ASCII character such as ; or \t, and no letter, digit, quote or line end",
        )

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """See ``CorpusFormat.cut``; a payload begins with the input's header row."""
        header = b""
        sure = bool(self.choice.kept or self.choice.read)  # in a wrong row the person would be a wrong one
        stream = recoded(stream, self.encoding)
        for cut in cut_rows(stream, size, self.max_document_bytes, sure=sure, delimiter=self.delimiter):
            start = 0
            if not header:
                header, start = self._header(cut)
            body = cut.payload[start:]
            if body or cut.fault:
                yield Cut(header + body if body else b"", max(cut.first - 1, 1), cut.count - (start > 0), cut.fault)

    def rows(self, payload: bytes, first: int) -> RecordRows:
        records = rows(payload, delimiter=self.delimiter)
        names = next(records).values or []
        columns = self._columns(names)
        order = self._output_order(columns)
        numbers: list[int] = []
        found_rows: list[list[str]] = []
        faults: list[RecordError] = []
        for number, row in enumerate(records, start=first):
            if row.values == []:
                continue
            reason = self._reason(row, payload, len(names), f"record {number}")
            if reason or row.values is None:
                faults.append(RecordError(number, reason))
                continue
            numbers.append(number)
            found_rows.append(row.values)
        cells = [[Cell(values[columns[name]]) for name in order] for values in found_rows]
        beside = {name: [Cell(values[columns[name]]) for values in found_rows] for name in self.choice.read}
        return RecordRows(order, numbers, cells, faults, beside)

    def records(self, payload: bytes, first: int) -> Records:
        return records_of(self.rows(payload, first), self.choice, CsvWriter(self.delimiter))

    def _header(self, cut: Cut) -> tuple[bytes, int]:
        """The header row, checked, as it will stand before every payload; and where the rows behind it begin."""
        if cut.fault:
            raise InputError(too_large("the header row", self.max_document_bytes))
        skipped = len(BOM) if cut.payload.startswith(BOM) else 0
        payload = cut.payload[skipped:]
        row = next(rows(payload, delimiter=self.delimiter))
        reason = self._reason(row, payload, len(row.values or ()), "the header row")
        if reason or row.values is None:
            raise InputError(reason)
        columns = self._columns(row.values)
        order = self._output_order(columns)
        if self._order and order != self._order:
            raise InputError(
                "the header row must have the chosen columns in the order of the first input; it has another. "
                "Sanitize this input on its own."
            )
        self._order[:] = order
        return payload[: row.end].rstrip(b"\r\n") + b"\n", skipped + row.end

    def _reason(self, row: CsvRow, payload: bytes, columns: int, where: str) -> str:
        raw = payload[row.start : row.end]
        try:
            decoded(raw, where, self.max_document_bytes)
        except InputError as error:
            return str(error)
        if row.values is None:
            return f"{where} must be valid CSV; a quote in it is not closed, or stands where none may."
        if len(row.values) != columns:
            return f"{where} must have {columns} columns; got {len(row.values)}."
        return ""

    def _output_order(self, columns: Mapping[str, int]) -> list[str]:
        return sorted(self.choice.all(), key=columns.__getitem__)

    def _columns(self, names: Sequence[str]) -> dict[str, int]:
        for name in self.choice.needed():
            if (times := names.count(name)) != 1:
                wanted = f"the header row must name the column {name!r} once; it does so {times} times."
                raise InputError(f"{wanted} {self._hint(name, names)}")
        return {name: names.index(name) for name in self.choice.needed()}

    def _hint(self, name: str, names: Sequence[str]) -> str:
        """What may be wrong with a header row that lacks a column, or has it twice."""
        other = next((mark for mark in _SEPARATORS if mark != self.delimiter and self._looks(names, mark)), None)
        if other is not None:
            way = "`corpus_format=tsv`" if other == "\t" else f"`delimiter='{other}'`"
            return f"It looks separated by {_SEPARATORS[other]}: give {way}."
        between = _SEPARATORS.get(self.delimiter, "the character of `delimiter`")
        advice = "Rename one." if name in names else other_name(name, names)
        return f"Columns are separated by {between}; {len(names)} were found. {advice}"

    def _looks(self, names: Sequence[str], other: str) -> bool:
        cells = next(csv.reader([self.delimiter.join(names).replace("\n", " ")], delimiter=other), [])
        return len(cells) > 1 and all(cells.count(name) == 1 for name in self.choice.needed())


@dataclass(frozen=True, slots=True)
class CsvWriter:
    """Writes rows under a header row; null is an empty field, true, false and numbers are as JSON writes them."""

    delimiter: str = ","

    def head(self, names: Sequence[str]) -> bytes:
        """See ``RowWriter.head``: the header row."""
        return self._table([names])

    def refused(self, cell: Cell) -> str:
        """See ``RowWriter.refused``: what is made of several values, and text that UTF-8 cannot hold."""
        if isinstance(cell.value, list | dict):
            return cell.kind
        sound = not isinstance(cell.value, str) or ("\0" not in cell.value and cell.encodes)
        return "" if sound else "a string with NUL characters or lone surrogates"

    def written(self, rows: RecordRows) -> bytes:
        # Of a table itself every cell is a text; only other formats have values to be written.
        return self._table([[_field(value, written) for value, written in row] for row in rows.cells])

    def _table(self, table: Sequence[Sequence[str]]) -> bytes:
        buffer = io.StringIO()
        # With RFC 4180's line end the writer also quotes fields that hold a lone carriage return.
        csv.writer(buffer, delimiter=self.delimiter, lineterminator="\r\n").writerows(table)
        return encoded(buffer.getvalue())


def _field(value: Any, written: str) -> str:
    return value if type(value) is str else "" if value is None else written
