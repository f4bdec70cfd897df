"""One table of distributions, one test for each clause of the contract in noise/distribution.py."""

import dataclasses
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.distribution import NoiseDistribution, PairwiseDensity, block_rows, rounded_down
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

ALPHA = 1e-6
"""Probability that one statistical test of this file accuses a correct sampler."""

DISTRIBUTIONS = {
    "coordinate": lambda dim: CoordinateLaplace(dim=dim, scale=0.7),
    "gaussian": lambda dim: Gaussian(dim=dim, sigma=1.3),
    "spherical": lambda dim: SphericalLaplace(dim=dim, rate=2.5),
    "truncated": lambda dim: TruncatedLaplace(dim=dim, scale=0.7, bound=1.9),
    "truncated-nearly-uniform": lambda dim: TruncatedLaplace(dim=dim, scale=1e3, bound=0.5),
    "truncated-uniform": lambda dim: TruncatedLaplace(dim=dim, scale=1e200, bound=0.5),
    "truncated-nearly-untruncated": lambda dim: TruncatedLaplace(dim=dim, scale=0.7, bound=1e9),
}

each_distribution = pytest.mark.parametrize("make", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys())
each_precision = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@each_distribution
def test_a_distribution_is_a_frozen_noise_distribution(make):
    distribution = make(3)
    assert isinstance(distribution, NoiseDistribution)
    with pytest.raises(dataclasses.FrozenInstanceError):
        distribution.dim = 4


@each_distribution
@each_precision
@pytest.mark.parametrize(("count", "dim"), [(0, 5), (1, 1), (7, 5), (300, 301)])
def test_draws_have_the_shape_and_type_asked_for(make, dtype, count, dim, rng):
    draws = make(dim).sample(count, rng, dtype)
    assert draws.shape == (count, dim)
    assert draws.dtype == dtype
    assert draws.flags.c_contiguous
    assert np.isfinite(draws).all()


@each_distribution
@pytest.mark.parametrize("dim", [1, 4, 50])
def test_densities_of_many_differences_are_those_of_each(make, dim, rng):
    distribution = make(dim)
    points, centers = rng.normal(size=(6, dim)), rng.normal(size=(9, dim)).astype(np.float32)
    expected = np.stack([distribution.log_density(one - centers.astype(np.float64)) for one in points])
    assert isinstance(distribution, PairwiseDensity)
    np.testing.assert_allclose(distribution.log_densities(points, centers), expected, rtol=1e-12, atol=1e-12)


@each_distribution
def test_draws_are_single_precision_by_default_and_fresh_without_a_generator(make):
    distribution = make(4)
    first, second = distribution.sample(3), distribution.sample(3)
    assert first.dtype == np.float32
    assert not np.array_equal(first, second)


@each_distribution
@each_precision
def test_the_seed_decides_the_draws(make, dtype):
    distribution = make(6)
    first = distribution.sample(9, seeded_generator(1), dtype)
    np.testing.assert_array_equal(first, distribution.sample(9, seeded_generator(1), dtype))
    assert not np.array_equal(first, distribution.sample(9, seeded_generator(2), dtype))


@each_distribution
def test_a_generator_that_has_drawn_does_not_repeat(make, rng):
    distribution = make(6)
    assert not np.array_equal(distribution.sample(9, rng), distribution.sample(9, rng))


def sign_p_value(products):
    """Exact two-sided p-value of as many positive signs among fair ones."""
    return stats.binomtest(int(np.count_nonzero(products > 0)), products.size, 0.5).pvalue


def sign_p_values(draws):
    """Fair signs; independent of the same coordinate one row on, and of the next coordinate of the row."""
    signs = np.sign(draws)
    disjoint_rows = signs[0::2] * signs[1::2]
    disjoint_columns = signs[:, 0::2] * signs[:, 1::2]
    return [sign_p_value(signs), sign_p_value(disjoint_rows), sign_p_value(disjoint_columns)]


@each_distribution
@each_precision
def test_signs_are_fair_and_independent_across_rows_and_coordinates(make, dtype, rng):
    draws = make(50).sample(2000, rng, dtype)
    assert min(sign_p_values(draws)) > ALPHA / 3
    assert len(np.unique(draws, axis=0)) == len(draws)


@each_distribution
@pytest.mark.parametrize(
    ("defect", "seen_by"),
    [
        (np.abs, 0),  # noise on one side only
        (lambda draws: np.broadcast_to(draws[0], draws.shape), 1),  # one vector for the whole batch
        (lambda draws: np.broadcast_to(draws[:, :1], draws.shape), 2),  # one number for the whole vector
    ],
    ids=["one-sided", "shared-vector", "shared-coordinate"],
)
def test_the_sign_test_kills_published_defects(make, defect, seen_by, rng):
    draws = make(50).sample(2000, rng)
    assert sign_p_values(defect(draws))[seen_by] < ALPHA / 3


