"""The distribution of the noisy dot product against mpmath, the shared reference, its own inverse, and draws of the
noise.

Second method: with nu = dim / 2 and J_nu(x) the integral of t^nu K_nu(t) over (x, inf), integration by parts and the
recurrence of K give J_(nu+1) = (2 nu + 1) J_nu + x^(nu+1) K_nu(x), from J_(1/2) = sqrt(pi / 2) e^-x or from J_0, the
integral of exp(-x cosh t) / cosh t over (0, inf). Every term is positive, and 40 digits are carried.
"""

import math
import time

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import kolmogorov, ndtr
from tests.helpers.golden import reference

from textveil.errors import ParameterError
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.noise.spherical_laplace import SphericalLaplace

ALPHA = 1e-6
DIMENSIONS = (1, 2, 3, 25, 50, 300, 1024, 4096)
DEVIATIONS = (1e-9, 0.02, 0.3, 1.0, 3.0, 10.0, 40.0)


def second_method(dim: int, x: float) -> tuple[float, float]:
    """Logarithms of the density and of the upper tail at rate 1."""
    with mpmath.workdps(40):
        z, nu = mpmath.mpf(x), mpmath.mpf(dim % 2) / 2
        below, bessel = mpmath.besselk(1 - nu, z), mpmath.besselk(nu, z)
        if dim % 2:
            integral = mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(-z)
        else:
            stop = mpmath.acosh(1 + 100 / z)
            cuts = [stop * k / 8 for k in range(9)]
            integral = mpmath.quad(lambda t: mpmath.exp(-z * (mpmath.cosh(t) - 1)) / mpmath.cosh(t), cuts)
            integral *= mpmath.exp(-z)
        while nu < mpmath.mpf(dim) / 2:
            integral = (2 * nu + 1) * integral + z ** (nu + 1) * bessel
            below, bessel, nu = bessel, below + 2 * nu / z * bessel, nu + 1
        scale = mpmath.sqrt(mpmath.pi) * mpmath.gamma(nu + mpmath.mpf(1) / 2) * 2**nu
        return float(mpmath.log(z**nu * bessel / scale)), float(mpmath.log(integral / scale))


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_density_and_tails_equal_the_second_method(dim) -> None:
    rate = 3.0
    x = np.array([*(s * math.sqrt(dim + 1) for s in DEVIATIONS), 2.0 * dim, 1e4])
    log_pdf, log_tail = np.array([second_method(dim, one) for one in x]).T
    distribution, z = NoisyDotProduct(dim, rate), x / rate
    # Relative to the size of the logarithm: the density itself keeps twelve digits where it is above 1e-1000.
    np.testing.assert_allclose(distribution.log_pdf(z), log_pdf + math.log(rate), rtol=3e-15, atol=3e-14)
    np.testing.assert_allclose(distribution.log_pdf(-z), log_pdf + math.log(rate), rtol=3e-15, atol=3e-14)
    np.testing.assert_allclose(distribution.log_survival(z), log_tail, rtol=3e-15, atol=3e-14)
    np.testing.assert_allclose(distribution.log_cdf(-z), log_tail, rtol=3e-15, atol=3e-14)
    np.testing.assert_allclose(distribution.cdf(z), -np.expm1(log_tail), rtol=3e-14)
    np.testing.assert_allclose(distribution.survival(-z), -np.expm1(log_tail), rtol=3e-14)
    np.testing.assert_allclose(distribution.log_cdf(z), np.log1p(-np.exp(log_tail)), rtol=1e-12, atol=1e-300)


def test_the_shared_reference() -> None:
    for row in reference("noisy_dot_product"):
        distribution = NoisyDotProduct(row["d"], row["rate"])
        assert distribution.pdf(row["z"]) == pytest.approx(row["pdf"], rel=1e-13)
        assert distribution.cdf(row["z"]) == pytest.approx(row["cdf"], rel=1e-13)
        assert distribution.variance == pytest.approx(row["variance"], rel=1e-15)


