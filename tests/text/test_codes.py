"""Codes: the tokens are those of ``tokens.split``, whatever is remembered, and nothing of a text is in them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.text import codes
from textveil.text.codes import GOES_ON, TextCodes, token_kinds
from textveil.text.numbers import plain_number
from textveil.text.out_of_vocabulary import WordIndex
from textveil.text.render import with_draws
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split

WORDS = ["the", "cat", "monday", "Paris", "caf\u00e9", "dog"]
INDEX = WordIndex(WORDS)
FRAGMENT = st.sampled_from(
    [
        *("the", "cat", "Cat,", "(dog)", "Monday", "caf\u00e9", "qzx", "don't", "O'Brien", "covid19", "1,984.5", "7"),
        *("a@b.org", "https://x.org/a?b=1.", "@name", "www.x.org", "\u041c\u0438\u0440", "\U0001f600", "\u0661\u0662"),
        *(" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2028", "\x0b", "\x1c", "\x85", "\u200b", "\u0301"),
        *(".", ",", "!", "\u201d", "\u2026", "\u20ac", "-", "\x00", "x" * 70, "5" * 70, "[url]"),
    ]
)
TEXTS = st.lists(st.one_of(st.lists(FRAGMENT, max_size=14).map("".join), st.text(max_size=30)), max_size=4)


def expected(surface: str, kind: Kind) -> str:
    """What a token is written as where every word is drawn as itself."""
    if kind is Kind.WORD:
        word = WORDS[INDEX.lookup(surface)[0]]
        return "Monday" if word == "monday" else word
    if kind is Kind.NUMBER:
        return plain_number(surface)
    return PLACEHOLDERS.get(kind, surface)


def check(made: TextCodes, texts: list[str]) -> None:
    coded = made.encode(texts)
    kinds = token_kinds(coded, made.legend)
    assert len(coded.bounds) == len(texts) + 1
    assert coded.bounds[-1] == len(coded.codes)
    for text, (start, stop) in zip(texts, pairwise(coded.bounds.tolist()), strict=True):
        surfaces = split(text)
        here = kinds[start:stop]
        begins = np.flatnonzero(here != GOES_ON)
        assert here[begins].tolist() == [classify(one) for one in surfaces]
        strings = made.legend.written[coded.codes[start:stop]].tolist()
        ends = [*begins.tolist(), stop - start]
        written = ["".join(strings[first:last]) for first, last in pairwise(ends)]
        assert written == [expected(one, classify(one)) for one in surfaces]
        assert list(map(len, strings)) == made.legend.lengths[coded.codes[start:stop]].tolist()


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(st.lists(TEXTS, max_size=3))
def test_tokens_are_those_of_split_whatever_is_remembered(batches: list[list[str]]) -> None:
    made = TextCodes(WORDS, marks="keep")
    for texts in batches:
        check(made, texts)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.lists(TEXTS, min_size=2, max_size=6))
def test_forgetting_changes_nothing(batches: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "MEMORY_BYTES", 2000)
        made = TextCodes(WORDS, marks="keep")
        for texts in [*batches, *batches]:
            check(made, texts)


def test_words_are_told_with_the_ids_that_stand_for_them() -> None:
    made = TextCodes(WORDS, marks="keep")
    found = made.words(made.encode(["Cat qzx, the cats"]).codes)
    assert found.indices.tolist() == [0, 2, 5, 7]
    assert [WORDS[one] for one in found.ids.tolist()] == ["cat", WORDS[INDEX.lookup("qzx")[0]], "the", "cat"]
    assert np.flatnonzero(found.out_of_vocabulary).tolist() == [2, 7]


def test_digits_are_told_number_by_number() -> None:
    made = TextCodes(WORDS, marks="keep")
    found = made.numbers(made.encode(["1,05 the cat 007 8", "9"]))
    assert found.digits.tolist() == [1, 0, 5, 0, 0, 7, 8, 9]
    assert found.lengths.tolist() == [3, 4, 1]
    assert found.going_on.tolist() == [found.indices[6]]
    none = made.numbers(made.encode(["the cat."]))
    assert [len(one) for one in none[:4]] == [0, 0, 0, 0]


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_words_and_digits_change_places_with_others_and_nothing_else_does(texts: list[str]) -> None:
    made = TextCodes(WORDS, marks="keep")
    coded = made.encode(texts)
    words, numbers = made.words(coded.codes), made.numbers(coded)
    ids, digits = (words.ids + 1) % len(WORDS), 9 - numbers.digits
    before = coded.codes.copy()
    after = with_draws(coded.codes, words, ids, numbers, digits)
    assert coded.codes.tolist() == before.tolist()
    assert made.words(after).ids.tolist() == ids.tolist()
    assert [int(one) for one in made.legend.written[after[numbers.indices]]] == digits.tolist()
    others = np.setdiff1d(np.arange(len(after)), [*words.indices, *numbers.indices])
    assert after[others].tolist() == before[others].tolist()


def test_memory_is_bounded() -> None:
    """Natural text never stops bringing new words; what is kept of them does."""
    made = TextCodes(WORDS, marks="keep")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "MEMORY_BYTES", 60_000)
        for number in range(0, 6000, 50):
            made.encode([" ".join(f"w{'abcdefghij'[k % 10]}{number + k}" for k in range(50))])
            for memory in (made._pieces, made._surfaces):
                assert len(memory.recent) + len(memory.older) < 60_000 / codes._ENTRY_BYTES + 2 * 100


def test_no_more_room_for_marks_is_needed_than_there_is() -> None:
    made = TextCodes(WORDS, marks="keep")
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    passing = [one for one in everything if classify(one) in (Kind.SPACE, Kind.PUNCTUATION)]
    assert 800 < len(passing) < codes._MARKS
    check(made, ["x".join(passing)])


def test_addresses_scripts_and_long_pieces_are_not_remembered() -> None:
    made = TextCodes(WORDS, marks="keep")
    made.encode(["a@b.org (https://x.org) @name \u041c\u0438\u0440 " + "x" * 65 + " the, 12"])
    assert set(made._pieces.recent) == {None, "the,", "12"}
    assert set(made._surfaces.recent) <= {" ", "(", ")", ",", "the", "12"}
