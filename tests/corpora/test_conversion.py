"""From any format of records to any other: what one cannot hold is refused by record and field."""

import datetime
import decimal
import gzip
import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.test_formats import SECRET
from tests.helpers.deadly import WORDS, made_vocabulary
from tests.helpers.runs import run_of

from textveil.corpora.block_worker import InProcess
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.formats.records import Assembled
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.randomized_response import randomized_response

TEXTS = ["a, b", 'c "d"\ne', "", "f\tg; h"]
IDS = ["1", "x\ty", "", "é"]


def through(source: str, target: str, raw: bytes, kept: tuple[str, ...] = ("id",), size: int = 2**19) -> bytes:
    """The records of one format in another, with texts in capital letters; the first fault is raised."""
    made = FormatChoice(corpus_format=source, output_format=target, kept=kept).reader(["-"])
    out = io.BytesIO()
    sink = made.sink(out) if isinstance(made, Assembled) else None
    for cut in made.cut(io.BytesIO(raw), size):
        records = pickle.loads(pickle.dumps(made)).records(cut.payload, cut.first)
        if records.faults:
            raise InputError(records.faults[0].reason)
        data = records.joined([[text.upper() for text in texts] for texts in records.texts])
        if sink is not None:
            sink.write(data)
        else:
            out.write(data if out.tell() else records.head + data)
    if sink is not None:
        sink.close()
    return out.getvalue()


def corpus(name: str, rows: list[dict[str, Any]]) -> bytes:
    if name == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if name == "json":
        return json.dumps(rows, indent=1).encode()
    if name in ("csv", "tsv"):
        import csv

        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter="\t" if name == "tsv" else ",")
        writer.writerows([list(rows[0]), *(list(row.values()) for row in rows)])
        return buffer.getvalue().encode()
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), sink)
    return sink.getvalue()


def rows_of(name: str, raw: bytes) -> list[dict[str, Any]]:
    if name == "jsonl":
        return [json.loads(line) for line in raw.splitlines()]
    if name == "json":
        return json.loads(raw)
    if name in ("csv", "tsv"):
        import csv

        return list(csv.DictReader(io.StringIO(raw.decode(), newline=""), delimiter="\t" if name == "tsv" else ","))
    return pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(raw)).to_pylist()


RECORDS = ("jsonl", "json", "csv", "tsv", "parquet")


@pytest.mark.parametrize("size", [40, 2**19])
@pytest.mark.parametrize("target", RECORDS)
@pytest.mark.parametrize("source", RECORDS)
def test_every_format_is_written_as_every_other_in_the_order_of_its_fields(source: str, target: str, size: int) -> None:
    rows = [{"id": number, "ssn": SECRET, "text": text} for number, text in zip(IDS, TEXTS, strict=True)]
    out = through(source, target, corpus(source, rows), size=size)
    assert rows_of(target, out) == [{"id": row["id"], "text": row["text"].upper()} for row in rows]
    assert list(rows_of(target, out)[0]) == ["id", "text"]
    assert SECRET.encode() not in out


def test_values_keep_their_letters_where_the_other_format_has_them() -> None:
    raw = b'{"text": "a", "id": 1.50e400}\n{"text": null, "id": true}\n{"text": "b", "id": null}\n'
    assert through("jsonl", "csv", raw) == b"text,id\r\nA,1.50e400\r\n,true\r\nB,\r\n"
    assert through("jsonl", "json", raw) == (
        b'[\n{"text": "A", "id": 1.50e400},\n{"text": null, "id": true},\n{"text": "B", "id": null}\n]\n'
    )
    assert rows_of("parquet", through("jsonl", "parquet", b'{"text": null, "id": null}\n')) == [
        {"text": None, "id": None}
    ]
    assert rows_of("parquet", through("jsonl", "parquet", raw)) == [
        {"text": "A", "id": "1.50e400"},
        {"text": None, "id": "true"},
        {"text": "B", "id": None},
    ]


def test_texts_without_a_name_get_one() -> None:
    assert through("json", "jsonl", b'["a", null]', kept=()) == b'{"text": "A"}\n{"text": null}\n'


