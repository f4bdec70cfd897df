"""Tokens: examples of every kind, losslessness for any string, and time on hostile input."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.growth import seconds_of

from textveil.errors import ParameterError
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, fold, is_emoji, spelling, split, tokenize

W, N, P, S = Kind.WORD, Kind.NUMBER, Kind.PUNCTUATION, Kind.SPACE
EMAIL, URL, HANDLE, SCRIPT, SYMBOL, EMOJI = Kind.EMAIL, Kind.URL, Kind.HANDLE, Kind.SCRIPT, Kind.SYMBOL, Kind.EMOJI

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)

EXAMPLES = [
    # words
    ("Maria's", [("Maria's", W)]),
    ("don\u2019t", [("don\u2019t", W)]),
    ("O'Brien's", [("O'Brien's", W)]),
    ("dogs' 'tis", [("dogs", W), ("'", P), (" ", S), ("'", P), ("tis", W)]),
    ("well-known", [("well", W), ("-", P), ("known", W)]),
    ("foo_bar", [("foo", W), ("_", P), ("bar", W)]),
    ("Café", [("Café", W)]),
    ("Cafe\u0301s", [("Cafe\u0301s", W)]),
    ("Straße Øre", [("Straße", W), (" ", S), ("Øre", W)]),
    ("\ufb01ne \uff21\uff22 \U0001d4d0", [("\ufb01ne", W), (" ", S), ("\uff21\uff22", W), (" ", S), ("\U0001d4d0", W)]),
    ("Hawai\u02bbi", [("Hawai\u02bbi", W)]),
    ("\u00b5g", [("\u00b5g", W)]),
    # what cannot be seen goes with the word or number that holds it
    ("se\u00adcret", [("se\u00adcret", W)]),
    ("\ufeffMaria\u200b,", [("\ufeffMaria\u200b", W), (",", P)]),
    ("pass\u200b\u200dword", [("pass\u200b\u200dword", W)]),
    ("a'\u200bb", [("a'\u200bb", W)]),
    ("\u200e12\u200f", [("\u200e12\u200f", N)]),
    ("a\U000e0041\U000e0042b", [("a\U000e0041\U000e0042b", W)]),
    # numbers
    ("1,000.50.", [("1,000.50", N), (".", P)]),
    ("-.5", [("-", P), (".", P), ("5", N)]),
    ("covid19", [("covid", W), ("19", N)]),
    ("10mg B2B", [("10", N), ("mg", W), (" ", S), ("B", W), ("2", N), ("B", W)]),
    ("\u0661\u0662\u0663", [("\u0661\u0662\u0663", N)]),
    ("5\ufe0f\u20e3", [("5\ufe0f\u20e3", N)]),
    # punctuation and space
    ("$5\u20ac!", [("$", P), ("5", N), ("\u20ac", P), ("!", P)]),
    ("\u201cHi\u201d\u2026", [("\u201c", P), ("Hi", W), ("\u201d", P), ("\u2026", P)]),
    ("a\r\n\tb\u3000\u2028", [("a", W), ("\r\n\t", S), ("b", W), ("\u3000\u2028", S)]),
    # e-mail addresses, URLs, handles
    (
        "<john.o'hara+x@mail.example.co.uk>.",
        [("<", P), ("john.o'hara+x@mail.example.co.uk", EMAIL), (">", P), (".", P)],
    ),
    ("jos\u00e9@x.com", [("jos\u00e9@x.com", EMAIL)]),
    ("jose\u0301@x.com", [("jose\u0301@x.com", EMAIL)]),
    ("a@b.com--so", [("a@b.com", EMAIL), ("-", P), ("-", P), ("so", W)]),
    ("a@b", [("a", W), ("@", P), ("b", W)]),
    ("(http://x.com/a?q=1).", [("(", P), ("http://x.com/a?q=1", URL), (")", P), (".", P)]),
    ("*http://x.y/*?!", [("*", P), ("http://x.y/", URL), ("*", P), ("?", P), ("!", P)]),
    ("https://x.org/Foo_(bar).", [("https://x.org/Foo_(bar)", URL), (".", P)]),
    ("WWW.Example.com, ftp://x", [("WWW.Example.com", URL), (",", P), (" ", S), ("ftp://x", URL)]),
    ("\u4f60http://x.y\u3002", [("\u4f60", SCRIPT), ("http://x.y", URL), ("\u3002", P)]),
    ("http:// www.", [("http", W), (":", P), ("/", P), ("/", P), (" ", S), ("www", W), (".", P)]),
    ("@jane_d: hi", [("@jane_d", HANDLE), (":", P), (" ", S), ("hi", W)]),
    ("@jane@social.example.", [("@jane@social.example", HANDLE), (".", P)]),
    ("@\u200bjane", [("@\u200bjane", HANDLE)]),
    ("\u4f60www.a@b.c", [("\u4f60www.a@b.c", EMAIL)]),
    ("\u4f60" * 70 + "www.a@b.c", [("\u4f60" * 70, SCRIPT), ("www.a@b.c", URL)]),
    ("@2.50", [("@", P), ("2.50", N)]),
    # other writings
    ("\u043f\u0440\u0438\u0432\u0435\u0442", [("\u043f\u0440\u0438\u0432\u0435\u0442", SCRIPT)]),
    ("A\u02b4", [("A\u02b4", SCRIPT)]),  # a modifier letter that has a spelling, not in a-z
    ("p\u0430ypal", [("p\u0430ypal", SCRIPT)]),  # with a Cyrillic a
    ("\u0928\u092e\u0938\u094d\u200d\u0924\u0947", [("\u0928\u092e\u0938\u094d\u200d\u0924\u0947", SCRIPT)]),
    ("\u4f60\u597d\uff0c", [("\u4f60\u597d", SCRIPT), ("\uff0c", P)]),
    ("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", [("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", SCRIPT)]),
    ("\u05e9\u05dc\u05d5\u05dd\u200f 3", [("\u05e9\u05dc\u05d5\u05dd\u200f", SCRIPT), (" ", S), ("3", N)]),
    # symbols
    ("\U0001f469\u200d\U0001f4bbok", [("\U0001f469\u200d\U0001f4bb", EMOJI), ("ok", W)]),
    ("\U0001f44d\U0001f3fd\U0001f1eb\U0001f1f7", [("\U0001f44d\U0001f3fd\U0001f1eb\U0001f1f7", EMOJI)]),
    ("\u2764\ufe0f \u00bd", [("\u2764\ufe0f", EMOJI), (" ", S), ("\u00bd", SYMBOL)]),
    ("\u0301 \u2163\u2122", [("\u0301", SYMBOL), (" ", S), ("\u2163\u2122", SYMBOL)]),
    (
        "\u00bd\u2764\ufe0f\u2192",
        [("\u00bd", SYMBOL), ("\u2764\ufe0f", EMOJI), ("\u2192", SYMBOL)],
    ),
    ("5\ufe0f\u20e3\u200d\U0001f44d.", [("5\ufe0f\u20e3\u200d", N), ("\U0001f44d", EMOJI), (".", P)]),
    ("\u00a9\u2122\u203c", [("\u00a9\u2122", SYMBOL), ("\u203c", P)]),
    ("a\x00b\ud800", [("a", W), ("\x00", SYMBOL), ("b", W), ("\ud800", SYMBOL)]),
    ("\u202e!\ue000", [("\u202e", SYMBOL), ("!", P), ("\ue000", SYMBOL)]),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[ascii(text) for text, _ in EXAMPLES])
def test_examples(text: str, expected: list[tuple[str, Kind]]) -> None:
    assert [(text[start:end], kind) for start, end, kind in tokenize(text)] == expected


def test_the_examples_show_every_kind() -> None:
    assert {kind for _, tokens in EXAMPLES for _, kind in tokens} == set(Kind)


def test_every_kind_passes_or_is_drawn_or_has_a_placeholder() -> None:
    assert set(PLACEHOLDERS) == set(Kind) - {W, N, P, S}
    assert all(text == f"[{kind.name.lower()}]" for kind, text in PLACEHOLDERS.items())


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_lossless_and_consistent_for_any_string(text: str) -> None:
    surfaces = split(text)
    assert "".join(surfaces) == text
    assert all(surfaces)
    tokens = tokenize(text)
    assert [text[start:end] for start, end, _ in tokens] == surfaces
    assert [kind for _, _, kind in tokens] == list(map(classify, surfaces))


def test_a_code_point_alone_has_the_kind_of_its_category() -> None:
    passing = {"P", "Sc"}
    for code in (*range(0x3400), *range(0xA000, 0xAC00), *range(0xD7A0, 0x11000), *range(0x1F000, 0x1FB00), 0xE0001):
        character = chr(code)
        category = unicodedata.category(character)
        kind = classify(character)
        if character in "\x1c\x1d\x1e\x1f":
            assert kind is SYMBOL
        elif character.isspace():
            assert kind is S
        elif category == "Nd":
            assert kind is N
        elif category[0] in passing or category in passing or (code < 128 and category[0] in "PS"):
            assert kind is P
        elif category[0] == "L":
            assert kind in (W, SCRIPT) if spelling(character) else kind is SYMBOL
        else:
            assert kind is (EMOJI if is_emoji(character) else SYMBOL)
        if kind is W:
            assert set(fold(character)) <= set("abcdefghijklmnopqrstuvwxyz") and fold(character)


def test_only_single_tokens_get_a_kind_that_passes() -> None:
    assert classify("two words") is SYMBOL
    assert classify("see http://x.com") is SYMBOL
    assert classify("..") is SYMBOL
    assert classify("1 2") is SYMBOL
    with pytest.raises(ParameterError):
        classify("")


PIECES = [
    *("a@", "@a", "@a.", "a@a.", "a@a-", "a.b@", "http://", "http://a(", "http://a( ", "www.", "a'", "'"),
    *(
        ".",
        "a.",
        "1,",
        "@1",
        "a-",
        "(",
        "a",
        "e\u0301",
        "\u200b",
        "\u200b!",
        "\U0001f469\u200d",
        "@1@a.b ",
        "a" * 63 + "@",
    ),
    *("a." * 31 + "a@" + "b" * 60 + " ", "http://" + "." * 90 + " ", "http://a(,http://b", "\u200ba\u0301"),
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_a_megabyte_of_anything_takes_linear_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))

    def classified() -> None:
        for surface in set(split(text)):
            classify(surface)

    assert seconds_of(classified, 1) < 60  # about 0.1 s; quadratic time would take minutes
    assert "".join(split(text)) == text
