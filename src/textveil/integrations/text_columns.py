"""Columns of texts with gaps: what every table hands to a sanitizer, and what all of it cost together."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, update_wrapper
from itertools import islice
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.corpora.blocks import NO_COLUMNS, RecordColumns
from textveil.errors import InputError, need
from textveil.mechanisms.kinds import Mechanism
from textveil.sanitize.costs import Counts, Persons, added, trimmed
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.release import Release, Report, Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.surrogates.scopes import MemoryScope, Scope

Row: TypeAlias = Sequence[str | None]  # the texts of a row, one for each sanitized column; None where there is none
Known: TypeAlias = Sequence[tuple[str, str]]  # values of other columns of a row, with their kinds
CHUNK_CHARACTERS = 500_000  # rows are gathered up to this many characters and drawn together


class Sanitized(NamedTuple):
    """The released columns, and what was spent on all of them."""

    data: Any  # a column or a table of the package that the texts came from
    report: Report  # of all rows; a row is one document


class Accessor:
    """``series.textveil``, ``frame.textveil``: a function of what it stands on as its method ``sanitize``."""

    def __init__(self, given: Any, function: Callable[..., Any]) -> None:
        self.sanitize = update_wrapper(partial(function, given), function)


Source: TypeAlias = Sanitizer | Mechanism | Policy | str
"""A sanitizer, or what one is made of: also a preset by its name."""


def sanitizer_of(source: Any, name: str = "sanitizer") -> Sanitizer:
    """Return a sanitizer as it is, or one of a mechanism or a policy; an error calls the argument ``name``."""
    if isinstance(source, Sanitizer):
        return source
    need(
        isinstance(source, Mechanism | Policy | str | os.PathLike),
        name,
        type(source).__name__,
        "a mechanism, a policy or a Sanitizer",
    )
    return Sanitizer(source)


def column_names(names: Sequence[str], what: str) -> tuple[str, ...]:
    """Names of columns; a single string, which would be taken letter by letter, is refused."""
    several = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    need(several and all(isinstance(name, str) for name in names), what, type(names).__name__, "a list of names")
    return tuple(names)


def released_rows(
    sanitizer: Sanitizer,
    rows: Sequence[Row],
    rng: np.random.Generator | None = None,
    known: Sequence[Known] | None = None,
) -> list[list[Release]]:
    """Releases of the rows' texts, in one stream of draws; a gap has none.

    Under a policy whose scope is a document, the texts of a row share one. ``known``: for each row, values of its
    other columns with their kinds, which are spans in its texts.
    """
    texts = [text for row in rows for text in row if text is not None]
    values = None
    if known is not None:
        pairs = zip(rows, known, strict=True)
        values = [named for row, named in pairs for text in row if text is not None]
    scopes = _scopes(sanitizer, rows)
    releases = iter(sanitizer.batch(texts, spans=False, rng=rng, maps=False, scopes=scopes, values=values))
    return [[next(releases) for text in row if text is not None] for row in rows]


def _scopes(sanitizer: Sanitizer, rows: Sequence[Row]) -> list[Scope] | None:
    """Return a scope for each text, those of a row sharing one; None if the policy's own will do."""
    policy = sanitizer.setting.policy
    if policy is None or policy.data["scope"] != "document" or all(len(row) == 1 for row in rows):
        return None
    scopes = [(row, MemoryScope()) for row in rows]
    return [scope for row, scope in scopes for text in row if text is not None]


NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Beside(NamedTuple):
    """Facts that other columns give of each row: values that are spans in its texts, and whose it is.

    ``persons``: None is null, and all such rows are taken for one person's.
    """

    known: Sequence[Known] | None = None
    persons: Sequence[str | None] | None = None


NOTHING_BESIDE: Final = Beside()


