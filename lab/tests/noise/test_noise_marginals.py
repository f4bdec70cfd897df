"""Exact marginals of every sampler, and the mutants that the test must kill.

Kolmogorov-Smirnov at level ALPHA, with Massart's bound on its tail, which holds at every sample size and
is sharp where it matters; a sampler whose parameter is 5 % off must fail the
same test. Sample sizes leave every mutant a distance of five standard deviations or more beyond the
threshold, so nothing here depends on the seed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from tests.helpers.exactness import p_value
from tests.helpers.golden import reference

from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

ALPHA = 1e-6


def laplace_cdf(x, scale):
    tail = 0.5 * np.exp(-np.abs(x) / scale)
    return np.where(x < 0, tail, 1 - tail)


def truncated_cdf(x, scale, bound):
    """By the conditional distribution of Laplace noise within the bound: a formula that the package does not use."""
    below = laplace_cdf(-bound, scale)
    return (laplace_cdf(x, scale) - below) / (1 - 2 * below)


def coordinate_of_spherical_cdf(x, rate):
    """In three dimensions: the difference of two Gamma(2, 1/rate), theory of the noisy dot product."""
    tail = 0.25 * (2 + rate * np.abs(x)) * np.exp(-rate * np.abs(x))
    return np.where(x < 0, tail, 1 - tail)


@dataclass(frozen=True)
class Case:
    """A distribution with its coordinates' exact distribution; ``wrong`` are the mutants."""

    distribution: Any
    cdf: Any
    wrong: tuple[Any, ...]
    coordinates: int = 1_000_000
    sampler: str = "sample"


TRUNCATED_WRONG = (
    TruncatedLaplace(dim=300, scale=0.5 * 1.05, bound=3.0),
    TruncatedLaplace(dim=300, scale=0.5 * 0.95, bound=3.0),
    TruncatedLaplace(dim=300, scale=0.4, bound=0.4 * 1.05),
    TruncatedLaplace(dim=300, scale=0.4, bound=0.4 * 0.95),
)

