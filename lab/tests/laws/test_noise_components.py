"""Length and direction of the noise: exact distributions, and that their product is the noisy dot product."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import kolmogorov

from textveil.errors import ParameterError
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.noise_components import NoiseDirection, NoiseLength
from textveil_lab.noise.spherical_laplace import SphericalLaplace

ALPHA = 1e-6
DIMENSIONS = (1, 2, 3, 4, 25, 300, 4096)


def p_value(draws, distribution) -> float:
    """Kolmogorov-Smirnov, two-sided, over 401 points of the draws' range: the level holds."""
    grid = np.linspace(draws.min(), draws.max(), 401)
    distance = np.abs(np.searchsorted(np.sort(draws), grid, side="right") / draws.size - distribution.cdf(grid)).max()
    return float(kolmogorov(distance * math.sqrt(draws.size)))


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_length_tails_equal_mpmath(dim) -> None:
    distribution = NoiseLength(dim, 2.0)
    for length in (1e-9, 0.05 * dim, 0.35 * dim, 0.5 * dim, 0.6 * dim, 3.0 * dim, 40.0 * dim, 1e6):
        with mpmath.workdps(40):
            upper = mpmath.log(mpmath.gammainc(dim, 2 * mpmath.mpf(length), mpmath.inf, regularized=True))
            lower = mpmath.log(mpmath.gammainc(dim, 0, 2 * mpmath.mpf(length), regularized=True))
        assert distribution.log_survival(length) == pytest.approx(float(upper), rel=1e-13, abs=1e-13)
        assert distribution.log_cdf(length) == pytest.approx(float(lower), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("dim", DIMENSIONS[1:])
def test_direction_tails_equal_mpmath(dim) -> None:
    distribution = NoiseDirection(dim)
    for cosine in (1e-9, 0.01, 0.2, 0.499, 0.501, 0.8, 0.99, 1 - 2.0**-20):
        with mpmath.workdps(40):
            half, inside = mpmath.mpf(dim - 1) / 2, 1 - mpmath.mpf(cosine) ** 2
            tail = mpmath.log(mpmath.betainc(half, 0.5, 0, inside, regularized=True) / 2)
        assert distribution.log_survival(cosine) == pytest.approx(float(tail), rel=1e-13, abs=1e-11)
        assert distribution.cdf(cosine) == pytest.approx(-math.expm1(tail), rel=1e-14)
        assert distribution.cdf(-cosine) == distribution.survival(cosine)


@pytest.mark.parametrize("dim", [1, 2, 3, 50])
def test_densities_integrate_to_the_distributions_and_moments(dim) -> None:
    length = NoiseLength(dim, 1.5)
    for low, high in ((0, 0.7 * dim), (0.1 * dim, 2.0 * dim)):
        mass = quad(lambda x: float(length.pdf(x)), low, high, epsrel=1e-11)[0]
        assert mass == pytest.approx(float(length.cdf(high) - length.cdf(low)), abs=1e-10)
    third = quad(lambda x: float(length.pdf(x)) * x**3, 0, 4.0 * dim + 60, epsrel=1e-11, limit=200)[0]
    assert length.moment(3) == pytest.approx(third, rel=1e-8)
    if dim == 1:
        return
    direction = NoiseDirection(dim)
    # t = sin(a) takes the infinite ends of two dimensions away.
    mass = quad(lambda a: float(direction.pdf(math.sin(a))) * math.cos(a), 0.2, 1.1, epsrel=1e-11)[0]
    assert mass == pytest.approx(float(direction.cdf(math.sin(1.1)) - direction.cdf(math.sin(0.2))), abs=1e-10)
    fourth = quad(lambda a: float(direction.pdf(math.sin(a))) * math.sin(a) ** 4 * math.cos(a), -1.57079, 1.57079)[0]
    assert direction.moment(4) == pytest.approx(fourth, rel=1e-4)


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_quantiles_invert(dim) -> None:
    p = np.array([1e-12, 1e-3, 0.2, 0.4, 0.5, 0.6, 0.9, 1 - 1e-12])
    length = NoiseLength(dim, 3.0)
    np.testing.assert_allclose(length.cdf(length.quantile(p)), p, rtol=1e-10)
    np.testing.assert_allclose(length.survival(length.quantile(p)), 1 - p, rtol=1e-10)
    direction = NoiseDirection(dim)
    if dim == 1:
        assert direction.quantile(p).tolist() == [-1] * 5 + [1] * 3
        return
    points = direction.quantile(p)
    np.testing.assert_allclose(direction.quantile(direction.cdf(points[2:6])), points[2:6], rtol=1e-9, atol=1e-15)
    # Floats next to 1 are 1e-16 apart, which is 1e-8 in probability in two dimensions.
    np.testing.assert_allclose(direction.cdf(points), p, rtol=1e-8, atol=1e-8 if dim < 4 else 0)


def test_two_and_three_dimensions_by_hand() -> None:
    t = np.linspace(-0.99, 0.99, 9)
    np.testing.assert_allclose(NoiseDirection(2).cdf(t), 0.5 + np.arcsin(t) / math.pi, rtol=1e-12)
    np.testing.assert_allclose(NoiseDirection(2).pdf(t), 1 / (math.pi * np.sqrt(1 - t * t)), rtol=1e-12)
    np.testing.assert_allclose(NoiseDirection(3).cdf(t), (1 + t) / 2, rtol=1e-12)
    np.testing.assert_allclose(NoiseDirection(3).pdf([-1.0, 0.3, 1.0]), 0.5, rtol=1e-12)


def test_outside_and_at_the_ends() -> None:
    for dim in (2, 3, 300):
        distribution = NoiseDirection(dim)
        assert distribution.cdf([-2, -1, 0, 1, 2]).tolist() == [0, 0, 0.5, 1, 1]
        assert distribution.survival([-2, -1, 0, 1, 2]).tolist() == [1, 1, 0.5, 0, 0]
        assert distribution.log_pdf([-1.5, 1.5]).tolist() == [-np.inf, -np.inf]
        assert distribution.log_survival([-1.5, 1.0, 1.5]).tolist() == [0, -np.inf, -np.inf]
    assert NoiseDirection(1).cdf([-2, -1, 0, 0.9, 1]).tolist() == [0, 0.5, 0.5, 0.5, 1]
    assert NoiseDirection(1).survival([-2, -1, 0, 0.9, 1]).tolist() == [1, 0.5, 0.5, 0.5, 0]
    for dim in (1, 3):
        distribution = NoiseLength(dim, 2.0)
        assert distribution.cdf([-1, 0, np.inf]).tolist() == [0, 0, 1]
        assert distribution.survival([-1, 0, np.inf]).tolist() == [1, 1, 0]
        assert distribution.pdf([-1, np.inf]).tolist() == [0, 0]
        assert distribution.log_cdf([-np.inf, -1e200, -1e5, -1e-300, 0, np.inf]).tolist() == [-np.inf] * 5 + [0]
        assert distribution.log_survival([-np.inf, -1e5, 0]).tolist() == [0, 0, 0]
    assert NoiseLength(300, 1.0).log_cdf([-700.0, -1.0, 0.0]).tolist() == [-np.inf] * 3
    assert NoiseLength(1, 2.0).pdf(0) == 2 and NoiseLength(2, 2.0).pdf(0) == 0


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_moments_multiply(dim) -> None:
    """E Z^k = E L^k E T^k for independent factors: exact rational numbers on both sides."""
    length, direction, product = NoiseLength(dim, 2.0), NoiseDirection(dim), NoisyDotProduct(dim, 2.0)
    for order in range(9):
        assert length.moment(order) * direction.moment(order) == pytest.approx(product.moment(order), rel=1e-15)
    assert direction.moment(2) == pytest.approx(direction.variance, rel=1e-15)
    assert length.moment(1) == pytest.approx(length.mean, rel=1e-15)
    assert length.moment(2) - length.mean**2 == pytest.approx(length.variance, rel=1e-9)


@pytest.mark.parametrize("dim", [1, 2, 25, 300])
def test_the_product_of_the_factors_has_the_distribution_and_mutants_die(dim, rng) -> None:
    """At ALPHA; a length 5 % too long or too short is refused."""
    count, rate = 200_000, 4.0
    product, directions = NoisyDotProduct(dim, rate), NoiseDirection(dim).sample(count, rng)
    assert p_value(NoiseLength(dim, rate).sample(count, rng) * directions, product) > ALPHA
    for wrong in (rate * 1.05, rate / 1.05):
        assert p_value(NoiseLength(dim, wrong).sample(count, rng) * directions, product) < ALPHA


@pytest.mark.parametrize("dim", [2, 3, 50])
def test_factors_are_those_of_the_noise(dim, rng) -> None:
    noise = SphericalLaplace(dim=dim, rate=5.0).sample(200_000, rng, np.float64)
    lengths = np.linalg.norm(noise, axis=1)
    assert p_value(lengths, NoiseLength(dim, 5.0)) > ALPHA
    assert p_value(lengths * 1.05, NoiseLength(dim, 5.0)) < ALPHA
    assert p_value(noise[:, 0] / lengths, NoiseDirection(dim)) > ALPHA
    assert p_value(noise[:, 0] / lengths, NoiseDirection(dim + 1 + dim // 10)) < ALPHA
    assert p_value(NoiseDirection(dim).sample(200_000, rng), NoiseDirection(dim)) > ALPHA


def test_one_dimension_draws_signs(rng) -> None:
    signs = NoiseDirection(1).sample(10_000, rng)
    assert set(signs) == {-1.0, 1.0} and abs(signs.sum()) < 500  # five standard deviations


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: NoiseLength(0, 1.0), "dim must be"),
        (lambda: NoiseLength(2, math.nan), "rate must be"),
        (lambda: NoiseDirection(-3), "dim must be"),
        (lambda: NoiseDirection(1).pdf(0.5), "dim must be 2 or more"),
        (lambda: NoiseDirection(3).cdf(math.nan), "cosine must be"),
        (lambda: NoiseLength(3, 1.0).cdf(math.nan), "length must be"),
        (lambda: NoiseLength(3, 1.0).quantile(1.0), "probability must be"),
        (lambda: NoiseDirection(3).quantile([0.5, 0.0]), "probability must be"),
        (lambda: NoiseLength(3, 1.0).moment(-1), "order must be"),
        (lambda: NoiseLength(3, 1.0).sample(1.5), "count must be"),
        (lambda: NoiseDirection(3).sample(-1), "count must be"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, words) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
