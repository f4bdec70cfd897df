"""Bounds on integrals of log-concave functions, and Bessel functions beyond the floats, against known values."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import kv, log_ndtr

from textveil_lab.numerics.bessel import log_bessel_k
from textveil_lab.numerics.log_concave import log_difference, log_integral


@pytest.mark.parametrize("width", [1e-9, 1e-3, 1.0, 50.0])
@pytest.mark.parametrize("center", [-3.0, 0.3, 0.99999])
def test_normal_densities_of_any_width(center: float, width: float) -> None:
    lower, upper = log_integral(
        lambda x: -0.5 * ((x - center) / width) ** 2, lambda x: (center - x) / width**2, -1.0, 1.0
    )
    with mp.workdps(50):
        ends = [(mp.mpf(one) - mp.mpf(center)) / mp.mpf(width) / mp.sqrt(2) for one in (-1, 1)]
        sign, integral = (-1, mp.erfc) if ends[0] > 0 else (1, mp.erf)  # no cancellation in the far tail
        mass = sign * (integral(ends[1]) - integral(ends[0]))
        exact = float(mp.log(mass * mp.mpf(width) * mp.sqrt(mp.pi / 2)))
    assert lower - 1e-9 * (1 + abs(exact)) <= exact <= upper + 1e-9 * (1 + abs(exact))
    if width > 1e-9 or abs(center) < 1:  # else the whole mass lies between two floats
        assert upper - lower < 1e-3 + 1e-9 * abs(exact)


def test_ends_where_the_function_is_zero() -> None:
    """Beta(8.5, 3) without its constant."""

    def log_f(x):
        with np.errstate(divide="ignore"):
            return 7.5 * np.log(x) + 2 * np.log1p(-x)

    lower, upper = log_integral(log_f, lambda x: 7.5 / x - 2 / (1 - x), 0.0, 1.0)
    exact = math.lgamma(8.5) + math.lgamma(3) - math.lgamma(11.5)
    assert lower < exact < upper < lower + 1e-4


def test_a_constant_is_exact() -> None:
    assert log_integral(np.zeros_like, np.zeros_like, 2.0, 5.0) == pytest.approx((math.log(3),) * 2, abs=1e-12)


def test_differences_in_logarithms() -> None:
    first = np.array([0.0, -1000.0, 3.0, -np.inf])
    second = np.array([-np.inf, -1001.0, 3.0, -np.inf])
    np.testing.assert_allclose(
        log_difference(first, second), [0.0, -1000 + math.log(1 - math.exp(-1)), -np.inf, -np.inf]
    )


@pytest.mark.parametrize("twice", [0, 1, 2, 5, 14])
def test_bessel_functions_against_scipy(twice: int) -> None:
    x = np.array([0.01, 0.7, 5.0, 80.0])
    log_value, log_ratio = log_bessel_k(twice, x)
    np.testing.assert_allclose(np.exp(log_value - x), kv(twice / 2, x), rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_ratio), kv(twice / 2 + 1, x) / kv(twice / 2, x), rtol=1e-12)


def test_bessel_functions_of_large_order() -> None:
    """A product of many ratios: ln K_1000(3) = -ln I_1000(3) - ln(2 * 1000) up to relative terms of order 1e-6."""
    log_value, _ = log_bessel_k(2000, 3.0)
    with mp.workdps(30):
        exact = float(mp.log(mp.besselk(1000, 3)) + 3)
    assert float(log_value) == pytest.approx(exact, rel=1e-12)


def test_the_normal_tail_by_its_integral() -> None:
    lower, upper = log_integral(lambda x: -0.5 * x * x - 0.5 * math.log(2 * math.pi), lambda x: -x, 6.0, 60.0)
    assert lower < float(log_ndtr(-6.0)) < upper
