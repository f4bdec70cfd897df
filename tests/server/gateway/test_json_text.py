"""JSON inside strings: taken apart and restored, however it is written and cut."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.json_text import Leaf, LeafKind, leaves
from textveil.server.gateway.json_text import RestoringJson, as_json, canonical, with_quoted_draws
from textveil.server.gateway.reading import RequestReading, written
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer

_TEXT = st.text(st.characters(codec=None), max_size=8)  # lone surrogates too
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)
_OBJECTS = st.lists(_DATA, max_size=4) | st.dictionaries(_TEXT, _DATA, max_size=4)

MAP = PrivateMap(
    released='Anna Müller, "x" 7132.',
    replaced=(Replaced(0, 11, 'Maria "Go" \\ Ü😀', "person"), Replaced(17, 21, "4481", "number")),
)
RESTORER = Restorer([MAP, MAP])  # two: told by mention alone


def restored(text: str, cuts: list[int]) -> str:
    stream = RestoringJson(RESTORER)
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    return "".join(stream.feed(piece) for piece in pieces) + stream.close()


@given(_OBJECTS, st.booleans(), st.sampled_from([None, 1]))
def test_leaves_put_together_are_the_text(data: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    parts = leaves(text)
    assert parts is not None
    assert "".join(part.written if isinstance(part, Leaf) else part for part in parts) == text
    new = 'ü😀"\\\n'
    other = leaves("".join(part if isinstance(part, str) else part.with_text(new) for part in parts))
    assert other is not None and len(other) == len(parts)
    assert {part.text for part in other if isinstance(part, Leaf)} <= {new}


@given(_OBJECTS, st.booleans(), st.lists(st.integers(0, 200), max_size=6))
def test_what_has_no_surrogate_comes_out_with_the_same_meaning(data: Any, ascii_only: bool, cuts: list[int]) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only)
    assert json.loads(restored(text, cuts)) == data


@pytest.mark.parametrize("ascii_only", [True, False])
def test_surrogates_are_found_however_the_text_is_cut(ascii_only: bool) -> None:
    data = {"who": "Ask Anna Müller now", "n": 7132, "more": [71.5, "7132", True, None, "a\n"], "Anna Müller": -1e9}
    text = json.dumps(data, ensure_ascii=ascii_only)
    original = 'Maria "Go" \\ Ü😀'
    wanted = {"who": f"Ask {original} now", "n": 4481, "more": [71.5, "4481", True, None, "a\n"], original: -1e9}
    outcomes = {restored(text, list(range(0, len(text), step))) for step in range(1, 12)}
    assert len(outcomes) == 1 and json.loads(outcomes.pop()) == wanted


@pytest.mark.parametrize(
    "text",
    ["", "no JSON", '{"a', '"\\', '"\\u12', '"\\ud83d', '"\\ud83d\\', '"\\x"', "{]", '"\\ud83d\\ud83d\\ude00"', "7132"],
)
def test_what_is_no_json_comes_out_too(text: str) -> None:
    assert restored(text, list(range(len(text)))) == restored(text, [])
    assert len(restored(text, [])) >= len(text) - 12


@pytest.mark.parametrize(
    "text", ["", "x", "3", '"x"', "null", "{", "[1,]", '{"a": NaN}', "[" * 200 + "]" * 200, "{} x"]
)
def test_what_has_no_leaves(text: str) -> None:
    assert leaves(text) is None


def test_kinds_of_leaves_and_what_stands_in_their_places() -> None:
    parts = leaves(' {"a" : [1.50, true, null, "\\u00e9"]}')
    assert parts is not None
    found = [part for part in parts if isinstance(part, Leaf)]
    assert [(one.kind, one.text) for one in found] == [
        (LeafKind.KEY, "a"), (LeafKind.NUMBER, "1.50"), (LeafKind.WORD, "true"), (LeafKind.STRING, "é"),
    ]  # fmt: skip
    number, word = found[1], found[2]
    assert [number.with_text(one) for one in ("1.50", "27", "[n]", "01")] == ["1.50", "27", '"[n]"', '"01"']
    assert [word.with_text(one) for one in ("true", "false", "cat")] == ["true", "false", '"cat"']


def test_one_spelling_for_texts_that_say_the_same() -> None:
    assert canonical('{"b": 1, "a": "\\u00e9"}') == canonical('{"a":"é","b":1}') != canonical('{"a":"e","b":1}')
    assert canonical("no JSON") == "no JSON"


def test_json_is_written_as_utf_8_and_numbers_that_it_has_not_are_refused() -> None:
    assert as_json({"a": "é😀"}) == '{"a":"é😀"}'.encode()
    assert as_json({"a": "\ud800"}) == b'{"a":"\\ud800"}'
    with pytest.raises(ValueError, match="JSON"):
        as_json({"a": float("nan")})


def test_one_spelling_for_what_clients_write_again() -> None:
    """Python and JavaScript differ in white space, escapes, and the fraction of whole numbers."""
    written = r'{"a": [1.0, -0.0, 2.50, 1e3], "b": "\u00e9"}'
    assert canonical(written) == canonical('{"b":"é","a":[1,0,2.5,1000]}')
    for other in ('{"a": [1.5, 0, 2.5, 1000], "b": "é"}', '{"a": ["1", 0, 2.5, 1000], "b": "é"}'):
        assert canonical(other) != canonical(written)
    assert canonical('{"a": NaN}') == '{"a": NaN}' and canonical("{") == "{"


@pytest.mark.parametrize(
    ("released", "wanted"),
    [
        ('{"a": [05.6, -07, true], "n": 05}', '{"a": ["05.6", "-07", true], "n": "05"}'),
        ('{"a 05": "05 \\" 06", "b": 5.06}', '{"a 05": "05 \\" 06", "b": 5.06}'),
        ("[00, [-0123], null]", '["00", ["-0123"], null]'),
        ('{"a": [phone], "b": [[e-mail], [true], [1]]}', '{"a": "[phone]", "b": ["[e-mail]", [true], [1]]}'),
        ("[Anna, 05]", "[Anna, 05]"),
        ("[[Anna]]", "[[Anna]]"),
        ('[05, "' + '\\"' * 40_000 + "]", '[05, "' + '\\"' * 40_000 + "]"),
        ('{"a": 05', '{"a": 05'),
        ("05 apples", "05 apples"),
    ],
)
def test_what_json_has_not_is_put_in_quotes(released: str, wanted: str) -> None:
    assert with_quoted_draws(released) == wanted


def test_only_the_release_decides_on_quotes() -> None:
    """Else a draw of 05 would tell whether its number began with a zero, with which no JSON is written."""
    places = [RequestReading(None, escapes=True).text(text, "input", "output") for text in ("[15]", "[05]")]
    assert [written(place, ["[06]"]) for place in places] == ['["06"]', '["06"]']