def test_one_dimension_is_laplace() -> None:
    z = np.array([-700.0, -3.0, -1e-12, 0.0, 0.5, 40.0])
    np.testing.assert_allclose(NoisyDotProduct(1, 2.0).log_pdf(z), -2 * np.abs(z), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(
        NoisyDotProduct(1, 2.0).log_survival(np.abs(z)), -2 * np.abs(z) - math.log(2), rtol=1e-14
    )


@pytest.mark.parametrize("dim", [*DIMENSIONS, 100_000])
def test_zero_and_the_ends(dim) -> None:
    distribution = NoisyDotProduct(dim, 0.25)
    peak = math.log(0.25) + math.lgamma(dim / 2) - math.lgamma((dim + 1) / 2) - math.log(2) - math.log(math.pi) / 2
    assert distribution.log_pdf(0.0) == pytest.approx(peak, abs=1e-12 + 1e-16 * dim * math.log(dim))
    assert distribution.cdf(0.0) == distribution.survival(0.0) == 0.5
    assert distribution.quantile(0.5) == 0
    assert distribution.cdf([-np.inf, -1e308, 1e308, np.inf]).tolist() == [0, 0, 1, 1]
    assert distribution.log_survival([np.inf, -np.inf]).tolist() == [-np.inf, 0]
    near, at = distribution.log_survival([1e-320, 0.0])
    assert near == pytest.approx(at, abs=1e-14)
    for far in (1e5, 1e9, 1e200):  # log P(Z > z) is close to -rate z, on the private side of no bound but its own
        assert distribution.log_survival(far / 0.25) == pytest.approx(
            -far, rel=max(0.02, 2 * dim / far), abs=2 * dim**2
        )


@pytest.mark.parametrize("dim", [*DIMENSIONS, 100_000])
def test_quantile_inverts_the_distribution(dim) -> None:
    distribution = NoisyDotProduct(dim, 7.0)
    small = np.concatenate([np.geomspace(1e-300, 0.49, 60), [0.5 - 1e-9]])
    z = distribution.quantile(small)
    np.testing.assert_allclose(distribution.cdf(z), small, rtol=2e-12)
    large = 1 - small[small > 1e-16]
    np.testing.assert_allclose(distribution.survival(distribution.quantile(large)), 1 - large, rtol=2e-12)
    logs = -np.geomspace(0.7, 1e7, 40)
    np.testing.assert_allclose(distribution.log_cdf(distribution.log_quantile(logs)), logs, rtol=1e-14)
    close = -np.geomspace(1e-250, 0.69, 40)
    np.testing.assert_allclose(distribution.log_cdf(distribution.log_quantile(close)), close, rtol=1e-11)
    assert distribution.log_quantile(-1e299) == pytest.approx(-1e299 / 7, rel=1e-12)
    points = np.linspace(-30, 30, 41) * math.sqrt(distribution.variance)
    np.testing.assert_allclose(distribution.log_quantile(distribution.log_cdf(points)), points, rtol=1e-9, atol=1e-14)


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 4096), st.floats(-3, 3), st.floats(-8, 4), st.floats(1e-6, 0.5))
def test_properties_at_any_parameters(dim, log_rate, log_point, step) -> None:
    distribution = NoisyDotProduct(dim, 10**log_rate)
    z = np.array([1.0, 1 + step, 1 + 2 * step]) * 10**log_point / distribution.rate
    density, tail = distribution.log_pdf(z), distribution.log_survival(z)
    assert (np.diff(tail) <= 1e-13 * (1 + np.abs(tail[:2]))).all()
    assert (np.diff(density) <= 1e-12 * (1 + np.abs(density[:2]))).all()
    assert tail[1] >= (tail[0] + tail[2]) / 2 - 1e-11 * (1 + abs(tail[1]))  # log-concave
    np.testing.assert_allclose(
        distribution.log_quantile(tail), -z, rtol=1e-6, atol=1e-14 * math.sqrt(distribution.variance)
    )
    assert distribution.log_survival(z[0]) == pytest.approx(
        NoisyDotProduct(dim, 1.0).log_survival(z[0] * distribution.rate), rel=1e-12
    )


@pytest.mark.parametrize("dim", [1, 2, 3, 50, 300, 4096])
def test_moments_by_integration(dim) -> None:
    distribution = NoisyDotProduct(dim, 1.5)
    end = 14 * math.sqrt(distribution.variance) + 40
    for order in (0, 2, 4, 6):
        integral = 2 * quad(lambda z, k=order: float(distribution.pdf(z)) * z**k, 0, end, epsrel=1e-11, limit=200)[0]
        assert distribution.moment(order) == pytest.approx(integral, rel=1e-8)
        assert distribution.log_absolute_moment(order) == pytest.approx(math.log(distribution.moment(order)), abs=1e-11)
    absolute = 2 * quad(lambda z: float(distribution.pdf(z)) * z, 0, end, epsrel=1e-11, limit=200)[0]
    assert math.exp(distribution.log_absolute_moment(1)) == pytest.approx(absolute, rel=1e-8)
    assert distribution.moment(1) == distribution.moment(7) == distribution.cumulant(3) == distribution.cumulant(0) == 0
    assert distribution.moment(2) == distribution.cumulant(2) == pytest.approx(distribution.variance, rel=1e-15)
    assert distribution.cumulant(4) == pytest.approx(distribution.moment(4) - 3 * distribution.variance**2, rel=1e-11)
    assert distribution.excess_kurtosis == pytest.approx(distribution.cumulant(4) / distribution.variance**2, rel=1e-14)


