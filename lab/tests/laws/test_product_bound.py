"""Theorems 8 and 10 of section 5: |Z| bounded by the angle and the length, the example of that, the mean of draws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from textveil.errors import ParameterError
from textveil_lab.laws.dot_product import NoisyDotProduct, log_chebyshev_of_mean, mean_of_draws
from textveil_lab.laws.tail_bounds import equal_factors, exact_radius, product_probability

ALPHA = 1e-6


def inside(distance: float, dim: int, rate: float) -> float:
    return float(1 - 2 * NoisyDotProduct(dim, rate).survival(distance))


@settings(deadline=None, max_examples=200)
@given(dim=st.integers(1, 2000), log_rate=st.floats(-3, 3), a=st.floats(0.01, 6), b=st.floats(0.3, 4))
def test_the_bound_is_below_the_exact_probability(dim, log_rate, a, b) -> None:
    """``a`` and ``b`` in units of the angle's deviation and of the mean length."""
    rate = 10**log_rate
    cosine, length = a / math.sqrt(dim), b * dim / rate
    bound = product_probability(cosine, length, dim, rate)
    assert 0 <= bound <= inside(cosine * length, dim, rate) + 1e-12


@pytest.mark.parametrize("dim", [1, 2, 25, 300, 4096])
@pytest.mark.parametrize("probability", [0.5, 0.99, 1 - 1e-9])
@pytest.mark.parametrize("rate", [0.01, 1.0, 40.0])
def test_equal_factors_by_the_formulas_written_out(dim, probability, rate) -> None:
    found = equal_factors(probability, dim, rate)
    root = math.sqrt(probability)
    x = rate * found.length
    angle = 1 - 2 * math.exp(-dim * found.cosine**2 / 2)
    length = 1 - math.exp(dim - x + dim * math.log(x / dim))
    assert angle == pytest.approx(root, abs=2e-12) and length == pytest.approx(root, abs=3e-11)
    assert probability - 1e-15 <= found.probability == pytest.approx(probability, abs=1e-10)
    assert found.product == found.cosine * found.length >= exact_radius(probability, dim, rate)


def test_the_example_of_the_paper_in_300_dimensions() -> None:
    """At 0.99: the angle below 0.2, the noise shorter than 360 / epsilon, the product below 71.9 / epsilon."""
    found = equal_factors(0.99, 300, 10.0)
    assert (round(found.cosine, 4), round(found.length, 3), round(found.product, 4)) == (0.1998, 35.995, 7.1924)
    assert exact_radius(0.99, 300, 10.0) == pytest.approx(4.48232, abs=1e-5)
    assert inside(found.product, 300, 10.0) > 0.9999


def test_the_exact_radius_by_draws(rng) -> None:
    drawn = np.abs(NoisyDotProduct(25, 2.0).sample(20_000, rng))
    for factor, kept in ((1.0, True), (1.1, False)):
        hits = int((drawn < factor * exact_radius(0.9, 25, 2.0)).sum())
        assert bool(stats.binomtest(hits, len(drawn), 0.9).pvalue > ALPHA) is kept


@pytest.mark.parametrize("draws", [1, 2, 7])
def test_the_mean_of_draws_has_its_moments_and_tail(draws, rng) -> None:
    """Moments of a mean of independent draws, from those of one; the second of N + 1 draws is the mutant."""
    one, mean = NoisyDotProduct(6, 1.5), mean_of_draws(6, 1.5, draws)
    second = one.moment(2) / draws
    fourth = (draws * one.moment(4) + 3 * draws * (draws - 1) * one.moment(2) ** 2) / draws**4
    assert mean.moment(2) == pytest.approx(second, rel=1e-13)
    assert mean.moment(4) == pytest.approx(fourth, rel=1e-13)
    assert mean_of_draws(6, 1.5, draws + 1).moment(2) < second
    drawn = one.sample(draws * 4000, rng).reshape(4000, draws).mean(axis=1)
    assert stats.kstest(drawn, mean.cdf).pvalue > ALPHA


@given(draws=st.integers(1, 50), dim=st.integers(1, 300), z=st.floats(1e-3, 50))
@settings(deadline=None, max_examples=60)
def test_chebyshev_of_the_mean_is_a_bound_of_both_tails(draws, dim, z) -> None:
    exact = math.log(2) + float(mean_of_draws(dim, 2.0, draws).log_survival(z))
    assert exact <= log_chebyshev_of_mean(z, dim, 2.0, draws) + 1e-9
    written_out = min(0.0, math.log((dim + 1) / (draws * 4 * z * z)))
    assert log_chebyshev_of_mean(z, dim, 2.0, draws) == pytest.approx(written_out, abs=1e-9)


def test_bad_input_is_refused() -> None:
    for call in (
        lambda: equal_factors(1.0, 3, 1.0),
        lambda: equal_factors(0.0, 3, 1.0),
        lambda: equal_factors(0.5, 0, 1.0),
        lambda: exact_radius(math.nan, 3, 1.0),
        lambda: product_probability(-1.0, 1.0, 3, 1.0),
        lambda: product_probability(0.1, 1.0, 3, 0.0),
        lambda: mean_of_draws(3, 1.0, 0),
        lambda: log_chebyshev_of_mean(-1.0, 3, 1.0, 2),
    ):
        with pytest.raises(ParameterError, match="must be"):
            call()
