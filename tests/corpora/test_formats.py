"""Corpus formats: what is kept, what is dropped, how bad records are named without being quoted."""

import gzip
import io
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.runs import worker_of
from tests.helpers.vocabularies import made_vocabulary

from textveil.corpora.blocks import Block
from textveil.corpora.formats.csv_table import CsvTable
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.sources import EXPANSION_FREE, opened
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.randomized_response import randomized_response
from textveil.randomness import seeded_generator
from textveil.sanitize.release import Tally
from textveil.sanitize.sanitizer import Sanitizer

SECRET = "Xylophonia"


def through(corpus_format, raw: bytes, change=str.upper, size: int = 2**19) -> bytes:
    """Every text of every record replaced by ``change`` of it; the first fault is raised."""
    out = bytearray()
    for cut in corpus_format.cut(io.BytesIO(raw), size):
        if cut.fault:
            raise InputError(cut.fault)
        records = pickle.loads(pickle.dumps(corpus_format)).records(cut.payload, cut.first)
        for fault in records.faults:
            raise InputError(fault.reason)
        fresh = [[change(text) for text in texts] for texts in records.texts]
        out += (records.head if not out else b"") + records.joined(fresh)
    return bytes(out)


def texts(corpus_format, raw: bytes, size: int = 2**19) -> list:
    return [
        tuple(one)
        for cut in corpus_format.cut(io.BytesIO(raw), size)
        for one in corpus_format.records(cut.payload, cut.first).texts
    ]


def test_plain_lines_keep_their_ends() -> None:
    raw = b"one\r\ntwo\n\nthree"
    assert through(PlainText(), raw) == b"ONE\r\nTWO\n\nTHREE"
    assert texts(PlainText(), raw) == [("one\r\n",), ("two\n",), ("\n",), ("three",)]


def test_a_whole_file_is_one_document() -> None:
    raw = "\ufeffone\r\ntwo\u2028x".encode()
    assert texts(PlainText(whole=True), raw) == [("one\r\ntwo\u2028x",)]
    assert texts(PlainText(whole=True), b"") == []


def test_jsonl_drops_what_is_not_named() -> None:
    raw = json.dumps({"ssn": "1", "text": "secret", "id": 7}).encode() + b"\n\n" + b'{"text": "b", "id": null}'
    plain = JsonLines(choice=FieldChoice())
    assert through(plain, raw) == b'{"text": "SECRET"}\n{"text": "B"}\n'
    kept = JsonLines(choice=FieldChoice(("text",), ("id",)))
    assert through(kept, raw) == b'{"text": "SECRET", "id": 7}\n{"text": "B", "id": null}\n'


def test_jsonl_keeps_fields_to_the_letter_and_in_the_order_of_the_input() -> None:
    raw = b'{ "b" : 1e400, "text":"x", "a":12345678901234567890.10, "c" : [1, {"d": "\\u00e9"}] }\n'
    kept = JsonLines(choice=FieldChoice(("text",), ("a", "b", "c")))
    expected = b'{"b": 1e400, "text": "X", "a": 12345678901234567890.10, "c": [1, {"d": "\\u00e9"}]}\n'
    assert through(kept, raw) == expected


def test_jsonl_with_a_field_twice_is_refused() -> None:
    with pytest.raises(InputError, match="line 1 must name the field 'text' once"):
        through(JsonLines(choice=FieldChoice()), b'{"text": "a", "text": "b"}')


def test_jsonl_several_fields() -> None:
    raw = b'{"title": "a", "body": "b"}\n'
    assert through(JsonLines(choice=FieldChoice(("body", "title"))), raw) == b'{"title": "A", "body": "B"}\n'


def test_jsonl_with_lone_surrogates_in_a_kept_field() -> None:
    raw = b'{"text": "a", "id": "\\ud800"}\n'
    assert json.loads(through(JsonLines(choice=FieldChoice(("text",), ("id",))), raw))["id"] == "\ud800"


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=4))
@settings(deadline=None)
def test_csv_round_trips_any_text(texts: list[str]) -> None:
    import csv

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["other", "text"])
    for text in texts:
        writer.writerow(["x", text])
    out = through(CsvTable(choice=FieldChoice()), buffer.getvalue().encode(), change=lambda text: text)
    rows = list(csv.reader(io.StringIO(out.decode(), newline="")))
    assert rows == [["text"], *[[text] for text in texts]]


def test_csv_keeps_the_order_of_columns() -> None:
    raw = b'id,text,ssn\n1,"a\nb",9\n2,c,8\n'
    kept = CsvTable(choice=FieldChoice(("text",), ("id",)))
    assert through(kept, raw) == b'id,text\r\n1,"A\nB"\r\n2,C\r\n'


NOT_UTF8 = b"fine\n" + SECRET.encode() + b"\xff\n"

