"""Gaussian noise on the integers: its law, and the lemma that its proof rests on."""

import mpmath
import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.numerics.discrete_noise import LARGEST_SIGMA, discrete_gaussian_draws, happen

ALPHA = 1e-6


def _p_value(drawn: np.ndarray, sigma: float) -> float:
    reach = int(6 * sigma)
    cells = np.arange(-reach, reach + 1)
    law = np.exp(-0.5 * (cells / sigma) ** 2)
    counts = np.array([(np.clip(drawn, -reach, reach) == cell).sum() for cell in cells])
    kept = law / law.sum() * drawn.size >= 10
    expected = np.append(law[kept] / law.sum(), (law / law.sum())[~kept].sum()) * drawn.size
    return float(chisquare(np.append(counts[kept], counts[~kept].sum()), expected).pvalue)


@pytest.mark.parametrize("sigma", [1, 2, 5])
def test_the_law_is_the_discrete_gaussian(sigma: int, rng: np.random.Generator) -> None:
    """Seeded by the fixture; the mutant that dies has a sigma 5 % larger."""
    drawn = discrete_gaussian_draws(sigma, 60_000, rng)
    assert _p_value(drawn, sigma) > ALPHA
    assert _p_value(drawn, 1.05 * sigma) < ALPHA


def test_large_sigmas_keep_their_variance(rng: np.random.Generator) -> None:
    """The mean of 20,000 squares, within six of its standard deviations (alpha 2e-9)."""
    for sigma in (1_000, LARGEST_SIGMA):
        squares = (discrete_gaussian_draws(sigma, 20_000, rng) / sigma) ** 2
        assert abs(squares.mean() - 1) < 6 * np.sqrt(2 / 20_000)
    for sigma in (0, LARGEST_SIGMA + 1):
        with pytest.raises(ParameterError, match="sigma must be between 1"):
            discrete_gaussian_draws(sigma, 1, rng)


@pytest.mark.parametrize("top", [0, 1, 3, 7, 10])
def test_what_happens_has_its_probability_beyond_one_too(top: int, rng: np.random.Generator) -> None:
    count = 40_000
    for tops in (np.full(count, top), np.full(count, top).astype(object)):
        happened = int(happen(tops, 3, rng).sum())
        probability = float(np.exp(-top / 3))
        if top == 0:
            assert happened == count
        else:
            expected = [count * probability, count * (1 - probability)]
            assert chisquare([happened, count - happened], expected).pvalue > ALPHA
    assert not happen(np.array([10**40], dtype=object), 3, rng).any()


@mpmath.workdps(30)
def test_rounding_a_continuous_gaussian_at_random_gives_the_discrete_one() -> None:
    """The lemma of the proof, by quadrature, with a smoothing of 1 in place of 3 so that it shows."""
    smoothing, sigma = mpmath.mpf(1), mpmath.mpf(3)
    rest = mpmath.sqrt(sigma**2 - smoothing**2)

    def density(x: mpmath.mpf, scale: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-(x**2) / (2 * scale**2)) / (scale * mpmath.sqrt(2 * mpmath.pi))

    def rounded(z: int) -> mpmath.mpf:
        def integrand(y: mpmath.mpf) -> mpmath.mpf:
            weights = mpmath.fsum(density(k - y, smoothing) for k in range(round(y) - 12, round(y) + 13))
            return density(y, rest) * density(z - y, smoothing) / weights

        return mpmath.quad(integrand, list(range(-16, 17, 2)), maxdegree=5)

    eta = 2 * mpmath.fsum(mpmath.exp(-2 * mpmath.pi**2 * smoothing**2 * k**2) for k in range(1, 4))
    bound = 2 * mpmath.log((1 + eta) / (1 - eta))
    whole = mpmath.fsum(density(k, sigma) for k in range(-60, 61))
    for z in (0, 4):
        assert abs(mpmath.log(rounded(z) / (density(z, sigma) / whole))) <= bound
