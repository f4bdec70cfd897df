"""pandas: columns of text as released ones, by the accessor ``textveil`` of series and frames; extra ``pandas``.

import textveil.integrations.pandas

texts, report = notes["text"].textveil.sanitize(sanitizer)
released, report = notes.textveil.sanitize(sanitizer, ["text"], keep=["label"])
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from textveil.corpora.formats.records import FieldChoice
from textveil.errors import InputError, MissingExtra
from textveil.integrations import text_columns

with MissingExtra("pandas", "pandas"):
    import pandas as pd

_ROWS = 4096  # rows that are read, and written, together


def sanitize_series(series: Any, sanitizer: text_columns.Source) -> text_columns.Sanitized:
    """Return a series with every text released; what is missing stays missing.

    Index, name and dtype stay. A categorical comes back as one of the released texts, without an order; the index is
    copied as it is, and the report says so unless it only counts rows. ``attrs`` are dropped.

    Raises InputError: the dtype is not of texts, or a value is neither a text nor missing (named by its place, from 1);
    ParameterError: ``sanitizer`` is no sanitizer, no mechanism and no policy.
    """
    columns = text_columns.ColumnSanitizer(sanitizer)
    name = "text" if series.name is None else str(series.name)
    (fresh,) = _released([series], [name], columns)
    fresh.index, fresh.name = _alone(series.index), series.name
    return text_columns.Sanitized(fresh, columns.report([name], _told_by_index(series.index)))


def sanitize_frame(
    frame: Any,
    sanitizer: text_columns.Source,
    columns: Sequence[str] = ("text",),
    keep: Sequence[str] = (),
    known: Mapping[str, str] = text_columns.NOTHING,
    unit: str | None = None,
) -> text_columns.Sanitized:
    """Return a frame of the released ``columns``, then those to ``keep``, outside every guarantee; no others.

    ``known``, ``unit``: columns that are read too, see ``textveil.integrations.text_columns.read_columns``.

    Raises:
        InputError: a column is not there once, or as for ``sanitize_series``.
        ParameterError: names that are none or come twice; ``sanitizer`` as for ``sanitize_series``.
    """
    sanitizing = text_columns.ColumnSanitizer(sanitizer)
    read = text_columns.read_columns(sanitizing.setting, known, unit)
    choice = FieldChoice(
        text_columns.column_names(columns, "columns"), text_columns.column_names(keep, "keep"), read.names
    )
    for name in choice.needed():
        if (count := int((frame.columns == name).sum())) != 1:
            raise InputError(
                f"the frame must have the column {name!r} once; it has {f'it {count} times' if count else 'none'}. "
                "Name another in `columns`."
            )
    told = text_columns.beside(read, lambda name: _values(frame[name]))
    fresh = _released([frame[name] for name in choice.sanitized], choice.sanitized, sanitizing, told)
    kept = [_alone(frame[name]).reset_index(drop=True) for name in choice.kept]
    data = pd.DataFrame(dict(zip(choice.all(), [*fresh, *kept], strict=True)))
    data.index = _alone(frame.index)
    return text_columns.Sanitized(
        data, sanitizing.report(choice.sanitized, (*choice.kept, *_told_by_index(frame.index)), read)
    )


pd.api.extensions.register_series_accessor("textveil")(partial(text_columns.Accessor, function=sanitize_series))
pd.api.extensions.register_dataframe_accessor("textveil")(partial(text_columns.Accessor, function=sanitize_frame))


def _values(series: Any) -> list[Any]:
    return [None if gap else value for value, gap in zip(series.to_numpy(dtype=object), _gaps(series), strict=True)]


def _released(
    given: Sequence[Any],
    names: Sequence[str],
    columns: text_columns.ColumnSanitizer,
    told: text_columns.Beside = text_columns.NOTHING_BESIDE,
) -> list[Any]:
    kinds = [_text_dtype(series, name) for series, name in zip(given, names, strict=True)]
    pieces: list[list[Any]] = [[pd.Series([], dtype=kind)] for kind in kinds]
    released = columns.rows(_rows(given, names), told)
    for here in _cut(given):
        fresh = zip(*islice(released, len(here[0])), strict=True)
        for parts, kind, old, new in zip(pieces, kinds, here, fresh, strict=True):
            gaps = _gaps(old)
            values = np.array(new, dtype=object)
            values[gaps] = old.to_numpy(dtype=object)[gaps]  # None, NaN and NA as they were
            parts.append(pd.Series(values, dtype=kind))
    joined = [pd.concat(piece, ignore_index=True) for piece in pieces]
    return [
        column.astype("category") if isinstance(series.dtype, pd.CategoricalDtype) else column
        for column, series in zip(joined, given, strict=True)
    ]


def _rows(given: Sequence[Any], names: Sequence[str]) -> Iterator[text_columns.Row]:
    for piece, here in enumerate(_cut(given)):
        texts = [_texts(series, name, piece * _ROWS) for series, name in zip(here, names, strict=True)]
        yield from zip(*texts, strict=True)


def _cut(given: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(given[0]), _ROWS):
        yield [series.iloc[start : start + _ROWS] for series in given]


def _texts(series: Any, name: str, before: int) -> list[str | None]:
    texts = _values(series)
    for row, text in enumerate(texts, start=before + 1):
        if not (text is None or isinstance(text, str)):
            raise InputError(
                f"row {row} of the column {name!r} must be a text or missing; got {type(text).__name__}. "
                "Convert it, or keep the column."
            )
    return texts


def _gaps(series: Any) -> Any:
    return series.isna().to_numpy(dtype=bool)


def _text_dtype(series: Any, name: str) -> Any:
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
    if pd.api.types.is_object_dtype(kind) or pd.api.types.is_string_dtype(kind):
        return kind
    shown = re.split(r"[<(\[]", str(kind), maxsplit=1)[0]  # what a type is made of can be data
    raise InputError(f"the column {name!r} must hold texts; got {shown}. Convert it with astype('str'), or keep it.")


def _alone(values: Any) -> Any:
    """Copy nothing but its own values: no rows beside a slice, no categories or levels without a row."""
    if isinstance(values, pd.RangeIndex):
        return values
    copied = values.take(np.arange(len(values)))
    if isinstance(copied, pd.MultiIndex):
        return copied.remove_unused_levels()
    if isinstance(copied, pd.CategoricalIndex):
        return copied.remove_unused_categories()
    if isinstance(copied.dtype, pd.CategoricalDtype):
        return copied.cat.remove_unused_categories()
    return copied


def _told_by_index(index: Any) -> list[str]:
    if isinstance(index, pd.RangeIndex):
        return []
    return ["index" if name is None else str(name) for name in index.names]
