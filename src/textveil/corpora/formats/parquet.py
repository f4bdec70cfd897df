"""Parquet: some columns of text sanitized, some columns kept, the others never read."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, BinaryIO, ClassVar, Final, NamedTuple, cast

from textveil.corpora.formats import records as base
from textveil.corpora.formats.arrow_columns import (
    checked_columns,
    chosen_schema,
    from_ipc,
    json_cells,
    plain_bytes,
    plain_columns,
    texts_of,
    to_ipc,
    with_releases,
)
from textveil.corpora.formats.rows import Cell, RecordRows
from textveil.errors import InputError, OutputError

_BUFFER = 2**20  # bytes of a column that are read at once; without it whole column chunks, which may have any size, are
_UNSOUND = "it is damaged, cut short, encrypted or something else"
_MOST_ROWS = 2**12  # rows of a block at most: dictionaries make columns small on the disk that are large in memory
_MOST_BYTES = 2**28  # bytes of a batch at most, of columns whose entries have no length that the file states
_PACKED_BYTES, _PACKED_TIMES = 2**28, 1000
"""A column chunk of more bytes that is packed tighter than this is refused: no text is, a bomb is."""

_ROW_DOCUMENTS = 16  # A row has at most the bytes of so many of the largest documents
_ROW_GROUP_BYTES = 32 * 2**20  # bytes of columns in memory at which a row group of the output ends
_ROW_GROUP_STEP = 64  # A row group ends at a multiple of so many rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Parquet:
    """Apache Parquet files, read and written through Arrow (extra ``arrow``).

    Columns of the output stand in the order of the first input: one object serves one job. A row is a record; a null
    in a sanitized column stays null, is no document, and that it is null is public. Kept columns of any type keep their
    values. Nothing else of the file is copied: no metadata, no statistics, and no entry of a dictionary that no row
    holds. A file that cannot be sought (a pipe, a compressed file) is first written to an unnamed temporary file that
    nobody else can open.
    """

    unit: ClassVar[str] = "record"
    choice: base.FieldChoice
    max_document_bytes: int = base.MAX_DOCUMENT_BYTES
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        base.checked_size(self.max_document_bytes)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        """See ``CorpusFormat.cut``; a payload is an Arrow IPC stream of one record batch."""
        pyarrow = base.arrow()
        with ExitStack() as stack:
            source = _seekable(stream, stack)
            file = _opened(source)
            checked_columns(file.schema_arrow, self.choice)
            if not self._order:
                self._order[:] = [name for name in file.schema_arrow.names if name in self.choice.needed()]
            schema = chosen_schema(file.schema_arrow, self.choice, self._order)
            leaves = _leaves(file, self.choice)
            file = _opened(source, [leaf.path for leaf in leaves if leaf.by_entries])
            batches = file.iter_batches(_rows(file, leaves, size), columns=list(self.choice.needed()))
            first, most = 1, _ROW_DOCUMENTS * self.max_document_bytes
            while (batch := _refused_as(pyarrow, lambda: next(batches, None))) is not None:
                for cut in _slices(batch, size, most, first):
                    # Alone: Arrow would make the values of lists plain that lie in the batch's other rows.
                    (packed,) = from_ipc(to_ipc(cut)) if cut.num_rows < batch.num_rows else (batch,)
                    for piece in _pieces(plain_columns(packed, self.choice, self._order, schema), size):
                        yield base.Cut(to_ipc(piece), first, piece.num_rows)
                        first += piece.num_rows

    def records(self, payload: bytes, first: int) -> base.Records:
        batch, columns, bad = self._read(payload, first)
        beside = _json_columns(batch, self.choice.read, first, bad)
        good, faults = _sorted_out(batch, first, bad)
        rows = list(zip(*columns, strict=True))
        texts = [[text for text in rows[row] if text is not None] for row in good]
        nulls = len(self.choice.sanitized) * len(good) - sum(map(len, texts))

        def joined(released: Sequence[Sequence[str] | None]) -> bytes:
            fresh = {row: texts for row, texts in zip(good, released, strict=True) if texts is not None}
            return to_ipc(with_releases(batch, self.choice, list(fresh), list(fresh.values()))) if fresh else b""

        plain = {name: [cells[row].plain for row in good] for name, cells in beside.items()}
        return base.Records(texts, faults, joined, [first + row for row in good], nulls=nulls, beside=plain)

    def rows(self, payload: bytes, first: int) -> RecordRows:
        """See ``RowReader.rows``; the kept columns as JSON has them."""
        batch, columns, bad = self._read(payload, first)
        cells = {
            name: [Cell(text) for text in texts] for name, texts in zip(self.choice.sanitized, columns, strict=True)
        }
        cells |= _json_columns(batch, self.choice.kept, first, bad)
        beside = _json_columns(batch, self.choice.read, first, bad)
        good, faults = _sorted_out(batch, first, bad)
        names = [name for name in batch.schema.names if name in cells]
        table = [[cells[name][row] for name in names] for row in good]
        read = {name: [column[row] for row in good] for name, column in beside.items()}
        return RecordRows(names, [first + row for row in good], table, faults, read)

    def _read(self, payload: bytes, first: int) -> tuple[Any, list[list[str | None]], dict[int, str]]:
        (batch,) = from_ipc(payload)
        return batch, *texts_of(batch, self.choice, self.max_document_bytes, lambda row: f"record {first + row}")

    def sink(self, stream: BinaryIO) -> base.Sink:
        """See ``Assembled.sink``: a parquet file with row groups of about 32 MiB, compressed by Snappy."""
        return _RowGroups(stream)


def _json_columns(batch: Any, names: Sequence[str], first: int, bad: dict[int, str]) -> dict[str, list[Cell]]:
    """Fields as JSON has them; rows of which one cannot be written so are ``bad``."""
    return {name: json_cells(batch.column(name), name, lambda row: f"record {first + row}", bad) for name in names}


def _sorted_out(batch: Any, first: int, bad: dict[int, str]) -> tuple[list[int], list[base.RecordError]]:
    good = [row for row in range(batch.num_rows) if row not in bad]
    return good, [base.RecordError(first + row, reason) for row, reason in sorted(bad.items())]


_KIND: Final = b"textveil.kind"  # of a column of a block, in the metadata of its field; in no output
_WHOLE: Final = re.compile(r"-?(?:0|[1-9]\d{0,18})").fullmatch
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,400})([.,])[0-9]{1,400}").fullmatch
_EXACT: Final = 15  # significant digits that a double always keeps
_WIDER: Final = {
    frozenset({"int", "long"}): "long",
    frozenset({"int", "number"}): "number",
    frozenset({"int", "comma"}): "comma",
}


@dataclass(frozen=True, slots=True)
class ParquetWriter:
    """Writes columns of integers, doubles and truth values if every record has such a value or none, else strings.

    Of a table of text a number is what is written as one without zeros before it, with a point or in all a comma. What
    no double holds to the digit stays a string, as JSON writes it. ``texts``: the released fields, which are strings.
    """

    texts: tuple[str, ...] = ()

    def head(self, names: Sequence[str]) -> bytes:
        return b""

    def refused(self, cell: Cell) -> str:
        """See ``RowWriter.refused``: what is made of several values, and text that UTF-8 cannot hold."""
        if isinstance(cell.value, list | dict):
            return cell.kind
        return "" if cell.encodes else "a string with lone surrogates"

    def written(self, rows: RecordRows) -> bytes:
        pyarrow = base.arrow()
        if not rows.cells:
            return b""
        fields, columns = [], []
        for name, cells in zip(rows.names, zip(*rows.cells, strict=True), strict=True):
            kind = "text" if name in self.texts else reduce(_wider, map(_kind, cells))
            fields.append(pyarrow.field(name, pyarrow.string(), metadata={_KIND: kind}))
            columns.append(pyarrow.array([cell.plain for cell in cells], pyarrow.string()))
        return to_ipc(pyarrow.RecordBatch.from_arrays(columns, schema=pyarrow.schema(fields)))

    def sink(self, stream: BinaryIO) -> base.Sink:
        return _Typed(stream)


def _kind(cell: Cell) -> str:
    value, written = cell.value, cell.written
    if value is None or (value == "" and not written):
        return "none"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str) and written:
        return "text"
    number = written or value
    if _WHOLE(number):
        return "int" if len(number) <= _EXACT else "long" if abs(int(number)) < 2**63 else "text"
    if (decimal := _DECIMAL(number)) is None or len(number) > _EXACT:
        return "text"
    return "number" if decimal[1] == "." else "comma"


def _wider(one: str, other: str) -> str:
    if one == other or other == "none":
        return one
    return other if one == "none" else _WIDER.get(frozenset({one, other}), "text")


class _Typed:
    """Row groups of columns whose types are known when all records are there, in a nameless file until then."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._file = tempfile.TemporaryFile(prefix=".textveil-")  # noqa: SIM115  goes with this object
        self._lengths: list[int] = []
        self._kinds: list[str] = []

    def write(self, data: bytes) -> None:
        for batch in from_ipc(data):
            kinds = [field.metadata[_KIND].decode() for field in batch.schema]
            self._kinds = list(map(_wider, self._kinds, kinds)) if self._kinds else kinds
        self._lengths.append(self._file.write(data))

    def close(self) -> None:
        groups = _RowGroups(self._stream)
        self._file.seek(0)
        for length in self._lengths:
            for batch in from_ipc(self._file.read(length)):
                groups.write(to_ipc(self._typed(batch)))
        self._file.close()
        groups.close()

    def __del__(self) -> None:
        self._file.close()  # of a run that failed

    def _typed(self, batch: Any) -> Any:
        pyarrow, compute = base.arrow(), base.arrow("pyarrow.compute")
        double, whole = pyarrow.float64(), pyarrow.int64()
        types = {"int": whole, "long": whole, "number": double, "comma": double, "bool": pyarrow.bool_()}
        columns = {}
        for name, kind, column in zip(batch.schema.names, self._kinds, batch.columns, strict=True):
            if kind in types:
                column = compute.if_else(compute.equal(column, ""), None, column)
                column = compute.replace_substring(column, ",", ".") if kind == "comma" else column
                column = column.cast(types[kind])
            columns[name] = column
        return pyarrow.RecordBatch.from_pydict(columns)


