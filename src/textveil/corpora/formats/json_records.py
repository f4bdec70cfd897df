"""JSON lines and arrays: some fields of an object sanitized, some kept to the letter, the others dropped."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import BinaryIO, ClassVar, NamedTuple

from textveil.corpora.formats import records as base
from textveil.corpora.formats.rows import Cell, RecordRows, records_of
from textveil.corpora.formats.text_lines import BOM, cut_lines, marked_pieces, split_lines
from textveil.errors import InputError
from textveil.json_text import json_data


def _number(written: str) -> float:
    """Some number: the letters stay what they are, and none is too long to be one."""
    return 0.0


DECODER = json.JSONDecoder(parse_int=_number, parse_float=_number)
"""Reads any value; numbers are told by their type alone."""

_HALVES = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\r\n]*").match


def after_space(text: str, index: int) -> int:
    """The first place from ``index`` on that is no white space of JSON's."""
    if text[index : index + 1] > " ":  # mostly there is none
        return index
    match = _SPACE(text, index)
    return match.end() if match else index


def parsed(text: str, where: str) -> Cell:
    """The value that a text is, by itself. Raises InputError: it is none; names ``where``, and never quotes."""
    try:
        start = after_space(text, 0)
        value, end = DECODER.raw_decode(text, start)
        if after_space(text, end) == len(text):
            return Cell(value, text[start:end])
    except (ValueError, RecursionError):
        pass
    # Raised out here: the decoder's errors hold the line, and a context would keep them.
    raise InputError(f"{where} must be one JSON object; it is not valid JSON.")


def members_of(text: str, where: str) -> list[tuple[str, Cell]]:
    """Names and values of the object that a text is, in order, each value with the characters that write it.

    Raises InputError: the text is no JSON object; names ``where``, and never quotes.
    """
    try:
        members = _members(text)
    except (ValueError, RecursionError, IndexError, StopIteration):
        members = None
    if members is None:
        other = parsed(text, where)
        problem = "it is not valid JSON" if isinstance(other.value, dict) else f"got {other.kind}"
        raise InputError(f"{where} must be one JSON object; {problem}.")
    return members


def _members(text: str) -> list[tuple[str, Cell]] | None:
    """The members of an object; None if the text is of another type."""
    index = after_space(text, 0)
    if text[index] != "{":
        return None
    members: list[tuple[str, Cell]] = []
    index = after_space(text, index + 1)
    while text[index] != "}":
        if text[index] != '"':
            raise ValueError
        name, index = DECODER.raw_decode(text, index)
        index = after_space(text, index)
        if text[index] != ":":
            raise ValueError
        start = after_space(text, index + 1)
        value, index = DECODER.raw_decode(text, start)
        members.append((name, Cell(value, text[start:index])))
        index = after_space(text, index)
        if text[index] == ",":
            index = after_space(text, index + 1)
            if text[index] != '"':
                raise ValueError
        elif text[index] != "}":
            raise ValueError
    if after_space(text, index + 1) != len(text):
        raise ValueError
    return members


def chosen_cells(members: Iterable[tuple[str, Cell]], choice: base.FieldChoice, where: str) -> dict[str, Cell]:
    """The chosen fields of a record, in its own order.

    Raises InputError: one is missing, stands there twice, or is to be sanitized and neither a string nor null.
    """
    cells: dict[str, Cell] = {}
    others: list[str] = []
    wanted = choice.needed()
    for name, cell in members:
        if name not in wanted:
            others.append(name)
        elif name in cells:
            raise InputError(f"{where} must name the field {name!r} once; it does so twice or more.")
        else:
            cells[name] = cell
    for name in wanted:
        if name not in cells:
            raise InputError(f"{where} must have the field {name!r}; it has not. {base.other_name(name, others)}")
    for name in choice.sanitized:
        if not isinstance(cells[name].value, str | None):
            raise InputError(f"{where}: the field {name!r} must be a string; got {cells[name].kind}.")
    return cells


def beside_of(records: Sequence[Mapping[str, Cell]], choice: base.FieldChoice) -> dict[str, list[Cell]]:
    """The cells of each field that is read beside the output, of records by ``chosen_cells``."""
    return {name: [record[name] for record in records] for name in choice.read}


def first_order(texts: Iterable[str], choice: base.FieldChoice) -> list[str] | None:
    """The order of the chosen fields in the first record that has them all; None if none has.

    One record's order is told, of a whole job: every record's own would be one more thing that an output tells of it.
    """
    for text in texts:
        try:
            if (members := _members(text)) is not None:
                return [name for name in chosen_cells(members, choice, "") if name in choice.all()]
        except (ValueError, RecursionError, IndexError, StopIteration):  # an InputError is a ValueError
            continue
    return None


def written_object(names: Sequence[str], row: Sequence[Cell]) -> str:
    """A record on one line; ``names`` as JSON writes them."""
    return on_a_line("{" + ", ".join([f"{name}: {cell.json}" for name, cell in zip(names, row, strict=True)]) + "}")


def json_bytes(written: str) -> bytes:
    """JSON in UTF-8; a half of a pair of UTF-16, which that cannot write, stands as an escape."""
    try:
        return written.encode()
    except UnicodeEncodeError:
        pass
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", written).encode()


