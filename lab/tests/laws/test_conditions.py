"""Thresholds of equations 18 and 19 and the probabilities of equations 20 and 21, against draws and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc

from textveil.errors import ParameterError
from textveil_lab.laws.conditions import (
    necessary_probability,
    neighbor_threshold,
    original_threshold,
    overtaking_probability,
    triple,
)
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.noise.spherical_laplace import SphericalLaplace

ALPHA = 1e-6
ERRORS = [
    (lambda: original_threshold([1.0, 0.0]), "distance must be > 0; got 0. Two words with one vector"),
    (lambda: original_threshold(-1.0), "distance must be finite and >= 0"),
    (lambda: original_threshold(math.inf), "distance must be finite"),
    (lambda: original_threshold(math.nan), "distance must be a number"),
    (lambda: neighbor_threshold(1.0, 2.0, 0.0), "between must be > 0; got 0. Two words with one vector"),
    (lambda: neighbor_threshold(-1.0, 2.0, 1.0), "first must be"),
    (lambda: neighbor_threshold(1.0, math.inf, 1.0), "second must be"),
    (lambda: triple([0.0, 1.0], [1.0, 1.0], [1.0, 1.0]), "between must be > 0"),
    (lambda: triple([0.0, 1.0], [1.0], [1.0, 2.0]), "vectors must be of one shape"),
    (lambda: triple([0.0, math.nan], [1.0, 1.0], [2.0, 1.0]), "vectors must be finite"),
    (lambda: necessary_probability(1.0, 0, 1.0), "dim must be"),
    (lambda: necessary_probability(1.0, 3, [1.0, 0.0]), "rate must be"),
    (lambda: necessary_probability(1.0, 3, math.inf), "rate must be"),
    (lambda: necessary_probability(math.nan, 3, 1.0), "threshold must be"),
    (lambda: overtaking_probability(1.0, 3, math.nan), "rate must be"),
]


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(-3, 3))
def test_the_threshold_is_where_the_two_words_are_equally_near(seed, dim, log_scale) -> None:
    w, a, b = np.random.default_rng(seed).standard_normal((3, dim)) * 10**log_scale
    distances = triple(w, a, b)
    at = neighbor_threshold(*distances)
    middle = w + at * (b - a) / distances.between
    assert np.linalg.norm(middle - a) == pytest.approx(np.linalg.norm(middle - b), rel=1e-9)
    assert neighbor_threshold(distances.second, distances.first, distances.between) == -at
    to_second = triple(w, w, b)
    assert neighbor_threshold(*to_second) == pytest.approx(float(original_threshold(to_second.second)), rel=1e-15)


def test_close_distances_do_not_cancel() -> None:
    assert neighbor_threshold(1.0, 1.0 + 2.0**-40, 0.5) == pytest.approx(2.0**-39 * (1 + 2.0**-41), rel=1e-15)


def test_probabilities_are_the_distribution_at_any_rate_and_add_up() -> None:
    thresholds, rates = np.array([[0.06], [0.2], [2.9]]), np.array([1.0, 10.0, 40.0, 200.0])
    stays, goes = necessary_probability(thresholds, 300, rates), overtaking_probability(thresholds, 300, rates)
    assert stays.shape == (3, 4)
    np.testing.assert_allclose(stays + goes, 1, rtol=1e-15)
    for row, threshold in enumerate(thresholds[:, 0]):
        for column, rate in enumerate(rates):
            distribution = NoisyDotProduct(300, float(rate))
            assert stays[row, column] == pytest.approx(float(distribution.cdf(threshold)), rel=1e-13)
            assert goes[row, column] == pytest.approx(float(distribution.survival(threshold)), rel=1e-11)
    assert (np.diff(stays, axis=0) >= 0).all() and (np.diff(stays, axis=1) >= 0).all()
    assert necessary_probability(0.0, 5, 3.0) == 0.5
    assert necessary_probability([-np.inf, np.inf], 5, 3.0).tolist() == [0, 1]


def test_an_output_is_never_likelier_than_its_necessary_condition(rng) -> None:
    """Equations 20 and 21 on twelve words: counts of real draws against the exact bounds, each at ALPHA."""
    dim, rate, draws = 8, 9.0, 40_000
    words = rng.standard_normal((12, dim))
    w = words[0]
    words = words[np.argsort(np.linalg.norm(words - w, axis=1))]
    noisy = w + SphericalLaplace(dim=dim, rate=rate).sample(draws, rng, np.float64)
    counts = np.bincount(np.square(noisy[:, None, :] - words).sum(axis=2).argmin(axis=1), minlength=12)
    nearest = float(np.linalg.norm(words[1] - w))
    leaves = float(overtaking_probability(original_threshold(nearest), dim, rate))
    for i in range(1, 12):
        assert bdtrc(counts[i] - 1, draws, leaves) > ALPHA
        for j in range(12):
            if i != j:
                bound = float(necessary_probability(neighbor_threshold(*triple(w, words[i], words[j])), dim, rate))
                assert bdtrc(counts[i] - 1, draws, bound) > ALPHA
    unchanged = float(necessary_probability(original_threshold(nearest), dim, rate))
    assert bdtrc(counts[0] - 1, draws, unchanged) > ALPHA


def test_with_two_words_the_condition_is_sufficient_and_mutants_die(rng) -> None:
    """Two-sided binomial test at ALPHA; mutants: the threshold without its half, the rate 5 % off."""
    dim, rate, draws = 20, 8.0, 200_000
    w, other = rng.standard_normal((2, dim))
    other = w + (other - w) / np.linalg.norm(other - w) * 0.9
    noise = SphericalLaplace(dim=dim, rate=rate).sample(draws, rng, np.float64)
    moved = int((np.linalg.norm(noise + w - other, axis=1) < np.linalg.norm(noise, axis=1)).sum())

    def fits(probability: float) -> bool:
        return 2 * min(bdtr(moved, draws, probability), bdtrc(moved - 1, draws, probability)) > ALPHA

    assert fits(float(overtaking_probability(original_threshold(0.9), dim, rate)))
    assert not fits(float(overtaking_probability(0.9, dim, rate)))
    for wrong in (rate * 1.05, rate * 0.95):
        assert not fits(float(overtaking_probability(original_threshold(0.9), dim, wrong)))


@pytest.mark.parametrize(("call", "words"), ERRORS)
def test_bad_input_is_refused_in_one_line(call, words) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
