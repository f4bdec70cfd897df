"""Folding: examples, and properties for any string."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.growth import seconds_of

from textveil.text.tokens import Kind, classify, fold, is_latin, spelling

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.mark.parametrize(
    ("surface", "folded"),
    [
        ("Caf\u00e9\u2019s", "cafe's"),
        ("CAFE\u0301", "cafe"),
        ("Stra\u00dfe \u1e9e", "strassess"),
        ("\u00d8re\u00e6\u0153", "oreaeoe"),
        ("\u0141\u00f3d\u017a", "lodz"),
        ("\u0110\u00f0\u00de\u0131\u0130", "ddthii"),
        ("\ufb01\u017f\uff21\U0001d4d0\u00b5", "fisaau"),
        ("se\u00adc\u200bret\ufeff", "secret"),
        ("Hawai\u02bbi", "hawaii"),
        ("col\u0140abora", "collabora"),
        ("h\u0435llo", "hllo"),
        ("\u043f\u0440\u0438", ""),
        ("New_York-2", "newyork"),
    ],
)
def test_examples(surface: str, folded: str) -> None:
    assert fold(surface) == folded


def test_spelling_keeps_what_other_vocabularies_need() -> None:
    assert spelling("\u041c\u041e\u0421\u041a\u0412\u0410") == "\u043c\u043e\u0441\u043a\u0432\u0430"
    assert spelling("New_York-2") == "new_york-2"
    assert spelling("\u0438\u0306\u200d") == "\u0438"  # the mark and the joiner vanish


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_fold_gives_letters_and_apostrophes_only_and_is_idempotent(text: str) -> None:
    folded = fold(text)
    assert set(folded) <= set(string.ascii_lowercase + "'")
    assert fold(folded) == spelling(folded) == folded
    assert spelling(spelling(text)) == spelling(text)


@settings(deadline=None, max_examples=300)
@given(st.text(st.characters(categories=("L", "M", "Cf")), min_size=1, max_size=12))
def test_a_word_loses_no_letter(text: str) -> None:
    if classify(text) is Kind.WORD:
        assert fold(text) == spelling(text) != ""
        assert any(map(is_latin, text))


def test_long_runs_of_marks_take_linear_time() -> None:
    """Decomposition alone sorts such a run in quadratic time: minutes for this one."""
    text = "a" + "\u0315\u0300" * 400_000
    assert spelling(text) == "a"
    assert seconds_of(lambda: spelling(text), 1) < 60