@each_distribution
@pytest.mark.parametrize("value", [0, -1, 2.0, "3", None])
def test_a_dimension_outside_the_integers_from_1_is_refused(make, value):
    with pytest.raises(ParameterError, match="dim must be"):
        make(value)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_parameter_that_is_not_finite_and_positive_is_refused(value):
    for build, name in [
        (lambda: CoordinateLaplace(dim=2, scale=value), "scale"),
        (lambda: Gaussian(dim=2, sigma=value), "sigma"),
        (lambda: SphericalLaplace(dim=2, rate=value), "rate"),
        (lambda: TruncatedLaplace(dim=2, scale=value, bound=1.0), "scale"),
        (lambda: TruncatedLaplace(dim=2, scale=1.0, bound=value), "bound"),
    ]:
        with pytest.raises(ParameterError, match=f"{name} must be finite and > 0"):
            build()


@each_distribution
def test_a_draw_that_cannot_be_made_is_refused(make, rng):
    distribution = make(3)
    with pytest.raises(ParameterError, match="count"):
        distribution.sample(-1, rng)
    with pytest.raises(ParameterError, match="dtype"):
        distribution.sample(1, rng, np.float16)
    with pytest.raises(ParameterError, match="rng"):
        distribution.sample(1, np.random.RandomState(0))


@pytest.mark.parametrize("length", [1e-40, 1e38])
def test_single_precision_refuses_lengths_at_which_noise_would_vanish_or_overflow(length, rng):
    for distribution in [
        CoordinateLaplace(dim=2, scale=length),
        Gaussian(dim=2, sigma=length),
        SphericalLaplace(dim=2, rate=1 / length),
        TruncatedLaplace(dim=2, scale=length, bound=length),
    ]:
        with pytest.raises(ParameterError, match="to be sampled in float32"):
            distribution.sample(1, rng)
        draws = distribution.sample(100, rng, np.float64)
        assert (draws != 0).all()
        assert np.isfinite(draws).all()


@settings(deadline=None)
@given(st.floats(1e-30, 1e30))
def test_bounds_are_rounded_inward_to_the_next_number_of_the_precision(length):
    down = rounded_down(length, np.float32)
    assert down <= length < float(np.nextafter(np.float32(down), np.float32(np.inf)))
    assert np.float32(down) == down
    assert rounded_down(length, np.float64) == length


@each_distribution
def test_single_precision_is_double_precision_rounded_and_blocks_are_drawn_one_after_another(make):
    """Across three blocks, the last of them not full; no draw of one block is that of another."""
    distribution = make(1000)
    count = 2 * block_rows(1000) + 7
    single = distribution.sample(count, seeded_generator(5))
    double = distribution.sample(count, seeded_generator(5), np.float64)
    np.testing.assert_allclose(single, double, rtol=1e-6)
    assert np.unique(double[:, 0]).size == count


class ZerosFirst(np.random.Generator):
    """A generator whose first normal draws are a row of zeros, which has no direction."""

    sizes: tuple[int, ...] = ()

    def standard_normal(self, size):
        draws = super().standard_normal(size)
        if not self.sizes:
            draws[2:4] = 0
        self.sizes += (size,)
        return draws


def test_a_direction_that_is_zero_is_drawn_again():
    generator = ZerosFirst(np.random.PCG64(0))
    draws = SphericalLaplace(dim=2, rate=1.0).sample(3, generator)
    assert generator.sizes[:3] == (6, 2, 3)  # directions, the one again, lengths
    assert np.isfinite(draws).all()
    assert (draws != 0).all()


@each_distribution
def test_the_density_of_a_draw_is_finite_and_has_one_entry_a_row(make, rng):
    distribution = make(300)
    densities = distribution.log_density(distribution.sample(11, rng))
    assert densities.shape == (11,)
    assert densities.dtype == np.float64
    assert np.isfinite(densities).all()
    for wrong in (np.zeros(300), np.zeros((2, 299)), np.zeros((1, 2, 300))):
        with pytest.raises(ParameterError, match="z must be of shape"):
            distribution.log_density(wrong)


