"""Small amounts stay in prompts, since a model reckons with them; large ones are drawn, and all of them elsewhere."""

import pytest

import textveil as tv

KEPT = [
    "a budget of $40, \xa33.20 each",
    "EUR 300 and 12 euros",
    "| Oak shelf | $18.50 |",
    "USD 12,000 a year; \u20ac1,200 per month",
    "a refund over $500, approximately 90 dollars",
]
DRAWN = ["a house for $450,000", "EUR 1.250.000", "$5 million"]


@pytest.mark.parametrize("text", KEPT)
def test_small_amount_stays_in_prompts(text: str) -> None:
    assert tv.Sanitizer(tv.policy("prompts"), rng=tv.seeded_generator(1))(text).text == text
    assert tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(1))(text).text != text


@pytest.mark.parametrize("text", DRAWN)
def test_large_amount_is_drawn_in_prompts(text: str) -> None:
    assert tv.Sanitizer(tv.policy("prompts"), rng=tv.seeded_generator(1))(text).text != text
