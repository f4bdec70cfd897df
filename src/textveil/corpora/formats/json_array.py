"""JSON arrays: records in one array, objects or strings, read as a stream and written as an array again."""

import codecs
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import BinaryIO, ClassVar, NamedTuple

from textveil.corpora.formats.encodings import recoded
from textveil.corpora.formats.fields import FieldChoice
from textveil.corpora.formats.json_values import (
    DECODER,
    after_space,
    beside_of,
    chosen_cells,
    first_order,
    json_bytes,
    members_of,
    on_a_line,
    parsed,
    written_object,
)
from textveil.corpora.formats.jsonl import JsonLinesWriter
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, Cut, RecordError, Records, Sink, checked_size, decoded
from textveil.corpora.formats.rows import Cell, RecordRows, records_of
from textveil.corpora.formats.text_lines import marked_pieces
from textveil.corpora.pieces import Pieces
from textveil.errors import InputError
from textveil.json_text import json_data

_BETWEEN = "\x1e"  # stands between the elements of a payload: valid JSON holds it nowhere (RFC 7464)
_REST = "What stands behind is left out."


class _At(Enum):
    BEGIN = "the array"
    FIRST = "an element, or the end of the array"
    NEXT = "an element"
    END = "nothing"


class _Taken(NamedTuple):
    """Elements from the start of a text; ``fault`` is why none can follow, where that is known."""

    elements: list[str]
    end: int
    at: _At
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonArray:
    """One JSON array of objects, or of strings, each of which is a text by itself.

    The array is never in memory as a whole. Where it is no valid JSON any more it ends: what is a record behind that
    place cannot be known. Order of fields, nulls and kept values are as of ``JsonLines``; one object serves one job.
    """

    unit: ClassVar[str] = "record"
    choice: FieldChoice
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None
    _order: list[list[str] | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """See ``CorpusFormat.cut``; a payload begins with a line that names the fields, or is null for strings."""
        first = 1
        for elements in _elements(recoded(stream, self.encoding), size, self.max_document_bytes):
            if not self._order:
                self._order.append(self._names(elements))
            head = json.dumps(self._order[0])
            payload = f"{head}\n{_BETWEEN.join(elements)}".encode("utf-8", "surrogateescape")
            yield Cut(payload, first, len(elements))
            first += len(elements)

    def rows(self, payload: bytes, first: int) -> RecordRows:
        head, _, body = payload.partition(b"\n")
        names: list[str] | None = json_data(head)
        numbers: list[int] = []
        records: list[dict[str, Cell]] = []
        faults: list[RecordError] = []
        for number, raw in enumerate(body.split(_BETWEEN.encode()), start=first):
            where = f"record {number}"
            try:
                element = decoded(raw, where, self.max_document_bytes)
                if names is None:
                    records.append({self.choice.sanitized[0]: _string(parsed(element, where), where)})
                else:
                    records.append(chosen_cells(members_of(element, where), self.choice, where))
            except InputError as error:
                faults.append(RecordError(number, str(error)))
                continue
            numbers.append(number)
        order = self.choice.sanitized if names is None else names
        cells = [[record[name] for name in order] for record in records]
        return RecordRows(order, numbers, cells, faults, beside_of(records, self.choice), bare=names is None)

    def records(self, payload: bytes, first: int) -> Records:
        return records_of(self.rows(payload, first), self.choice, JsonArrayWriter())

    def sink(self, stream: BinaryIO) -> Sink:
        return JsonArrayWriter().sink(stream)

    def _names(self, elements: Sequence[str]) -> list[str] | None:
        """The fields of the output in order; None if the array holds strings."""
        if elements[0].startswith('"'):
            if self.choice != FieldChoice():
                raise InputError("an array of strings has no fields; got some by name. Leave them out.")
            return None
        return first_order(elements, self.choice) or list(self.choice.all())


@dataclass(frozen=True, slots=True)
class JsonArrayWriter(JsonLinesWriter):
    """Writes one array, a record a line."""

    def written(self, rows: RecordRows) -> bytes:
        names = [json.dumps(name) for name in rows.names]
        lines = [on_a_line(row[0].json) if rows.bare else written_object(names, row) for row in rows.cells]
        return json_bytes(",\n".join(lines))

    def sink(self, stream: BinaryIO) -> Sink:
        """See ``Assembled.sink``: the array, handed on in pieces whose sizes do not depend on the blocks."""
        return _Array(stream)


class _Array:
    def __init__(self, stream: BinaryIO) -> None:
        self._pieces = Pieces(stream)
        self._between = b"[\n"

    def write(self, data: bytes) -> None:
        if data:
            self._pieces.write(self._between + data)
            self._between = b",\n"

    def close(self) -> None:
        self._pieces.write(b"[]\n" if self._between == b"[\n" else b"\n]\n")
        self._pieces.close()


def _string(cell: Cell, where: str) -> Cell:
    if not isinstance(cell.value, str | None):
        raise InputError(f"{where} must be a string, as the first record is; got {cell.kind}.")
    return cell


def _elements(stream: BinaryIO, size: int, limit: int) -> Iterator[list[str]]:
    """Yield the elements of the array in a stream as they are written, some at a time.

    Bytes that are not UTF-8 become lone surrogates. An element of more than about ``limit`` bytes may end the array.
    """
    bytes_to_text = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    held, wanted, at, number = "", 0, _At.BEGIN, 1
    for piece, last in marked_pieces(stream, size):
        held += bytes_to_text.decode(piece, last)
        if len(held) < wanted and not last:
            continue
        elements, end, at, fault = _taken(held, at, last)
        held = held[end:]
        wanted = 2 * len(held)  # scanned again only when it has doubled
        if elements:
            yield elements
            number += len(elements)
        if not fault and len(held) > limit:
            fault = (
                f"must be valid JSON of at most {limit} bytes; it is not. Raise `max_document_bytes`, or correct it."
            )
        if fault:
            told = f"record {number} {fault}" if at in (_At.FIRST, _At.NEXT) and fault.startswith("must") else fault
            raise InputError(f"{told} {_REST}" if number > 1 else told)


def _taken(text: str, at: _At, last: bool) -> _Taken:
    """The elements at the start of a text; one that may go on behind its end is left."""
    elements: list[str] = []
    index = after_space(text, 0)
    if at is _At.BEGIN:
        index = after_space(text, index + text.startswith("\ufeff"))
        if index == len(text):
            return _Taken(elements, 0, at, "")
        if text[index] != "[":
            return _Taken(elements, index, at, _no_array(text[index]))
        at, index = _At.FIRST, index + 1
    while True:
        index = after_space(text, index)
        if at is _At.END:
            return _Taken(elements, index, at, "" if index == len(text) else "nothing may follow the array; more does.")
        if index == len(text):
            return _Taken(elements, index, at, _CUT_SHORT if last else "")
        if text[index] == "]" and at is _At.FIRST:
            at, index = _At.END, index + 1
            continue
        end = _element_end(text, index)
        behind = len(text) if end is None else after_space(text, end)
        if end is None or behind == len(text):
            fault = _BROKEN if end is None else _CUT_SHORT
            return _Taken(elements, index, at, fault if last else "")
        if text[behind] not in ",]":
            return _Taken(elements, index, at, "must be followed by a comma or the end of the array; it is not.")
        elements.append(text[index:end])
        at, index = (_At.NEXT if text[behind] == "," else _At.END), behind + 1


_CUT_SHORT = "the array must end with ]; the input ends before. Copy the whole file."
_BROKEN = "must be valid JSON; it is not, or the input ends within it."


def _element_end(text: str, index: int) -> int | None:
    """Where the value ends that begins here; None if none does, or not yet."""
    try:
        return DECODER.raw_decode(text, index)[1]
    except (ValueError, RecursionError):
        return None


def _no_array(begins: str) -> str:
    if begins == "{":
        return (
            "the input must be a JSON array of records; got an object. Give `corpus_format=jsonl` if it has "
            "an object a line, else take its list of records out of it."
        )
    return "the input must be a JSON array of records; got something else."
