"""Records in Arrow tables, for releases about a whole corpus: what Spark, Ray Data, DuckDB, pandas and others hold."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from textveil.aggregates.request import RecordsOfPersons, RecordTable
from textveil.corpora.formats.arrow_columns import checked_columns, texts_of
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, FieldChoice, arrow
from textveil.errors import InputError
from textveil.types import Progress


@dataclass(frozen=True, kw_only=True)
class TableRecords(RecordsOfPersons):
    """Records in tables or record batches, whose persons and labels are texts or whole numbers.

    A null text is no record. The tables pass through this process one after another: those of a cluster are never here
    all at once.

    Attributes:
        source: begins to yield the tables, each time in the same order; releases call it once or twice.
    """

    source: Callable[[], Iterable[Any]]

    def tables(self, progress: Progress | None) -> Iterator[RecordTable]:
        """See ``RecordsOfPersons.tables``."""
        pyarrow = arrow()
        choice = FieldChoice((self.text or "text",), (), self.beside)
        first = 1
        for each in self.source():
            table = each if isinstance(each, pyarrow.Table) else pyarrow.Table.from_batches([each])
            for batch in table.to_batches():
                texts, columns = _read(batch, choice, first)
                yield RecordTable(texts, columns, first)
                first += batch.num_rows
                if progress is not None:
                    progress(first - 1, first - 1)


def _read(batch: Any, choice: FieldChoice, first: int) -> tuple[list[list[str]], dict[str, list[str | None]]]:
    checked_columns(batch.schema, choice)
    (texts,), faults = texts_of(batch, choice, MAX_DOCUMENT_BYTES, lambda row: f"record {first + row}")
    if faults:
        raise InputError(faults[min(faults)])
    columns = {name: [_named(value) for value in batch.column(name).to_pylist()] for name in choice.read}
    return [[] if text is None else [text] for text in texts], columns


def _named(value: Any) -> str | None:
    return None if value is None or value != value else str(value)