REFUSED = [
    ("jsonl", "csv", b'{"text": "a", "id": {"x": "%s"}}', "line 1: the field 'id' must be one that csv can hold"),
    ("json", "tsv", b'[{"text": "a", "id": ["%s"]}]', "that tsv can hold; got a list. Leave it out."),
    ("jsonl", "csv", b'{"text": "a", "id": "%s\\u0000"}', "got a string with NUL characters or lone surrogates."),
    ("jsonl", "csv", b'{"text": "a", "id": "%s\\ud800"}', "got a string with NUL characters or lone surrogates."),
    ("jsonl", "parquet", b'{"text": "a", "id": "%s\\ud800"}', "got a string with lone surrogates"),
    ("jsonl", "parquet", b'{"text": "%s", "id": [7]}', "'id' must be one that parquet can hold; got a list."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "raw", "message"), REFUSED, ids=[one[3][:60] for one in REFUSED])
def test_what_the_other_format_cannot_hold_is_refused_by_number(
    source: str, target: str, raw: bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        through(source, target, raw % SECRET.encode())
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_other_records_are_released() -> None:
    made = FormatChoice(corpus_format="jsonl", output_format="csv", kept=("id",)).reader(["-"])
    raw = b'{"text": "a", "id": 1}\n{"text": "b", "id": []}\nx\n{"text": "c", "id": 3}\n'
    (cut,) = made.cut(io.BytesIO(raw), 10**6)
    records = made.records(cut.payload, cut.first)
    assert [list(texts) for texts in records.texts] == [["a"], ["c"]]
    assert [fault.number for fault in records.faults] == [2, 3]
    assert records.joined([["A"], ["C"]]) == b"A,1\r\nC,3\r\n"


TYPED = {
    "integers": ("1\n-20\n0", [1, -20, 0]),
    "large integers": ("9007199254740993\n1\n0", [9007199254740993, 1, 0]),
    "decimals": ("1.50\n2\n-0.25", [1.5, 2.0, -0.25]),
    "decimal commas": ('"1,50"\n2\n"-0,25"', [1.5, 2.0, -0.25]),
    "gaps": ('1\n""\n3', [1, None, 3]),
    "zeros before": ("007\n12\n13", ["007", "12", "13"]),
    "telephones": ("+49 30 1\n12\n13", ["+49 30 1", "12", "13"]),
    "versions with two points": ("1.2.3\n1.2\n3", ["1.2.3", "1.2", "3"]),
    "points and commas": ('1.5\n"1,5"\n2', ["1.5", "1,5", "2"]),
    "more digits than a double has": ("0.12345678901234567\n1\n2", ["0.12345678901234567", "1", "2"]),
    "more than a number has": ("99999999999999999999\n1\n2", ["99999999999999999999", "1", "2"]),
    "truth in words": ("true\nfalse\ntrue", ["true", "false", "true"]),
    "nothing": ('""\n""\n""', ["", "", ""]),
}


@pytest.mark.parametrize("size", [1, 10**6])
@pytest.mark.parametrize("case", TYPED)
def test_numbers_of_a_table_are_numbers_in_parquet(case: str, size: int) -> None:
    """The type is that of all records, however they are cut into blocks; the released text is a string."""
    pytest.importorskip("pyarrow")
    cells, wanted = TYPED[case]
    raw = "".join(f"{row},{number}\n" for number, row in enumerate(["id,text", *cells.split("\n")])).encode()
    raw = raw.replace(b"id,text,0\n", b"id,text\n")
    found = rows_of("parquet", through("csv", "parquet", raw, size=size))
    assert [row["id"] for row in found] == wanted
    assert [row["text"] for row in found] == ["1", "2", "3"]


def test_values_of_json_keep_their_types_in_parquet() -> None:
    pytest.importorskip("pyarrow")
    rows = [{"text": "a", "id": value} for value in (1, 2.5, None)]
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    assert [row["id"] for row in rows_of("parquet", through("jsonl", "parquet", raw))] == [1.0, 2.5, None]
    for values in ([True, False, None], ["1", "2", None], ["", "a", None]):
        raw = b"".join(json.dumps({"text": "a", "id": value}).encode() + b"\n" for value in values)
        assert [row["id"] for row in rows_of("parquet", through("jsonl", "parquet", raw))] == values
    raw = b'{"text": "a", "id": 1}\n{"text": "a", "id": "x"}\n'
    assert [row["id"] for row in rows_of("parquet", through("jsonl", "parquet", raw))] == ["1", "x"]


def test_columns_of_other_types() -> None:
    pytest.importorskip("pyarrow")
    day = datetime.date(2020, 2, 29)
    raw = corpus("parquet", [{"text": "a", "id": day, "n": decimal.Decimal("1.50"), "list": [1, None]}])
    out = through("parquet", "jsonl", raw, kept=("id", "n", "list"))
    assert out == b'{"text": "A", "id": "2020-02-29", "n": "1.50", "list": [1, null]}\n'
    with pytest.raises(InputError, match="the field 'list' must be one that csv can hold; got a list"):
        through("parquet", "csv", raw, kept=("list",))
    for value, told in ((float("nan"), "got double that is no finite number"), (b"\xff", "got binary")):
        with pytest.raises(InputError, match=f"record 1: the field 'id' must hold what JSON has a value for; {told}"):
            through("parquet", "jsonl", corpus("parquet", [{"text": "a", "id": value}]))


def test_the_format_of_the_output() -> None:
    def named(output: str, **options: Any) -> str:
        return FormatChoice(**options).output_name(["in.csv"], Path(output))

    assert named("out.jsonl.gz") == "jsonl"
    assert named("out.ndjson") == "jsonl"
    assert named("out") == "csv"
    assert named("out.released") == "csv"
    assert named("out", output_format="json") == "json"
    with pytest.raises(ParameterError, match=r"`output_format` must be one of txt, jsonl, json, csv, tsv, parquet"):
        named("out", output_format="xml")
    with pytest.raises(ParameterError, match=r"`output_format` must be csv for inputs that are; got txt."):
        named("out", output_format="txt")
    with pytest.raises(ParameterError, match=r"`output_format` must be txt for inputs that are; got csv."):
        FormatChoice(output_format="csv").reader(["in.txt"])
    with pytest.raises(ParameterError, match=r"`output` must be named as what it will be, json; got the ending .jsonl"):
        FormatChoice(output_format="json").check_output(["in.csv"], Path("o.jsonl"))
    with pytest.raises(ParameterError, match=r"`output` must be named as what it will be, csv; got the ending .txt"):
        FormatChoice().check_output(["in.csv"], Path("o.txt"))


def test_a_delimiter_is_of_the_side_that_is_csv() -> None:
    choice = FormatChoice(delimiter=";", output_format="csv")
    assert choice.reader(["in.jsonl"]).target.delimiter == ";"
    assert choice.released(["in.jsonl"], Path("out.csv")).reader(["out.csv"]).delimiter == ";"
    choice = FormatChoice(delimiter=";", output_format="tsv")
    made = choice.reader(["in.csv"])
    assert (made.source.delimiter, made.target.delimiter) == (";", "\t")
    assert choice.released(["in.csv"], Path("out.tsv")).reader(["out.tsv"]).delimiter == "\t"


@pytest.mark.parametrize("name", ["out.json", "out.json.gz", "out.tsv.gz", "out.parquet"])
def test_a_job_that_was_interrupted_goes_on_to_the_same_output(tmp_path: Path, name: str) -> None:
    if "parquet" in name:
        pytest.importorskip("pyarrow.parquet")
    rows = [{"id": str(number), "text": " ".join(WORDS[number % 9 : number % 9 + 4])} for number in range(80)]
    (tmp_path / "in.csv").write_bytes(corpus("csv", rows))

    def run(progress: Any = lambda done, total, words: None) -> Any:
        return run_of(
            mechanism=randomized_response(made_vocabulary(), epsilon=0.5),
            corpus_format=FormatChoice(kept=("id",)).reader(["in.csv"], tmp_path / name),
            inputs=(str(tmp_path / "in.csv"),),
            engine=InProcess(),
            block_bytes=200,
            seed=4,
            sync_seconds=0.0,
            progress=progress,
        )

    left = iter(range(5))

    def stop(done: int, total: int | None, words: int) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(stop).to_file(tmp_path / name)
    assert not (tmp_path / name).exists()
    run().to_file(tmp_path / name, resume=True)
    (tmp_path / "whole").mkdir()
    run().to_file(tmp_path / "whole" / name)
    assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    raw = (tmp_path / name).read_bytes()
    target = name.split(".")[1]
    found = rows_of(target, gzip.decompress(raw) if name.endswith("gz") else raw)
    assert [str(row["id"]) for row in found] == [row["id"] for row in rows]
