"""Columns of a record under a policy: one surrogate for a value in all of a person's records, and known names."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.test_conversion import corpus
from tests.helpers.policies import Finds, small_policy, surrogate
from tests.helpers.runs import run_of

from textveil.corpora.block_worker import InProcess
from textveil.corpora.blocks import RecordColumns, known_columns
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.processes import Processes
from textveil.errors import ParameterError, TextveilError
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer

NOTHING = Finds(regex=r"\Z\A.")
ROWS: list[dict[str, Any]] = [
    {"who": f"p{number % 8}", "text": f"Marxyl came{' again' * (number % 5)}.", "id": str(number)}
    for number in range(64)
]


def policy(**options: Any) -> Policy:
    return small_policy(surrogate("person", "person", epsilon=0), scope="document", **options)


def released(tmp_path: Path, name: str, rows: list[dict[str, Any]], columns: RecordColumns, **changes: Any) -> Any:
    path = tmp_path / f"in.{name}"
    path.write_bytes(corpus(name, rows))
    sanitized = changes.pop("sanitized", ())
    choice = FormatChoice(read=columns.names, kept=("id",), sanitized=sanitized, output_format="jsonl")
    options: dict[str, Any] = {
        "mechanism": policy(),
        "corpus_format": choice.reader([str(path)]),
        "inputs": (str(path),),
        "columns": columns,
        "engine": InProcess(),
        "block_bytes": 200,
    }
    stream = io.BytesIO()
    finished = run_of(**{**options, **changes}).to_stream(stream)
    return [json.loads(line) for line in stream.getvalue().splitlines()], finished.report


def name_in(text: str) -> str:
    (found,) = re.findall(r"^(.+) came", text)
    return found


@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "parquet"])
def test_a_value_has_one_surrogate_in_all_records_of_a_person_and_another_elsewhere(tmp_path: Path, name: str) -> None:
    rows, report = released(tmp_path, name, ROWS, RecordColumns(scope="who"))
    of_person = [{name_in(row["text"]) for row in rows if int(row["id"]) % 8 == person} for person in range(8)]
    assert all(len(names) == 1 for names in of_person)
    # Chance: eight draws from a pool of 10^5 and more, of which seven are one name: below 1e-30.
    assert len({one for names in of_person for one in names}) > 2
    assert "Marxyl" not in str(rows)
    facts = report.to_data()
    assert facts["fields"]["scope_column"] == "who"
    assert "which spans are equal in all records of one 'who'" in facts["public"]
    assert "which spans are equal in all records of one 'who'" in report.summary()
    assert "p3" not in report.to_json()


def test_without_a_person_a_record_is_by_itself(tmp_path: Path) -> None:
    rows = [{"who": None, "text": f"Marxyl came to Marxyl {number}.", "id": "1"} for number in range(9)]
    found, _ = released(tmp_path, "jsonl", rows, RecordColumns(scope="who"))
    assert all(name_in(row["text"]) in row["text"].partition(" came")[2] for row in found)
    assert len({name_in(row["text"]) for row in found}) > 2  # by chance: below 1e-30


def test_processes_give_the_same_and_two_jobs_nothing_in_common(tmp_path: Path) -> None:
    columns = RecordColumns(scope="who", unit="who")
    one, _ = released(tmp_path, "jsonl", ROWS, columns, seed=5)
    many, report = released(tmp_path, "jsonl", ROWS, columns, seed=5, engine=Processes(2))
    assert one == many
    assert report.to_data()["guarantee"]["per_person"]["persons"] == 8
    fresh, _ = released(tmp_path, "jsonl", ROWS, columns)
    assert {name_in(row["text"]) for row in fresh} != {name_in(row["text"]) for row in one}


def test_what_a_column_holds_is_found_in_the_texts(tmp_path: Path) -> None:
    columns = RecordColumns(known=(("who", "person"),))
    rows = [
        {"who": "Xelia Quorn", "text": "Seen today: Xelia Quorn, 44. Quorn's XELIA sleeps.", "id": "1"},
        {"who": None, "text": "Xelia Quorn is not found without her column.", "id": "2"},
        {"who": "  ", "text": "Blank.", "id": "3"},
    ]
    nothing = policy(detectors=(NOTHING,))
    found, report = released(tmp_path, "jsonl", rows, columns, mechanism=nothing)
    assert not re.search("xelia|quorn", found[0]["text"], re.IGNORECASE)
    assert found[0]["text"].startswith("Seen today: ")
    assert found[1:] == [{"text": row["text"], "id": row["id"]} for row in rows[1:]]
    facts = report.to_data()
    assert facts["fields"]["known"] == {"who": "person"}
    assert "where the field 'who' stands, as person" in facts["public"]
    assert "Quorn" not in report.to_json()


def test_everything_in_a_list_or_an_object_of_a_column_is_found(tmp_path: Path) -> None:
    rows = [
        {
            "who": ["Xelia Quorn", {"mother": "Brunnel", "ids": [4711, None, True]}],
            "text": "Quorn, BRUNNEL, 4711.",
            "id": "1",
        },
        {"who": "[Xelia", "text": "No list: [Xelia.", "id": "2"},
        {"who": "[" * 100_000, "text": "Nor is this.", "id": "3"},
    ]
    columns = RecordColumns(known=(("who", "person"),))
    found, _ = released(tmp_path, "jsonl", rows, columns, mechanism=policy(detectors=(NOTHING,)))
    assert not re.search("xelia|quorn|brunnel|4711", str([row["text"] for row in found]), re.IGNORECASE)
    assert found[2]["text"] == "Nor is this."


def test_a_column_that_is_sanitized_itself_is_a_span_as_a_whole(tmp_path: Path) -> None:
    columns = RecordColumns(known=(("who", "person"),))
    rows = [{"who": "Quorn, Xelia", "text": "Dear Xelia Quorn", "id": "1"}]
    found, report = released(
        tmp_path, "csv", rows, columns, sanitized=("who", "text"), mechanism=policy(detectors=(NOTHING,))
    )
    assert not re.search("xelia|quorn", str(found), re.IGNORECASE)
    assert report.tally.kinds["person mentions"] >= 2


REFUSED = [
    (
        RecordColumns(scope="who"),
        {"scope": "corpus"},
        "with the scope document or conversation, which it widens; got corpus",
    ),
    (RecordColumns(known=(("who", "phone"),)), {}, "`known` needs a `policy` with a rule for the kind 'phone'"),
]


@pytest.mark.parametrize(("columns", "options", "message"), REFUSED, ids=[one[2] for one in REFUSED])
def test_columns_that_a_policy_has_no_use_for(tmp_path: Path, columns: Any, options: Any, message: str) -> None:
    made = small_policy(surrogate("person", "person", epsilon=0), **{"scope": "document", **options})
    with pytest.raises(ParameterError, match=message):
        released(tmp_path, "jsonl", ROWS, columns, mechanism=made)


def test_how_known_columns_are_written() -> None:
    assert known_columns(["a=person", "b=c=place"]) == (("a", "person"), ("b=c", "place"))
    for wrong in ("a", "=person", "a="):
        with pytest.raises(ParameterError, match="`known` must be written COLUMN=KIND"):
            known_columns([wrong])
    with pytest.raises(ParameterError, match="`known` must name a column once"):
        RecordColumns(known=(("a", "person"), ("a", "place")))


def test_values_of_records_need_a_policy_with_spans_and_one_entry_a_text() -> None:
    sanitizer = Sanitizer(policy(detectors=(NOTHING,)))
    (release,) = sanitizer.batch(["Quorn came."], values=[[("Quorn", "person")]])
    assert name_in(release.text) != "Quorn"
    assert release.kinds["person mentions"] == 1
    with pytest.raises(ParameterError, match="values must be of kinds that the policy has a rule for"):
        sanitizer.batch(["Quorn came."], values=[[("came", "phone")]])
    with pytest.raises(ParameterError, match="values must be one entry for each of 1 texts"):
        sanitizer.batch(["a"], values=[])
    with pytest.raises(TextveilError, match="document 1 must be a str"):
        sanitizer.batch([7], values=[[]])  # type: ignore[list-item]
