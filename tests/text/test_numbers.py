"""Digits out of numbers and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil.text.numbers import digit_count, digits, with_digits
from textveil.text.tokens import Kind, classify

DIGIT_OF_ANY_WRITING = st.characters(categories=("Nd",))
NUMBER = st.lists(
    st.tuples(
        DIGIT_OF_ANY_WRITING, st.sampled_from(["", "\u200e", "\ufe0f\u20e3"]), st.sampled_from(["", "", ".", ","])
    ),
    min_size=1,
    max_size=12,
).map(lambda parts: "".join(digit + attached + joint for digit, attached, joint in parts).rstrip(".,"))


def test_examples() -> None:
    assert digits("1,000.50") == [1, 0, 0, 0, 5, 0]
    assert digits("\u0661\u0662") == [1, 2]
    assert digits("5\ufe0f\u20e3") == [5]
    assert digits("none") == []
    assert with_digits("1,000.50", [9, 8, 7, 6, 5, 4]) == "9,876.54"
    assert with_digits("\u0661\u0662", [3, 4]) == "34"
    assert with_digits("5\ufe0f\u20e3", [7]) == "7"


@settings(deadline=None, max_examples=200)
@given(NUMBER, st.data())
def test_only_digits_and_separators_come_out(surface: str, data: st.DataObject) -> None:
    assert classify(surface) is Kind.NUMBER
    assert len(digits(surface)) == digit_count(surface)
    values = data.draw(st.lists(st.integers(0, 9), min_size=digit_count(surface), max_size=digit_count(surface)))
    written = with_digits(surface, values)
    assert digits(written) == values
    assert "".join(filter(".,".__contains__, written)) == "".join(filter(".,".__contains__, surface))
    assert set(written) <= set("0123456789.,")
    assert classify(written) is Kind.NUMBER
    assert with_digits(written, digits(surface)) == with_digits(surface, digits(surface))


@pytest.mark.parametrize("values", [[1], [1, 2, 3], [1, 10], [1, -1]])
@pytest.mark.parametrize("surface", ["12", "1.2"])
def test_other_than_one_digit_for_each_is_refused(surface: str, values: list[int]) -> None:
    with pytest.raises(ParameterError):
        with_digits(surface, values)