BAD = [
    (PlainText(), NOT_UTF8, "line 2 must be UTF-8; byte 11"),
    (PlainText(), b"ok\n" + SECRET.encode() + b"\0\n", "line 2 must be text; got a NUL"),
    (PlainText(whole=True), NOT_UTF8, "the document must be UTF-8"),
    (PlainText(max_document_bytes=8), SECRET.encode() * 9, "line 1 must have at most 8 bytes"),
    (PlainText(whole=True, max_document_bytes=8), SECRET.encode(), "must have at most 8 bytes"),
    (JsonLines(choice=FieldChoice()), b'{"text": "a"}\n{"text": "' + SECRET.encode(), "line 2 must be one JSON object"),
    (
        JsonLines(choice=FieldChoice()),
        b'["' + SECRET.encode() + b'"]',
        "must be one JSON object; got a list",
    ),
    (JsonLines(choice=FieldChoice()), b'{"txt": "' + SECRET.encode() + b'"}', "line 1 must have the field 'text'"),
    (JsonLines(choice=FieldChoice()), b'{"text": ["' + SECRET.encode() + b'"]}', "must be a string; got a list"),
    (JsonLines(choice=FieldChoice()), b'{"text": ' + b"[" * 100_000, "line 1 must be one JSON object"),
    (CsvTable(choice=FieldChoice()), b"txt\n" + SECRET.encode(), "must name the column 'text' once; it does not"),
    (CsvTable(choice=FieldChoice()), b"text,text\na,b", "once; it does so 2"),
    (CsvTable(choice=FieldChoice()), b"id,text\n1,a\n2\n", "record 2 must have 2 columns; got 1"),
    (CsvTable(choice=FieldChoice()), b'text\nok\n"' + SECRET.encode() + b'"x\n', "record 2 must be valid CSV"),
    (CsvTable(choice=FieldChoice()), b'text\n"' + SECRET.encode(), "record 1 must be valid CSV"),
    (CsvTable(choice=FieldChoice()), b"text\n" + SECRET.encode() + b"\xff", "record 1 must be UTF-8"),
]


@pytest.mark.parametrize(("corpus_format", "raw", "message"), BAD, ids=[message[:40] for _, _, message in BAD])
def test_bad_records_are_named_and_not_quoted(corpus_format, raw: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        through(corpus_format, raw)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_field_is_named_once() -> None:
    with pytest.raises(ParameterError, match="a name twice"):
        FieldChoice(("text",), ("text",))
    with pytest.raises(ParameterError, match="at least one"):
        FieldChoice(())


@pytest.mark.parametrize("make", [PlainText, lambda **limit: JsonLines(choice=FieldChoice(), **limit)])
def test_the_limit_has_a_domain(make) -> None:
    for size in (0, -1, 10**20):
        with pytest.raises(ParameterError, match="max_document_bytes"):
            make(max_document_bytes=size)


def test_a_50_mb_line_is_refused_after_reading_no_more_than_the_limit() -> None:
    class Endless(io.RawIOBase):
        taken = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            buffer[:] = b"a" * len(buffer)
            self.taken += len(buffer)
            return len(buffer)

    endless = Endless()
    with pytest.raises(InputError, match="line 1 must have at most 1000 bytes"):
        fault = next(PlainText(max_document_bytes=1000).cut(io.BufferedReader(endless), 1000)).fault
        raise InputError(fault)
    assert endless.taken < 100_000


WORKER = worker_of(
    mechanism=randomized_response(made_vocabulary(40), epsilon=1.0),
    corpus_format=PlainText(),
    secret=bytes(32),
    seed=5,
)


def block(lines: list[str]) -> Block:
    return Block(number=3, source=1, first=1, count=len(lines), payload="".join(lines).encode())


def test_blank_lines_change_neither_what_is_drawn_nor_what_is_counted() -> None:
    lines = ["wa0 wb1 7\n", "\n", "  \n", "\r\n", "wc2\n", "\n", "\t wd3 99\n", ""]
    outcome = WORKER.opened()(block(lines))
    sanitizer = Sanitizer.of(WORKER.options)
    plain = sanitizer.batch(lines[:-1], rng=seeded_generator(5, 3))
    tally = Tally()
    for release in plain:
        tally.add(release.kinds, release.mapped)
    assert outcome.data.decode() == "".join(release.text for release in plain)
    assert outcome.tally == tally


def test_half_a_block_of_newlines_is_released_once(monkeypatch) -> None:
    asked: list[int] = []
    batch = Sanitizer.batch

    def counted(self: Sanitizer, texts: list[str], **options: object) -> list[object]:
        asked.append(len(texts))
        return batch(self, texts, **options)

    monkeypatch.setattr(Sanitizer, "batch", counted)
    outcome = WORKER.opened()(block(["\n"] * 10_000))
    assert outcome.data == b"\n" * 10_000
    assert outcome.tally.documents == outcome.tally.kinds["space"] == 10_000
    assert sum(asked) <= 2


def _packed(folder: Path, data: bytes, ending: str) -> str:
    path = folder / f"in.txt{ending}"
    if ending == ".gz":
        path.write_bytes(gzip.compress(data))
    else:
        path.write_bytes(pytest.importorskip("pyarrow").Codec("zstd").compress(data, asbytes=True))
    return str(path)


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_an_input_that_expands_too_far_is_stopped(tmp_path, ending: str) -> None:
    name = _packed(tmp_path, b"\n" * 8 * EXPANSION_FREE, ending)
    with opened(name) as (stream, _, _):
        assert len(stream.read()) == 8 * EXPANSION_FREE
    with (
        pytest.raises(InputError, match=r"must expand to at most 100 times .* Raise `max_expansion`") as error,
        opened(name, 100.0) as (stream, _, _),
    ):
        stream.read()
    assert "\n" not in str(error.value)
    with opened(_packed(tmp_path, b"\n" * EXPANSION_FREE, ending), 1.0) as (stream, _, _):
        assert len(stream.read()) == EXPANSION_FREE
