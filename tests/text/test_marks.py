"""White space and punctuation in plain form: a small set of characters, short runs, and nothing else changed."""

import re
import string
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.growth import is_linear

from textveil.errors import ParameterError
from textveil.text import marks
from textveil.text.codes import TextCodes, token_kinds
from textveil.text.marks import (
    BLANK,
    DROPPED,
    LONGEST_RUN,
    MARK,
    ODD,
    PLAIN,
    is_plain,
    is_unseen,
    plain_gaps,
    plain_mark,
    short_runs,
    with_plain_marks,
)
from textveil.text.numbers import plain_number
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split, tokenize

WORDS = ["the", "cat"]
CODES = TextCodes(WORDS)
KEPT = TextCodes(WORDS, marks="keep")

# Every code point but surrogates, which no file can hold (one of them stands for all in the test of any string).
EVERYTHING = [*map(chr, range(0xD800)), *map(chr, range(0xE000, 0x110000))]


def pieces(made: TextCodes, *texts: str) -> list[list[tuple[str, int]]]:
    """What is released for each code of each text, every word drawn as itself, with the kind that it begins."""
    coded = made.encode(texts)
    kinds = token_kinds(coded, made.legend).tolist()
    strings = made.legend.written[coded.codes].tolist()
    return [list(zip(strings[a:b], kinds[a:b], strict=True)) for a, b in pairwise(coded.bounds.tolist())]


def plain(*texts: str) -> list[str]:
    return ["".join(one for one, _ in row) for row in pieces(CODES, *texts)]


EXAMPLES = [
    ("the  cat", "the cat"),
    ("the\u2009cat\u00a0the\u3000cat\tthe", "the cat the cat the"),
    ("the \r\n \n\n\t the\rcat", "the\n\nthe cat"),
    ("the\u2028cat\x0bthe\x85", "the cat the "),
    ("\u201cthe\u201d \u2018cat\u2019 \u00abthe\u00bb \u300ccat\u300d", '"the" \'cat\' "the" "cat"'),
    ("the\u2014cat \u2013 the\u2026", "the-cat - the..."),
    ("\u00bfthe? \u00a1cat! the\u00bfcat", "the? cat! the cat"),
    ("the\u3001cat\u3002the\uff01\uff08cat\uff09", "the,cat.the!(cat)"),
    ("5\u20ac \u00a35 \u00a5", "5$ $5 $"),
    ("the!!!!!! ?!?!?! cat", "the!!! ?!? cat"),
    ("the\u2026\u2026 !\u00bf!\u00bf!\u00bf! cat", "the... !!! cat"),
    ("the \u200b cat \ufeff", "the cat "),
    ("\u200b", ""),
    ("\u00bf", ""),
    ("\u2022 the \u00b7 cat \u00a7 5", "* the * cat # 5"),
    ("", ""),
    (" ", " "),
    ("\n", "\n"),
    ("the\U0001f600\u00bf5", "the[emoji] 5"),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[ascii(text) for text, _ in EXAMPLES])
def test_examples(text: str, expected: str) -> None:
    assert plain(text) == [expected]
    assert plain(text, text, "cat") == [expected, expected, "cat"]  # nothing is looked at beyond a text's end


@pytest.mark.slow
def test_every_code_point_comes_out_as_one_of_a_small_set_or_as_what_is_drawn_or_constant() -> None:
    """With every code point alone, between words, at both ends and doubled: about 1.1 million of them."""
    constants = set(PLACEHOLDERS.values())
    for start in range(0, len(EVERYTHING), 100_000):
        part = EVERYTHING[start : start + 100_000]
        for row in pieces(CODES, "".join(part), " ".join(part), *(f"the{one}cat" for one in part[:20_000])):
            for shown in {one for one, _ in row}:
                assert shown in constants or shown in WORDS or shown in PLAIN or shown in string.digits


def test_plain_text_is_left_alone() -> None:
    text = (
        'The cat: "the" (cat), the-cat; 5\'2\n\nthe [cat] @ $5 + 5% ~ ... the?! <cat> {the} the\\cat `the` | ^ & #5\n'
    )
    kept, plainly = pieces(KEPT, text), pieces(CODES, text)
    assert kept == plainly


