"""Calibrations keep what they promise, checked exactly; and they meet the second method."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.helpers.golden import reference
from tests.helpers.shared import needs_lab

from textveil.errors import ParameterError
from textveil.privacy.composition import analytic_gaussian_sigma, gaussian_delta, gaussian_log_delta


def powers_of_ten(low, high):
    """Numbers whose logarithm is drawn evenly."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


epsilons = powers_of_ten(-4, 3)
sensitivities = powers_of_ten(-6, 6)
deltas = powers_of_ten(-300, -1e-6) | powers_of_ten(-12, -1e-6) | st.floats(0.5, 1 - 1e-9)


def exact_log_delta(epsilon, sigma, sensitivity):
    """ln(Phi(h - c) - e^epsilon Phi(-h - c)) with enough digits to survive the cancellation."""
    with mpmath.workdps(80):
        e, s, w = (mpmath.mpf(float(v)) for v in (epsilon, sigma, sensitivity))
        a, b = w / (2 * s) - e * s / w, w / (2 * s) + e * s / w
        other = mpmath.exp(e) * mpmath.ncdf(-b)
        return mpmath.log1p(-mpmath.ncdf(-a) - other) if a > 0 else mpmath.log(mpmath.ncdf(a) - other)


def exact_log(delta):
    with mpmath.workdps(80):
        return mpmath.log(mpmath.mpf(delta))


@pytest.mark.parametrize("row", range(5))
def test_analytic_sigma_meets_the_reference(row):
    row = reference("analytic_gaussian_sigma")[row]
    sigma = analytic_gaussian_sigma(row["epsilon"], row["delta"], row["sensitivity"])
    assert sigma == pytest.approx(row["sigma"], rel=1e-9)


@needs_lab
def test_the_valid_bound_meets_the_reference():
    from textveil_lab.noise.calibration import truncated_laplace_bound

    for row in reference("truncated_laplace_valid_bound"):
        bound = truncated_laplace_bound(row["epsilon"], row["delta"], row["l1_sensitivity"])
        assert bound == pytest.approx(row["bound"], rel=1e-9)


@needs_lab
@settings(deadline=None, max_examples=200)
@given(epsilon=powers_of_ten(-30, 30), length=powers_of_ten(-30, 30))
def test_quotients_are_the_nearest_floats_on_the_private_side(epsilon, length):
    from textveil_lab.noise.calibration import laplace_scale, spherical_laplace_rate

    scale = laplace_scale(epsilon, length)
    below = math.nextafter(scale, 0)
    assert Fraction(below) * Fraction(epsilon) < Fraction(length) <= Fraction(scale) * Fraction(epsilon)
    rate = spherical_laplace_rate(epsilon, length)
    above = math.nextafter(rate, math.inf)
    assert Fraction(rate) * Fraction(length) <= Fraction(epsilon) < Fraction(above) * Fraction(length)


@needs_lab
def test_exact_quotients_are_left_alone():
    from textveil_lab.noise.calibration import laplace_scale, spherical_laplace_rate

    assert laplace_scale(0.5, 2.0) == 4.0
    assert spherical_laplace_rate(3, 2) == 1.5


@settings(deadline=None, max_examples=150)
@given(epsilon=epsilons, ratio=powers_of_ten(-3, 3), sensitivity=sensitivities)
@example(epsilon=1e-4, ratio=0.37, sensitivity=1.0)  # h = 1e-6, c = 37: Phi's nearly cancel, delta 1e-300
@example(epsilon=1e3, ratio=0.5, sensitivity=1.0)
@example(epsilon=1.0, ratio=1e-3, sensitivity=1.0)  # delta is 1 to the last place
@example(epsilon=1e-4, ratio=1e-2, sensitivity=1.0)
@example(epsilon=2.0, ratio=24.0, sensitivity=1.0)
def test_gaussian_delta_is_exact_and_rounded_up(epsilon, ratio, sensitivity):
    sigma = ratio * sensitivity / math.sqrt(epsilon)
    exact = exact_log_delta(epsilon, sigma, sensitivity)
    assume(exact > -1e5)
    computed = gaussian_log_delta(epsilon, sigma, sensitivity)
    assert exact <= computed
    assert computed <= exact * (1 - 1e-11) or exact > -1e-300
    with mpmath.workdps(80):
        assert mpmath.exp(exact) <= gaussian_delta(epsilon, sigma, sensitivity) <= 1
    if exact > -690:
        delta = gaussian_delta(epsilon, sigma, sensitivity)
        assert delta == pytest.approx(float(mpmath.exp(exact)), rel=3e-9)


