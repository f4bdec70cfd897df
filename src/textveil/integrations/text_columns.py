"""Columns of texts with gaps: what every table hands to a sanitizer, and what all of it cost together."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, update_wrapper
from itertools import islice
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.corpora.blocks import RecordColumns
from textveil.errors import InputError, need
from textveil.mechanisms.kinds import Mechanism
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.release import Release, Report, Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.surrogates.scopes import MemoryScope, Scope

Row: TypeAlias = Sequence[str | None]  # the texts of a row, one for each sanitized column; None where there is none
Known: TypeAlias = Sequence[tuple[str, str]]  # values of other columns of a row, with their kinds
CHUNK_CHARACTERS = 500_000  # rows are gathered up to this many characters and drawn together


class Sanitized(NamedTuple):
    """What may be handed over, and what was spent on all of it.

    Attributes:
        data: a column or a table of the package that the texts came from.
        report: of all rows; a row is one document.
    """

    data: Any
    report: Report


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
KnownRows: TypeAlias = list[Known] | None


class ColumnSanitizer:
    """Sanitizes columns of tables and counts what all of its calls spent; a row is one document.

    Whatever is released through one of these is counted in its ``report()``: also what a lazy frame or a pipeline
    evaluates a second time, which is released a second time and costs again.

    Raises:
        ParameterError: ``sanitizer`` is no sanitizer, no mechanism and no policy.

    Safe to use from several threads at once. A copy in another process counts for itself, from nothing.
    """

    def __init__(self, sanitizer: Source) -> None:
        self.sanitizer = sanitizer_of(sanitizer)
        self._tally = Tally()
        self._nulls = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnSanitizer, (self.sanitizer,)

    @property
    def setting(self) -> Setting:
        """What the sanitizer is set to."""
        return self.sanitizer.setting

    def rows(self, rows: Iterable[Row], known: Iterable[Known] | None = None) -> Iterator[list[str | None]]:
        """Yield the released texts of each row, gaps kept; read and drawn about half a million characters ahead.

        ``known``: see ``released_rows``. Raises InputError: a text is not a str.
        """
        named = None if known is None else iter(known)
        for chunk in _chunks(rows):
            values = None if named is None else list(islice(named, len(chunk)))
            released = released_rows(self.sanitizer, chunk, known=values)
            with self._lock:
                for parts in filter(None, released):
                    self._tally.add_document(parts)
                self._nulls += sum(text is None for row in chunk for text in row)
            for row, parts in zip(chunk, released, strict=True):
                fresh = iter(parts)
                yield [None if text is None else next(fresh).text for text in row]

    def texts(self, texts: Iterable[str | None]) -> list[str | None]:
        """Return the released texts of one column."""
        return [text for (text,) in self.rows((text,) for text in texts)]

    def report(
        self, columns: Sequence[str] = (), kept: Sequence[str] = (), known: Mapping[str, str] = NOTHING
    ) -> Report:
        """Return what was spent by all calls up to now, with names of the columns: sanitized, copied, and known."""
        tally = Tally()
        with self._lock:
            tally.merge(self._tally)
            nulls = self._nulls
        return Report(
            setting=self.setting,
            tally=tally,
            sanitized_fields=tuple(columns),
            kept_fields=tuple(kept),
            nulls=nulls,
            columns={"known": dict(known)} if known else {},
        )


def known_rows(sanitizer: ColumnSanitizer, known: Mapping[str, str], read: Callable[[str], list[Any]]) -> KnownRows:
    """Return for each row the values of the columns that ``known`` names, with their kinds; None if it names none.

    ``read``: gives a column's values, None for a gap.

    Raises ParameterError: the sanitizer has no policy that finds spans, or none with a rule for a kind.
    """
    if not known:
        return None
    columns = RecordColumns(known=tuple(known.items()))
    columns.check(sanitizer.setting)
    beside = {name: [None if value is None else str(value) for value in read(name)] for name in known}
    count = len(next(iter(beside.values())))
    return [columns.values(place, beside) for place in range(count)]


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
