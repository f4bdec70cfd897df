"""Records in Arrow tables, for releases about a whole corpus: what Spark, Ray Data, DuckDB, pandas and others hold.

The tables come to this process one after another (``TableRecords``), or stay with the workers of an engine
(``PartedRecords``): sums by part are made there, every person is whole in one part, and only sums come here. What
workers make is checked by a sum of digests of all records, beside each total: a part that was lost, read twice or
changed is noticed, whatever the engine did again.
"""

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any, Final, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from textveil.aggregates.parts import Parts, added
from textveil.aggregates.request import Batch, Batches, RecordsOfPersons, RecordTable
from textveil.corpora.formats.arrow_columns import checked_columns, texts_of
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, FieldChoice, arrow
from textveil.corpora.process_pool import Failure, failure
from textveil.errors import InputError
from textveil.privacy.units import Adjacency, Unit
from textveil.types import Progress

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")

_SUMMED: Final = 1024
"""Numbers of 16 bits whose sums over all records stand for the records in any order (Bellare and Micciancio 1997, Lewi
et al. 2019): to find other records with the same sums is as hard as to find short vectors of a lattice."""


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


class Engine(Protocol):
    """Bytes for the parts of a corpus, held by workers."""

    def kept(self, work: Callable[[bytes], bytes]) -> "Engine":
        """Return what ``work`` makes of each part, made once it is needed."""

    def folded(self, work: Callable[[bytes], bytes], fold: Callable[[Iterable[bytes]], bytes]) -> Iterable[bytes]:
        """Return what ``work`` makes of all parts, folded by workers into few."""


@final
class PartedRecords:
    """Records of an engine, for ``CorpusRequest``; made by ``spark_records`` and ``ray_records``.

    If a person has more than ``limit`` records, or more labels than count, the first ones by label and text count.

    Args:
        template: names the columns; it reads nothing.
        engine: parts, each of them ``begun``, that hold every person whole.
    """

    def __init__(self, template: TableRecords, engine: Engine) -> None:
        self._template = template
        self._sums: list[NDArray[np.uint16]] = []
        self.parts: Parts[Iterable[Batch]] = _EngineParts(engine, begun(template, []), self._check)

    @property
    def adjacency(self) -> Adjacency:
        return self._template.adjacency

    @property
    def limit(self) -> int | None:
        return self._template.limit

    @property
    def labelled(self) -> bool:
        return self._template.labelled

    @cached_property
    def names(self) -> Sequence[str]:
        """Names of the persons, read only if each of them pays; sorted: a run that goes on must ask for the same."""
        return sorted(self.parts.total(_names)) if by_person(self._template) else []

    @property
    def digest(self) -> bytes:
        """Digest of all records in any order, also of those beyond ``limit``."""
        if not self._sums:
            self.parts.total(_nothing)
        return hashlib.blake2b(self._sums[0].astype("<u2").tobytes(), digest_size=32).digest()

    def _check(self, sums: NDArray[np.uint16]) -> None:
        self._sums = self._sums or [sums]
        if (sums != self._sums[0]).any():
            raise InputError(
                "the records of the engine must stay as they are while they are read, more than once; they were "
                "changed, or lost with a worker. Run it again."
            )


@final
class _EngineParts(Parts[T_co]):
    """``Parts`` of an engine: pickled pairs of a part's sum of digests and its value."""

    def __init__(self, engine: Engine, empty: bytes, check: Callable[[NDArray[np.uint16]], None]) -> None:
        self._engine = engine
        self._empty = empty  # a part without a record, here: an engine without records has no part at all
        self._check = check

    def kept(self, work: Callable[[T_co], R]) -> Parts[R]:
        step = partial(_worked, work)
        return _EngineParts(self._engine.kept(step), step(self._empty), self._check)

    def total(self, work: Callable[[T_co], R]) -> R:
        step = partial(_worked, work)
        outcome = pickle.loads(_folded([step(self._empty), *self._engine.folded(step, _folded)]))
        if isinstance(outcome, Failure):
            raise outcome.error()
        total: R
        sums, total = outcome
        self._check(sums)
        return total


def by_person(template: TableRecords) -> bool:
    """Return whether a column names persons, so that the records of each must come into one part."""
    return template.adjacency.unit is not Unit.DOCUMENT


def columns_of(template: TableRecords) -> list[str]:
    """Names of the columns that are read, the person first."""
    return [*template.beside, template.text or "text"]


def checked_template(
    columns: Iterable[str] | None, unit: str, text: str, label: str | None, limit: int | None
) -> TableRecords:
    """Return what names the columns of a dataset; None: it has no record, and no columns.

    Raises InputError: it lacks a column, or has two of the name; ParameterError: as ``TableRecords``.
    """
    template = TableRecords(unit=unit, text=text, label=label, limit=limit, source=tuple)
    held = columns_of(template) if columns is None else list(columns)
    for name in columns_of(template):
        if (count := held.count(name)) != 1:
            raise InputError(f"the records must have one column {name!r}; got {count or 'none'}. Name another.")
    return template


def begun(template: TableRecords, tables: Sequence[Any]) -> bytes:
    """Return a part of records, or what is wrong with them. ``tables``: of ``columns_of(template)``."""
    try:
        pyarrow = arrow()
        table = pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in columns_of(template)})
        if held := [each for each in tables if each.num_rows]:
            table = pyarrow.concat_tables(held)
        if by_person(template):
            rows = list(zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True))
            table = table.take(np.array(sorted(range(len(rows)), key=rows.__getitem__), np.int64))
        records = replace(template, source=partial(iter, [table]))
        return pickle.dumps((_digests(records), Batches(records)))
    except Exception as error:
        return pickle.dumps(failure(error))


def _digests(records: TableRecords) -> NDArray[np.uint16]:
    sums = np.zeros(_SUMMED, np.uint16)
    for table in records.tables(None):
        beside = (table.columns[name] for name in records.beside)
        for texts, *cells in zip(table.texts, *beside, strict=True):
            raw = repr((texts, cells)).encode("ascii", "backslashreplace")
            sums += np.frombuffer(hashlib.shake_256(raw).digest(2 * _SUMMED), "<u2")
    return sums


def _worked(work: Callable[[Any], Any], part: bytes) -> bytes:
    held = pickle.loads(part)
    if isinstance(held, Failure):
        return part
    try:
        return pickle.dumps((held[0], work(held[1])))
    except Exception as error:
        return pickle.dumps(failure(error))


def _folded(outcomes: Iterable[bytes]) -> bytes:
    return pickle.dumps(reduce(_joined, map(pickle.loads, outcomes)))


def _joined(first: Any, second: Any) -> Any:
    return next((each for each in (first, second) if isinstance(each, Failure)), None) or added(first, second)


def _names(batches: Any) -> list[str]:
    for _ in batches:
        pass
    return list(batches.records.names)


def _nothing(_: object) -> int:
    return 0