def test_gaussian_delta_is_never_zero_and_survives_the_far_ends():
    assert gaussian_delta(1.0, 1e6, 1.0) == 5e-324
    assert gaussian_log_delta(1.0, 1e6, 1.0) == pytest.approx(-0.5e12, rel=1e-5)
    for power in range(1, 150):
        assert gaussian_log_delta(1.0, 10.0**power, 1.0) == pytest.approx(-0.5 * 100.0**power, rel=0.2)
    assert gaussian_delta(1.0, 1e-200, 1.0) == 1.0
    assert gaussian_log_delta(1.0, 1e300, 1e-300) == -math.inf
    assert gaussian_log_delta(1e-3, 1e-300, 1e300) == 0.0


@settings(deadline=None, max_examples=100)
@given(epsilon=epsilons, delta=deltas, sensitivity=sensitivities)
@example(epsilon=1e-4, delta=1e-300, sensitivity=1.0)
@example(epsilon=1e3, delta=1e-300, sensitivity=1.0)
@example(epsilon=1e3, delta=0.999, sensitivity=1.0)
@example(epsilon=1e-4, delta=1e-5, sensitivity=2.0)
def test_the_analytic_sigma_is_private_and_the_least(epsilon, delta, sensitivity):
    sigma = analytic_gaussian_sigma(epsilon, delta, sensitivity)
    assert exact_log_delta(epsilon, sigma, sensitivity) <= exact_log(delta)
    assert exact_log_delta(epsilon, sigma * (1 - 1e-9), sensitivity) > exact_log(delta)
    assert gaussian_log_delta(epsilon, sigma, sensitivity) <= math.log(delta)


@needs_lab
@settings(deadline=None, max_examples=50)
@given(epsilon=epsilons, delta=deltas, sensitivity=sensitivities, factor=st.floats(1.001, 100))
def test_less_privacy_asks_for_less_noise(epsilon, delta, sensitivity, factor):
    from textveil_lab.noise.calibration import laplace_scale, spherical_laplace_rate, truncated_laplace_bound

    assume(delta * factor < 1)
    for calibrate in (analytic_gaussian_sigma, truncated_laplace_bound):
        noise = calibrate(epsilon, delta, sensitivity)
        assert calibrate(epsilon, delta * factor, sensitivity) < noise
        assert calibrate(epsilon, delta, sensitivity * factor) > noise
    assert analytic_gaussian_sigma(epsilon * factor, delta, sensitivity) < analytic_gaussian_sigma(
        epsilon, delta, sensitivity
    )
    assert laplace_scale(epsilon * factor, sensitivity) < laplace_scale(epsilon, sensitivity)
    assert spherical_laplace_rate(epsilon, sensitivity * factor) < spherical_laplace_rate(epsilon, sensitivity)


@needs_lab
@settings(deadline=None, max_examples=100)
@given(epsilon=st.floats(1e-4, 1), delta=deltas)
@example(epsilon=1.0, delta=0.999)
@example(epsilon=1.0, delta=1e-300)
def test_the_classical_sigma_is_private_up_to_epsilon_one(epsilon, delta):
    from textveil_lab.noise.calibration import classical_gaussian_sigma

    sigma = classical_gaussian_sigma(epsilon, delta, 2.0)
    assert exact_log_delta(epsilon, sigma, 2.0) <= exact_log(delta)
    assert sigma >= analytic_gaussian_sigma(epsilon, delta, 2.0)
    with mpmath.workdps(50):
        formula = 2 * mpmath.sqrt(2 * mpmath.log(mpmath.mpf("1.25") / mpmath.mpf(delta))) / mpmath.mpf(epsilon)
        assert formula <= sigma <= formula * (1 + 1e-11)


