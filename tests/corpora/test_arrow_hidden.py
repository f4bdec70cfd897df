"""Arrow columns: nothing of the input but the rows' own values reaches the output, and no message holds its data."""

from typing import Any

import pytest

from textveil.corpora.formats.arrow_columns import checked_columns, chosen_schema, plain_columns, with_releases
from textveil.corpora.formats.records import FieldChoice
from textveil.errors import InputError

pa = pytest.importorskip("pyarrow")

SECRET = "Xylophonia"
CHOICE = FieldChoice(("text",), ("kept",))


def _hidden() -> dict[str, Any]:
    """Columns of three rows, the first of them null, with the secret behind the null."""
    strings, mask = pa.array([SECRET, "b", "c"]), pa.array([True, False, False])
    offsets = pa.array([0, 1, 2, 3], pa.int32())
    struct = pa.StructArray.from_arrays([strings], ["x"], mask=mask)
    strict = pa.StructArray.from_arrays([strings], fields=[pa.field("x", pa.string(), nullable=False)], mask=mask)
    return {
        "struct": struct,
        "a field that may not be null": strict,
        "struct in struct": pa.StructArray.from_arrays([struct], ["y"]),
        "struct in a list": pa.ListArray.from_arrays(offsets, struct),
        "struct in a large list": pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), struct),
        "struct in a list of one size": pa.FixedSizeListArray.from_arrays(struct, 1),
        "struct in a map": pa.MapArray.from_arrays(offsets, pa.array(["k", "l", "m"]), struct),
        "map of structs that is null": pa.MapArray.from_arrays(
            pa.array([None, 1, 2, 3], pa.int32()), pa.array(["k", "l", "m"]), struct
        ),
        "list": pa.ListArray.from_arrays(offsets, strings, mask=mask),
        "list of one size": pa.FixedSizeListArray.from_arrays(strings, 1, mask=mask),
    }


def _bytes(column: Any) -> bytes:
    return b"".join(buffer.to_pybytes() for buffer in column.buffers() if buffer is not None)


@pytest.mark.parametrize("case", _hidden())
def test_what_stands_behind_a_null_does_not_reach_the_output(case: str) -> None:
    column = _hidden()[case]
    assert SECRET.encode() in _bytes(column)
    batch = plain_columns(pa.record_batch({"text": ["one", "two", "three"], "kept": column}), CHOICE)
    for rows in ([0, 1, 2], [2, 0], [0], []):
        out = with_releases(batch, CHOICE, rows, [["new"]] * len(rows))
        out.validate(full=True)
        assert out.schema == chosen_schema(batch.schema, CHOICE)
        assert out["kept"].to_pylist() == [column.to_pylist()[row] for row in rows]
        assert SECRET.encode() not in _bytes(out["kept"])


@pytest.mark.parametrize("inside", [False, True])
def test_list_views_come_out_right_or_are_refused_by_name(inside: bool) -> None:
    views = pa.array([["b"], ["c", "d"], None], pa.list_view(pa.string()))
    column = pa.StructArray.from_arrays([views], ["x"]) if inside else views
    batch = pa.RecordBatch.from_arrays([pa.array(["t"] * 3), column], names=["text", "kept"])
    try:
        chosen = plain_columns(batch, CHOICE)
    except InputError as error:
        assert "the field 'kept' must be of a type that can be made plain" in str(error)
    else:
        released = with_releases(chosen, CHOICE, range(3), [["u"]] * 3)
        released.validate(full=True)
        assert released["kept"].to_pylist() == column.to_pylist()


def test_a_union_is_refused() -> None:
    column = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2]), pa.array([SECRET, "b"])])
    with pytest.raises(InputError, match="got a union") as error:
        plain_columns(pa.record_batch({"text": ["one", "two"], "kept": column}), CHOICE)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (pa.struct([(SECRET, pa.string())]), "struct"),
        (pa.list_(pa.struct([(SECRET, pa.string())])), "list"),
        (pa.timestamp("us", tz="+01:00"), "timestamp"),
        (pa.decimal128(5, 2), "decimal128"),
        (pa.dictionary(pa.int8(), pa.int64()), "dictionary"),
    ],
)
def test_a_message_names_the_type_without_what_is_in_it(kind: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"must be of strings; got {told}[.]") as error:
        checked_columns(pa.schema([("text", kind), ("kept", pa.int8())]), CHOICE)
    assert SECRET not in str(error.value)
