"""Parquet in and out: what is released, what is kept, what never reaches the output, and every fault."""

import datetime
import decimal
import io
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.corpora.formats.records import Assembled, CorpusFormat, Cut, FieldChoice
from textveil.errors import InputError, OutputError

pa = pytest.importorskip("pyarrow", reason="parquet needs the extra `arrow`")
pq = pytest.importorskip("pyarrow.parquet")

from textveil.corpora.formats.arrow_columns import from_ipc  # noqa: E402
from textveil.corpora.formats.parquet import Parquet  # noqa: E402

SECRET = "Rumpelstiltskin"
_ARROW = int(pa.__version__.split(".")[0])


def parquet(*, field: tuple[str, ...] = ("text",), keep: tuple[str, ...] = (), limit: int = 2**20) -> Parquet:
    return Parquet(choice=FieldChoice(field, keep), max_document_bytes=limit)


def file(table: Any, **options: Any) -> io.BytesIO:
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    stream.seek(0)
    return stream


def shouted(corpus_format: Parquet, stream: Any, size: int = 2**19) -> tuple[Any, list[Cut], list]:
    """The output with upper case for a release; the cuts; the faults."""
    out = io.BytesIO()
    sink = corpus_format.sink(out)
    cuts = list(corpus_format.cut(stream, size))
    faults = []
    for cut in cuts:
        records = corpus_format.records(cut.payload, cut.first)
        faults += records.faults
        sink.write(records.joined([[text.upper() for text in texts] for texts in records.texts]))
    sink.close()
    return pq.read_table(io.BytesIO(out.getvalue())), cuts, faults


def column(make: Any, kind: Any = None, rows: int = 100) -> Any:
    return pa.array([None if row % 7 == 3 else make(row) for row in range(rows)], kind)


def every_type() -> dict[str, Any]:
    columns = {
        "text": column(lambda row: f"some text {row}"),
        "other": column(lambda row: f"other {row}", pa.large_string()),
        "int": column(int, pa.int32()),
        "float": column(float),
        "half": column(lambda row: np.float16(row), pa.float16()),
        "bool": column(lambda row: row % 3 == 0),
        "date": column(lambda row: datetime.date(2000, 1, 1)),
        "time": column(lambda row: datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC), pa.timestamp("us", "UTC")),
        "decimal": column(decimal.Decimal, pa.decimal128(20, 2)),
        "fixed": column(lambda row: b"abcd", pa.binary(4)),
        "list": column(lambda row: [1, None, row][: row % 4]),
        "struct": column(lambda row: {"x": row if row % 2 else None, "y": "q"}),
        "map": column(lambda row: [("k", row)], pa.map_(pa.string(), pa.int64())),
        "dictionary": column(lambda row: f"v{row % 10}").dictionary_encode(),
        "nested dictionary": column(lambda row: ["a", "b"], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        "view": column(lambda row: "a long string in a view", pa.string_view()),
    }
    young = ("half", "view")  # older Arrows cannot write them to parquet
    return {name: one for name, one in columns.items() if name not in young or _ARROW >= 21}


def test_parquet_is_a_format() -> None:
    corpus_format: CorpusFormat = parquet()
    assert isinstance(corpus_format, Assembled)
    assert pickle.loads(pickle.dumps(corpus_format)) == corpus_format
    assert "'text'" in repr(corpus_format)
    assert "1048576" in repr(corpus_format)


@pytest.mark.parametrize("size", [1, 500, 2**19])
def test_texts_are_released_and_kept_columns_keep_their_values(size: int) -> None:
    table = pa.table(every_type())
    keep = tuple(name for name in table.column_names if name not in ("text", "other"))
    made, cuts, faults = shouted(parquet(field=("text", "other"), keep=keep), file(table), size)
    assert faults == []
    assert made.column_names == ["text", "other", *keep]
    for name in keep:
        assert made[name].to_pylist() == table[name].to_pylist(), name
    for name in ("text", "other"):
        want = [None if text is None else text.upper() for text in table[name].to_pylist()]
        assert made[name].to_pylist() == want
    assert [cut.first for cut in cuts] == [1 + sum(cut.count for cut in cuts[:index]) for index in range(len(cuts))]
    assert sum(cut.count for cut in cuts) == table.num_rows
    assert (len(cuts) == 1) == (size == 2**19)


