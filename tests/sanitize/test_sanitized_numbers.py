"""Numbers through a sanitizer: their budget, the limit on keeping a digit, and which groups are one number."""

import math

import pytest
from tests.helpers.constant import Constant

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.tokens import Kind


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_the_budget_of_numbers_has_a_domain(embedded, epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        Sanitizer(mechanism("neighborhood", embedded), number_epsilon=epsilon)


def test_a_larger_budget_of_numbers_is_not_hidden(embedded) -> None:
    release = Sanitizer(mechanism("neighborhood", embedded, epsilon=2.0), number_epsilon=9.0)("one 1")
    assert release.guarantee_per_token.epsilon == 9.0
    assert release.guarantee.epsilon == pytest.approx(11.0)


GROUPS = [
    "7777 7777 7777 7777",
    "77/77/7777",
    "777-777-7777",
    "(777) 777-7777",
    "A7B7C7",
    "7'7\"",
    "SW7A 7AA",
    "7,777.77",
]


@pytest.mark.parametrize("number", ["7777", "7", *GROUPS])
def test_digits_are_drawn_at_their_share_of_the_budget_of_their_number(embedded, number: str) -> None:
    """At alpha 1e-9; digits that pass, and numbers whose groups are mistaken for numbers of their own, die."""
    share = math.exp(4 / number.count("7"))
    kept = share / (share + 9)
    sanitizer = Sanitizer(
        Constant(embedded, "zebra"), number_epsilon=4.0, digit_keep_limit=1.0, rng=seeded_generator(4)
    )
    release = sanitizer(f"{number} no, " * 2000)
    assert release.kinds["number"] == 2000
    assert release.guarantee == sanitizer.setting.document(release.kinds["word"], 2000)
    text, number = release.text, "7" * number.count("7")
    digits = [one for one in text if one.isdigit()]
    assert len(digits) == 2000 * len(number)
    bound = 6.2 * math.sqrt(kept * (1 - kept) * len(digits))
    assert abs(digits.count("7") - kept * len(digits)) < bound
    assert abs(digits.count("3") - (1 - kept) / 9 * len(digits)) < bound


@pytest.mark.parametrize("number", ["7", "7'7\"", "A7B7C7", "SW7A 7AA", "7777 7777 7777 7777"])
def test_by_default_no_digit_stays_with_probability_above_one_half(embedded, number: str) -> None:
    """At alpha 1e-9; without the limit a lone digit stays with probability .997 at epsilon 8."""
    sanitizer = Sanitizer(Constant(embedded, "zebra"), number_epsilon=8.0, rng=seeded_generator(5))
    digits = [one for one in sanitizer(f"{number} no, " * 2000).text if one.isdigit()]
    kept = min(0.5, 1 - 9 / (math.exp(8 / number.count("7")) + 9))
    assert abs(digits.count("7") / len(digits) - kept) < 6.2 * math.sqrt(0.25 / len(digits))


def test_the_summary_and_the_report_tell_what_a_digit_is_limited_to(embedded) -> None:
    made = mechanism("neighborhood", embedded, epsilon=8.0)
    report = Sanitizer(made)("12 cats").report()
    assert "no digit stays with probability above 0.5" in report.summary()
    assert report.to_data()["guarantee"]["digit_keep_limit"] == 0.5
    free = Sanitizer(made, number_epsilon=20.0, digit_keep_limit=1.0)("12 cats").report()
    assert "20-DP [proved] for one, shared over its digits; a digit may stay" in free.summary()
    with pytest.raises(ParameterError, match="digit_keep_limit must be between"):
        Sanitizer(made, digit_keep_limit=1.1)


def test_groups_of_one_number_are_counted_once_and_have_spans_of_their_own(sanitizer) -> None:
    release = sanitizer("Card 1234 5678 9012 3456, seat A1B2.")
    assert (release.kinds["number"], release.kinds["word"]) == (2, 4)
    assert [span.kind for span in release.spans].count(Kind.NUMBER) == 6
    assert "".join(release.text[span.start : span.end] for span in release.spans) == release.text
    assert release.guarantee.epsilon == pytest.approx(6 * 8.0)