def test_large_moments_are_infinite_and_exact() -> None:
    assert NoisyDotProduct(300, 1e-3).moment(200) == math.inf
    assert NoisyDotProduct(3, 1.0).moment(6) == 1 * 3 * 5 * 4 * 6 * 8


def test_many_dimensions_are_nearly_gaussian() -> None:
    distribution = NoisyDotProduct(100_000, 1.0)
    z = np.linspace(-3, 3, 13)
    np.testing.assert_allclose(distribution.cdf(z * math.sqrt(distribution.variance)), ndtr(z), atol=1e-5)


def p_value(draws, distribution) -> float:
    """Kolmogorov-Smirnov, two-sided, over 401 points: no larger than over all, so the level holds."""
    grid = np.linspace(-5, 5, 401) * math.sqrt(distribution.variance)
    distance = np.abs(np.searchsorted(np.sort(draws), grid, side="right") / draws.size - distribution.cdf(grid)).max()
    return float(kolmogorov(distance * math.sqrt(draws.size)))


@pytest.mark.parametrize("dim", [1, 2, 25, 300])
def test_draws_have_the_distribution_and_mutants_die(dim, rng) -> None:
    """At ALPHA; a rate 5 % off moves the distribution function by 0.009, 1.5 times the threshold of these draws."""
    distribution = NoisyDotProduct(dim, 4.0)
    draws = distribution.sample(200_000, rng)
    assert p_value(draws, distribution) > ALPHA
    assert p_value(draws, NoisyDotProduct(dim, 4.2)) < ALPHA
    assert p_value(draws, NoisyDotProduct(dim, 3.8)) < ALPHA


def test_the_noise_that_is_added_has_this_distribution(rng) -> None:
    """The sampler of the mechanism, along a fixed direction; the mutant has one dimension in ten too many."""
    noise = SphericalLaplace(dim=50, rate=10.0).sample(200_000, rng, np.float64)
    direction = rng.standard_normal(50)
    draws = noise @ (direction / np.linalg.norm(direction))
    assert p_value(draws, NoisyDotProduct(50, 10.0)) > ALPHA
    assert p_value(draws, NoisyDotProduct(55, 10.0)) < ALPHA


def test_ten_thousand_values_take_no_quadrature_each() -> None:
    z = np.linspace(-10, 10, 10_000)
    distribution = NoisyDotProduct(300, 10.0)
    start = time.process_time()
    distribution.cdf(z)
    assert time.process_time() - start < 10  # about 0.3 s; a quadrature for each would take minutes


def test_shapes() -> None:
    distribution = NoisyDotProduct(7, 1.0)
    for method in (
        distribution.pdf,
        distribution.log_pdf,
        distribution.cdf,
        distribution.log_cdf,
        distribution.survival,
        distribution.log_survival,
    ):
        assert method(np.zeros((2, 3))).shape == (2, 3) and method(0.0).shape == () and method([]).shape == (0,)
    assert (
        distribution.quantile(np.full((2, 3), 0.2)).shape
        == distribution.log_quantile(np.full((2, 3), -2.0)).shape
        == (2, 3)
    )
    assert distribution.sample(5, np.random.default_rng(0)).shape == (5,) and distribution.sample(0).shape == (0,)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: NoisyDotProduct(0, 1.0), "dim must be an integer >= 1; got 0"),
        (lambda: NoisyDotProduct(2.5, 1.0), "dim must be"),
        (lambda: NoisyDotProduct(3, 0.0), "rate must be finite and > 0; got 0.0"),
        (lambda: NoisyDotProduct(3, -1.0), "rate must be"),
        (lambda: NoisyDotProduct(3, math.nan), "rate must be"),
        (lambda: NoisyDotProduct(3, math.inf), "rate must be"),
        (lambda: NoisyDotProduct(3, 1.0).cdf([0.0, math.nan]), "z must be a number"),
        (lambda: NoisyDotProduct(3, 1.0).quantile(0.0), "probability must be"),
        (lambda: NoisyDotProduct(3, 1.0).quantile(1.0), "probability must be"),
        (lambda: NoisyDotProduct(3, 1.0).log_quantile(0.0), "log_probability must be"),
        (lambda: NoisyDotProduct(3, 1.0).log_quantile(-math.inf), "log_probability must be"),
        (lambda: NoisyDotProduct(300, 1.0).log_quantile([-1.0, -1e300]), "at least -1e299; got an entry outside"),
        (lambda: NoisyDotProduct(3, 1.0).moment(-1), "order must be"),
        (lambda: NoisyDotProduct(3, 1.0).moment(1.5), "order must be"),
        (lambda: NoisyDotProduct(3, 1.0).log_absolute_moment(-1), "order must be"),
        (lambda: NoisyDotProduct(3, 1.0).sample(-1), "count must be"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, words) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
