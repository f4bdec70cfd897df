"""Numbers in plain writing: digits and separators, nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.text.numbers import plain_number
from textveil.text.tokens import Kind, classify

DIGIT_OF_ANY_WRITING = st.characters(categories=("Nd",))
PARTS = st.lists(
    st.tuples(
        DIGIT_OF_ANY_WRITING, st.sampled_from(["", "\u200e", "\ufe0f\u20e3"]), st.sampled_from(["", "", ".", ","])
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("surface", "plain"),
    [("1,000.50", "1,000.50"), ("\u0661\u0662", "12"), ("5\ufe0f\u20e3", "5"), ("none", ""), ("1984", "1984")],
)
def test_examples(surface: str, plain: str) -> None:
    assert plain_number(surface) == plain


@settings(deadline=None, max_examples=200)
@given(PARTS)
def test_only_digits_and_separators_come_out(parts: list[tuple[str, str, str]]) -> None:
    surface = "".join(digit + attached + joint for digit, attached, joint in parts).rstrip(".,")
    assert classify(surface) is Kind.NUMBER
    plain = plain_number(surface)
    assert plain == "".join(str(int(digit)) + joint for digit, _, joint in parts).rstrip(".,")
    assert classify(plain) is Kind.NUMBER
    assert plain_number(plain) == plain


@given(st.text())
def test_of_any_string_nothing_else_survives(text: str) -> None:
    assert set(plain_number(text)) <= set("0123456789.,")