def test_every_mark_has_ascii_marks_or_is_dropped() -> None:
    dropped, shown = [], {}
    for one in EVERYTHING:
        category = unicodedata.category(one)
        if category[0] == "P" or category == "Sc":
            came = plain_mark(one)
            assert came == DROPPED or set(came) <= set(string.punctuation)
            assert len(came) <= LONGEST_RUN + 1
            if came == DROPPED:
                dropped.append(one)
            shown[one] = came
    assert {"\u00bf", "\u00a1"} <= set(dropped)
    assert not set(dropped) & set("\u201c\u2019\u2014\u2026\u20ac\u3002\u060c\u2022\u00ab\u00a7")
    assert with_plain_marks("".join(shown)) == "".join(shown.values())


def test_tables_change_no_other_character() -> None:
    others = "".join(
        one for one in EVERYTHING if unicodedata.category(one)[0] != "P" and unicodedata.category(one) != "Sc"
    )
    assert with_plain_marks(others) == others


def slow(text: str) -> list[str]:
    """The rule read aloud: what is released, one string a token, a word as itself."""
    tokens = []
    for surface in split(with_plain_marks(text)):
        kind = classify(surface)
        if surface == DROPPED or (kind is Kind.SYMBOL and is_unseen(surface)):
            tokens.append((Kind.SPACE, ""))
        elif kind is Kind.NUMBER:
            tokens.append((kind, plain_number(surface)))
        else:
            tokens.append((kind, PLACEHOLDERS.get(kind, surface)))
    merged: list[tuple[Kind, str]] = []
    for kind, shown in tokens:
        if kind is Kind.SPACE and merged and merged[-1][0] is Kind.SPACE:
            merged[-1] = (kind, merged[-1][1] + shown)
        else:
            merged.append((kind, shown))
    out: list[tuple[Kind, str]] = []
    for number, (kind, shown) in enumerate(merged):
        if kind is Kind.SPACE:
            sides = merged[number - 1 : number] + merged[number + 1 : number + 2]
            parts = len(sides) == 2 and all(side is not Kind.PUNCTUATION or mark == "'" for side, mark in sides)
            shown = "\n" * min(2, shown.count("\n")) or (" " if shown or parts else "")
        if kind is Kind.PUNCTUATION and [one for one, _ in out[-LONGEST_RUN:]] == [kind] * LONGEST_RUN:
            continue
        if shown:
            out.append((kind, shown))
    return [shown for _, shown in out]


FRAGMENTS = st.sampled_from(
    [
        *("the", "cat", "5", "1.5", "the5", "\U0001f600", "\u041c", "a@b.org", "@the", "https://x.org/a"),
        *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2009", "\x0b", "\x85", "\r"),
        *("\u200b", "\ufeff", "\u200d", "\u0301", "\x00"),
        *(
            *".,!?-'\"",
            "\u2026",
            "\u2019",
            "\u201c",
            "\u2014",
            "\u00bf",
            "\u00a1",
            "\uff20",
            "\uff0e",
            "\u20ac",
            "\u3002",
        ),
    ]
)
TEXTS = st.lists(st.one_of(st.lists(FRAGMENTS, max_size=12).map("".join), st.text(max_size=20)), max_size=4)


@pytest.mark.slow
@settings(deadline=None, max_examples=800)
@given(TEXTS)
def test_texts_are_released_by_the_rule_read_aloud(texts: list[str]) -> None:
    for row, text in zip(pieces(CODES, *texts), texts, strict=True):
        came: list[str] = []
        for shown, kind in row:
            if kind < 0:
                came[-1] += shown
            else:
                came.append("" if kind == Kind.WORD else shown)
        expected = [
            "" if classify(one) is Kind.WORD and one not in PLACEHOLDERS.values() else one for one in slow(text)
        ]
        assert came == expected


GAPS = st.lists(st.sampled_from(["the", ".", "!", " ", "  ", "   ", "\n", "\u200b"]), max_size=10).map("".join)


