"""JSON arrays: read as a stream, written as an array again; whatever is none ends it in one line."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpora.test_formats import SECRET

from textveil.corpora.formats.json_records import JsonArray
from textveil.corpora.formats.records import Cut, FieldChoice
from textveil.errors import InputError

PLAIN = JsonArray(choice=FieldChoice())
KEPT = FieldChoice(("text",), ("id",))


def through(raw: bytes, choice: FieldChoice = PLAIN.choice, size: int = 2**19, limit: int = 2**24) -> bytes:
    """Every text in capital letters; the first fault is raised."""
    array = JsonArray(choice=choice, max_document_bytes=limit)
    stream = io.BytesIO()
    sink = array.sink(stream)
    upcoming = 1
    for cut in array.cut(io.BytesIO(raw), size):
        assert cut.first == upcoming
        upcoming += cut.count
        records = array.records(cut.payload, cut.first)
        if records.faults:
            raise InputError(records.faults[0].reason)
        sink.write(records.joined([[text.upper() for text in texts] for texts in records.texts]))
    sink.close()
    return stream.getvalue()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    records=st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), JSON)),
    size=st.integers(1, 50),
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
)
@settings(deadline=None)
def test_an_array_is_the_same_however_it_is_read_and_indented(
    records: list[tuple[str, Any]], size: int, indent: int | None, ascii_only: bool
) -> None:
    rows = [{"text": text, "id": other} for text, other in records]
    raw = json.dumps(rows, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    try:
        found = json.loads(through(raw, KEPT, size))
    except InputError as error:  # lone surrogates that stand there by themselves
        assert "must be UTF-8" in str(error)
        return
    assert found == [{"text": text.upper(), "id": other} for text, other in records]


def test_kept_values_stay_to_the_letter_in_the_order_of_the_first_record() -> None:
    digits = "9" * 6000
    raw = (
        '\ufeff [ {"id" : ' + digits + ',\n "text": "a", "ssn": 1},\r\n {"text":"b","id":1.50e+400 } , '
        '{"text": "c", "id": {"x":\n[NaN, "\\u00e9"]}}]\n'
    )
    assert through(raw.encode(), KEPT).decode() == (
        '[\n{"id": ' + digits + ', "text": "A"},\n{"id": 1.50e+400, "text": "B"},\n'
        '{"id": {"x": [NaN, "\\u00e9"]}, "text": "C"}\n]\n'
    )


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_strings_are_texts_by_themselves(size: int) -> None:
    assert through(b'["one", null, "t\\nwo"]', size=size) == b'[\n"ONE",\nnull,\n"T\\nWO"\n]\n'


def test_an_empty_array_has_no_records() -> None:
    assert through(b" [ ] ") == b"[]\n"
    assert list(PLAIN.cut(io.BytesIO(b"[]"), 9)) == []


S = SECRET.encode()
BROKEN = [
    (b'{"text": "' + S + b'"}', "must be a JSON array of records; got an object. Give `corpus_format=jsonl`"),
    (S, "must be a JSON array of records; got something else"),
    (b"[" + S + b"]", "record 1 must be valid JSON; it is not, or the input ends within it."),
    (b'["a", ]', "record 2 must be valid JSON"),
    (b'["a" "' + S + b'"]', "record 1 must be followed by a comma or the end of the array; it is not."),
    (b'["a", "b"', "the array must end with ]; the input ends before. Copy the whole file."),
    (b'["a", "b",', "the array must end with ]; the input ends before. Copy the whole file."),
    (b"[", "the array must end with ]; the input ends before. Copy the whole file."),
    (b'["a", "' + S, "record 2 must be valid JSON; it is not, or the input ends within it."),
    (b'["a"] "' + S + b'"', "nothing may follow the array; more does."),
    (b'["a", {"text": "' + S + b'"}]', "record 2 must be a string, as the first record is; got an object."),
    (b'[{"text": "a"}, "' + S + b'"]', "record 2 must be one JSON object; got a string."),
    (b'[["' + S + b'"]]', "record 1 must be one JSON object; got a list."),
    (b'[{"text": NaN}]', "record 1: the field 'text' must be a string; got a number."),
    (b'[{"text": "a", "text": "b"}]', "record 1 must name the field 'text' once"),
    (b'[{"Text": "' + S + b'"}]', "record 1 must have the field 'text'; it has not. Did you mean 'Text'?"),
    (b'[{"text": "' + S + b'\xff"}]', "record 1 must be UTF-8; byte"),
    (b'["a\nb"]', "record 1 must be valid JSON"),
    (b"[" * 100_000, "record 1 must be valid JSON"),
]


@pytest.mark.parametrize("size", [3, 10**6])
@pytest.mark.parametrize(("raw", "message"), BROKEN, ids=[message[:50] for _, message in BROKEN])
def test_what_is_no_array_is_told_by_number(raw: bytes, message: str, size: int) -> None:
    with pytest.raises(InputError) as caught:
        through(raw, size=size)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_elements_that_are_too_large() -> None:
    raw = b'["a", "' + b"b" * 200 + b'", "c"]'
    with pytest.raises(InputError, match="record 2 must have at most 100 bytes"):
        through(raw, limit=100)
    with pytest.raises(InputError, match="record 2 must be valid JSON of at most 100 bytes; it is not"):
        through(raw, limit=100, size=16)


def test_fields_of_an_array_of_strings_are_refused() -> None:
    with pytest.raises(InputError, match="an array of strings has no fields"):
        through(b'["a"]', KEPT)


def test_an_element_is_not_scanned_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time linear in the input: an element without an end is tried again only when it has doubled."""
    from textveil.corpora.formats import json_records as json_array

    tried = []
    true = json_array._element_end
    monkeypatch.setattr(json_array, "_element_end", lambda text, index: (tried.append(len(text)), true(text, index))[1])
    assert through(b'["' + b"a" * 100_000 + b'"]', size=64).startswith(b'[\n"AAA')
    assert sum(tried) < 400_000


def test_a_payload_is_about_a_piece_whatever_the_array() -> None:
    cuts: list[Cut] = []
    with pytest.raises(InputError, match="the array must end with"):
        for cut in PLAIN.cut(io.BytesIO(b"[" + b'"word", ' * 100_000), 10_000):
            assert len(cut.payload) < 30_000
            cuts.append(cut)
    assert sum(cut.count for cut in cuts) == 100_000
