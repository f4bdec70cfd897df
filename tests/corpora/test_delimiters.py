"""Tables whose columns are separated by tabs or another character: the same records, the same faults, a hint."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpora.test_formats import SECRET, through

from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.formats.csv_table import CsvTable, cut_rows, rows
from textveil.corpora.formats.records import FieldChoice
from textveil.errors import InputError, ParameterError

TEXTS = st.lists(st.text(st.sampled_from('ab\n\r\t;,"'), max_size=9), max_size=12)


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", " "])
@given(texts=TEXTS, size=st.integers(1, 40))
@settings(deadline=None, max_examples=60)
def test_any_text_goes_through_whatever_separates_columns(delimiter: str, texts: list[str], size: int) -> None:
    table = [["id", "text"], *([str(number), text] for number, text in enumerate(texts))]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(table)
    raw = buffer.getvalue().encode()
    chosen = CsvTable(choice=FieldChoice(("text",), ("id",)), delimiter=delimiter)
    out = through(chosen, raw, change=lambda text: text, size=size)
    if texts:
        assert list(csv.reader(io.StringIO(out.decode(), newline=""), delimiter=delimiter)) == table


@given(raw=st.text(st.sampled_from('ab\n\r\t,"'), max_size=60).map(str.encode), size=st.integers(1, 40))
@settings(deadline=None, max_examples=200)
def test_records_are_the_same_however_they_are_cut(raw: bytes, size: int) -> None:
    """The quick cutter knows the delimiter: orderly quotes are told by what stands beside them."""
    expected = [raw[row.start : row.end] for row in rows(raw, delimiter="\t")]
    cuts = list(cut_rows(io.BytesIO(raw), size, 10**6, delimiter="\t"))
    found = [cut.payload[row.start : row.end] for cut in cuts for row in rows(cut.payload, delimiter="\t")]
    assert found == expected


def test_a_byte_order_mark_and_line_ends_of_windows() -> None:
    raw = b'\xef\xbb\xbfid\ttext\r\n1\t"a\r\nb"\r\n2\tc, d\r\n'
    chosen = CsvTable(choice=FieldChoice(("text",), ("id",)), delimiter="\t")
    assert through(chosen, raw) == b'\xef\xbb\xbfid\ttext\r\n1\t"A\r\nB"\r\n2\tC, D\r\n'


@pytest.mark.parametrize("wanted", ["", ";;", "\n", '"', "\0", "§", "a", "1", "tab"])
def test_a_delimiter_is_one_character(wanted: str) -> None:
    with pytest.raises(ParameterError, match="delimiter must be one ASCII character"):
        CsvTable(choice=FieldChoice(), delimiter=wanted)


def test_the_format_is_told_by_the_ending() -> None:
    for name in ("in.tsv", "in.TSV.gz", "in.tab"):
        reader = FormatChoice().reader([name])
        assert isinstance(reader, CsvTable)
        assert reader.delimiter == "\t"
    assert FormatChoice(delimiter=r"\t").reader(["in.csv"]) == CsvTable(choice=FieldChoice(), delimiter="\t")
    assert FormatChoice(delimiter=";").reader(["in.csv"]) == CsvTable(choice=FieldChoice(), delimiter=";")
    for name in ("in.tsv", "in.jsonl", "in.txt"):
        with pytest.raises(ParameterError, match="`delimiter` needs `corpus_format` csv; got"):
            FormatChoice(delimiter=";").reader([name])


HINTS = [
    (b"id;text\n1;" + SECRET.encode(), ",", "It looks separated by semicolons: give `delimiter=';'`."),
    (b'id\t"text"\n', ",", "It looks separated by tabs: give `corpus_format=tsv`."),
    (b"id,text\n", "\t", "It looks separated by commas: give `delimiter=','`."),
    (b"id|text|x, y\n", ",", "It looks separated by bars: give `delimiter='|'`."),
    (b"id,Text\n", ",", "Columns are separated by commas; 2 were found. Did you mean 'Text'?"),
    (b"id;txt\n", ";", "Did you mean 'txt'?"),
    (SECRET.encode() + b",b\n", ",", "Name another with `sanitized` or `kept`."),
    (b"text,text\n", ",", "it does so 2 times. Columns are separated by commas; 2 were found. Rename one."),
]


@pytest.mark.parametrize(("raw", "delimiter", "hint"), HINTS, ids=[hint for _, _, hint in HINTS])
def test_a_header_row_that_lacks_the_column_gets_a_hint(raw: bytes, delimiter: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        through(CsvTable(choice=FieldChoice(), delimiter=delimiter), raw)
    assert str(caught.value).endswith(hint)
    assert SECRET not in str(caught.value)


def test_several_names_in_one_are_told_to_be_repeated() -> None:
    with pytest.raises(InputError, match="To name several, repeat `sanitized` or `kept` for each"):
        through(CsvTable(choice=FieldChoice(("title,body",))), b"title,body\n")