@settings(deadline=None, max_examples=400)
@given(st.lists(st.one_of(GAPS, GAPS.map(lambda text: text.replace("\n", "").replace("\u200b", ""))), max_size=4))
def test_a_text_alone_has_the_codes_that_it_has_among_others(texts: list[str]) -> None:
    """Gaps of spaces are cut another way in a single text."""
    together = CODES.encode([*texts, "cat"])
    for text, start, end in zip(texts, together.bounds, together.bounds[1:], strict=False):
        one = CODES.encode([text])
        assert one.codes.tolist() == together.codes[start:end].tolist()
        assert one.bounds.tolist() == [0, end - start]


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_what_comes_out_is_plain_and_stays_as_it_is(texts: list[str]) -> None:
    for text in plain(*texts):
        assert set(text) <= set(string.ascii_letters) | set(string.digits) | set(PLAIN)
        gaps = re.sub(r"\[(?:email|url|handle|script|emoji|symbol)\]", "x", text)
        assert not re.search(r"  | \n|\n |\n\n\n", gaps)
        assert not re.search(r"[!-/:-@\[-`{-~]{4}", gaps)
        if "[" not in text and "@" not in text and "://" not in text:
            assert plain(text) == [text]


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("the'\u00bfthe", "the' the"),
        ("the\u00bf'the", "the 'the"),
        ("the\u00bf'\u00bfthe", "the ' the"),
        ("the'\u200b\u00bf'the", "the' 'the"),
        ('the"\u00bfthe', 'the"the'),
        ("the.\u00bfthe", "the.the"),
    ],
)
def test_a_mark_that_is_dropped_joins_no_words(text: str, released: str) -> None:
    assert plain(text) == [released]
    assert plain("the'", text, "'the") == ["the'", released, "'the"]


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_the_tokenizer_stays_lossless(texts: list[str]) -> None:
    for text in texts:
        assert "".join(text[start:end] for start, end, _ in tokenize(text)) == text


def test_kept_marks_are_released_as_they_are() -> None:
    text = "the \u2009 cat\u2026\u2026!!!!\r\n\u00bfthe\u201d"
    assert "".join(one for one, _ in pieces(KEPT, text)[0]) == text


def test_marks_are_normalized_or_kept() -> None:
    with pytest.raises(ParameterError, match="marks must be normalize or keep"):
        TextCodes(WORDS, marks="drop")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["!", "\u2026", "\u00bf", " ", "\n", "\u200b ", "\u2009", "! ", "\u00bfa", "a\t\n"], ids=ascii
)
def test_marks_take_time_in_proportion_to_the_text(piece: str) -> None:
    assert is_linear(lambda text: CODES.encode([text]), piece, 4_000)


@given(st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_what_is_told_to_be_plain_is_left_as_it_is(drawn: list[int], cuts: list[int]) -> None:
    """Codes: 0 to 1 words, 2 a space, 3 a line end, 4 other white space, 5 a mark."""
    codes = np.array(drawn, dtype=np.int64)
    bounds = np.array([0, *sorted(min(cut, len(codes)) for cut in cuts), len(codes)])
    nothing = np.zeros(len(codes), dtype=np.bool_)
    blank, mark = (codes >= 2) & (codes <= 4), codes == 5
    found, keep = plain_gaps(codes, bounds, blank, mark, nothing, space=2, line_end=3, apostrophe=6)
    left = keep.all() and np.array_equal(found, codes) and short_runs(bounds, mark).all()
    forms = bytes(np.array([0, 0, BLANK, BLANK, ODD, MARK])[codes].tolist())
    if is_plain(forms):
        assert left
    elif len(bounds) == 2:
        assert not left or (codes == 3).sum() > 1  # two line ends in a row may stay, and are looked at closely


def test_the_table_of_marks_stays_small_and_right_beyond_its_size() -> None:
    every = "".join(EVERYTHING)
    expected = "".join(
        plain_mark(one) if unicodedata.category(one)[0] == "P" or unicodedata.category(one) == "Sc" else one
        for one in every
    )
    for _ in range(2):
        assert with_plain_marks(every) == expected
    assert len(marks._PLAIN_MARKS) <= marks._KNOWN
