"""Answers with surrogates behind escapes: originals are put back as their places are written, whole and in pieces."""

import json
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.escaping import WAYS
from tests.helpers.private_maps import map_of

from textveil.surrogates import restoring
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.restoring import Restorer
from textveil.text.escapes import Reading, read

ORIGINALS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: not read(text).escaped and text == " ".join(text.split()) and any(map(str.isalnum, text))
)


def note(original: str) -> PrivateMap:
    return map_of("Ask Zoë Miller now.", [("Zoë Miller", original, "person")])


def in_pieces(restorer: Restorer, text: str, cut: int) -> str:
    stream = restorer.stream()
    return "".join([*(stream.feed(text[at : at + cut]) for at in range(0, len(text), cut)), stream.close()])


@given(original=ORIGINALS, ascii_only=st.booleans(), layers=st.integers(1, 3), cut=st.integers(1, 40))
def test_json_with_surrogates_stays_json(original: str, ascii_only: bool, layers: int, cut: int) -> None:
    answer = {"who": "Zoë Miller", "said": 'Call\nZoë Miller, "please"\t.', "all": ["Zoë Miller", 7]}
    text = json.dumps(answer, ensure_ascii=ascii_only)
    for _ in range(layers - 1):
        text = json.dumps({"inner": text}, ensure_ascii=ascii_only)
    restorer = Restorer(note(original), in_urls="everywhere")
    for restored in (restorer.restore(text).text, in_pieces(restorer, text, cut)):
        for _ in range(layers - 1):
            restored = json.loads(restored)["inner"]
        wanted = {"who": original, "said": f'Call\n{original}, "please"\t.', "all": [original, 7]}
        assert json.loads(restored) == wanted


@pytest.mark.parametrize("way", WAYS)
@given(cut=st.integers(1, 60))
def test_surrogates_behind_escapes_are_found(way: str, cut: int) -> None:
    restorer = Restorer(note("Maria López"), in_urls="everywhere")
    text = WAYS[way]("So Zoë Miller, she came.\nZoë's aunt too")
    restored = restorer.restore(text).text
    assert "So Maria López, she came.\nMaria's aunt too" in read(restored).text
    assert "Zo" not in read(restored).text
    assert in_pieces(restorer, text, cut) == restored


def test_a_release_behind_escapes_teaches_what_is_read() -> None:
    released = '{"n": "Zo\\u00eb Miller\\n"}'
    made = map_of(released, [("Zo\\u00eb Miller", "Jos\\u00e9 Garc\\u00eda", "person")])
    restorer = Restorer(made)
    assert restorer.restore(released).text == made.original()
    assert restorer.restore("Dear Zoë Miller,").text == "Dear José García,"
    assert unquote(restorer.restore(quote("Dear Zoë Miller,")).text) == "Dear José García,"
    assert json.loads(restorer.restore('["Zo\\u00eb", "Miller"]').text) == ["José", "García"]


def test_a_number_that_is_none_any_more_is_quoted() -> None:
    made = map_of("Number 734567 is free.", [("734567", "034567", "id")])
    assert json.loads(Restorer(made).restore('{"id": 734567, "b": "734567"}').text) == {"id": "034567", "b": "034567"}


@pytest.mark.parametrize("unit", ["%25", "\\", "amp;", "%", "[at] ", "\\u00e9"])
def test_a_stream_waits_for_the_end_of_no_endless_escape(unit: str) -> None:
    """What it holds back is bounded, so each piece costs the same however long the text is."""
    stream = Restorer(note("Maria")).stream()
    given = back = 0
    for _ in range(2_000 // len(unit)):
        given += 5 * len(unit)
        back += len(stream.feed(unit * 5))
        assert given - back < 6_000
    assert back + len(stream.close()) == given


@pytest.mark.parametrize("unit", ["%25", "\\", "&amp;"])
def test_a_stream_reads_an_endless_escape_a_few_times_alone(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counting(text: str) -> Reading:
        nonlocal looked
        looked += len(text)
        return read(text)

    stream = Restorer(note("Maria")).stream()
    monkeypatch.setattr(restoring, "read", counting)
    text = unit * (6_000 // len(unit))
    given = sum(len(stream.feed(character)) for character in text)
    assert given + len(stream.close()) == len(text)
    assert looked < 600 * len(text), "the text around each character, and not all that is held back"
