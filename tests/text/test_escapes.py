"""Texts read through their escapes: what is read, where it is written, and how a value is written there."""

import json
import re
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.escaping import WAYS
from tests.helpers.growth import seconds_of

import textveil as tv
from textveil.text.escapes import BORDER, DEEPEST, Places, Quotes, open_end, read, straight

PLAIN = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\\+"),
        st.sampled_from("Zoë ab\n\t\"'%&;<>/{}[]:,=#u0041é😀"),
    ),
    max_size=30,
).filter(lambda text: not read(text).escaped)
"""Texts in which nothing looks like an escape; HTML has no references to control characters."""

NESTED = st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=4)


def nested(text: str, ways: list[str]) -> str:
    for way in ways:
        text = WAYS[way](text)
    return text


@given(text=PLAIN, ways=NESTED, around=st.tuples(PLAIN, PLAIN))
def test_a_text_is_read_through_any_nesting_of_escapes(text: str, ways: list[str], around: tuple[str, str]) -> None:
    reading = read(nested(text, ways))
    assert reading.whole
    start = reading.text.find(text)
    assert start >= 0
    places = [reading.written(start + at, start + at + 1) for at in range(len(text))]
    assert all(end <= begin for (_, end), (begin, _) in pairwise(places))
    for at, (begin, end) in enumerate(places):
        assert reading.inner(begin)[0] == start + at == reading.inner(end)[1] - 1
        assert reading.value(begin, end) == text[at]
        assert all(reading.inner(cut) == (start + at, start + at + 1) for cut in range(begin + 1, end))
    outer = read(f"{around[0]} {reading.source} {around[1]}")
    assert text in outer.text


PIECES = st.sampled_from(
    ["a", "Z", "7", " ", "\n", "\\", "{", "}", "\\begin{x}", "\\o", "\\ss ", "\\'e", '\\"{u}', "{\\'",
     "\\\\opening{", "\\n", "\x1b[31m", "\\e[0m", "\\033[1m", "\x1b]0;t\x07",
     "%C3%A9", "%u00e9", "\\u00e9", "\\xc3\\xa9", "&eacute;", "&amp;",
     "+", "</b><b>", "Mac<b>C", "<wbr>", BORDER, " [at] ", "(dot)", "\u0430", "\U000e0041", "\ufe00\ufe01", "\ud800",
     "q=a+b", "=20"]
)  # fmt: skip


@given(pieces=st.lists(PIECES))
def test_any_escapes_beside_each_other_are_read_in_order(pieces: list[str]) -> None:
    text = "".join(pieces)
    for reading in (read(text), straight(text)):
        ends = [reading.written(at, at + 1) for at in range(len(reading.text))]
        assert all(start < end <= following for (start, end), (following, _) in pairwise([*ends, (len(text), 0)]))


@pytest.mark.parametrize("before", ["", "\x1b[31m", BORDER, "\x1b]0;t\x07"])
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\\cite{Ren\\'e}", "\\cite{René}"),
        ("\\cite{R} Gr\\\\o en", "\\cite{R} Gr\\øen"),
        ("Mac<b>Co</b>", "MacCo</b>"),
    ],
)
def test_an_escape_before_others_hides_none(before: str, text: str, plain: str) -> None:
    assert read(before + text).text == plain


