"""Shares of one budget: together they cost what is stated, and a selection hides what one person alone has."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.errors import ParameterError
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.units import ONE_PERSON_MORE


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("shares", [(Fraction(1),), (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7),) * 7])
def test_all_shares_together_cost_what_is_stated(epsilon: float, shares: tuple[Fraction, ...]) -> None:
    budget = GaussianBudget(epsilon, 1e-6, Fraction(1, 4))
    squares = [(k + 1) * GRID**2 for k in range(len(shares))]
    noises = [budget.noise(square, share) for square, share in zip(squares, shares, strict=True)]
    spent = math.sqrt(sum(square / noise.continuous_sigma**2 for square, noise in zip(squares, noises, strict=True)))
    delta = gaussian_delta(epsilon, 1.0, spent)
    assert 0.97 * 0.75e-6 < delta <= 0.75e-6


def test_a_value_of_one_person_reaches_the_threshold_as_rarely_as_is_stated() -> None:
    budget = GaussianBudget(1.0, 1e-6, Fraction(1, 2))
    noise = budget.noise(20 * GRID**2)
    threshold = budget.threshold(noise, GRID, 20)
    # the exact tail of the discrete law, summed
    tail = np.arange(threshold - GRID, threshold - GRID + 12 * noise.sigma)
    whole = np.arange(-12 * noise.sigma, 12 * noise.sigma + 1)
    masses = [np.exp(-0.5 * (values / noise.sigma) ** 2).sum() for values in (tail, whole)]
    mass = masses[0] / masses[1]
    assert 0.9 * 0.5e-6 < 20 * mass <= 0.5e-6
    assert threshold - GRID == pytest.approx(noise.sigma * norm.isf(0.5e-6 / 20), abs=4)


def test_bad_budgets_are_refused() -> None:
    for epsilon, delta in ((0.0, 1e-6), (math.inf, 1e-6), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(ParameterError, match="must be"):
            GaussianBudget(epsilon, delta)
    budget = GaussianBudget(1.0, 1e-6)
    with pytest.raises(ParameterError, match="selections must be > 0, where items are selected"):
        budget.threshold(budget.noise(GRID**2), GRID, 1)
    with pytest.raises(ParameterError, match="too small for noise"):
        budget.noise(2**60)


def test_the_guarantee_says_what_is_compared() -> None:
    guarantee = GaussianBudget(1.0, 1e-6).guarantee(ONE_PERSON_MORE)
    assert guarantee.to_data()["unit"] == "person" and guarantee.delta >= 1e-6
    assert "one more person" in guarantee.to_data()["adjacency"]
