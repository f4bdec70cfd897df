"""What is held on the disk: the same numbers as in memory, in a file that nobody else can open; whose records count."""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from textveil.aggregates import person_words
from textveil.aggregates.count_run import count
from textveil.aggregates.request import EACH_RECORD, CorpusRequest, PersonalRecords
from textveil.errors import InputError, OutputError, ParameterError
from textveil.privacy.units import Unit
from textveil.randomness import seeded_generator


def test_numbers_come_back_as_they_were_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory and beyond it; slices too, read between writes."""
    for limit in (4, 1 << 20):
        monkeypatch.setattr(person_words, "_IN_MEMORY", limit)
        held, rng = person_words.Spill(np.int16), np.random.default_rng(0)
        numbers = rng.integers(-(2**15), 2**15, 50).astype(np.int16)
        for first in range(0, 50, 10):
            held.append(numbers[first : first + 10])
            assert held[first + 1 : first + 3].tolist() == numbers[first + 1 : first + 3].tolist()
        assert held.size == 50 and held[:].tolist() == numbers.tolist() and held[50:].size == 0


def test_each_person_is_whole_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person_words, "_IN_MEMORY", 1)
    monkeypatch.setattr(person_words, "_COPIED", 7)
    rng = np.random.default_rng(1)
    for persons_at_most in (1, 5, 40):
        persons, lengths = rng.integers(0, persons_at_most, 40), rng.integers(0, 6, 40)
        records = [np.full(length, record, np.int32) for record, length in enumerate(lengths)]
        held = person_words.Spill(np.int32)
        held.append(np.concatenate(records))
        ordered, order = person_words.by_person(held, lengths, persons)
        wanted = sorted(range(40), key=lambda record: persons[record])
        assert order.tolist() == wanted
        assert ordered[:].tolist() == np.concatenate([records[record] for record in wanted]).tolist()
        parts = list(person_words.whole_persons(lengths[order], persons[order], 12))
        assert np.concatenate([ordered[numbers] for _, numbers in parts]).tolist() == ordered[:].tolist()
        owners = [set(persons[order][records].tolist()) for records, _ in parts]
        assert sum(map(len, owners)) == len(set().union(*owners)) == len(set(persons.tolist()))
        sizes = [numbers.stop - numbers.start for _, numbers in parts]
        assert all(size <= 12 or len(own) == 1 for size, own in zip(sizes, owners, strict=True))
    assert list(person_words.whole_persons(np.empty(0, np.int32), np.empty(0, np.int32), 12)) == []


def test_a_release_from_the_disk_is_the_one_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dies with: surfaces that are forgotten together with their words' numbers."""
    rng = np.random.default_rng(2)
    names = [f"q{chr(97 + one)}{chr(97 + two)}" for one in range(12) for two in range(6)]
    rows = [{"who": f"p{n % 150}", "kind": "ab"[n % 2], "text": " ".join(rng.choice(names, 9))} for n in range(600)]
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def released() -> list[object]:
        records = PersonalRecords(inputs=(str(path),), unit="who", label="kind")
        request = CorpusRequest(records, epsilon=60.0, delta=1e-6, rng=seeded_generator(1))
        return list(count(request, ngrams=3, words="none")[0].counts)

    wanted = released()
    for module, name, value in (
        (person_words, "_IN_MEMORY", 1),
        (person_words, "_COPIED", 100),
        (person_words, "_SURFACES", 9),
    ):
        monkeypatch.setattr(module, name, value)
    assert released() == wanted and any(" " in line.item for line in wanted)


@pytest.mark.skipif(sys.platform == "win32", reason="another system of files")
def test_the_file_has_no_name_and_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a process that is killed leaves nothing behind."""
    monkeypatch.setattr(person_words, "_IN_MEMORY", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = person_words.Spill(np.int32)
    held.append(np.arange(100))
    handle = held._file.fileno()
    status = os.fstat(handle)
    assert status.st_size == 400 and status.st_nlink == 0 and status.st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == []
    del held
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(handle)


def test_a_folder_without_room_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person_words, "_IN_MEMORY", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(OutputError, match=r"folder for temporary files must have room .* Set TMPDIR"):
        person_words.Spill(np.int32).append(np.arange(100))


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


def test_a_person_in_another_unicode_spelling_does_not_count_twice(tmp_path: Path) -> None:
    inputs = _file(tmp_path, [*ROWS, {"who": "Zoe\u0308", "text": "secret text", "kind": "a"}])
    with pytest.raises(InputError, match=r"record 5 must name its person in Unicode's composed form") as error:
        list(PersonalRecords(inputs=inputs, unit="who").batches())
    assert "secret" not in str(error.value) and "Zo" not in str(error.value)


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