class _RowGroups:
    """Writes a parquet file from Arrow IPC streams.

    Where a row group ends depends on what is in the output and on nothing else: the blocks, whose sizes depend on the
    private text, leave no trace.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._schema: Any = None
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._rows = 0
        self._held: list[Any] = []
        self._bytes = 0

    def write(self, data: bytes) -> None:
        for batch in from_ipc(data):
            if self._writer is None:
                parquet = base.arrow("pyarrow.parquet")
                self._schema = batch.schema
                self._writer = parquet.ParquetWriter(self._stream, self._schema)
            if batch.schema != self._schema:
                raise InputError(
                    "the fields must have the same types in every input; they differ. Cast them first, or sanitize the "
                    "inputs one by one."
                )
            self._waiting.append(batch)
            self._rows += batch.num_rows
            while self._rows >= _ROW_GROUP_STEP:
                self._step(_ROW_GROUP_STEP)

    def close(self) -> None:
        if self._writer is None:
            raise OutputError("a parquet file must have columns; nothing was released. Is the input empty?")
        self._step(self._rows)
        self._row_group()
        self._writer.close()

    def _step(self, count: int) -> None:
        """Move the first ``count`` waiting rows to the row group, and end it if it is large enough."""
        self._rows -= count
        parts = []
        while count:
            batch = self._waiting[0]
            taken = batch.slice(0, count)
            count -= taken.num_rows
            parts.append(taken)
            if taken.num_rows == batch.num_rows:
                self._waiting.pop(0)
            else:
                self._waiting[0] = batch.slice(taken.num_rows)
        table = base.arrow().Table.from_batches(parts, self._schema)
        # Copied out: how many bytes a slice takes depends on where in its block it lies.
        for step in table.take(list(range(table.num_rows))).combine_chunks().to_batches():
            self._held.append(step)
            self._bytes += base.arrow("pyarrow.ipc").get_record_batch_size(step)
        if self._bytes >= _ROW_GROUP_BYTES:
            self._row_group()

    def _row_group(self) -> None:
        if self._held:
            # In one chunk: pages end where chunks do.
            table = base.arrow().Table.from_batches(self._held).combine_chunks()
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._held, self._bytes = [], 0


def _seekable(stream: BinaryIO, stack: ExitStack) -> BinaryIO:
    """The stream, or a copy of it that can be sought: a parquet file is read from its end."""
    if stream.seekable() and stream.tell() == 0:
        return stream
    # Nameless (or gone from its folder at once), mode 0600.
    copy = stack.enter_context(cast("BinaryIO", tempfile.TemporaryFile(prefix=".textveil-")))  # noqa: SIM115
    try:
        shutil.copyfileobj(stream, copy, _BUFFER)
    except OSError as error:
        raise InputError(
            f"the parquet input cannot be sought and could not be copied to a temporary file: {error.strerror}. Set "
            "TMPDIR to a private folder with room."
        ) from None
    copy.seek(0)
    return copy


def _refused_as(pyarrow: Any, step: Callable[[], Any]) -> Any:
    """Return what ``step`` returns; Arrow's errors, which may quote the file, become one line that does not."""
    try:
        return step()
    except InputError:
        raise
    except OSError as error:
        # Arrow's own errors are partly of this type too, without a number.
        reason = os.strerror(error.errno) if error.errno else _UNSOUND
    except (pyarrow.ArrowException, ValueError, EOFError):
        reason = _UNSOUND
    raise InputError(f"the input must be a sound parquet file; {reason}.")


