"""Digits: budget shared, exact distribution, public length."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import DigitResponse, _digit_weights
from textveil.privacy.guarantees import PureDP, Status

ALPHA = 1e-6


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0, 30.0])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 50])
def test_the_shares_of_a_number_never_exceed_its_budget(epsilon: float, length: int) -> None:
    share = math.nextafter(epsilon / length, 0.0)
    for limit in (0.1, 0.3, 0.5, 1.0):
        assert math.fsum([_digit_weights(share, limit).epsilon] * length) <= epsilon


@pytest.mark.parametrize("limit", [0.1, 0.1 + 1e-12, 0.25, 1 / 3, 0.5, 0.9, 1 - 2**-53])
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, math.log(9), math.nextafter(math.log(9), 3), 8.0, 40.0, 1e308])
def test_no_digit_stays_with_more_than_the_limit_in_integers(epsilon: float, limit: float) -> None:
    weights = _digit_weights(epsilon, limit)
    assert Fraction(weights.inside, weights.total) <= Fraction(limit)
    assert weights.epsilon <= epsilon
    free = _digit_weights(epsilon, 1.0)
    if free.probability_inside < limit:
        assert weights == free
    elif 0.11 < limit < 0.99:  # and it is not much less
        assert weights.probability_inside > limit - 1e-9


def test_by_default_a_lone_digit_stays_half_the_time_whatever_its_budget(rng) -> None:
    """At alpha 1e-9; without the limit a digit stays with probability .997 at epsilon 8."""
    numbers = 40_000
    for response, kept in ((DigitResponse(8.0), 0.5), (DigitResponse(8.0, 0.2), 0.2), (DigitResponse(8.0, 1.0), 0.997)):
        drawn = response.privatize(np.full(numbers, 7), np.ones(numbers, dtype=np.int64), rng)
        bound = 6.2 * math.sqrt(kept * (1 - kept) * numbers)
        assert abs(np.count_nonzero(drawn == 7) - kept * numbers) < bound


@pytest.mark.parametrize("limit", [0.0, 0.0999, 1.001, math.nan, -1.0])
def test_the_limit_has_a_domain(limit: float) -> None:
    with pytest.raises(ParameterError, match="digit_keep_limit must be between"):
        DigitResponse(1.0, limit)


def test_a_number_of_a_million_digits_is_drawn_at_its_share(rng) -> None:
    """Shares that underflow make digits uniform; of numbers of many lengths the time stays linear."""
    lengths = np.concatenate([np.arange(1, 1001), [500_000]])
    digits = np.full(int(lengths.sum()), 3)
    for epsilon in (8.0, 1e-300, 5e-324):
        drawn = DigitResponse(epsilon).privatize(digits, lengths, rng)
        counts = np.bincount(drawn[-500_000:], minlength=10)
        assert chisquare(counts).pvalue > ALPHA


@pytest.mark.parametrize(
    "response",
    [DigitResponse(5e-324), DigitResponse(8.0, keep_limit=0.1)],
    ids=["a share below the least float", "the lowest limit"],
)
def test_a_digit_without_a_budget_is_uniform(response: DigitResponse, rng) -> None:
    assert math.nextafter(5e-324 / 3, 0.0) == 0.0
    drawn = response.privatize(np.full(300_000, 7), np.full(100_000, 3), rng)
    counts = np.bincount(drawn, minlength=10)
    assert chisquare(counts).pvalue > ALPHA
    # What a digit that stays a tenth more often would do: a chi-square near 270, far above the 47 of alpha.
    assert chisquare(counts + 3000 * (np.arange(10) == 7)).pvalue < ALPHA
    weights = _digit_weights(0.0, 0.1)
    assert (weights.inside, weights.epsilon) == (weights.outside, 0.0)


@pytest.mark.parametrize("length", [1, 4])
def test_each_digit_follows_its_distribution_and_an_unshared_budget_is_noticed(length: int, rng) -> None:
    epsilon, numbers = 4.0, 60_000
    drawn = DigitResponse(epsilon, 1.0).privatize(np.full(numbers * length, 7), np.full(numbers, length), rng)
    counts = np.bincount(drawn, minlength=10)

    def distribution(share: float) -> np.ndarray:
        row = np.ones(10)
        row[7] = math.exp(share)
        return row / row.sum()

    assert chisquare(counts, distribution(epsilon / length) * counts.sum()).pvalue > ALPHA
    mutant = epsilon if length > 1 else epsilon * 1.05
    assert chisquare(counts, distribution(mutant) * counts.sum()).pvalue < ALPHA


def test_numbers_of_many_lengths_keep_their_places(rng) -> None:
    lengths = np.array([1, 3, 2, 1])
    digits = np.array([1, 2, 3, 4, 5, 6, 7])
    drawn = DigitResponse(120.0, 1.0).privatize(digits, lengths, rng)
    np.testing.assert_array_equal(drawn, digits)  # at 40 nats a digit stays, but for 1 in 10^16


def test_no_digits_no_draws() -> None:
    empty = np.array([], dtype=np.int64)
    assert DigitResponse(1.0).privatize(empty, empty).shape == (0,)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_epsilon_has_a_domain(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="finite and > 0"):
        DigitResponse(epsilon)


def test_the_guarantee_is_pure_and_proved() -> None:
    assert DigitResponse(3.0).guarantee == PureDP(epsilon=3.0, status=Status.PROVED, source="privacy/proofs/digits.md")


def test_lengths_must_add_up() -> None:
    with pytest.raises(ParameterError, match="lengths"):
        DigitResponse(1.0).privatize(np.array([1, 2]), np.array([1]))
