"""JSON lines: one object a line, some of its fields sanitized, some kept, the others dropped."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO, ClassVar

from textveil.corpora.formats.encodings import recoded
from textveil.corpora.formats.fields import FieldChoice
from textveil.corpora.formats.json_values import (
    beside_of,
    chosen_cells,
    first_order,
    json_bytes,
    members_of,
    written_object,
)
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, Cut, RecordError, Records, checked_size, decoded
from textveil.corpora.formats.rows import Cell, RecordRows, records_of
from textveil.corpora.formats.text_lines import BOM, cut_lines, split_lines
from textveil.errors import InputError
from textveil.json_text import json_data


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """One JSON object a line; blank lines are skipped.

    Fields of the output stand in the order of the first record that has them all, whatever a later record's own order:
    one object serves one job. A null in a sanitized field stays null, is no document, and that it is null is public.
    Kept values are written to the letter as they were.
    """

    unit: ClassVar[str] = "line"
    choice: FieldChoice
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """See ``CorpusFormat.cut``; a payload begins with a line that names the fields of the output in order."""
        for cut in cut_lines(recoded(stream, self.encoding), size, self.max_document_bytes):
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
        names: list[str] = json_data(head) if head else []
        numbers: list[int] = []
        records: list[dict[str, Cell]] = []
        faults: list[RecordError] = []
        for number, raw in enumerate(split_lines(body, 0), start=first):
            if raw.isspace():
                continue
            where = f"line {number}"
            try:
                line = decoded(raw, where, self.max_document_bytes)
                records.append(chosen_cells(members_of(line, where), self.choice, where))
            except InputError as error:
                faults.append(RecordError(number, str(error)))
                continue
            numbers.append(number)
        cells = [[record[name] for name in names] for record in records]
        return RecordRows(names, numbers, cells, faults, beside_of(records, self.choice))

    def records(self, payload: bytes, first: int) -> Records:
        return records_of(self.rows(payload, first), self.choice, JsonLinesWriter(), self.unit)


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
