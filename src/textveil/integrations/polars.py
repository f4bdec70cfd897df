"""Polars: columns of text as released ones, by the namespace ``textveil`` of expressions and frames; extra ``polars``.

from textveil.integrations.polars import ColumnSanitizer

released, report = notes.textveil.sanitize(sanitizer, ["text"], keep=["label"])

columns = ColumnSanitizer(sanitizer)
pl.scan_parquet("notes.parquet").select(pl.col("text").textveil.sanitize(columns)).sink_parquet("released.parquet")
columns.report()
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from textveil.corpora.formats.records import FieldChoice
from textveil.errors import InputError, MissingExtra
from textveil.integrations import text_columns
from textveil.integrations.text_columns import ColumnSanitizer as ColumnSanitizer

with MissingExtra("polars", "polars"):
    import polars as pl

_ROWS = 4096  # rows that are written together


def sanitized_column(expression: Any, columns: ColumnSanitizer | text_columns.Source) -> Any:
    """Return an expression of the released texts of a column of strings; null stays null.

    Polars draws when it evaluates the expression, and draws anew whenever it evaluates it again: a lazy frame that is
    collected twice is released twice, and both count. ``columns.report()`` counts what was drawn; a sanitizer, a
    mechanism or a policy in its place spends uncounted. Categoricals and Enums become Strings.

    Raises ParameterError: ``columns`` is none of these.
    """
    sanitizer = columns if isinstance(columns, ColumnSanitizer) else ColumnSanitizer(columns)
    return expression.map_batches(partial(_released_one, sanitizer), return_dtype=pl.String, is_elementwise=True)


def sanitize_series(series: Any, sanitizer: text_columns.Source) -> text_columns.Sanitized:
    """Return a series of the released texts under its old name; null stays null.

    Raises InputError: it is not of strings; ParameterError: ``sanitizer`` is no sanitizer, no mechanism and no policy.
    """
    columns = ColumnSanitizer(sanitizer)
    return text_columns.Sanitized(_released_one(columns, series), columns.report([series.name or "text"]))


def sanitize_frame(
    frame: Any,
    sanitizer: text_columns.Source,
    columns: Sequence[str] = ("text",),
    keep: Sequence[str] = (),
    known: Mapping[str, str] = text_columns.NOTHING,
    unit: str | None = None,
) -> text_columns.Sanitized:
    """Return an eager frame released: the sanitized columns, then those to keep, and no others.

    For a LazyFrame use ``sanitized_column``. Columns to ``keep`` are copied, outside every guarantee; a Categorical or
    Enum as String, since it may carry values that no row holds.

    ``known``, ``unit``: columns that are read too, see ``textveil.integrations.text_columns.read_columns``.

    Raises:
        InputError: a column is not there, or not of strings.
        ParameterError: names that are none or come twice; ``sanitizer`` as for ``sanitize_series``.
    """
    sanitizing = ColumnSanitizer(sanitizer)
    read = text_columns.read_columns(sanitizing.setting, known, unit)
    choice = FieldChoice(
        text_columns.column_names(columns, "columns"), text_columns.column_names(keep, "keep"), read.names
    )
    for name in choice.needed():
        if name not in frame.columns:
            raise InputError(f"the frame must have the column {name!r}; it has not. Name another in `columns`.")
    told = text_columns.beside(read, lambda name: frame[name].to_list())
    released = _released([frame[name] for name in choice.sanitized], sanitizing, told)
    kept = [_plain(frame[name]) for name in choice.kept]
    return text_columns.Sanitized(
        pl.DataFrame([*released, *kept]), sanitizing.report(choice.sanitized, choice.kept, read)
    )


pl.api.register_expr_namespace("textveil")(partial(text_columns.Accessor, function=sanitized_column))
pl.api.register_series_namespace("textveil")(partial(text_columns.Accessor, function=sanitize_series))
pl.api.register_dataframe_namespace("textveil")(partial(text_columns.Accessor, function=sanitize_frame))


def _released_one(columns: ColumnSanitizer, series: Any) -> Any:
    return _released([series], columns)[0]


def _released(
    given: Sequence[Any], columns: ColumnSanitizer, told: text_columns.Beside = text_columns.NOTHING_BESIDE
) -> list[Any]:
    texts = [_texts(series) for series in given]
    pieces = [[pl.Series(series.name, [], pl.String)] for series in given]
    rows = columns.rows(zip(*texts, strict=True), told)
    while chunk := list(islice(rows, _ROWS)):
        for parts, values in zip(pieces, zip(*chunk, strict=True), strict=True):
            parts.append(pl.Series(parts[0].name, values, pl.String))
    return [pl.concat(piece) for piece in pieces]


def _texts(series: Any) -> Any:
    plain = _plain(series)
    if plain.dtype == pl.Null:
        return plain.cast(pl.String)
    if plain.dtype != pl.String:
        raise InputError(
            f"the column {series.name!r} must hold texts; got {series.dtype.base_type()}. Cast it, or keep it."
        )
    return plain


def _plain(series: Any) -> Any:
    return series.cast(pl.String) if series.dtype in (pl.Categorical, pl.Enum) else series
