"""Calibrations of the lab's noises refuse what textveil's refuse."""

import math

import pytest

from textveil.errors import ParameterError
from textveil_lab.noise.calibration import (
    classical_gaussian_sigma,
    laplace_scale,
    spherical_laplace_rate,
    truncated_laplace_bound,
)

CALIBRATIONS = [
    lambda epsilon, delta, length: laplace_scale(epsilon, length),
    lambda epsilon, delta, length: spherical_laplace_rate(epsilon, length),
    truncated_laplace_bound,
    classical_gaussian_sigma,
]


@pytest.mark.parametrize("calibrate", CALIBRATIONS)
@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, -math.inf])
def test_an_epsilon_or_a_length_that_is_not_finite_and_positive_is_refused(calibrate, value):
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        calibrate(value, 1e-5, 1.0)
    with pytest.raises(ParameterError, match=r"(sensitivity|diameter) must be finite and > 0"):
        calibrate(0.5, 1e-5, value)


@pytest.mark.parametrize("calibrate", CALIBRATIONS[2:])
@pytest.mark.parametrize("delta", [0, 0.0, 1, 1.0, 1.5, -1e-5, math.nan, math.inf])
def test_a_delta_outside_the_open_interval_is_refused(calibrate, delta):
    with pytest.raises(ParameterError, match=r"delta must be in \(0, 1\)"):
        calibrate(0.5, delta, 1.0)


def test_a_result_outside_the_floats_is_refused():
    with pytest.raises(ParameterError, match="calibrated scale"):
        laplace_scale(1e-10, 1e308)
    with pytest.raises(ParameterError, match="calibrated rate"):
        spherical_laplace_rate(1e-308, 1e308)
    with pytest.raises(ParameterError, match="calibrated sigma"):
        classical_gaussian_sigma(1e-4, 1e-5, 1e307)
    with pytest.raises(ParameterError, match="calibrated bound"):
        truncated_laplace_bound(1.0, 1e-300, 1e306)
