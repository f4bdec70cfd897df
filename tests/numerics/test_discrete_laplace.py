"""Two-sided geometric noise: its exact law, and draws by integers of any length."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare, dlaplace

from textveil.errors import ParameterError
from textveil.numerics.discrete_noise import discrete_laplace, happens, uniform_below

ALPHA = 1e-6


def _fits(drawn: list[int], scale: float) -> float:
    """The p-value of integers against the law of that scale, in cells of ten expected draws or more."""
    law, reach = dlaplace(1 / scale), max(1, int(2 * scale))
    found = Counter(min(max(one, -reach), reach) for one in drawn)
    cells = range(-reach, reach + 1)
    expected = np.array([law.cdf(-reach), *(law.pmf(cell) for cell in cells[1:-1]), law.sf(reach - 1)])
    return float(chisquare([found[cell] for cell in cells], expected / expected.sum() * len(drawn)).pvalue)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(2.7)])
def test_the_law_is_the_discrete_laplace(scale: Fraction, rng: np.random.Generator) -> None:
    """The mutant that dies has a scale 15 % larger."""
    drawn = [discrete_laplace(scale, rng) for _ in range(4_000)]
    assert _fits(drawn, float(scale)) > ALPHA
    assert _fits([discrete_laplace(scale * Fraction(3, 2), rng) for _ in range(4_000)], float(scale)) < ALPHA


def test_what_happens_has_its_probability(rng: np.random.Generator) -> None:
    for exponent in (Fraction(0), Fraction(1, 3), Fraction(1)):
        count = sum(happens(exponent, rng) for _ in range(4_000))
        probability = float(np.exp(-float(exponent)))
        if exponent == 0:
            assert count == 4_000
        else:
            assert chisquare([count, 4_000 - count], [4_000 * probability, 4_000 * (1 - probability)]).pvalue > ALPHA


def test_uniform_integers_of_any_length(rng: np.random.Generator) -> None:
    size = 3 * 2**90
    cells = Counter(uniform_below(size, rng) // 2**90 for _ in range(900))
    assert set(cells) == {0, 1, 2} and chisquare(list(cells.values())).pvalue > ALPHA
    assert uniform_below(1, rng) == 0
    with pytest.raises(ParameterError, match="scale must be > 0; got 0"):
        discrete_laplace(Fraction(0), rng)
    with pytest.raises(ParameterError, match="size must be >= 1; got 0"):
        uniform_below(0, rng)