CASES = {
    "coordinate": Case(
        CoordinateLaplace(dim=300, scale=0.8),
        lambda x: laplace_cdf(x, 0.8),
        (CoordinateLaplace(dim=300, scale=0.84), CoordinateLaplace(dim=300, scale=0.76)),
    ),
    "gaussian": Case(
        Gaussian(dim=300, sigma=2.0),
        lambda x: special.ndtr(x / 2.0),
        (Gaussian(dim=300, sigma=2.1), Gaussian(dim=300, sigma=1.9)),
    ),
    "truncated-scale": Case(
        TruncatedLaplace(dim=300, scale=0.5, bound=3.0),
        lambda x: truncated_cdf(x, 0.5, 3.0),
        TRUNCATED_WRONG[:2],
    ),
    "truncated-bound": Case(
        TruncatedLaplace(dim=300, scale=0.4, bound=0.4),
        lambda x: truncated_cdf(x, 0.4, 0.4),
        TRUNCATED_WRONG[2:],
    ),
    "truncated-scale-inversion": Case(
        TruncatedLaplace(dim=300, scale=0.5, bound=3.0),
        lambda x: truncated_cdf(x, 0.5, 3.0),
        TRUNCATED_WRONG[:2],
        sampler="sample_by_inversion",
    ),
    "truncated-bound-inversion": Case(
        TruncatedLaplace(dim=300, scale=0.41, bound=0.4),
        lambda x: truncated_cdf(x, 0.41, 0.4),
        TRUNCATED_WRONG[2:],
        sampler="sample_by_inversion",
    ),
    "truncated-near-one-scale-inversion": Case(
        TruncatedLaplace(dim=300, scale=0.4, bound=0.44),
        lambda x: truncated_cdf(x, 0.4, 0.44),
        (
            TruncatedLaplace(dim=300, scale=0.4, bound=0.44 * 1.05),
            TruncatedLaplace(dim=300, scale=0.4, bound=0.44 * 0.95),
        ),
        sampler="sample_by_inversion",
    ),
    "truncated-huge-ratio": Case(
        TruncatedLaplace(dim=300, scale=0.8, bound=0.8e15),
        lambda x: laplace_cdf(x, 0.8),
        (TruncatedLaplace(dim=300, scale=0.84, bound=0.8e15),),
    ),
    "truncated-tiny-ratio": Case(
        TruncatedLaplace(dim=300, scale=1e13, bound=0.8),
        lambda x: 0.5 + x / 1.6,
        (TruncatedLaplace(dim=300, scale=1e13, bound=0.84), TruncatedLaplace(dim=300, scale=0.8, bound=0.8)),
    ),
    "truncated-tiny-ratio-inversion": Case(
        TruncatedLaplace(dim=300, scale=1e13, bound=0.8),
        lambda x: 0.5 + x / 1.6,
        (TruncatedLaplace(dim=300, scale=1e13, bound=0.84), TruncatedLaplace(dim=300, scale=0.8, bound=0.8)),
        sampler="sample_by_inversion",
    ),
    "spherical-1": Case(
        SphericalLaplace(dim=1, rate=1 / 0.8),
        lambda x: laplace_cdf(x, 0.8),
        (SphericalLaplace(dim=1, rate=1 / 0.84), SphericalLaplace(dim=1, rate=1 / 0.76)),
    ),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_coordinate_has_its_exact_distribution(case, dtype, rng):
    draws = getattr(case.distribution, case.sampler)(case.coordinates // case.distribution.dim, rng, dtype)
    assert p_value(draws, case.cdf) > ALPHA


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_parameter_that_is_five_percent_off_is_caught(case, rng):
    for wrong in case.wrong:
        draws = getattr(wrong, case.sampler)(case.coordinates // wrong.dim, rng)
        assert p_value(draws, case.cdf) < ALPHA


def spherical_p_values(draws, rate):
    """Norm; squared first coordinate of the direction; their independence, by halves at the medians."""
    dim = draws.shape[1]
    norms = np.linalg.norm(draws.astype(np.float64), axis=1)
    share = np.square(draws[:, 0] / norms)
    halves = np.histogram2d(norms > np.median(norms), share > np.median(share), bins=2)[0]
    return (
        p_value(norms, lambda r: special.gammainc(dim, rate * r)),
        p_value(share, lambda s: special.betainc(0.5, (dim - 1) / 2, s)),
        stats.fisher_exact(halves)[1],
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dim", [2, 3, 300])
def test_spherical_noise_has_a_gamma_norm_and_an_independent_uniform_direction(dim, dtype, rng):
    draws = SphericalLaplace(dim=dim, rate=2.5).sample(10_000, rng, dtype)
    assert min(spherical_p_values(draws, 2.5)) > ALPHA / 3


def test_spherical_mutants_are_caught(rng):
    for dim, count in [(2, 200_000), (300, 10_000)]:
        for wrong in (2.5 * 1.05, 2.5 * 0.95):
            draws = SphericalLaplace(dim=dim, rate=wrong).sample(count, rng)
            assert spherical_p_values(draws, 2.5)[0] < ALPHA / 3
    # Independent coordinates with the right variance have neither the norm nor the direction.
    cubes = CoordinateLaplace(dim=3, scale=np.sqrt(4 / 2) / 2.5).sample(300_000, rng)
    assert max(spherical_p_values(cubes, 2.5)[:2]) < ALPHA / 3


def test_spherical_coordinates_in_three_dimensions_have_their_closed_form(rng):
    def draw(rate):
        return SphericalLaplace(dim=3, rate=rate).sample(800_000, rng)[:, 1]

    assert p_value(draw(2.5), lambda x: coordinate_of_spherical_cdf(x, 2.5)) > ALPHA
    for wrong in (2.5 * 1.05, 2.5 * 0.95):
        assert p_value(draw(wrong), lambda x: coordinate_of_spherical_cdf(x, 2.5)) < ALPHA


def test_spherical_noise_along_a_unit_vector_meets_the_reference(rng):
    rows = reference("noisy_dot_product")
    for row in rows:
        distribution = SphericalLaplace(dim=row["d"], rate=row["rate"])
        direction = rng.standard_normal(row["d"])
        direction /= np.linalg.norm(direction)
        below = int(np.count_nonzero(distribution.sample(20_000, rng) @ direction <= row["z"]))
        assert stats.binomtest(below, 20_000, row["cdf"]).pvalue > ALPHA / len(rows)
        assert distribution.variance == pytest.approx(row["variance"], rel=1e-12)
