"""Records of a corpus by person: what counts, and what is refused."""

import json
from pathlib import Path

import pytest

from textveil.aggregates.request import EACH_RECORD, PersonalRecords
from textveil.errors import InputError, ParameterError
from textveil.privacy.units import Unit


def _file(folder: Path, rows: list[dict[str, str | None]]) -> tuple[str, ...]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return (str(path),)


ROWS: list[dict[str, str | None]] = [
    {"who": "ann", "text": "first", "kind": "a"},
    {"who": "bob", "text": "second", "kind": "b"},
    {"who": "ann", "text": "third", "kind": "b"},
    {"who": "ann", "text": "fourth", "kind": "a"},
]


def test_the_first_records_of_each_person_count_however_many_others_there_are(tmp_path: Path) -> None:
    records = PersonalRecords(inputs=_file(tmp_path, ROWS), unit="who", label="kind", limit=2)
    (batch,) = records.batches()
    assert batch.texts == ["first", "second", "third"] and batch.labels == ["a", "b", "b"]
    assert batch.persons.tolist() == [0, 1, 0] and records.names == ["ann", "bob"]
    without_bob = PersonalRecords(inputs=_file(tmp_path, [ROWS[0], *ROWS[2:]]), unit="who", limit=2)
    (batch,) = without_bob.batches()
    assert batch.texts == ["first", "third"] and batch.labels == []
    assert records.adjacency.unit is Unit.PERSON


def test_each_record_may_be_a_unit_of_its_own(tmp_path: Path) -> None:
    records = PersonalRecords(inputs=_file(tmp_path, ROWS), unit=EACH_RECORD, limit=1)
    (batch,) = records.batches()
    assert batch.persons.tolist() == [0, 1, 2, 3] and records.names == []
    assert records.adjacency.unit is Unit.DOCUMENT
    lines = tmp_path / "lines.txt"
    lines.write_text("one line\nanother\n", encoding="utf-8")
    assert [batch.texts for batch in PersonalRecords(inputs=(str(lines),), unit=EACH_RECORD).batches()] == [
        ["one line\n", "another\n"]
    ]


def test_a_record_without_a_person_or_a_label_is_refused_by_number_alone(tmp_path: Path) -> None:
    inputs = _file(tmp_path, [*ROWS, {"who": None, "text": "secret text", "kind": "a"}])
    with pytest.raises(InputError, match=r"record 5 must have a value in the column 'who'; it is empty") as error:
        list(PersonalRecords(inputs=inputs, unit="who").batches())
    assert "secret" not in str(error.value)
    inputs = _file(tmp_path, [*ROWS, {"who": "eve", "text": "secret text", "kind": ""}])
    with pytest.raises(InputError, match=r"record 5 must have a value in the column 'kind'"):
        list(PersonalRecords(inputs=inputs, unit="who", label="kind").batches())


def test_columns_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    inputs = _file(tmp_path, ROWS)
    with pytest.raises(ParameterError, match="must be different columns; got one twice"):
        PersonalRecords(inputs=inputs, unit="who", label="who")
    with pytest.raises(ParameterError, match="limit must be >= 1"):
        PersonalRecords(inputs=inputs, unit="who", limit=0)
    with pytest.raises(ParameterError, match="columns need `corpus_format`"):
        PersonalRecords(inputs=("lines.txt",), unit="who")
    with pytest.raises(InputError):
        list(PersonalRecords(inputs=inputs, unit="nobody").batches())