def test_a_null_is_copied_and_no_document() -> None:
    table = pa.table({"text": ["a", None, None], "more": [None, "b", None]})
    corpus_format = parquet(field=("text", "more"))
    (cut,) = corpus_format.cut(file(table), 2**19)
    assert corpus_format.records(cut.payload, 1).texts == [["a"], ["b"], []]
    assert shouted(corpus_format, file(table))[0].to_pydict() == {"text": ["A", None, None], "more": [None, "B", None]}


def test_a_column_of_nulls_alone_is_a_column_of_texts() -> None:
    table = pa.table({"text": pa.nulls(3), "id": [1, 2, 3]})
    made, _, _ = shouted(parquet(keep=("id",)), file(table))
    assert made.schema.field("text").type == pa.string()
    assert made.to_pydict() == {"text": [None] * 3, "id": [1, 2, 3]}


def test_nothing_that_was_not_chosen_is_in_a_payload_or_in_the_output() -> None:
    """Neither dropped columns, nor metadata, nor dictionary entries that no row holds."""
    kept = pa.DictionaryArray.from_arrays([0, 0], ["public", SECRET])
    nested = pa.ListArray.from_arrays([0, 1, 1], pa.DictionaryArray.from_arrays([0], ["public", SECRET]))
    table = pa.table({"text": ["one", "two"], "dropped": [SECRET] * 2, "kept": kept, "nested": nested})
    table = table.replace_schema_metadata({"note": SECRET, "pandas": SECRET})
    field = table.schema.field("text").with_metadata({"note": SECRET})
    table = table.cast(table.schema.set(0, field).with_metadata(table.schema.metadata))
    stream = file(table, compression="none")
    assert SECRET.encode() in stream.getvalue()
    corpus_format = parquet(keep=("kept", "nested"))
    (cut,) = corpus_format.cut(stream, 2**19)
    out = io.BytesIO()
    sink = corpus_format.sink(out)
    data = corpus_format.records(cut.payload, 1).joined([["ONE"], ["TWO"]])
    sink.write(data)
    sink.close()
    assert SECRET.encode() not in cut.payload + data + out.getvalue()
    assert b"one" not in data + out.getvalue()
    metadata = pq.ParquetFile(out).metadata.metadata
    assert set(metadata) == {b"ARROW:schema"}


def test_a_column_of_private_texts_is_dropped_without_being_read() -> None:
    """A reader of a file whose dropped column is damaged sees nothing of it."""
    stream = file(pa.table({"dropped": [SECRET * 10] * 50, "text": ["ok"] * 50}), compression="none")
    offset = pq.ParquetFile(stream).metadata.row_group(0).column(0).dictionary_page_offset
    damaged = bytearray(stream.getvalue())
    damaged[offset : offset + 40] = bytes(40)
    made, _, _ = shouted(parquet(), io.BytesIO(bytes(damaged)))
    assert made.to_pydict() == {"text": ["OK"] * 50}


def test_releases_have_a_statistic_of_their_own() -> None:
    made = io.BytesIO()
    corpus_format = parquet()
    sink = corpus_format.sink(made)
    (cut,) = corpus_format.cut(file(pa.table({"text": ["private"]})), 2**19)
    sink.write(corpus_format.records(cut.payload, 1).joined([["released"]]))
    sink.close()
    statistics = pq.ParquetFile(made).metadata.row_group(0).column(0).statistics
    assert (statistics.min, statistics.max) == ("released", "released")


