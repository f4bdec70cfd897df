"""Intervals of means and medians hold as often as they say: coverage is computed over all samples, not drawn."""

from itertools import combinations_with_replacement
from math import comb, factorial, prod

import pytest

from textveil.errors import ParameterError
from textveil.statistics import clopper_pearson, mean_of_shares, median

VALUES = (0.0, 0.3, 1.0)
LAWS = ((0.5, 0.3, 0.2), (0.02, 0.97, 0.01), (0.9, 0.1, 0.0), (0.05, 0.0, 0.95), (0.3, 0.69, 0.01), (0.0, 0.03, 0.97))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("draws", [1, 7, 25])
def test_interval_of_a_mean_of_shares_holds(law: tuple[float, ...], draws: int) -> None:
    mean = sum(value * probability for value, probability in zip(VALUES, law, strict=True))
    held = 0.0
    for sample in combinations_with_replacement(range(3), draws):
        counts = [sample.count(place) for place in range(3)]
        ways = factorial(draws) / prod(map(factorial, counts))
        bound = mean_of_shares([VALUES[place] for place in sample], 0.95)
        chance = ways * prod(p**count for p, count in zip(law, counts, strict=True))
        held += chance * (bound.lower <= mean <= bound.upper)
    assert held >= 0.95 - 1e-12


def test_shares_that_are_counts_have_clopper_and_pearsons_interval() -> None:
    assert mean_of_shares([0, 1, 1, 0, 1], 0.9) == clopper_pearson(3, 5, 0.9)


def test_parts_of_a_hit_widen_the_interval_and_rounding_does_not_move_a_count() -> None:
    third = mean_of_shares([1 / 3] * 30, 0.95)
    whole = clopper_pearson(10, 30, 0.95)
    assert third.lower < whole.lower < whole.upper < third.upper
    wide = clopper_pearson(10, 30, 1 - 0.05 / 2.718281828459045)
    assert (third.lower, third.upper) == pytest.approx((wide.lower, wide.upper))
    assert mean_of_shares([1 - 1e-16, 1.0], 0.95).upper == 1


def test_shares_outside_the_unit_interval_and_none_are_refused() -> None:
    for shares in ([], [1.1], [-0.1, 0.5], [float("nan")]):
        with pytest.raises(ParameterError, match="shares must be"):
            mean_of_shares(shares)


@pytest.mark.parametrize("number", [6, 7, 20, 101])
def test_interval_of_a_median_holds_and_the_next_one_within_does_not(number: int) -> None:
    """P(the r-th smallest of n is above the median of a continuous law) = P(Binomial(n, 1/2) < r)."""
    bound = median(range(number), 0.95)
    place = int(bound.lower) + 1
    assert bound.upper == number - place
    missed = sum(comb(number, hits) for hits in range(place)) / 2**number
    assert missed <= 0.025 < missed + comb(number, place) / 2**number
    assert bound.estimate == (number - 1) / 2


def test_too_few_values_have_no_median_interval() -> None:
    with pytest.raises(ParameterError, match="5 of them"):
        median([1, 2, 3, 4, 5], 0.95)