@given(text=st.text())
def test_any_text_is_read_and_each_character_tells_where_it_is_written(text: str) -> None:
    reading = read(text)
    ends = [reading.written(at, at + 1) for at in range(len(reading.text))]
    assert [start for start, _ in ends] == sorted({start for start, _ in ends})
    assert all(text[start:end] == one for (start, end), one in zip(ends, reading.text, strict=True) if end - start == 1)
    assert reading.start(len(reading.text)) == len(text) or text.endswith(BORDER)
    if not any(mark in text for mark in "\\%&+[({<" + BORDER):
        assert not reading.escaped and reading.text == text


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("maria [at] example [dot] org", "maria@example.org"),
        ("maria(AT)mail.example(DOT)org", "maria@mail.example.org"),
        ("look (at) me [at] home", None),
        ("q=Maria+Lopez&tel=+1+555", "q=Maria Lopez&tel=+1 555"),
        ("1 + 1", None),
        ("URL=postgresql://bob:p+w@db/x?n=a", None),
        ("q=a+b&u=x://bob:p+w@h/?n=a+b@c", "q=a b&u=x://bob:p+w@h/?n=a b@c"),
        ("mail=a%2Bb%40x.org", "mail=a+b@x.org"),
        ("%E9t%E9 %u00e9 %C3%A9", "été é é"),
        ("B0cA4I%aatid89 K7x%ebq Jos%e9 m%aaria", "B0cA4I%aatid89 K7x%ebq José mªria"),
        ("b'caf\\xc3\\xa9', 'caf\\xe9', \\u{e9}, \\U0001F600", "b'café', 'café', é, 😀"),
        ("\\ud83d\\ude00 \\\\ud83d\\\\ude00", "😀 😀"),
        ("&eacute;&#233;&amp;eacute; AT&T; &nosuch;", "ééé AT&T; &nosuch;"),
        ("100% of 5%, R&D (at 7)", None),
        ("\x1b[1mMaria\x1b[0m PASSWORD\x1b[m=\x1b[38;5;241mpw", "Maria PASSWORD=pw"),
        ("\\u001b[31mMaria\\u001b[0m \\033[1;31mLopez\\e[0m ^[[32mx^[[m", "Maria Lopez x"),
        ("\x1b]8;;http://h/\x07Maria\x1b]8;;\x07 \x9b1mLopez \x1b[31", "Maria Lopez \x1b[31"),
        ("\x1b(B\x1b[mMaria\x1b(0 \x1b#8Lopez\x1b= \x1b7x\x1b8 \x1bPq#0\x1b\\y \\033(Bw", "Maria Lopez x y w"),
        ("\x1bMaria \x1bLopez", None),
        ("a[0m [31m] \\03[1m ^[1m", None),
        (f"Ma{BORDER}ria \\u00{BORDER}e9", "Maria é"),
        ("\ufeff{'a': \"x\\ny\", b: NaN,}", "\ufeff{'a': \"x\ny\", b: NaN,}"),
    ],
)
def test_escapes_of_every_kind(written: str, wanted: str | None) -> None:
    assert read(written).text == (written if wanted is None else wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["\\", "%25", "amp;", "\\u00e9", "%C3%A9", "&lt;", "=a+", "=x://a+@ ", "=x://a+", "a [at] ", '\\\\"', "\\x41", "="],
)
def test_reading_takes_time_in_proportion_to_the_length(unit: str) -> None:
    """Sixteen times the text takes sixteen times as long; if any expression went back, 256 times."""

    short, long = (seconds_of(lambda text="&" + unit * count: read(text)) for count in (3_000, 48_000))
    assert long < 100 * max(short, 1e-4)
    assert open_end(("&" + unit * 100)[-256:]) <= 256


def test_layers_beyond_the_bound_are_told() -> None:
    text = "Zoë"
    for _ in range(DEEPEST):
        text = "".join(f"%{byte:02x}" for byte in text.encode()) if text[0] == "&" else f"&#{ord(text[0])};{text[1:]}"
    assert read(text).whole
    assert not read("%26#37;" + "26#37;" * 100).whole
    assert read(quote(quote(json.dumps(json.dumps(json.dumps("Zoë")))))).whole


@given(value=PLAIN, ways=NESTED)
def test_a_value_is_written_as_its_place_is(value: str, ways: list[str]) -> None:
    """In place of a name that is escaped itself, or in JSON alone: read back, the text holds the value there."""
    source = nested("Zoë Lopez", ways)
    reading = read(source)
    start = reading.text.index("Zoë Lopez")
    begin, end = reading.written(start, start + 9)
    released = source[:begin] + Places(reading).written(value, begin, end) + source[end:]
    assert value in read(released).text


