"""Digits: budget shared, exact distribution, public length."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.mechanisms.channels.digits import DigitResponse, _weights
from textveil.privacy.guarantees import PureDP, Status

ALPHA = 1e-6


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0, 30.0])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 50])
def test_the_shares_of_a_number_never_exceed_its_budget(epsilon: float, length: int) -> None:
    share = math.nextafter(epsilon / length, 0.0)
    assert math.fsum([_weights(share).epsilon] * length) <= epsilon


@pytest.mark.parametrize("length", [1, 4])
def test_each_digit_follows_its_distribution_and_an_unshared_budget_is_noticed(length: int, rng) -> None:
    epsilon, numbers = 4.0, 60_000
    drawn = DigitResponse(epsilon).privatize(np.full(numbers * length, 7), np.full(numbers, length), rng)
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
    drawn = DigitResponse(120.0).privatize(digits, lengths, rng)
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
