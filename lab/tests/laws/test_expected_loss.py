"""The two identities of the squared loss, and both geometric conditions against distances computed outright."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil_lab.laws.conditions import Triple, triple
from textveil_lab.laws.expected_loss import (
    LossGap,
    expected_loss,
    expected_noise_loss,
    first_stays,
    original_stays,
    squared_losses,
)
from textveil_lab.laws.noise_components import NoiseLength
from textveil_lab.noise.spherical_laplace import SphericalLaplace

WORDS = st.tuples(st.integers(0, 2**32), st.integers(1, 60), st.floats(-2, 2), st.floats(-2, 2))


@settings(deadline=None, max_examples=200)
@given(WORDS)
def test_conditions_are_the_comparison_of_distances(case) -> None:
    seed, dim, log_words, log_noise = case
    rng = np.random.default_rng(seed)
    w, a, b = rng.standard_normal((3, dim)) * 10**log_words
    noise = rng.standard_normal((30, dim)) * 10**log_noise
    losses = squared_losses(w + noise, np.stack([w, a, b]))
    scale = losses.max(axis=1) * 1e-12
    for stays, first, second in ((original_stays(w, b, noise), 0, 2), (first_stays(w, a, b, noise), 1, 2)):
        clear = np.abs(losses[:, second] - losses[:, first]) > scale
        assume(clear.any())
        assert (stays == (losses[:, first] <= losses[:, second]))[clear].all()
    # The mutant compares with the whole distance.
    whole = noise @ (b - w) <= np.square(b - w).sum()
    assert (whole >= original_stays(w, b, noise)).all()


@settings(deadline=None, max_examples=100)
@given(WORDS)
def test_the_gap_identity(case) -> None:
    seed, dim, log_words, log_noise = case
    rng = np.random.default_rng(seed)
    w, a, b = rng.standard_normal((3, dim)) * 10**log_words
    noise = rng.standard_normal((5, dim)) * 10**log_noise
    gap = LossGap(triple(w, a, b), dim, 2.0)
    products = noise @ ((b - a) / gap.distances.between)
    losses = squared_losses(w + noise, np.stack([a, b]))
    expected = 2 * gap.distances.between * (gap.threshold - products)
    np.testing.assert_allclose(losses[:, 1] - losses[:, 0], expected, atol=1e-11 * losses.max())
    assert gap.mean == pytest.approx(2 * gap.distances.between * gap.threshold, rel=1e-12)


def test_expected_loss_and_spread_of_draws(rng) -> None:
    """Means and spread of 100,000 draws within six standard errors; a noise term of dim^2 / rate^2 is refused."""
    dim, rate, draws = 10, 3.0, 100_000
    w, a, b = rng.standard_normal((3, dim))
    noise = SphericalLaplace(dim=dim, rate=rate).sample(draws, rng, np.float64)
    losses = squared_losses(w + noise, np.stack([w, a, b]))
    distances = np.linalg.norm(np.stack([w, a, b]) - w, axis=1)
    error = 6 * losses.std(axis=0) / math.sqrt(draws)
    assert (np.abs(losses.mean(axis=0) - expected_loss(distances, dim, rate)) < error).all()
    wrong = distances**2 + dim**2 / rate**2
    assert (np.abs(losses.mean(axis=0) - wrong) > error).all()
    gap = LossGap(triple(w, a, b), dim, rate)
    differences = losses[:, 2] - losses[:, 1]
    assert differences.mean() == pytest.approx(gap.mean, abs=6 * gap.standard_deviation / math.sqrt(draws))
    assert differences.std() == pytest.approx(gap.standard_deviation, rel=0.03)
    chance = gap.reversal_probability
    assert (differences < 0).mean() == pytest.approx(chance, abs=6 * math.sqrt(chance * (1 - chance) / draws))


@pytest.mark.parametrize("dim", [1, 2, 300, 4096])
def test_the_noise_term_is_the_second_moment_of_the_length(dim) -> None:
    assert expected_noise_loss(dim, 7.0) == pytest.approx(NoiseLength(dim, 7.0).moment(2), rel=1e-14)
    assert expected_loss([0.0, 2.0], dim, 7.0).tolist() == [
        expected_noise_loss(dim, 7.0),
        4 + expected_noise_loss(dim, 7.0),
    ]


def test_the_order_of_expected_losses_is_the_order_of_distances() -> None:
    losses = expected_loss(np.linspace(0, 5, 50), 300, 20.0)
    assert (np.diff(losses) > 0).all()


def test_a_gap_between_consecutive_neighbors_is_lost_in_its_spread() -> None:
    """The mean thresholds of a real 300-dimensional table at rate 20: the original against x1, x1 against x2."""
    far = LossGap(Triple(0.0, 5.8, 5.8), 300, 20.0)
    near = LossGap(Triple(5.8, 6.2, 6.2), 300, 20.0)
    assert far.reversal_probability < 1e-3 < 0.3 < near.reversal_probability < 0.5
    assert near.standard_deviation > 2 * near.mean > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: expected_loss(-1.0, 3, 1.0), "distance must be"),
        (lambda: expected_loss(math.nan, 3, 1.0), "distance must be"),
        (lambda: expected_loss(1.0, 0, 1.0), "dim must be"),
        (lambda: expected_noise_loss(3, 0.0), "rate must be"),
        (lambda: LossGap(Triple(1.0, 2.0, 0.0), 3, 1.0), "between must be > 0"),
        (lambda: LossGap(Triple(1.0, 2.0, 1.5), 3, -1.0), "rate must be"),
        (lambda: original_stays([1.0, 2.0], [1.0, 2.0], np.zeros((1, 2))), "between must be > 0"),
        (lambda: original_stays([1.0, 2.0], [1.0, 3.0], np.zeros((1, 3))), "z must be"),
        (lambda: squared_losses(np.zeros((1, 2)), np.zeros(2)), "candidates must be"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, words) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