def exact_log_density(distribution, z):
    """The docstring's formula in 50 digits."""
    with mpmath.workdps(50):
        z = [mpmath.mpf(float(x)) for x in z]
        d, size, norm = distribution.dim, mpmath.fsum(map(abs, z)), mpmath.sqrt(mpmath.fsum(x * x for x in z))
        if isinstance(distribution, CoordinateLaplace):
            return -d * mpmath.log(2 * mpmath.mpf(distribution.scale)) - size / distribution.scale
        if isinstance(distribution, Gaussian):
            return (
                -d * mpmath.log(2 * mpmath.pi * mpmath.mpf(distribution.sigma) ** 2) / 2
                - (norm / distribution.sigma) ** 2 / 2
            )
        if isinstance(distribution, SphericalLaplace):
            sphere = 2 * mpmath.pi ** (mpmath.mpf(d) / 2) / mpmath.gamma(mpmath.mpf(d) / 2)
            return mpmath.log(mpmath.mpf(distribution.rate) ** d / sphere / mpmath.gamma(d)) - distribution.rate * norm
        ratio = mpmath.mpf(distribution.bound) / distribution.scale
        with mpmath.workdps(400):
            return -d * mpmath.log(-2 * distribution.scale * mpmath.expm1(-ratio)) - size / distribution.scale


@each_distribution
@pytest.mark.parametrize("dim", [1, 2, 300, 1700])
def test_the_density_matches_its_formula_in_multiple_precision(make, dim, rng):
    distribution = make(dim)
    points = distribution.sample(3, rng, np.float64)
    expected = [float(exact_log_density(distribution, z)) for z in points]
    np.testing.assert_allclose(distribution.log_density(points), expected, rtol=1e-12, atol=1e-12)


def extent(distribution):
    """A half-width beyond which no mass is left that quadrature could see."""
    return min(getattr(distribution, "bound", math.inf), 60 * math.sqrt(distribution.variance))


@each_distribution
def test_the_density_integrates_to_one_in_one_dimension_with_the_stated_variance(make):
    distribution = make(1)
    top = extent(distribution)
    mass, _ = integrate.quad(
        lambda x: 2 * math.exp(distribution.log_density([[x]])[0]), 0, top, epsabs=1e-13, limit=200
    )
    square, _ = integrate.quad(
        lambda x: 2 * x * x * math.exp(distribution.log_density([[x]])[0]), 0, top, epsabs=1e-13, limit=200
    )
    assert mass == pytest.approx(1, rel=1e-9)
    assert square == pytest.approx(distribution.variance, rel=1e-9)


@each_distribution
def test_the_density_integrates_to_one_in_two_dimensions(make):
    distribution = make(2)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    edges = extent(distribution) * np.concatenate([[0], 4.0 ** np.arange(-8, 1)])
    half = np.diff(edges) / 2
    x = (edges[:-1, None] + half[:, None] * (1 + nodes)).ravel()
    w = (half[:, None] * weights).ravel()
    grid = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    mass = 4 * np.exp(distribution.log_density(grid)) @ np.outer(w, w).ravel()
    assert mass == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("dim", [2, 3, 300])
def test_the_spherical_density_has_mass_one_and_the_stated_variance_in_any_dimension(dim):
    distribution = SphericalLaplace(dim=dim, rate=2.5)
    log_sphere = math.log(2) + dim / 2 * math.log(math.pi) - math.lgamma(dim / 2)

    def shell(radius):
        point = np.zeros((1, dim))
        point[0, 0] = radius
        return math.exp(distribution.log_density(point)[0] + log_sphere + (dim - 1) * math.log(radius))

    center, spread = dim / distribution.rate, 12 * math.sqrt(dim) / distribution.rate
    low, high = max(1e-300, center - spread), center + 3 * spread
    mass, _ = integrate.quad(shell, low, high, epsabs=1e-12, limit=300)
    square, _ = integrate.quad(lambda r: r * r * shell(r), low, high, epsabs=1e-9, limit=300)
    assert mass == pytest.approx(1, rel=1e-9)
    assert square / dim == pytest.approx(distribution.variance, rel=1e-9)


def test_no_density_outside_the_support():
    distribution = TruncatedLaplace(dim=2, scale=1.0, bound=2.0)
    inside, edge, beyond, far = distribution.log_density([[0, 0], [2, -2], [math.nextafter(2, 3), 0], [0, -1e300]])
    assert math.isfinite(inside)
    assert edge == pytest.approx(inside - 4)
    assert beyond == far == -math.inf


def test_extreme_points_have_a_density_without_overflow():
    huge = np.full((1, 3), 1e200)
    assert CoordinateLaplace(dim=3, scale=1e-3).log_density(huge)[0] == pytest.approx(-3e203)
    assert SphericalLaplace(dim=3, rate=1e3).log_density(huge)[0] == pytest.approx(-math.sqrt(3) * 1e203)
    assert Gaussian(dim=3, sigma=1e-3).log_density(huge)[0] == -math.inf
    assert SphericalLaplace(dim=3, rate=1.0).log_density(np.full((1, 3), np.inf))[0] == -math.inf
