"""Records in Arrow tables: the releases that files of the same records have."""

import json
from pathlib import Path

import numpy as np
import pytest

from textveil.aggregates.count_run import count
from textveil.aggregates.learning import learn
from textveil.aggregates.request import EACH_RECORD, CorpusRequest, PersonalRecords
from textveil.errors import InputError, ParameterError

pa = pytest.importorskip("pyarrow")
from textveil.integrations.table_records import TableRecords  # noqa: E402

ROWS = [
    {
        "who": row % 7,
        "text": None if row % 11 == 0 else f"the {word} was late, said nobody {row % 3}",
        "kind": "ab"[row % 2],
    }
    for row, word in enumerate(["bus", "train", "doctor", "letter"] * 30)
]


def _tables(rows=ROWS):
    table = pa.Table.from_pylist(rows)
    return lambda: [table.slice(0, 50), *table.slice(50).to_batches(max_chunksize=16)]


def _request(records) -> CorpusRequest:
    return CorpusRequest(records, epsilon=4, delta=1e-6, labels=("a", "b"), rng=np.random.default_rng(3))


def test_releases_are_those_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text("".join(json.dumps({**row, "who": str(row["who"])}) + "\n" for row in ROWS))
    columns = {"unit": "who", "label": "kind", "limit": 9}
    of_file = PersonalRecords(inputs=(str(file),), **columns)
    of_tables = TableRecords(source=_tables(), **columns)
    assert count(_request(of_file))[0].counts == count(_request(of_tables))[0].counts
    assert np.array_equal(learn(_request(of_file)).model.weights, learn(_request(of_tables)).model.weights)
    assert of_file.digest == of_tables.digest and of_file.names == of_tables.names == list("0123456")
    assert of_file.adjacency == of_tables.adjacency


@pytest.mark.parametrize(
    ("rows", "columns", "told"),
    [
        ([{"who": None, "text": "a"}], {"unit": "who"}, "record 1 must have a value in the column 'who'"),
        ([{"who": float("nan"), "text": "a"}], {"unit": "who"}, "record 1 must have a value in the column 'who'"),
        ([{"who": "x", "text": b"\xff"}], {"unit": "who"}, "'text'"),
        ([{"who": "x", "text": 1.5}], {"unit": "who"}, "'text'"),
        ([{"who": "x", "text": "a"}], {"unit": "name"}, "'name'"),
        ([{"who": "x", "text": "a"}], {"unit": "who", "label": "kind"}, "'kind'"),
    ],
)
def test_tables_that_do_not_fit_are_refused_without_their_text(rows, columns, told) -> None:
    with pytest.raises(InputError, match=told) as refused:
        list(TableRecords(source=_tables(rows), **columns).batches())
    assert "nan" not in str(refused.value)


def test_tables_that_change_between_two_readings_are_refused() -> None:
    pieces = iter([ROWS, ROWS[::-1]])
    records = TableRecords(source=lambda: [pa.Table.from_pylist(next(pieces))], unit=EACH_RECORD)
    list(records.batches())
    with pytest.raises(InputError, match="was changed"):
        list(records.batches())


def test_a_column_is_named_once() -> None:
    with pytest.raises(ParameterError, match="different columns"):
        TableRecords(source=_tables(), unit="who", label="who")
