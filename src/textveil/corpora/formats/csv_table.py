"""CSV and TSV with a header row; records are found once in haste for cutting, once by the ``csv`` module itself."""

import csv
import io
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, NamedTuple

from textveil.corpora.formats import records as base
from textveil.corpora.formats.rows import Cell, RecordRows, records_of
from textveil.corpora.formats.text_lines import BOM, marked_pieces
from textveil.errors import InputError, need

_LARGEST_FIELD = 2**31 - 1  # the `csv` module's limit, out of the way: records are limited here, by their bytes
_REST = "The rest of this input is left out: text could stand in the kept columns. Correct it, or do without `kept`."


class CsvRow(NamedTuple):
    """One record: where it lies in the payload, and its fields."""

    start: int
    end: int
    values: list[str] | None  # its fields; empty for a blank line; None if it is not valid CSV
    closed: bool


def rows(payload: bytes, *, ended: bool = True, delimiter: str = ",") -> Iterator[CsvRow]:
    """The records of a payload that begins with one.

    After a record that is not valid, the line behind the one in which it began begins a record: a stray quote takes no
    more than its own line with it. Bytes that are not UTF-8 become lone surrogates. ``ended``: whether nothing follows;
    else a last record that stands inside quotes is not told.
    """
    csv.field_size_limit(_LARGEST_FIELD)
    lines = _lines(payload)
    index = consumed = 0
    exhausted = False

    def fed() -> Iterator[str]:
        nonlocal index, consumed, exhausted
        while index < len(lines):
            line = lines[index]
            index, consumed = index + 1, consumed + len(line)
            yield line.decode("utf-8", "surrogateescape")
        exhausted = True

    reader = csv.reader(fed(), delimiter=delimiter, strict=True)
    while True:
        start, began = consumed, index
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error:
            if exhausted and not ended:
                return
            values, exhausted = None, False
            index, consumed = began + 1, start + len(lines[began])
            reader = csv.reader(fed(), delimiter=delimiter, strict=True)
        yield CsvRow(start, consumed, values, payload[consumed - 1 : consumed] == b"\n")


