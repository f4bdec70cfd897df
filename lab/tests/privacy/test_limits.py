"""Limits of what a guarantee allows, against the reference and against exact small channels."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.golden import reference

from textveil.errors import ParameterError
from textveil_lab.numerics.guarantee_limits import unchanged_limit, unchanged_limit_with_prior


def test_the_limit_meets_the_reference():
    for row in reference("limits"):
        limit = unchanged_limit(row["n"], row["epsilon"], row["delta"])
        assert limit == pytest.approx(row["max_mean_probability_of_unchanged"], rel=1e-9)


@settings(deadline=None)
@given(words=st.integers(1, 10**7), epsilon=st.floats(0, 1000), delta=st.floats(0, 1))
def test_the_limit_is_exact_and_rounded_up(words, epsilon, delta):
    with mpmath.workdps(500):
        e, d = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(delta)
        exact = (e + (words - 1) * d) / (e + words - 1)
        computed = unchanged_limit(words, epsilon, delta)
        assert min(exact, 1) <= computed <= exact * (1 + 1e-11)
        assert computed <= 1


@settings(deadline=None)
@given(prior=st.floats(1e-300, 1), epsilon=st.floats(0, 1000), delta=st.floats(0, 1))
def test_the_limit_with_a_prior_is_exact_and_rounded_up(prior, epsilon, delta):
    with mpmath.workdps(500):
        exact = mpmath.exp(mpmath.mpf(epsilon)) * mpmath.mpf(prior) + mpmath.mpf(delta)
        computed = unchanged_limit_with_prior(prior, epsilon, delta)
        assert min(exact, 1) <= computed <= min(exact * (1 + 1e-11), 1)


@pytest.mark.parametrize("words", [1, 2, 5])
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 7)])
def test_the_limit_is_attained_by_randomized_response_mixed_with_the_identity(words, delta):
    ratio = Fraction(3)
    kept = delta + (1 - delta) * ratio / (ratio + words - 1)
    other = (1 - delta) / (ratio + words - 1)
    # The worst event against any other word is {y = x}: its excess over e^epsilon P(y | x') is delta.
    assert kept - ratio * other == delta
    assert unchanged_limit(words, math.log(3), float(delta)) == pytest.approx(float(kept), rel=1e-12)


def test_a_channel_that_keeps_four_words_in_five_at_epsilon_one_twentieth_is_refuted():
    assert unchanged_limit(10_000, 0.05) < 1.06e-4 < 0.813
    zipf = 1 / math.fsum(1 / rank for rank in range(1, 10_001))
    assert unchanged_limit_with_prior(zipf, 0.05) == pytest.approx(0.1074, abs=1e-4)


def test_the_ends():
    assert unchanged_limit(1, 0.0) == 1.0
    assert unchanged_limit(10, 0.0) == pytest.approx(0.1)
    assert unchanged_limit(10, 0.0, 1.0) == 1.0
    assert unchanged_limit(10, 1e308) == 1.0
    assert unchanged_limit_with_prior(1e-300, 1e308) == 1.0


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_arguments_outside_their_domain_are_refused(value):
    for limit in (lambda e, d: unchanged_limit(5, e, d), lambda e, d: unchanged_limit_with_prior(0.5, e, d)):
        with pytest.raises(ParameterError, match="epsilon must be finite and >= 0"):
            limit(value, 0.0)
        with pytest.raises(ParameterError, match="delta must be in"):
            limit(1.0, value)
    with pytest.raises(ParameterError, match="max_prior"):
        unchanged_limit_with_prior(value, 1.0)
    for words in (0, -3, 2.0):
        with pytest.raises(ParameterError, match="words"):
            unchanged_limit(words, 1.0)