@needs_lab
def test_the_classical_formula_is_refused_above_epsilon_one_and_names_the_analytic_one():
    from textveil_lab.noise.calibration import classical_gaussian_sigma

    with pytest.raises(ParameterError, match=r"got 1\.01\. Use `calibration=analytic` \(analytic_gaussian_sigma"):
        classical_gaussian_sigma(1.01, 1e-5, 2.0)


@needs_lab
@pytest.mark.parametrize(("epsilon", "true_delta"), [(10, 2.3e-5), (25, 7.7e-3), (50, 0.59), (100, 1.0)])
def test_what_the_refused_formula_would_cost(epsilon, true_delta):
    from textveil_lab.noise.calibration import classical_gaussian_sigma

    sigma = classical_gaussian_sigma(1.0, 1e-5, 2.0) / epsilon
    assert gaussian_delta(epsilon, sigma, 2.0) == pytest.approx(true_delta, rel=0.02)


def exact_valid_bound(epsilon, delta, scale):
    with mpmath.workdps(80):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        return mpmath.mpf(scale) * mpmath.log1p(mpmath.expm1(e) / (2 * d))


@needs_lab
@settings(deadline=None, max_examples=200)
@given(epsilon=epsilons, delta=deltas, sensitivity=sensitivities)
@example(epsilon=1e-4, delta=0.999, sensitivity=1.0)
@example(epsilon=1e3, delta=1e-300, sensitivity=1.0)
def test_the_valid_bound_is_exact_for_its_scale_and_rounded_up(epsilon, delta, sensitivity):
    from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound

    bound = truncated_laplace_bound(epsilon, delta, sensitivity)
    exact = exact_valid_bound(epsilon, delta, laplace_scale(epsilon, sensitivity))
    assert exact <= bound <= exact * (1 + 1e-11)


CALIBRATIONS = [analytic_gaussian_sigma]


@pytest.mark.parametrize("calibrate", CALIBRATIONS)
@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, -math.inf])
def test_an_epsilon_or_a_length_that_is_not_finite_and_positive_is_refused(calibrate, value):
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        calibrate(value, 1e-5, 1.0)
    with pytest.raises(ParameterError, match=r"(sensitivity|diameter) must be finite and > 0"):
        calibrate(0.5, 1e-5, value)


@pytest.mark.parametrize("calibrate", CALIBRATIONS)
@pytest.mark.parametrize("delta", [0, 0.0, 1, 1.0, 1.5, -1e-5, math.nan, math.inf])
def test_a_delta_outside_the_open_interval_is_refused(calibrate, delta):
    with pytest.raises(ParameterError, match=r"delta must be in \(0, 1\)"):
        calibrate(0.5, delta, 1.0)


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_a_sigma_that_is_not_finite_and_positive_is_refused(sigma):
    with pytest.raises(ParameterError, match="sigma must be finite and > 0"):
        gaussian_delta(1.0, sigma, 1.0)


@needs_lab
def test_a_result_outside_the_floats_is_refused():
    from textveil_lab.noise.calibration import (
        classical_gaussian_sigma,
        laplace_scale,
        spherical_laplace_rate,
        truncated_laplace_bound,
    )

    with pytest.raises(ParameterError, match="calibrated scale"):
        laplace_scale(1e-10, 1e308)
    with pytest.raises(ParameterError, match="calibrated rate"):
        spherical_laplace_rate(1e-308, 1e308)
    with pytest.raises(ParameterError, match="calibrated sigma"):
        analytic_gaussian_sigma(1e-4, 1e-5, 1e307)
    with pytest.raises(ParameterError, match="calibrated sigma"):
        classical_gaussian_sigma(1e-4, 1e-5, 1e307)
    with pytest.raises(ParameterError, match="calibrated bound"):
        truncated_laplace_bound(1.0, 1e-300, 1e306)
