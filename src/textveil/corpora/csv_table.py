"""CSV with a header row: some columns sanitized, some kept, the others dropped."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, final

from textveil.corpora.fields import FieldChoice
from textveil.corpora.records import MAX_DOCUMENT_BYTES, Record, checked_size, encoded, lines
from textveil.errors import InputError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CsvTable:
    """Comma-separated values as RFC 4180 has them; quoted fields may hold line ends.

    Attributes:
        choice: which columns are sanitized, which are kept; all others are dropped.
        max_document_bytes: larger fields and lines are refused.
    """

    choice: FieldChoice
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    _columns: list[str] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """See ``CorpusFormat.records``."""
        csv.field_size_limit(min(self.max_document_bytes, 2**31 - 1))
        rows = csv.reader((line for _, line in lines(stream, self.max_document_bytes)), strict=True)
        names = self._next(rows, 0)
        if names is None:
            return
        places = self._places(names)
        self._columns[:] = [names[place] for place in sorted(places.values())]
        number = 0
        while (row := self._next(rows, number := number + 1)) is not None:
            if not row:
                continue
            if len(row) != len(names):
                raise InputError(f"record {number} must have {len(names)} columns; got {len(row)}.")
            yield self._record(row, places)

    def header(self) -> bytes:
        """The row of the output's column names."""
        return _row(self._columns)

    def _next(self, rows: Iterator[list[str]], number: int) -> list[str] | None:
        where = f"record {number}" if number else "the header row"
        with contextlib.suppress(csv.Error):
            return next(rows, None)
        raise InputError(
            f"{where} must be valid CSV with fields of at most {self.max_document_bytes} bytes; it is not."
        )

    def _places(self, names: Sequence[str]) -> dict[str, int]:
        for name in self.choice.all():
            if names.count(name) != 1:
                raise InputError(
                    f"the header row must name the column {name!r} once; it does so {names.count(name)} times. "
                    f"Columns are separated by commas; {len(names)} were found. Name another with --field or --keep."
                )
        return {name: names.index(name) for name in self.choice.all()}

    def _record(self, row: list[str], places: dict[str, int]) -> Record:
        order = sorted(places, key=places.__getitem__)
        kept = {name: row[places[name]] for name in order}

        def assemble(released: Sequence[str]) -> bytes:
            kept.update(zip(self.choice.sanitized, released, strict=True))
            return _row([kept[name] for name in order])

        return Record(tuple(row[places[name]] for name in self.choice.sanitized), assemble)


def _row(values: Sequence[str]) -> bytes:
    buffer = io.StringIO()
    # With RFC 4180's line end the writer also quotes fields that hold a lone carriage return.
    csv.writer(buffer, lineterminator="\r\n").writerow(values)
    return encoded(buffer.getvalue())
