"""Columns of Arrow: texts out of record batches, releases into them, and nothing beside what was chosen."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from textveil.corpora.formats.records import FieldChoice, arrow, other_name, text_in
from textveil.corpora.formats.rows import Cell
from textveil.errors import InputError


def checked_columns(schema: Any, choice: FieldChoice) -> None:
    """Refuse a schema without the chosen columns, or with another type than strings if texts are wanted.

    Raises InputError: names the column that is wanted; those that are there are not listed.
    """
    types = arrow("pyarrow.types")
    for name in choice.needed():
        indices = schema.get_all_field_indices(name)
        if len(indices) != 1:
            advice = "Rename one." if indices else other_name(name, schema.names)
            found = f"it {len(indices)} times" if indices else "none"
            raise InputError(f"the input must have the field {name!r} once; it has {found}. {advice}")
        kind = schema.field(indices[0]).type
        if name in choice.sanitized and not (_is_text(types, kind) or types.is_null(kind)):
            raise InputError(
                f"the field {name!r} must be of strings; got {type_name(kind)}. Cast it, or name it with `kept`."
            )


def type_name(kind: Any) -> str:
    """The name of a type without its parameters: names of fields in it, time zones and the like can be data."""
    if isinstance(kind, arrow().BaseExtensionType):
        return "an extension type"
    return re.split(r"[<(\[]", str(kind), maxsplit=1)[0]


def _is_text(types: Any, kind: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    return any(is_text(kind) for is_text in (types.is_string, types.is_large_string, types.is_string_view))


def chosen_schema(schema: Any, choice: FieldChoice, order: Sequence[str] | None = None) -> Any:
    """The schema of the output without metadata: columns by ``order``, None for the sanitized, then the kept ones.

    Texts are ``string`` or ``large_string``. A type that would carry more than the rows' own values (a dictionary, a
    view) is replaced by the plain one.
    """
    pyarrow = arrow()
    checked_columns(schema, choice)
    kinds = [(name, schema.field(name).type) for name in choice.needed()]
    texts = {
        name: pyarrow.large_string() if pyarrow.types.is_large_string(kind) else pyarrow.string()
        for name, kind in kinds[: len(choice.sanitized)]
    }
    for name, kind in kinds[len(choice.sanitized) :]:
        if _holds(kind, pyarrow.types.is_union):
            raise InputError(
                f"the field {name!r} must be of a type whose values can be told apart; got a union. Cast it first."
            )
    columns = {name: pyarrow.field(name, texts.get(name) or _plain(pyarrow, kind)) for name, kind in kinds}
    return pyarrow.schema([columns[name] for name in order or choice.all()])


def plain_columns(batch: Any, choice: FieldChoice, order: Sequence[str] | None = None, schema: Any = None) -> Any:
    """The chosen columns of a record batch, in the types and the order of ``chosen_schema``.

    ``schema``: ``chosen_schema`` of a file whose columns are read in other types; None is that of the batch. Raises
    InputError: a column is missing, has a wrong type, or holds dictionaries that cannot be taken away.
    """
    schema = schema or chosen_schema(batch.schema, choice, order)
    columns = [_cast(batch.column(batch.schema.get_field_index(field.name)), field) for field in schema]
    return arrow().RecordBatch.from_arrays(columns, schema=schema)


def plain_bytes(column: Any) -> int:
    """About how many bytes a column takes without its dictionaries, whose entries may stand in any number of rows."""
    pyarrow = arrow()
    types, kind = pyarrow.types, column.type
    if isinstance(kind, pyarrow.BaseExtensionType):
        return plain_bytes(column.storage)
    if types.is_dictionary(kind):
        # Of another type than lengths are for (a number, a list), an entry is no larger than all of them.
        texts = types.is_string(kind.value_type) or types.is_binary(kind.value_type)
        if not (texts or types.is_large_string(kind.value_type) or types.is_large_binary(kind.value_type)):
            return len(column) * column.dictionary.nbytes
        lengths = arrow("pyarrow.compute").binary_length(column.dictionary).cast(pyarrow.int64())
        return arrow("pyarrow.compute").sum(lengths.take(column.indices)).as_py() or 0
    if types.is_struct(kind):
        return sum(plain_bytes(part) for part in column.flatten())
    if types.is_map(kind):
        start, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
        return sum(plain_bytes(part.slice(start, end - start)) for part in (column.keys, column.items))
    if any(is_list(kind) for is_list in (types.is_list, types.is_large_list, types.is_fixed_size_list)):
        return plain_bytes(column.flatten())
    return column.nbytes


def _cast(column: Any, field: Any) -> Any:
    if column.type == field.type:
        return column
    try:
        converted = column.cast(field.type)
        converted.validate()  # some versions of Arrow make lists of list views whose offsets end too early
        return converted
    except arrow().ArrowException:
        kind = column.type
    raise InputError(
        f"the field {field.name!r} must be of a type that can be made plain; got {type_name(kind)}. Cast it first."
    )


def _plain(pyarrow: Any, kind: Any) -> Any:
    """``kind`` without dictionaries, views and runs, at any depth."""
    types = pyarrow.types
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _plain(pyarrow, kind.value_type)
    if types.is_string_view(kind):
        return pyarrow.string()
    if types.is_binary_view(kind):
        return pyarrow.binary()
    if types.is_struct(kind):
        return pyarrow.struct([_plain_field(pyarrow, kind.field(index)) for index in range(kind.num_fields)])
    if types.is_map(kind):
        return pyarrow.map_(_plain_field(pyarrow, kind.key_field), _plain_field(pyarrow, kind.item_field))
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(_plain_field(pyarrow, kind.value_field), kind.list_size)
    if types.is_large_list(kind) or types.is_large_list_view(kind):
        return pyarrow.large_list(_plain_field(pyarrow, kind.value_field))
    if types.is_list(kind) or types.is_list_view(kind):
        return pyarrow.list_(_plain_field(pyarrow, kind.value_field))
    return kind


def _plain_field(pyarrow: Any, field: Any) -> Any:
    return pyarrow.field(field.name, _plain(pyarrow, field.type), nullable=field.nullable)


def _holds(kind: Any, wanted: Callable[[Any], bool]) -> bool:
    if isinstance(kind, arrow().BaseExtensionType):
        return _holds(kind.storage_type, wanted)
    return wanted(kind) or any(_holds(kind.field(index).type, wanted) for index in range(kind.num_fields))


def _own(pyarrow: Any, taken: Any) -> Any:
    """Return ``take``'s rows without what it leaves: the values of a struct's fields where the struct is null."""
    types, kind = pyarrow.types, taken.type
    if not _holds(kind, types.is_struct):
        return taken
    if isinstance(kind, pyarrow.BaseExtensionType):
        return pyarrow.ExtensionArray.from_storage(kind, _own(pyarrow, taken.storage))
    if types.is_struct(kind):
        none = pyarrow.scalar(None, pyarrow.int64())
        places = pyarrow.compute.if_else(taken.is_valid(), pyarrow.array(range(len(taken)), pyarrow.int64()), none)
        parts = [_own(pyarrow, taken.field(index).take(places)) for index in range(kind.num_fields)]
        # By its buffers: a field that may not be null has a value nowhere where its struct is null.
        return pyarrow.Array.from_buffers(kind, len(taken), taken.buffers()[:1], taken.null_count, children=parts)
    nulls = taken.is_null()
    if types.is_map(kind):
        keys, items = _own(pyarrow, taken.keys), _own(pyarrow, taken.items)
        there = pyarrow.concat_arrays([taken.is_valid(), pyarrow.array([True])])
        offsets = pyarrow.compute.if_else(there, taken.offsets, pyarrow.scalar(None, pyarrow.int32()))
        return pyarrow.MapArray.from_arrays(offsets, keys, items, type=kind)
    values = _own(pyarrow, taken.values)
    if types.is_fixed_size_list(kind):
        return pyarrow.FixedSizeListArray.from_arrays(values, type=kind, mask=nulls)
    array_class = pyarrow.LargeListArray if types.is_large_list(kind) else pyarrow.ListArray
    return array_class.from_arrays(taken.offsets, values, type=kind, mask=nulls)


def texts_of(
    batch: Any, choice: FieldChoice, limit: int, where: Callable[[int], str]
) -> tuple[list[list[str | None]], dict[int, str]]:
    """The texts of every sanitized column, None for nulls; and why some rows, by their place, are refused.

    ``limit``: bytes that a text may have.
    """
    columns: list[list[str | None]] = []
    bad: dict[int, str] = {}
    for name in choice.sanitized:
        # As bytes: that they are UTF-8 is only the writer's word.
        raws = batch.column(name).cast(arrow().large_binary()).to_pylist()
        texts: list[str | None] = [None] * len(raws)
        for row, raw in enumerate(raws):
            if raw is not None:
                try:
                    texts[row] = text_in(raw, where(row), limit)
                except InputError as error:
                    bad.setdefault(row, str(error))
        columns.append(texts)
    return columns, bad


def with_releases(batch: Any, choice: FieldChoice, rows: Sequence[int], released: Sequence[Sequence[str]]) -> Any:
    """The given rows of a batch, each non-null text replaced by the next of the row's releases.

    Every column is made anew: no buffer of the input, which may hold rows that are not in the batch, is part of it.
    """
    pyarrow = arrow()
    arrow("pyarrow.compute")
    indices = pyarrow.array(rows, type=pyarrow.int64())
    kept = {name: _own(pyarrow, batch.column(name).take(indices)) for name in choice.kept}
    fresh: dict[str, list[str | None]] = {name: [None] * len(rows) for name in choice.sanitized}
    valid = {name: batch.column(name).is_valid().take(indices).to_pylist() for name in choice.sanitized}
    for row, texts in enumerate(released):
        following = iter(texts)
        for name in choice.sanitized:
            if valid[name][row]:
                fresh[name][row] = next(following)
    schema = pyarrow.schema([field for field in batch.schema if field.name in choice.all()])
    columns = [
        pyarrow.array(fresh[field.name], type=field.type) if field.name in fresh else kept[field.name]
        for field in schema
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def to_ipc(batch: Any) -> bytes:
    """An Arrow IPC stream of one record batch."""
    pyarrow = arrow()
    buffer = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(buffer, batch.schema) as writer:
        writer.write_batch(batch)
    return buffer.getvalue().to_pybytes()


def from_ipc(data: bytes) -> Iterator[Any]:
    """The record batches of Arrow IPC streams in a row."""
    pyarrow = arrow()
    reader = pyarrow.BufferReader(data)
    while reader.tell() < reader.size():
        yield from pyarrow.ipc.open_stream(reader)


def json_cells(column: Any, name: str, where: Callable[[int], str], bad: dict[int, str]) -> list[Cell]:
    """The values of a kept column as JSON has them: dates, times and decimals as strings, all else by its own type.

    ``bad``: takes why a row cannot be written so, by its place.
    """
    pyarrow = arrow()
    types = arrow("pyarrow.types")
    kind = column.type
    if types.is_temporal(kind) or types.is_decimal(kind):
        arrow("pyarrow.compute")
        column = column.cast(pyarrow.string())
    cells = []
    for row, value in enumerate(column.to_pylist()):
        try:
            written = "" if value is None or isinstance(value, str) else json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            written = ""
            bad.setdefault(
                row,
                f"{where(row)}: the field {name!r} must hold what JSON has a value for; got {type_name(kind)}"
                f"{' that is no finite number' if types.is_floating(kind) else ''}. Cast it first.",
            )
        cells.append(Cell(value, written))
    return cells
