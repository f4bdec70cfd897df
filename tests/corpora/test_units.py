"""What one person's records cost together: summed over blocks, jobs and formats, and never by name."""

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.test_conversion import corpus
from tests.helpers.deadly import SECRET, WORDS, made_vocabulary
from tests.helpers.runs import run_of

from textveil.corpora.block_worker import InProcess
from textveil.corpora.blocks import RecordColumns, person
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.processes import Processes
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.randomized_response import randomized_response

ROWS: list[dict[str, Any]] = [
    {
        "who": ["", SECRET, "ann", "bob"][number % 4],
        "text": " ".join(WORDS[20 : 20 + number % 7]) + (" 12 waa 345" if number % 4 == 3 else ""),
        "id": str(number),
    }
    for number in range(120)
]


def made(tmp_path: Path, name: str, rows: list[dict[str, Any]], unit: str = "who", **changes: Any) -> Run:
    path = tmp_path / f"in.{name}"
    path.write_bytes(corpus(name, rows))
    choice = FormatChoice(
        read=(unit,), **{key: changes.pop(key) for key in ("kept", "output_format") if key in changes}
    )
    options: dict[str, Any] = {
        "mechanism": randomized_response(made_vocabulary(), epsilon=0.5),
        "number_epsilon": 2.0,
        "corpus_format": choice.reader([str(path)]),
        "inputs": (str(path),),
        "columns": RecordColumns(unit=unit),
        "engine": InProcess(),
        "block_bytes": 300,
    }
    return run_of(**{**options, **changes})


def expected(rows: list[dict[str, Any]]) -> tuple[int, float]:
    """Persons, and the epsilon of the costliest, counted by hand."""
    cost: Counter[Any] = Counter()
    for row in rows:
        words = (row["text"] or "").split()
        cost[row["who"]] += sum(2.0 if word.isdigit() else 0.5 for word in words)
    return len(cost), max(cost.values())


@pytest.mark.parametrize("target", [None, "jsonl", "parquet"])
@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_a_person_pays_for_all_records_whatever_the_format(tmp_path: Path, name: str, target: str | None) -> None:
    stream = io.BytesIO()
    facts = made(tmp_path, name, ROWS, output_format=target).to_stream(stream).report.to_data()["guarantee"]
    persons, epsilon = expected(ROWS)
    found = facts["per_person"]
    assert (found["column"], found["persons"]) == ("who", persons)
    assert found["epsilon"] == pytest.approx(epsilon)
    assert facts["per_document"]["epsilon"] < found["epsilon"] < facts["whole_input"]["epsilon"]
    assert found["optimal"]["epsilon"] <= found["epsilon"]
    assert found["unit"] == "person"
    assert "the documents of one person alone" in found["adjacency"]
    assert b"who" not in stream.getvalue()


@pytest.mark.slow
def test_processes_and_jobs_come_to_the_same(tmp_path: Path) -> None:
    persons, epsilon = expected(ROWS)
    run = made(tmp_path, "jsonl", ROWS, engine=Processes(2))
    out = tmp_path / "out.jsonl"
    for _ in range(2):  # the second time it is read from the ledger
        finished = run.to_file(out, tmp_path / "r.json", sender_report=tmp_path / "s.json", resume=True)
        found = finished.report.to_data()["guarantee"]["per_person"]
        assert (found["persons"], found["epsilon"]) == (persons, pytest.approx(epsilon))
    for path in [*tmp_path.glob("*.json"), out, *(tmp_path / ".out.jsonl.textveil-job").iterdir()]:
        assert SECRET not in path.read_text()
        assert "ann" not in path.read_text()
    lines = (tmp_path / ".out.jsonl.textveil-job" / "ledger.jsonl").read_text().splitlines()
    named = {one for line in lines for one in json.loads(line).get("persons", {})}
    assert len(named) == persons
    assert all(len(one) == 32 for one in named)


def test_a_job_that_went_on_counts_every_record_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(tmp_path, "jsonl", ROWS, sync_seconds=0.0)
    left = iter(range(6))

    def stop(done: int, total: int | None, words: int) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(tmp_path, "jsonl", ROWS, sync_seconds=0.0, progress=stop).to_file(tmp_path / "out.jsonl")
    found = run.to_file(tmp_path / "out.jsonl", resume=True).report.to_data()["guarantee"]["per_person"]
    assert (found["persons"], found["epsilon"]) == (expected(ROWS)[0], pytest.approx(expected(ROWS)[1]))
    other = made(tmp_path, "jsonl", ROWS, unit="id")
    run.to_file(tmp_path / "b.jsonl", resume=True)
    with pytest.raises(ParameterError, match="these differ now: unit"):
        other.to_file(tmp_path / "b.jsonl", resume=True)


def test_nulls_are_one_person_and_numbers_are_their_letters(tmp_path: Path) -> None:
    rows = [{"who": who, "text": "waa waa"} for who in (None, None, 7, 7, 7.0)]
    found = made(tmp_path, "jsonl", rows).to_stream(io.BytesIO()).report.to_data()["guarantee"]["per_person"]
    assert (found["persons"], found["epsilon"]) == (3, 2.0)
    nothing = [{"who": "a", "text": ""}, {"who": "b", "text": None}]
    (tmp_path / "n").mkdir()
    found = made(tmp_path / "n", "jsonl", nothing).to_stream(io.BytesIO()).report.to_data()["guarantee"]["per_person"]
    assert (found["persons"], found["epsilon"]) == (2, 0.0)


def test_the_column_must_be_there_and_is_copied_only_if_it_is_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must have the field 'patient'; it has not"):
        made(tmp_path, "jsonl", ROWS, unit="patient").to_stream(io.BytesIO())
    stream = io.BytesIO()
    made(tmp_path, "csv", ROWS, kept=("who",)).to_stream(stream)
    assert stream.getvalue().startswith(b"who,text\r\n")
    with pytest.raises(ParameterError, match="columns need `corpus_format` jsonl, json, csv, tsv or parquet; got txt"):
        FormatChoice(read=("who",)).reader(["in.txt"])


def test_digests_of_two_jobs_have_nothing_in_common() -> None:
    assert person(bytes(32), "ann") == person(bytes(32), "ann")
    assert person(bytes(32), "ann") != person(b"\1" + bytes(31), "ann")
    assert len({person(bytes(32), one) for one in (None, "", "=", "\ud800")}) == 4


def test_the_summary_says_what_a_person_pays(tmp_path: Path) -> None:
    lines = made(tmp_path, "jsonl", ROWS).to_stream(io.BytesIO()).report.summary().splitlines()
    (line,) = [one for one in lines if one.startswith("per person")]
    assert f"for the costliest of {expected(ROWS)[0]} persons" in line
    assert line.endswith("by who")


def test_two_unicode_spellings_of_a_name_are_one_person() -> None:
    assert person(b"key", "Zo\u00eb") == person(b"key", "Zoe\u0308") != person(b"key", "Zoe")