def _lines(payload: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in payload.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def cut_rows(
    stream: BinaryIO, size: int, limit: int, *, sure: bool = False, delimiter: str = ","
) -> Iterator[base.Cut]:
    """Whole records in pieces of about ``size`` bytes, the header row being number 1.

    A record of more than ``limit`` bytes may be dropped as a fault, up to the next line end outside quotes. ``sure``:
    end at the first record that is not valid or too large: where it ends, and so what is a row behind it, cannot be
    known. Raises InputError: the rest of the stream cannot be read, was dropped because a quote is never closed, or is
    not sure.
    """
    held = bytearray()
    first, wanted = 1, 0
    dropping: bool | None = None  # None, or whether the bytes that are dropped stand inside quotes
    for piece, last in marked_pieces(stream, size):
        end = 0
        if dropping is not None:
            quoted, end = _dropped(piece, dropping)
            dropping = None if end else quoted
            if dropping is not None:
                continue
        held += piece[end:]
        if len(held) < wanted and not last:
            continue
        if sure:
            end, count, doubtful = _surely(bytes(held), last, delimiter)
            if doubtful and first + count > 1:  # the header row is checked by who reads it
                if count:
                    yield base.Cut(bytes(held[:end]), first, count)
                raise InputError(f"record {first + count - 1} must be valid CSV; it is not. {_REST}")
        if last:
            end, count = len(held), sum(1 for _ in rows(bytes(held), delimiter=delimiter))
        else:
            end, count = _ended(bytes(held), delimiter)
        if end:
            yield base.Cut(bytes(held[:end]), first, count)
            first, wanted = first + count, 0
            del held[:end]
        elif len(held) > limit:  # said at once: its end may never come
            if sure:
                raise InputError(f"{base.too_large(f'record {first - 1}', limit)} {_REST}")
            yield base.Cut(b"", first, 1, base.too_large(f"record {first - 1}", limit))
            quoted, end = _dropped(bytes(held), False)
            dropping = None if end else quoted
            first, wanted = first + 1, 0
            del held[: end or len(held)]
        else:  # scanned again only when it has doubled
            wanted = min(2 * len(held), limit + 1)
    if dropping:
        raise InputError("a quote must be closed; it is not, and all behind it is left out. Correct the record before.")


def _surely(held: bytes, last: bool, delimiter: str) -> tuple[int, int, bool]:
    """Bytes and number of the records before the first that is not valid, and whether there is one."""
    parts = held.split(b'"')
    if len(parts) == 1 or (_orderly(held, parts, delimiter) and (not last or len(parts) % 2 == 1)):
        return 0, 0, False
    for count, row in enumerate(rows(held, ended=last, delimiter=delimiter)):
        if row.values is None:
            return row.start, count, True
    return 0, 0, False


def _dropped(piece: bytes, quoted: bool) -> tuple[bool, int]:
    """Return whether the piece ends inside quotes, and the place behind the first line end outside them, or 0."""
    end = 0
    for number, part in enumerate(piece.split(b'"')):
        if number:
            quoted = not quoted
            end += 1
        if not quoted and (newline := part.find(b"\n")) >= 0:
            return quoted, end + newline + 1
        end += len(part)
    return quoted, 0


def _ended(held: bytes, delimiter: str) -> tuple[int, int]:
    """Bytes and number of the whole records at the start of ``held``, which may end anywhere."""
    if b'"' not in held:
        return held.rfind(b"\n") + 1, held.count(b"\n")
    parts = held.split(b'"')
    if not _orderly(held, parts, delimiter):
        whole = [row for row in rows(held, ended=False, delimiter=delimiter) if row.closed]
        return (whole[-1].end, len(whole)) if whole else (0, 0)
    end, behind = 0, len(held)
    count = 0
    for number in range(len(parts) - 1, -1, -1):
        part = parts[number]
        behind -= len(part)
        if number % 2 == 0:
            if not end and (newline := part.rfind(b"\n")) >= 0:
                end = behind + newline + 1
            count += part.count(b"\n")
        behind -= 1
    return end, count


def _orderly(held: bytes, parts: list[bytes], delimiter: str) -> bool:
    """Return whether quotes stand only where fields begin and end, so that every second part is inside them.

    Parts that are not inside must begin with a separator after a closing quote and end with one before an opening
    quote, or be empty between the two quotes that write one. Then ``csv`` finds the same records.
    """
    if held.count(b"\r") != held.count(b"\r\n"):
        return False
    after, before = delimiter.encode() + b"\r\n", delimiter.encode() + b"\n"
    outside = parts[::2]
    closing = all(not part or part[0] in after for part in outside[1:])
    # The last part opens nothing, unless a quote follows it, which makes the number of parts even.
    opening = outside if len(parts) % 2 == 0 else outside[:-1]
    return closing and all(not part or part[-1] in before for part in opening)


_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 2**16  # of a file, in which its header row ends

_SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", ":": "colons"}
"""The usual marks between columns, as messages call them."""

_SAYS: Final = re.compile(rb'"?sep=([^\w\s"]|\t)"?\r?\n', re.IGNORECASE).match
"""A first line by which Excel is told what stands between columns."""


def told_delimiter(name: str, choice: base.FieldChoice, encoding: str | None) -> str:
    """Return the separator of columns: by the line ``sep=``, or the one that gives the chosen columns.

    A comma if neither tells, and of what is no regular file, which could not be read again.
    """
    if not Path(name).is_file():
        return ","
    try:
        with Path(name).open("rb") as stream:
            start = stream.read(_HEAD_BYTES)
        if start.startswith(_GZIP):
            start = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(start, _HEAD_BYTES)
        start = base.recoded(io.BytesIO(start), encoding).read(_HEAD_BYTES).removeprefix(BOM)
    except (OSError, InputError, zlib.error):  # told where it is read
        return ","
    if (says := _SAYS(start)) is not None:
        return says[1].decode()
    for mark in ",;\t|":
        names = next((row.values or [] for row in rows(start, delimiter=mark)), [])
        if all(names.count(column) == 1 for column in choice.needed()):
            return mark
    return ","


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvTable(base.LimitedText):
    """Values separated by commas, tabs or another character, else as RFC 4180 has them.

    A field that holds the delimiter, a quote or a line end stands in quotes, and a quote in it is written twice: of
    tab-separated values too. Lines end in CRLF.

    Several inputs may drop different columns, but the chosen ones must come in one order in all: one object serves
    one job.
    """

    unit: ClassVar[str] = "record"
    choice: base.FieldChoice
    delimiter: str = ","  # stands between fields, of inputs and output: one ASCII character, neither letter nor digit
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        base.checked_size(self.max_document_bytes)
        fits = len(self.delimiter) == 1 and self.delimiter.isascii() and not self.delimiter.isalnum()
        # The value is not repeated: somebody may have put text in its place.
        need(
            fits and self.delimiter not in '"\r\n\0',
            "delimiter",
            "another",
            r"one ASCII character such as ; or \t, and no letter, digit, quote or line end",
        )

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        """See ``CorpusFormat.cut``; a payload begins with the input's header row."""
        header, before = b"", 1
        sure = bool(self.choice.kept or self.choice.read)  # in a wrong row the person would be a wrong one
        stream = base.recoded(stream, self.encoding)
        for cut in cut_rows(stream, size, self.max_document_bytes, sure=sure, delimiter=self.delimiter):
            start = 0
            if not header:
                header, start, before = self._header(cut)
            if (body := cut.payload[start:]) or cut.fault:
                first, count = max(cut.first - before, 1), cut.count - (before if start else 0)
                yield base.Cut(header + body if body else b"", first, count, cut.fault)

    def rows(self, payload: bytes, first: int) -> RecordRows:
        records = rows(payload.removeprefix(BOM), delimiter=self.delimiter)
        names = next(records).values or []
        columns = self._columns(names)
        order = self._output_order(columns)
        numbers: list[int] = []
        found_rows: list[list[str]] = []
        faults: list[base.RecordError] = []
        for number, row in enumerate(records, start=first):
            if row.values == []:
                continue
            if (reason := self._reason(row, payload, len(names), f"record {number}")) or row.values is None:
                faults.append(base.RecordError(number, reason))
                continue
            numbers.append(number)
            found_rows.append(row.values)
        cells = [[Cell(values[columns[name]]) for name in order] for values in found_rows]
        beside = {name: [Cell(values[columns[name]]) for values in found_rows] for name in self.choice.read}
        return RecordRows(order, numbers, cells, faults, beside)

    def records(self, payload: bytes, first: int) -> base.Records:
        writer = CsvWriter(self.delimiter, marked=payload.startswith(BOM))
        return records_of(self.rows(payload, first), self.choice, writer)

    def _header(self, cut: base.Cut) -> tuple[bytes, int, int]:
        """The header row, checked, as it stands before every payload; where the rows behind it begin; their number.

        A byte order mark stays before it: Excel takes a table without one for Windows-1252.
        """
        if cut.fault:
            raise InputError(base.too_large("the header row", self.max_document_bytes))
        mark = BOM if cut.payload.startswith(BOM) else b""
        if (says := _SAYS(cut.payload, len(mark))) is not None and says[1] != self.delimiter.encode():
            raise InputError(f"the first line says sep={says[1].decode()}: give `delimiter='{says[1].decode()}'`.")
        skipped = len(mark) if says is None else says.end()
        payload = cut.payload[skipped:]
        row = next(rows(payload, delimiter=self.delimiter), CsvRow(0, 0, [], False))
        if (reason := self._reason(row, payload, len(row.values or ()), "the header row")) or row.values is None:
            raise InputError(reason)
        columns = self._columns(row.values)
        order = self._output_order(columns)
        if self._order and order != self._order:
            raise InputError(
                "the header row must have the chosen columns in the order of the first input; it has another. "
                "Sanitize this input on its own."
            )
        self._order[:] = order
        header = mark + payload[: row.end].rstrip(b"\r\n") + b"\n"
        return header, skipped + row.end, 1 if says is None else 2

    def _reason(self, row: CsvRow, payload: bytes, columns: int, where: str) -> str:
        raw = payload[row.start : row.end]
        try:
            base.decoded(raw, where, self.max_document_bytes)
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
                found = f"does so {times} times" if times else "does not"
                wanted = f"the header row must name the column {name!r} once; it {found}."
                raise InputError(f"{wanted} {self._hint(name, names)}")
        return {name: names.index(name) for name in self.choice.needed()}

    def _hint(self, name: str, names: Sequence[str]) -> str:
        other = next((mark for mark in _SEPARATORS if mark != self.delimiter and self._looks(names, mark)), None)
        if other is not None:
            way = "`corpus_format=tsv`" if other == "\t" else f"`delimiter='{other}'`"
            return f"It looks separated by {_SEPARATORS[other]}: give {way}."
        between = _SEPARATORS.get(self.delimiter, "the character of `delimiter`")
        advice = "Rename one." if name in names else base.other_name(name, names)
        return f"Columns are separated by {between}; {len(names)} were found. {advice}"

    def _looks(self, names: Sequence[str], other: str) -> bool:
        cells = next(csv.reader([self.delimiter.join(names).replace("\n", " ")], delimiter=other), [])
        return len(cells) > 1 and all(cells.count(name) == 1 for name in self.choice.needed())


@dataclass(frozen=True, slots=True)
class CsvWriter:
    """Writes rows under a header row; null is an empty field, true, false and numbers are as JSON writes them."""

    delimiter: str = ","
    marked: bool = False  # whether a byte order mark stands before the header row

    def head(self, names: Sequence[str]) -> bytes:
        return (BOM if self.marked else b"") + self._table([names])

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
        # One column has no separator by which its own could be told: in quotes it is read by whichever is taken.
        alone = self.delimiter != "," and all(len(row) == 1 for row in table)
        form: Any = {"delimiter": self.delimiter, "lineterminator": "\r\n"}
        csv.writer(buffer, **form, quoting=csv.QUOTE_ALL if alone else csv.QUOTE_MINIMAL).writerows(table)
        return base.encoded(buffer.getvalue())


def _field(value: Any, written: str) -> str:
    return value if type(value) is str else "" if value is None else written