class ColumnSanitizer:
    """Sanitizes columns of tables and counts what all of its calls spent; a row is one document.

    Whatever is released through one of these is counted in its ``report()``: also what a lazy frame or a pipeline
    evaluates a second time, which is released a second time and costs again. Raises ParameterError: ``sanitizer`` is no
    sanitizer, no mechanism and no policy.

    Safe to use from several threads at once. A copy in another process counts for itself, from nothing.
    """

    def __init__(self, sanitizer: Source) -> None:
        self.sanitizer = sanitizer_of(sanitizer)
        self._tally = Tally()
        self._nulls = 0
        self._persons: dict[str | None, Counts] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnSanitizer, (self.sanitizer,)

    @property
    def setting(self) -> Setting:
        return self.sanitizer.setting

    def rows(self, rows: Iterable[Row], beside: Beside = NOTHING_BESIDE) -> Iterator[list[str | None]]:
        """Yield the released texts of each row, gaps kept; read and drawn about half a million characters ahead.

        Raises InputError: a text is not a str.
        """
        named = None if beside.known is None else iter(beside.known)
        owners = None if beside.persons is None else iter(beside.persons)
        for chunk in _chunks(rows):
            values = None if named is None else list(islice(named, len(chunk)))
            released = released_rows(self.sanitizer, chunk, known=values)
            with self._lock:
                for parts in filter(None, released):
                    self._tally.add_document(parts)
                for parts, owner in zip(released, () if owners is None else islice(owners, len(chunk)), strict=False):
                    self._persons[owner] = added(self._persons.get(owner, ()), _counts(parts, self.setting))
                self._nulls += sum(text is None for row in chunk for text in row)
            for row, parts in zip(chunk, released, strict=True):
                fresh = iter(parts)
                yield [None if text is None else next(fresh).text for text in row]

    def texts(self, texts: Iterable[str | None]) -> list[str | None]:
        return [text for (text,) in self.rows((text,) for text in texts)]

    def report(self, columns: Sequence[str] = (), kept: Sequence[str] = (), read: RecordColumns = NO_COLUMNS) -> Report:
        """Return what was spent by all calls up to now, with names of the columns: sanitized, copied, and read."""
        tally = Tally()
        with self._lock:
            tally.merge(self._tally)
            nulls, persons = self._nulls, list(self._persons.values())
        return Report(
            setting=self.setting,
            tally=tally,
            sanitized_fields=tuple(columns),
            kept_fields=tuple(kept),
            nulls=nulls,
            persons=None if read.unit is None else Persons.of(read.unit, persons),
            columns=read.for_report(),
        )


def read_columns(setting: Setting, known: Mapping[str, str], unit: str | None) -> RecordColumns:
    """Return the columns that are read beside those to sanitize; they are copied only if they are kept too.

    Args:
        setting: of the sanitizer.
        known: columns whose value is of a kind (``{"patient": "person"}``), found in the texts of the row too.
        unit: the column that says whose a row is, for what one person's rows cost together; a null is a person too.

    Raises ParameterError: the sanitizer has no policy that finds spans, or none with a rule for a kind.
    """
    need(isinstance(known, Mapping), "known", type(known).__name__, "a dictionary of columns and kinds")
    need(unit is None or isinstance(unit, str), "unit", type(unit).__name__, "the name of a column")
    columns = RecordColumns(unit=unit, known=tuple(known.items()))
    columns.check(setting)
    return columns


def beside(columns: RecordColumns, read: Callable[[str], Sequence[Any]]) -> Beside:
    """Return what the columns say of each row; ``read``: gives a column's values, None for a gap."""
    values = {name: [None if value is None else str(value) for value in read(name)] for name in columns.names}
    count = len(next(iter(values.values()), ()))
    known = [columns.values(place, values) for place in range(count)] if columns.known else None
    return Beside(known, None if columns.unit is None else values[columns.unit])


def _counts(parts: Sequence[Release], setting: Setting) -> Counts:
    kinds = Counter[str]()
    for part in parts:
        kinds.update(part.kinds)
    return trimmed(kinds, setting.counted)


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    held: list[Row] = []
    size = 0
    for number, row in enumerate(rows, start=1):
        for text in row:
            if isinstance(text, str):
                size += len(text)
            elif text is not None:
                raise InputError(f"row {number} must hold texts or gaps; got {type(text).__name__}. Convert it first.")
        held.append(row)
        size += 1
        if size >= CHUNK_CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held