@pytest.mark.parametrize("layers", [1, 2, 3])
@given(value=st.text(st.characters(exclude_categories=["Cs"])), data=st.data())
def test_json_stays_json(layers: int, value: str, data: st.DataObject) -> None:
    ascii_only = data.draw(st.booleans())
    text = {"note": 'Of\nZoë Lopez, "yes"', "names": ["Zoë Lopez"]}
    source = json.dumps(text, ensure_ascii=ascii_only)
    for _ in range(layers - 1):
        source = json.dumps({"text": source}, ensure_ascii=ascii_only)
    reading = read(source)
    places, parts, at, found = Places(reading), [], 0, reading.text.find("Zoë Lopez")
    while found >= 0:
        begin, end = reading.written(found, found + 9)
        parts += [source[at:begin], places.written(value, begin, end)]
        at, found = end, reading.text.find("Zoë Lopez", found + 1)
    released = "".join([*parts, source[at:]])
    for _ in range(layers - 1):
        released = json.loads(released)["text"]
    assert json.loads(released) == {"note": f'Of\n{value}, "yes"', "names": [value]}


def test_a_number_that_becomes_none_is_a_string() -> None:
    source = '{"a\\n": 123456, "b": [1], "c": "123456"}'
    reading = read(source)
    places = Places(reading)
    assert places.written("034567", 8, 14) == '"034567"'
    assert places.written("034567", source.rindex("1"), source.rindex("6") + 1) == "034567"
    assert Places(reading).written("734567", 8, 14) == "734567"


@given(text=st.text(st.sampled_from('\\"a :,\n'), max_size=30), cut=st.integers(0, 30))
def test_quotes_are_counted_in_pieces_as_in_the_whole(text: str, cut: int) -> None:
    whole, pieces = Quotes(), Quotes()
    whole.feed(text)
    pieces.feed(text[:cut])
    pieces.feed(text[cut:])
    assert whole.strings == pieces.strings


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\signature{Dr.~Ren\'{e} M\"{u}ller-L\"{u}denscheidt}", "\\signature{Dr.~René Müller-Lüdenscheidt}"),
        (
            r"\cite{x} Ren\'e, M\"uller, Stra\ss e, \c{c}a, {\o}rsted, {\c c}",
            "\\cite{x} René, Müller, Straße, ça, ørsted, ç",
        ),
        (r"author={G{\"o}del and {\L}ukasiewicz and Erd\H{o}s}", "author={Gödel and Łukasiewicz and Erdős}"),
        (r"\v{Z}i\v{z}ek \'{\i} \k{a}", "Žižek í ą"),
        ("<em>Od</em><em>hrán</em> Mac<b>Conville</b>", "<em>Odhrán</em> MacConville</b>"),
    ],
)
def test_accents_of_latex_and_tags_within_words_are_read_through(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        r"it\'s and don\'t",
        r"{\"user\": \"ada\", \"email\": \"x\"}",
        r"\begin{x} {\"user\": \"ada\"}",
        r"\alpha \beta \int \item \cos \ldots",
        "List<b>a and <td>Ada</td><td>Zuse</td> and Ada<br>Zuse",
    ],
)
def test_what_looks_like_an_accent_or_an_inner_tag_is_none(text: str) -> None:
    assert not set(read(text).text) & set("śťüëâïöẗḧñàé")
    assert "Listaand" not in read(text).text.replace(" ", "")
    assert "AdaZuse" not in read(text).text


@pytest.mark.parametrize("policy", ["identifiers", "clinical", "prompts"])
def test_no_tag_hides_a_value(policy: str) -> None:
    """Neither one with attributes, nor one behind an escape whose letter might be a word's."""
    sanitizer = tv.Sanitizer(policy)
    for tag, value in {
        'a href="mailto:{}"': "ayo.lund@corp.example",
        'span title="call {}"': "+44 20 7946 0409",
    }.items():
        page = f"<p>it</p>\n<{tag.format(value)}>mail</a> us, sit<{tag.format(value)}>uation"
        for written in (page, json.dumps({"output": page}), json.dumps(json.dumps(page))):
            assert value not in sanitizer(written).text
    written = json.dumps("Dear all,\n<b>malik thompson</b> wrote; Malik Thompson did.\n<em>malik</em>")
    assert "malik" not in sanitizer(written).text.lower()


def test_a_value_with_tags_in_it_keeps_them() -> None:
    release = tv.Sanitizer("identifiers")("<p>signed <em>Od</em><em>hrán</em> Mac<b>Conville</b></p>").text
    assert [release.count(tag) for tag in ("<em>", "</em>", "<b>", "</b>")] == [2, 2, 1, 1]
    assert not {"Od", "hrán", "Conville"} & set(re.split(r"[<>/ ]", release))