class _Leaf(NamedTuple):
    path: str  # its name in the file
    declared: int  # bytes of all its values, packed as they are in dictionaries, by the file's own account
    largest: int  # bytes of its largest chunk
    by_entries: bool  # whether it is read as a dictionary, so that a value is in memory once however many rows hold it
    width: int | None  # bytes that a value has at most; None is unknown


def _opened(source: BinaryIO, by_entries: Sequence[str] = ()) -> Any:
    parquet = base.arrow("pyarrow.parquet")
    return _refused_as(
        base.arrow(),
        lambda: parquet.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=list(by_entries)),
    )


def _leaves(file: Any, choice: base.FieldChoice) -> list[_Leaf]:
    """Return the columns of values by the file's account of its chunks; refuse one that is packed as no text is."""
    metadata, leaves = file.metadata, []
    for index in range(metadata.num_columns):
        column = metadata.schema.column(index)
        if column.path.split(".")[0] not in choice.needed():
            continue
        chunks = [metadata.row_group(group).column(index) for group in range(metadata.num_row_groups)]
        for chunk in chunks:
            size, packed = chunk.total_uncompressed_size, chunk.total_compressed_size
            if size > max(_PACKED_BYTES, _PACKED_TIMES * packed):
                raise InputError(
                    f"a column of the parquet input must be at most {_PACKED_TIMES:,} times as large as it is packed; "
                    "got more. Write the file again without compression if it is sound."
                )
        texts = column.physical_type == "BYTE_ARRAY"
        # Arrow cannot read these as dictionaries.
        deltas = any(encoding.startswith("DELTA") for chunk in chunks for encoding in chunk.encodings)
        width = None if texts else max(16, column.length or 0)
        sizes = [chunk.total_uncompressed_size for chunk in chunks]
        leaves.append(_Leaf(column.path, sum(sizes), max(sizes, default=0), texts and not deltas, width))
    return leaves


