"""The sharp limits on unchanged words: against linear programs over all channels, and against each other."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from textveil.errors import ParameterError
from textveil_lab.numerics.guarantee_limits import (
    least_guessed,
    unchanged_limit,
    unchanged_limit_of_guesses,
    unchanged_limit_of_prior,
    unchanged_limit_with_prior,
)

PRIORS = ([1, 1, 1, 1], [8, 4, 2, 1], [0.6, 0.4], [5, 5, 1, 0], [1], [0.97, 0.01, 0.01, 0.01])


def best_pure_channel(prior: list[float], epsilon: float) -> float:
    """The largest share of unchanged words over every channel that is epsilon-DP for any two words."""
    n, ratio = len(prior), math.exp(epsilon)
    rows, equalities = [], np.zeros((n, n * n))
    for x in range(n):
        equalities[x, x * n : x * n + n] = 1
        for other in range(n):
            for y in range(n):
                if x != other:
                    row = np.zeros(n * n)
                    row[x * n + y], row[other * n + y] = 1, -ratio
                    rows.append(row)
    weights = np.zeros(n * n)
    weights[:: n + 1] = np.asarray(prior) / np.sum(prior)
    bounds = None if not rows else np.zeros(len(rows))
    solved = linprog(-weights, A_ub=np.array(rows) if rows else None, b_ub=bounds, A_eq=equalities, b_eq=np.ones(n))
    assert solved.status == 0
    return float(-solved.fun)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.7, 2.0, 5.0])
def test_the_sharp_limit_is_what_the_best_channel_reaches(prior, epsilon) -> None:
    assert unchanged_limit_of_prior(prior, epsilon) == pytest.approx(best_pure_channel(prior, epsilon), abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS[:4])
@pytest.mark.parametrize("delta", [0.01, 0.3])
def test_the_sharp_limit_holds_with_delta(prior, delta) -> None:
    """A channel mixed with the identity reaches it; an event {y = x} alone says that no more is allowed there."""
    pure = unchanged_limit_of_prior(prior, 0.7)
    assert unchanged_limit_of_prior(prior, 0.7, delta) == pytest.approx(delta + (1 - delta) * pure, rel=1e-9)


@settings(deadline=None)
@given(
    prior=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40),
    epsilon=st.floats(0, 800),
    delta=st.floats(0, 1),
)
def test_the_limits_are_ordered(prior, epsilon, delta) -> None:
    sharp = unchanged_limit_of_prior(prior, epsilon, delta)
    guessed = max(prior) / math.fsum(prior)
    by_guesses = unchanged_limit_of_guesses(guessed, epsilon, delta)
    assert sharp <= by_guesses * (1 + 1e-9)
    assert by_guesses <= unchanged_limit_with_prior(guessed, epsilon, delta) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 5.0, 10.0, 900.0])
def test_equally_likely_words_have_one_limit(epsilon) -> None:
    uniform = unchanged_limit(10_000, epsilon, 1e-5)
    assert unchanged_limit_of_prior(np.ones(10_000), epsilon, 1e-5) == pytest.approx(uniform, rel=1e-9)
    assert unchanged_limit_of_guesses(1e-4, epsilon, 1e-5) == pytest.approx(uniform, rel=1e-9)


@settings(deadline=None)
@given(unchanged=st.floats(0, 1), epsilon=st.floats(0, 50), delta=st.floats(0, 0.9))
def test_the_guesses_that_are_needed_are_the_inverse(unchanged, epsilon, delta) -> None:
    needed = least_guessed(unchanged, epsilon, delta)
    assert 0 <= needed <= 1
    if needed > 1e-300:
        limit = unchanged_limit_of_guesses(needed, epsilon, delta)
        assert limit == pytest.approx(unchanged, rel=1e-6, abs=1e-9)
    else:
        assert unchanged <= unchanged_limit_of_guesses(1e-300, epsilon, delta) * (1 + 1e-9)


@settings(deadline=None)
@given(lost=st.floats(1e-16, 1e-2), epsilon=st.floats(0, 40), delta=st.sampled_from([0.0, 1e-5, 0.3, 0.9]))
@example(lost=1.2e-16, epsilon=30.0, delta=0.3)
def test_the_guesses_that_are_needed_are_rounded_down_near_one(lost, epsilon, delta) -> None:
    unchanged = 1 - lost
    with mpmath.workdps(60):
        kept = (mpmath.mpf(unchanged) - delta) / (1 - mpmath.mpf(delta))
        scaled = kept * mpmath.exp(-mpmath.mpf(epsilon))
        exact = scaled / (scaled + 1 - kept)
        found = least_guessed(unchanged, epsilon, delta)
        assert exact * (1 - mpmath.mpf(10) ** -11) <= found <= exact


@pytest.mark.parametrize("prior", [[], [0.0, 0.0], [1.0, -0.1], [math.nan], [[1.0]], [math.inf, 1.0]])
def test_what_is_no_prior_is_refused(prior) -> None:
    with pytest.raises(ParameterError, match="prior must be finite weights"):
        unchanged_limit_of_prior(prior, 1.0)


def test_bad_guesses_are_refused() -> None:
    with pytest.raises(ParameterError, match="guessed must be"):
        unchanged_limit_of_guesses(0.0, 1.0)
    with pytest.raises(ParameterError, match="unchanged must be"):
        least_guessed(1.1, 1.0)
