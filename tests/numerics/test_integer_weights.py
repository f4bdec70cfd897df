"""Two-level integer weights: the ratio never exceeds exp(epsilon), the draw has exactly these weights."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.helpers.golden import reference

from textveil.errors import ParameterError
from textveil.numerics.integer_weights import (
    TwoLevelWeights,
    exp_floor,
    exp_minus_half_ceiling,
    log_ratio_up,
    two_level_weights,
)

ALPHA = 1e-6


@given(st.floats(1e-6, 45.0), st.integers(2, 400_000), st.data())
@settings(deadline=None, max_examples=200)
@mpmath.workdps(80)
def test_the_ratio_stays_below_and_close(epsilon: float, size: int, data: st.DataObject) -> None:
    members = data.draw(st.integers(1, size))
    weights = two_level_weights(size=size, members=members, epsilon=epsilon)
    exact = mpmath.mpf(weights.inside) / weights.outside
    assert exact <= mpmath.exp(mpmath.mpf(epsilon))
    assert weights.total < 2**53 + 1
    assert weights.total == members * weights.inside + (size - members) * weights.outside
    assert mpmath.mpf(weights.epsilon) >= mpmath.log(exact)
    if weights.shift > 0:
        assert 0.999 * 2**51 < weights.total < 1.001 * 2**52
    if epsilon < 20:  # never cut there: the whole budget is used
        assert weights.epsilon == pytest.approx(epsilon, rel=1e-6, abs=1e-9)
        assert weights.stated(epsilon) == epsilon
    assert weights.stated(epsilon) <= epsilon


def test_a_huge_epsilon_is_cut_and_the_smaller_loss_is_stated() -> None:
    weights = two_level_weights(size=33_000, members=5, epsilon=700.0)
    assert weights.outside == 1
    assert 2**53 - 5 < weights.total <= 2**53
    assert weights.epsilon < 37
    assert weights.stated(700.0) == weights.epsilon


@given(st.floats(1e-9, 60.0), st.integers(1, 2**46))
@settings(deadline=None)
@mpmath.workdps(80)
def test_exponentials_are_floored_and_ceiled_exactly(epsilon: float, multiplier: int) -> None:
    assert exp_floor(epsilon, multiplier) == int(mpmath.floor(mpmath.exp(mpmath.mpf(epsilon)) * multiplier))
    half = mpmath.exp(-mpmath.mpf(epsilon) / 2) * multiplier
    assert exp_minus_half_ceiling(epsilon, multiplier) == int(mpmath.ceil(half))


def test_a_ceiling_is_one_even_where_the_exponential_underflows() -> None:
    assert exp_minus_half_ceiling(1e308, 2**46) == 1


@given(st.integers(1, 2**40), st.integers(0, 2**40))
@settings(deadline=None)
@mpmath.workdps(80)
def test_logarithms_are_rounded_up(denominator: int, more: int) -> None:
    value = log_ratio_up(denominator + more, denominator)
    exact = mpmath.log(mpmath.mpf(denominator + more) / denominator)
    assert mpmath.mpf(value) >= exact
    assert value == pytest.approx(float(exact), rel=1e-15, abs=1e-300)


def test_a_draw_is_an_output_or_a_member_never_both(rng) -> None:
    weights = two_level_weights(size=7, members=3, epsilon=2.0)
    uniform, member = weights.draw(20_000, rng)
    assert set(uniform.tolist()) == {-1, *range(7)}
    assert set(member.tolist()) == {-1, *range(3)}
    assert ((uniform == -1) != (member == -1)).all()


@pytest.mark.parametrize("row", reference("neighborhood_response"))
def test_the_probability_inside_meets_the_reference(row) -> None:
    weights = two_level_weights(size=row["n"], members=row["m"], epsilon=row["epsilon"])
    assert weights.probability_inside == pytest.approx(row["probability_inside"], rel=1e-9)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_epsilon_has_a_domain(bad: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        two_level_weights(size=5, members=1, epsilon=bad)


@pytest.mark.parametrize("members", [0, 6, -1])
def test_members_have_a_domain(members: int) -> None:
    with pytest.raises(ParameterError, match="members must be between 1 and 5"):
        two_level_weights(size=5, members=members, epsilon=1.0)


class _EveryInteger:
    """Stands for a generator: returns every integer below the bound once."""

    def integers(self, low: int, high: int, size: int, dtype: type) -> np.ndarray:
        assert (low, size) == (0, high)
        return np.arange(high, dtype=dtype)


def test_a_draw_splits_all_integers_in_exactly_the_stated_weights() -> None:
    weights = TwoLevelWeights(size=7, members=3, inside=11, shift=2)
    uniform, member = weights.draw(weights.total, _EveryInteger())  # type: ignore[arg-type]
    members = np.array([6, 0, 2])  # any set will do
    out = np.where(uniform >= 0, uniform, members[member])
    counts = np.bincount(out, minlength=7)
    assert counts.tolist() == [11, 4, 11, 4, 4, 4, 11]
    assert Fraction(11, 4) == Fraction(int(counts.max()), int(counts.min()))


def test_draws_follow_the_distribution_and_five_percent_more_is_noticed(rng) -> None:
    weights = two_level_weights(size=6, members=2, epsilon=1.0)
    uniform, member = weights.draw(400_000, rng)
    out = np.where(uniform >= 0, uniform, member)
    counts = np.bincount(out, minlength=6)
    distribution = np.array([weights.inside] * 2 + [weights.outside] * 4) / weights.total
    assert chisquare(counts, distribution * counts.sum()).pvalue > ALPHA
    mutant = two_level_weights(size=6, members=2, epsilon=1.05)
    distribution = np.array([mutant.inside] * 2 + [mutant.outside] * 4) / mutant.total
    assert chisquare(counts, distribution * counts.sum()).pvalue < ALPHA