def _rows(file: Any, leaves: Sequence[_Leaf], size: int) -> int:
    """Rows that hold about ``size`` bytes of the chosen columns, by the file's own account; >= 1."""
    total = sum(leaf.declared for leaf in leaves)
    rows = min(_MOST_ROWS, size * file.metadata.num_rows // max(1, total))
    widths = [leaf.largest if leaf.width is None else leaf.width for leaf in leaves if not leaf.by_entries]
    return max(1, min([rows, *(_MOST_BYTES // max(1, width) for width in widths)]))


def _slices(batch: Any, size: int, most: int, first: int) -> Iterator[Any]:
    """Halve the batch until no slice of several rows has much more than ``size`` bytes without its dictionaries.

    A row of more than ``most`` bytes is refused; ``first`` is the number of the batch's first row.
    """
    if batch.num_rows == 0:
        return
    held = sum(plain_bytes(column) for column in batch.columns)
    if batch.num_rows > 1 and held > 2 * size:
        middle = batch.num_rows // 2
        yield from _slices(batch.slice(0, middle), size, most, first)
        yield from _slices(batch.slice(middle), size, most, first + middle)
        return
    if batch.num_rows == 1 and held > most:
        raise InputError(f"record {first} must have at most {most:,} bytes; got more. Raise `max_document_bytes`.")
    yield batch


def _pieces(batch: Any, size: int) -> Iterator[Any]:
    """The batch, halved until no piece of several rows has much more than ``size`` bytes."""
    if batch.num_rows == 0:
        return
    if batch.num_rows == 1 or base.arrow("pyarrow.ipc").get_record_batch_size(batch) <= 2 * size:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _pieces(batch.slice(0, middle), size)
    yield from _pieces(batch.slice(middle), size)
