"""Short numbers often come out as they were: how often is computed, said, and counted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.constant import Constant

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import DigitResponse
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.release import Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.tokens import Kind


@pytest.mark.parametrize(("epsilon", "limit"), [(8.0, 0.5), (8.0, 1.0), (1.0, 0.5), (0.5, 1.0), (300.0, 1.0)])
def test_the_share_is_that_of_randomized_response(epsilon: float, limit: float) -> None:
    response = DigitResponse(epsilon, limit)
    for length in (1, 2, 5):
        stays = min(limit, math.exp(epsilon / length) / (math.exp(epsilon / length) + 9))
        assert response.unchanged(length) == pytest.approx(stays**length, rel=1e-9)


def test_the_share_is_that_of_the_draws(embedded) -> None:
    """At alpha 1e-9, of 4,000 numbers."""
    sanitizer = Sanitizer(Constant(embedded, "zebra"), number_epsilon=5.0, rng=seeded_generator(5))
    found = sanitizer("37 no, " * 4000).text.split()
    share = sanitizer.setting.unchanged_numbers[2]
    bound = 6.2 * math.sqrt(share * (1 - share) / 4000)
    assert abs(found.count("37") / 4000 - share) < bound


def test_the_summary_tells_it_where_there_are_numbers(embedded) -> None:
    sanitizer = Sanitizer(Constant(embedded, "zebra"), number_epsilon=8.0)
    line = "a number of one digit comes out as it was with probability 0.5, of two (an age) with 0.25"
    assert line in sanitizer("12 cats").report().summary()
    assert line not in sanitizer("cats").report().summary()
    data = sanitizer("12 cats").report().to_data()["guarantee"]["unchanged_numbers"]
    assert data == {"1": pytest.approx(0.5), "2": pytest.approx(0.25)}
    assert not any("NUMBERS" in one for one in sanitizer.setting.warnings())
    uniform = Sanitizer(Constant(embedded, "zebra"), number_epsilon=8.0, digit_keep_limit=0.1)
    assert "comes out as it was" not in uniform("12 cats").report().summary()


def test_where_most_of_them_stay_every_release_is_warned_of(embedded) -> None:
    sanitizer = Sanitizer(Constant(embedded, "zebra"), number_epsilon=8.0, digit_keep_limit=1.0)
    (warning,) = (one for one in sanitizer.setting.warnings() if "NUMBERS" in one)
    assert warning.startswith("SHORT NUMBERS AS THEY WERE: 74 % of numbers of two digits")
    assert warning in sanitizer("12 cats").report().summary()


@pytest.mark.parametrize(
    ("epsilon", "options", "warned"),
    [
        (0.0, {}, False),
        (8.0, {}, False),
        (8.0, {"digit_keep_limit": 1.0}, True),
        (0.5, {"digit_keep_limit": 1.0}, False),
    ],
)
def test_policies_that_draw_digits_are_told_of_alike(epsilon: float, options: dict[str, float], warned: bool) -> None:
    number = Rule(kind="number", action=Action.SURROGATE, name="digits", epsilon=epsilon, options=options)
    sanitizer = Sanitizer(Policy(name="own", rules=(Rule(kind="word", action=Action.KEEP), number)))
    assert any("SHORT NUMBERS" in one for one in sanitizer.setting.warnings()) == warned
    assert bool(sanitizer.setting.unchanged_numbers) == (epsilon > 0)
    summary = sanitizer("room 12").report().summary()
    assert ("comes out as it was" in summary) == (epsilon == 8.0)


@pytest.mark.parametrize(("epsilon", "warned"), [(0.0, False), (2.0, False), (12.0, True)])
def test_kinds_that_mostly_stay_are_told_of(epsilon: float, warned: bool) -> None:
    age = Rule(kind="age", action=Action.SURROGATE, name="age", epsilon=epsilon)
    person = Rule(kind="person", action=Action.SURROGATE, name="person", epsilon=0.0)
    sanitizer = Sanitizer(
        Policy(name="own", rules=(Rule(kind="word", action=Action.KEEP), age, person), detectors=("embedded",))
    )
    assert sanitizer.setting.unchanged_kinds == (("age",) if warned else ())
    assert (
        any(one.startswith("NEARLY THE TEXT ITSELF") and "age;" in one for one in sanitizer.setting.warnings())
        == warned
    )


DOCUMENTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 3)), max_size=12)


def tally(documents: list[tuple[int, int, int]]) -> Tally:
    made = Tally()
    for words, numbers, mapped in documents:
        made.add({"word": words, "number": numbers, "space": 1}, mapped)
    return made


@given(DOCUMENTS, DOCUMENTS)
def test_parts_merge_into_the_whole(first: list[tuple[int, int, int]], second: list[tuple[int, int, int]]) -> None:
    merged, other = tally(first), tally(second)
    merged.merge(other)
    whole = tally(first + second)
    assert (merged.documents, merged.kinds, merged.mapped) == (whole.documents, whole.kinds, whole.mapped)
    assert sorted(merged.largest) == sorted(whole.largest)
    assert other.largest == tally(second).largest  # the other one stays as it was


@given(DOCUMENTS)
def test_the_largest_bound_every_document_and_bound_each_other_never(documents: list[tuple[int, int, int]]) -> None:
    largest = tally(documents).largest
    for words, numbers, _ in documents:
        assert any(words <= most and numbers <= also for most, also in largest)
    for one in largest:
        assert one in [(words, numbers) for words, numbers, _ in documents]
        assert not any(other != one and one[0] <= other[0] and one[1] <= other[1] for other in largest)


def test_a_tally_merges_with_itself() -> None:
    made = tally([(1, 2, 0), (2, 1, 1)])
    made.merge(made)
    assert (made.documents, made.mapped, sorted(made.largest)) == (4, 2, [(1, 2), (2, 1)])


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