def on_a_line(written: str) -> str:
    """JSON without line ends, which stand only between its values."""
    return written.replace("\r", " ").replace("\n", " ") if "\n" in written or "\r" in written else written


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines(base.LimitedText):
    """One JSON object a line; blank lines are skipped.

    Fields of the output stand in the order of the first record that has them all, whatever a later record's own order:
    one object serves one job. A null in a sanitized field stays null, is no document, and that it is null is public.
    Kept values are written to the letter as they were.
    """

    unit: ClassVar[str] = "line"
    choice: base.FieldChoice
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        """See ``CorpusFormat.cut``; a payload begins with a line that names the fields of the output in order."""
        for cut in cut_lines(base.recoded(stream, self.encoding), size, self.max_document_bytes):
            if cut.fault:
                yield cut
                continue
            if not self._order:
                lines = (line.decode("utf-8", "replace") for line in split_lines(cut.payload, cut.first))
                self._order[:] = first_order(lines, self.choice) or self.choice.all()
            head = json.dumps(self._order).encode() + b"\n"
            # A byte order mark is taken from the first line here, which is the first of the payload no more.
            yield replace(cut, payload=head + (cut.payload.removeprefix(BOM) if cut.first == 1 else cut.payload))

    def rows(self, payload: bytes, first: int) -> RecordRows:
        head, _, body = payload.partition(b"\n")
        lines = [(number, raw) for number, raw in enumerate(split_lines(body, 0), start=first) if not raw.isspace()]
        return _rows(self, json_data(head) if head else [], lines)

    def records(self, payload: bytes, first: int) -> base.Records:
        return records_of(self.rows(payload, first), self.choice, JsonLinesWriter(), self.unit)


def _rows(of: "JsonLines | JsonArray", names: list[str] | None, read: Iterable[tuple[int, bytes]]) -> RecordRows:
    numbers: list[int] = []
    records: list[dict[str, Cell]] = []
    faults: list[base.RecordError] = []
    for number, raw in read:
        where = f"{of.unit} {number}"
        try:
            element = base.decoded(raw, where, of.max_document_bytes)
            if names is None:
                records.append({of.choice.sanitized[0]: _string(parsed(element, where), where)})
            else:
                records.append(chosen_cells(members_of(element, where), of.choice, where))
        except InputError as error:
            faults.append(base.RecordError(number, str(error)))
            continue
        numbers.append(number)
    order = of.choice.sanitized if names is None else names
    cells = [[record[name] for name in order] for record in records]
    return RecordRows(order, numbers, cells, faults, beside_of(records, of.choice), bare=names is None)


@dataclass(frozen=True, slots=True)
class JsonLinesWriter:
    """Writes an object a line."""

    def head(self, names: Sequence[str]) -> bytes:
        return b""

    def refused(self, cell: Cell) -> str:
        return ""

    def written(self, rows: RecordRows) -> bytes:
        names = [json.dumps(name) for name in rows.names]
        return json_bytes("".join([written_object(names, row) + "\n" for row in rows.cells]))


_BETWEEN = "\x1e"  # stands between the elements of a payload: valid JSON holds it nowhere (RFC 7464)
_REST = "What stands behind is left out."


class _At(Enum):
    BEGIN = "the array"
    FIRST = "an element, or the end of the array"
    NEXT = "an element"
    END = "nothing"


class _Taken(NamedTuple):
    """Elements from the start of a text; ``fault`` is why none can follow, if that is known."""

    elements: list[str]
    end: int
    at: _At
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonArray(base.LimitedText):
    """One JSON array of objects, or of strings, each of which is a text by itself.

    The array is never in memory as a whole. If it is no valid JSON any more it ends: what is a record behind that
    place cannot be known. Order of fields, nulls and kept values are as of ``JsonLines``; one object serves one job.
    """

    unit: ClassVar[str] = "record"
    choice: base.FieldChoice
    _order: list[list[str] | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        """See ``CorpusFormat.cut``; a payload begins with a line that names the fields, or is null for strings."""
        first = 1
        for elements in _elements(base.recoded(stream, self.encoding), size, self.max_document_bytes):
            if not self._order:
                self._order.append(self._names(elements))
            head = json.dumps(self._order[0])
            payload = f"{head}\n{_BETWEEN.join(elements)}".encode("utf-8", "surrogateescape")
            yield base.Cut(payload, first, len(elements))
            first += len(elements)

    def rows(self, payload: bytes, first: int) -> RecordRows:
        head, _, body = payload.partition(b"\n")
        return _rows(self, json_data(head), enumerate(body.split(_BETWEEN.encode()), start=first))

    def records(self, payload: bytes, first: int) -> base.Records:
        return records_of(self.rows(payload, first), self.choice, JsonArrayWriter())

    def sink(self, stream: BinaryIO) -> base.Sink:
        return JsonArrayWriter().sink(stream)

    def _names(self, elements: Sequence[str]) -> list[str] | None:
        if elements[0].startswith('"'):
            if self.choice != base.FieldChoice():
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

    def sink(self, stream: BinaryIO) -> base.Sink:
        """See ``Assembled.sink``: the array, handed on in pieces whose sizes do not depend on the blocks."""
        return _Array(stream)


class _Array:
    def __init__(self, stream: BinaryIO) -> None:
        self._pieces = base.Pieces(stream)
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
        if (index := after_space(text, index + text.startswith("\ufeff"))) == len(text):
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
    """Return the end of the value that begins here; None if none does, or not yet."""
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
