"""Spark: count, learn, synthesize and topics where the records are; see ``textveil.integrations.table_records``."""

import contextlib
import math
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, final

from textveil.corpora.formats.records import arrow
from textveil.errors import need
from textveil.integrations import table_records

_SCHEMA = "part binary"


def spark_records(
    frame: Any, *, unit: str, text: str = "text", label: str | None = None, limit: int | None = None, parts: int = 200
) -> table_records.PartedRecords:
    """Return the records of a Spark ``DataFrame``, for ``CorpusRequest``. Its executors need textveil and pyarrow.

    Executors hold the records, and what is made of them, in Spark's storage: in memory, else on their disks.

    Args:
        frame: read when a release needs it.
        unit: column that names the person, or ``document``: each row is a unit.
        text: column of the text.
        label: column of the label; None reads none.
        limit: records of one person that count; None is all.
        parts: in how many parts a shuffle puts the persons. Each must fit in the memory of a task, and below 2 GiB.

    Raises InputError: a column is missing; ParameterError: a number is outside, or a column is named twice.
    """
    need(parts >= 1, "parts", parts, "at least 1")
    template = table_records.checked_template(frame.columns, unit, text, label, limit)
    # By number, since Spark reads dots and backticks of names.
    places = [frame.columns.index(name) for name in table_records.columns_of(template)]
    chosen = frame.toDF(*map(str, range(len(frame.columns)))).select(*map(str, places))
    if table_records.by_person(template):
        chosen = chosen.repartition(parts, chosen[0])
    held = chosen.mapInArrow(partial(_begun, template), _SCHEMA)
    return table_records.PartedRecords(template, _Parts(held, max(math.isqrt(parts), 1)))


@final
class _Parts:
    def __init__(self, frame: Any, few: int) -> None:
        self._frame, self._few = frame.persist(), few
        weakref.finalize(self, _freed, self._frame)

    def kept(self, work: Callable[[bytes], bytes]) -> "_Parts":
        return _Parts(self._frame.mapInArrow(partial(_mapped, work), _SCHEMA), self._few)

    def folded(self, work: Callable[[bytes], bytes], fold: Callable[[Iterable[bytes]], bytes]) -> Iterable[bytes]:
        sums = self._frame.mapInArrow(partial(_mapped, work), _SCHEMA).repartition(self._few)
        return [bytes(row[0]) for row in sums.mapInArrow(partial(_joined, fold), _SCHEMA).collect()]


def _freed(frame: Any) -> None:
    with contextlib.suppress(Exception):  # the session has ended
        frame.unpersist()


def _begun(template: table_records.TableRecords, batches: Iterable[Any]) -> Iterator[Any]:
    names = table_records.columns_of(template)
    if tables := [arrow().Table.from_batches([batch]).rename_columns(names) for batch in batches]:
        yield _row(table_records.begun(template, tables))


def _mapped(work: Callable[[bytes], bytes], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        yield from (_row(work(part.as_py())) for part in batch.column(0))


def _joined(fold: Callable[[Iterable[bytes]], bytes], batches: Iterable[Any]) -> Iterator[Any]:
    if parts := [part.as_py() for batch in batches for part in batch.column(0)]:
        yield _row(fold(parts))


def _row(part: bytes) -> Any:
    return arrow().RecordBatch.from_arrays([arrow().array([part], arrow().binary())], ["part"])