@pytest.mark.parametrize("where", ["pipe", "offset"])
def test_what_cannot_be_sought_is_copied_to_a_nameless_file(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = file(pa.table({"text": ["one", "two"]})).getvalue()
    if where == "pipe":
        ends = os.pipe()
        os.write(ends[1], data)
        os.close(ends[1])
        stream = os.fdopen(ends[0], "rb")
    else:
        stream = io.BytesIO(b"prefix" + data)
        stream.seek(6)
    with stream:
        cuts = parquet().cut(stream, 2**19)
        cut = next(cuts)
        assert list(tmp_path.iterdir()) == []
        assert parquet().records(cut.payload, 1).texts == [["one"], ["two"]]
        assert list(cuts) == []


def test_a_full_disk_below_the_copy_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    stream = io.BytesIO(b"PAR1" + bytes(100))
    stream.seekable = lambda: False  # type: ignore[method-assign]
    with pytest.raises(InputError, match="could not be copied to a temporary file: No space left on device"):
        next(parquet().cut(stream, 2**19))


@pytest.mark.parametrize("rows", [[], [3], [0, 3, 0, 2]])
def test_empty_files_and_empty_row_groups(rows: list[int]) -> None:
    schema = pa.schema({"text": pa.string()})
    stream = io.BytesIO()
    with pq.ParquetWriter(stream, schema) as writer:
        for count in rows:
            writer.write_table(pa.table({"text": ["t"] * count}, schema=schema))
    stream.seek(0)
    cuts = list(parquet().cut(stream, 2**19))
    assert sum(cut.count for cut in cuts) == sum(rows)
    if not rows:
        assert cuts == []
        with pytest.raises(OutputError, match="nothing was released"):
            parquet().sink(io.BytesIO()).close()


# Faults.


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({SECRET: ["x"]}), "must have the field 'text' once; it has none"),
        (pa.table([["x"], ["y"]], names=["text", "text"]), "must have the field 'text' once; it has it 2 times"),
        (pa.table({"text": [1]}), "the field 'text' must be of strings; got int64"),
        (pa.table({"text": [b"x"]}), "the field 'text' must be of strings; got binary"),
        (pa.table({"text": [["x"]]}), "the field 'text' must be of strings; got list"),
    ],
)
def test_wrong_columns_are_refused_by_name(table: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        next(parquet().cut(file(table), 2**19))
    assert SECRET not in str(caught.value)


def test_a_missing_kept_column_is_refused() -> None:
    with pytest.raises(InputError, match="must have the field 'id' once"):
        next(parquet(keep=("id",)).cut(file(pa.table({"text": ["x"]})), 2**19))


@pytest.mark.parametrize("damage", ["nothing", "text", "cut", "footer", "page"])
def test_a_damaged_file_is_one_line_without_its_content(damage: str) -> None:
    rng = np.random.default_rng(1)
    texts = ["".join(map(chr, rng.integers(97, 123, 200))) for _ in range(200)]
    data = file(pa.table({"text": [SECRET, *texts]}), compression="zstd", use_dictionary=False).getvalue()
    made = {
        "nothing": b"",
        "text": SECRET.encode() * 10,
        "cut": data[:-20],
        "footer": data[:-300] + bytes(290) + data[-10:],
        "page": data[:3000] + bytes(200) + data[3200:],
    }[damage]
    with pytest.raises(InputError, match="must be a sound parquet file") as caught:
        list(parquet().cut(io.BytesIO(made), 2**19))
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_bad_rows_are_faults_by_their_number_and_the_others_are_released() -> None:
    raw = pa.array([b"one", b"\xff\xfe" + SECRET.encode(), b"two\0" + SECRET.encode(), None, b"x" * 21, b"three"])
    texts = pa.StringArray.from_buffers(len(raw), raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
    table = pa.table({"text": texts, "id": range(6)})
    corpus_format = parquet(keep=("id",), limit=20)
    (cut,) = corpus_format.cut(file(table), 2**19)
    records = corpus_format.records(cut.payload, 101)
    assert [fault.number for fault in records.faults] == [102, 103, 105]
    assert [text.split(";")[0][:34] for _, text in records.faults] == [
        "record 102 must be UTF-8",
        "record 103 must be text",
        "record 105 must have at most 20 by",
    ]
    assert SECRET not in repr(records.faults)
    assert records.texts == [["one"], [], ["three"]]
    (batch,) = from_ipc(records.joined([["1"], [], ["3"]]))
    assert batch.to_pydict() == {"text": ["1", None, "3"], "id": [0, 3, 5]}


def test_a_block_of_bad_rows_alone_adds_nothing() -> None:
    corpus_format = parquet(limit=10)
    (cut,) = corpus_format.cut(file(pa.table({"text": ["x" * 11]})), 2**19)
    records = corpus_format.records(cut.payload, 1)
    assert records.texts == []
    assert records.joined([]) == b""
    sink = corpus_format.sink(io.BytesIO())
    sink.write(b"")


def test_inputs_of_other_types_are_refused_by_the_sink() -> None:
    corpus_format = parquet(keep=("id",))
    sink = corpus_format.sink(io.BytesIO())
    for number, kind in enumerate((pa.int32(), pa.int64())):
        (cut,) = corpus_format.cut(file(pa.table({"text": ["x"], "id": pa.array([1], kind)})), 2**19)
        data = corpus_format.records(cut.payload, 1).joined([["y"]])
        if number == 0:
            sink.write(data)
    with pytest.raises(InputError, match="the same types in every input"):
        sink.write(data)


# The shape of the output.


def test_row_groups_are_a_function_of_the_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows were cut into blocks, the file is the same bytes: block sizes depend on private texts."""
    monkeypatch.setattr("textveil.corpora.formats.parquet._ROW_GROUP_BYTES", 5000)
    rows = 1000
    table = pa.table(
        {"text": column(lambda row: "x" * (row % 50), rows=rows), "id": column(int, rows=rows), "b": [True] * rows}
    )
    made = []
    for size in (200, 3001, 2**19):
        corpus_format = parquet(keep=("id", "b"))
        out = io.BytesIO()
        sink = corpus_format.sink(out)
        for cut in corpus_format.cut(file(table), size):
            records = corpus_format.records(cut.payload, cut.first)
            sink.write(records.joined(records.texts))
        sink.close()
        made.append(out.getvalue())
    assert made[0] == made[1] == made[2]
    groups = pq.ParquetFile(io.BytesIO(made[0])).metadata
    sizes = [groups.row_group(index).num_rows for index in range(groups.num_row_groups)]
    assert len(sizes) > 5
    assert all(size % 64 == 0 for size in sizes[:-1])


def test_several_blocks_can_be_written_at_once() -> None:
    """A job may hand its sink any number of whole blocks together."""
    corpus_format = parquet()
    data = b"".join(
        corpus_format.records(cut.payload, cut.first).joined([["Z"]])
        for cut in corpus_format.cut(file(pa.table({"text": ["a", "b", "c"]})), 1)
    )
    out = io.BytesIO()
    sink = corpus_format.sink(out)
    sink.write(data)
    sink.close()
    assert pq.read_table(out).to_pydict() == {"text": ["Z"] * 3}


def test_a_large_row_group_is_cut_to_the_size_asked_for() -> None:
    """Rows of very different lengths, one row group: no block of several rows is much larger than asked."""
    lengths = [10] * 3000 + [100_000] * 20 + [10] * 3000
    stream = file(pa.table({"text": ["y" * length for length in lengths]}), use_dictionary=False)
    cuts = list(parquet().cut(stream, 50_000))
    assert sum(cut.count for cut in cuts) == len(lengths)
    assert all(len(cut.payload) < 110_000 for cut in cuts if cut.count > 1)
    assert max(cut.count for cut in cuts) <= 4096


def test_the_output_is_read_by_others(tmp_path: Path) -> None:
    """The footer's JSON of pandas is absent, and types survive a second trip."""
    table = pa.table({"text": ["a"], "when": pa.array([0], pa.timestamp("ns", "Europe/Paris"))})
    corpus_format = parquet(keep=("when",))
    first, _, _ = shouted(corpus_format, file(table))
    again, _, _ = shouted(corpus_format, file(first))
    assert again.equals(first)
    assert first.schema.metadata is None
    assert json.dumps(first["text"].to_pylist()) == '["A"]'


def bomb(kind: str) -> Any:
    """A table of few bytes on the disk whose rows share a value of a megabyte, and what is written of it."""
    rows, big = 3000, "ab" * 500_000
    entries = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([big]))
    places = pa.array(range(rows + 1), pa.int32())
    columns = {
        "text": entries,
        "list": pa.ListArray.from_arrays(places, entries),
        "struct": pa.StructArray.from_arrays([entries], ["part"]),
        "map": pa.MapArray.from_arrays(places, pa.array(["k"] * rows), entries),
    }
    return pa.table({"text": pa.array([None] * rows, pa.string()), kind: columns[kind]})


@pytest.mark.parametrize("kind", ["text", "list", "struct", "map"])
def test_a_value_that_all_rows_share_is_in_memory_once(tmp_path: Path, kind: str) -> None:
    """A file of a few hundred bytes would fill the memory: three thousand rows of a megabyte."""
    path = tmp_path / "bomb.parquet"
    pq.write_table(bomb(kind), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 3000
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    choice = FieldChoice(("text",), () if kind == "text" else (kind,))
    pa.set_memory_pool(pool)
    try:
        with path.open("rb") as stream:
            cuts = Parquet(choice=choice).cut(stream, 1 << 20)
            assert all(len(next(cuts).payload) < 2**23 for _ in range(20))
            cuts.close()
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() < 2**27


def test_deltas_of_one_long_value_are_read_a_few_rows_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textveil.corpora.formats.parquet._MOST_BYTES", 2**24)
    path = tmp_path / "bomb.parquet"
    table = pa.table({"text": ["ab" * 500_000] * 200})
    encoding = {"text": "DELTA_BYTE_ARRAY"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=encoding, compression="zstd")
    del table
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        with path.open("rb") as stream:
            cuts = Parquet(choice=FieldChoice(("text",))).cut(stream, 1 << 20)
            assert all(len(next(cuts).payload) < 2**23 for _ in range(20))
            cuts.close()
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() < 2**26


def test_a_row_that_is_larger_than_many_documents_is_refused(tmp_path: Path) -> None:
    entries = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array(["ab" * 5_000]))
    lists = pa.ListArray.from_arrays(pa.array([0, 100], pa.int32()), entries)
    path = tmp_path / "row.parquet"
    pq.write_table(pa.table({"text": ["a"], "list": lists}), path)
    with path.open("rb") as stream, pytest.raises(InputError, match="record 1 must have at most 16,000 bytes"):
        list(Parquet(choice=FieldChoice(("text",), ("list",)), max_document_bytes=1000).cut(stream, 1 << 20))
    with path.open("rb") as stream:
        assert list(Parquet(choice=FieldChoice(("text",), ("list",))).cut(stream, 1 << 20))


def test_a_column_that_is_packed_as_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "packed.parquet"
    table = pa.table({"text": ["a" * 2**20] * 300})
    pq.write_table(table, path, use_dictionary=False, compression="zstd", write_statistics=False)
    with path.open("rb") as stream, pytest.raises(InputError, match="at most 1,000 times as large as it is packed"):
        list(Parquet(choice=FieldChoice(("text",))).cut(stream, 1 << 20))


def test_large_strings_keep_their_type_when_they_are_read_as_dictionaries(tmp_path: Path) -> None:
    path = tmp_path / "large.parquet"
    pq.write_table(pa.table({"text": pa.array(["a", "b"], pa.large_string())}), path)
    with path.open("rb") as stream:
        (cut,) = Parquet(choice=FieldChoice(("text",))).cut(stream, 1 << 20)
    (batch,) = pa.ipc.open_stream(cut.payload)
    assert batch.schema.field("text").type == pa.large_string()
