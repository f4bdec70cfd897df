"""Short numbers often come out as they were: how often is computed from the weights that are drawn, and said."""

import math

import pytest
from tests.helpers.constant import Constant

from textveil.mechanisms.channels.digits import DigitResponse
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer


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
