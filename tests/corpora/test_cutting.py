"""Cutting: wherever the pieces end, the records and their numbers are the same."""

import csv
import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textveil.corpora.formats.csv_table import CsvTable, cut_rows, rows
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.formats.text_lines import PlainText
from textveil.errors import InputError

SIZES = st.integers(1, 40)
LINES = st.text(st.sampled_from('ab\n\r,"é\ufeff'), max_size=60).map(str.encode)
TABLE = st.lists(st.text(st.sampled_from('ab\n\r,"'), max_size=9), max_size=12)


def found(corpus_format, raw: bytes, size: int) -> tuple[list, list]:
    """Good records and faults, each with their numbers; counts must add up to the numbers."""
    good, bad = [], []
    upcoming = 1
    for cut in corpus_format.cut(io.BytesIO(raw), size):
        assert cut.first == upcoming
        upcoming += cut.count
        if cut.fault:
            bad.append((cut.first, cut.fault))
            continue
        records = corpus_format.records(cut.payload, cut.first)
        good += [tuple(texts) for texts in records.texts]
        bad += list(records.faults)
        assert all(cut.first <= fault.number < upcoming for fault in records.faults)
    return good, bad


@given(LINES, SIZES)
@settings(deadline=None)
def test_lines_are_the_same_however_they_are_cut(raw: bytes, size: int) -> None:
    assert found(PlainText(), raw, size) == found(PlainText(), raw, 10**6)
    assert found(PlainText(whole=True), raw, size) == found(PlainText(whole=True), raw, 10**6)


@given(LINES, SIZES)
@settings(deadline=None, max_examples=300)
@example(b'a"\n"b\nc\nd\ne\n', 1)
@example(b'a,"b"c\n"d\ne"\nf\ng\nh\n', 2)
@example(b'"a"b,"\nc"\nd\n', 2)
@example(b'"a"\rb,"\nc"\nd\n', 2)
@example(b'"a', 1)
@example(b'a\nb,"c\nd\ne,f\n', 3)
@example(b'a\n"b\nc\n"d\n"e\nf\n', 3)
def test_csv_records_are_the_same_however_they_are_cut(raw: bytes, size: int) -> None:
    """Orderly or not: the quick cutter agrees with the csv module."""
    expected = [raw[row.start : row.end] for row in rows(raw)]
    cuts = list(cut_rows(io.BytesIO(raw), size, 10**6))
    assert [cut.payload[row.start : row.end] for cut in cuts for row in rows(cut.payload)] == expected
    assert sum(cut.count for cut in cuts) == len(expected)


@given(TABLE, SIZES)
@settings(deadline=None)
def test_orderly_csv_is_cut_between_records(texts: list[str], size: int) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["text", "n"], *([text, str(number)] for number, text in enumerate(texts))])
    corpus_format = CsvTable(choice=FieldChoice(("text", "n")))
    assert found(corpus_format, buffer.getvalue().encode(), size)[0] == [(text, str(n)) for n, text in enumerate(texts)]


@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
def test_a_record_that_is_too_large_is_dropped_and_the_next_is_read(size: int) -> None:
    big = "x" * 500
    plain = f"one\n{big}\nthree\n".encode()
    good, bad = found(PlainText(max_document_bytes=100), plain, size)
    assert [text for (text,) in good] == ["one\n", "three\n"]
    assert bad == [(2, "line 2 must have at most 100 bytes; got more. Raise `max_document_bytes`.")]
    table = f'text\none\n"{big}\n{big}""{big}"\nthree\n'.encode()
    good, bad = found(CsvTable(choice=FieldChoice(), max_document_bytes=100), table, size)
    assert good == [("one",), ("three",)]
    assert [number for number, _ in bad] == [2]
    objects = "".join(json.dumps({"text": text}) + "\n" for text in ("one", big, "three")).encode()
    good, bad = found(JsonLines(choice=FieldChoice(), max_document_bytes=100), objects, size)
    assert (good, [number for number, _ in bad]) == ([("one",), ("three",)], [2])


@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_behind_a_stray_quote_the_next_line_is_a_record(size: int) -> None:
    for behind in (b"3,c\n4,d\n", b'3,"c"\n4,d\n', b'3,c\n4,"d"\n'):
        good, bad = found(CsvTable(choice=FieldChoice()), b'id,text\n1,a\n2,"b\n' + behind, size)
        assert good == [("a",), ("c",), ("d",)]
        assert [number for number, _ in bad] == [2]


def test_a_quote_that_is_never_closed_is_said_when_too_much_stands_behind_it() -> None:
    table = b'text\na\n"b\n' + b"c\n" * 300
    with pytest.raises(InputError, match="a quote must be closed; it is not, and all behind it is left out"):
        found(CsvTable(choice=FieldChoice(), max_document_bytes=100), table, 10)


def test_bad_records_among_good_ones_are_numbered() -> None:
    table = b'id,text\n1,a\n2\n3,"b"x\n4,\xff\n5,c\n\n7,d\n'
    good, bad = found(CsvTable(choice=FieldChoice()), table, 5)
    assert good == [("a",), ("c",), ("d",)]
    assert [(number, reason.split(" must ")[1][:12]) for number, reason in bad] == [
        (2, "have 2 colum"),
        (3, "be valid CSV"),
        (4, "be UTF-8; by"),
    ]


class Broken(io.RawIOBase):
    """Gives its data, then fails as a truncated file does."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        data = self._data.read(min(len(buffer), 5))
        if not data:
            raise InputError("it ends here")
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize("corpus_format", [PlainText(), CsvTable(choice=FieldChoice(("one",)))])
def test_what_was_read_before_a_failure_is_handed_on_and_the_torn_record_is_not(corpus_format) -> None:
    cuts = []
    with pytest.raises(InputError, match="ends here"):
        cuts.extend(corpus_format.cut(io.BufferedReader(Broken(b"one\ntwo\nthr")), 10**6))
    with pytest.raises(InputError, match="ends here"):
        for cut in corpus_format.cut(io.BufferedReader(Broken(b"one\ntwo\nthr")), 10**6):
            cuts.append(cut)
    assert cuts
    assert all(cut.payload.endswith(b"two\n") for cut in cuts)


def test_columns_in_another_order_are_refused() -> None:
    corpus_format = CsvTable(choice=FieldChoice(("text",), ("id",)))
    assert found(corpus_format, b"id,text\n1,a\n", 100)[0] == [("a",)]
    assert found(corpus_format, b"id,x,text\n1,,b\n", 100)[0] == [("b",)]
    with pytest.raises(InputError, match="order of the first input"):
        found(corpus_format, b"text,id\na,1\n", 100)


def test_a_last_line_gets_an_end_before_another_input() -> None:
    assert [cut.payload for cut in PlainText(ended=True).cut(io.BytesIO(b"a\nb"), 2)] == [b"a\n", b"b\n"]
