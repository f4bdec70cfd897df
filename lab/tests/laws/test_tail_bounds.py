"""Every bound lies above the exact tail, everywhere; and how much each gives away."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import hyp0f1

from textveil.errors import ParameterError
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.noise_components import NoiseLength
from textveil_lab.laws.tail_bounds import (
    BOUNDS,
    COMPONENT_BOUNDS,
    TailBound,
    direction_variance_proxy,
    log_bernstein,
    log_chebyshev,
    log_chernoff,
    log_combined,
    log_direction_cap,
    log_direction_gaussian,
    log_length_bernstein,
    log_length_lower,
    log_length_lower_gaussian,
    log_length_upper,
    slack,
)

ALL = (*BOUNDS, *COMPONENT_BOUNDS)
ROUNDING = 1e-11
"""Relative to the size of the logarithm; at dim 1 a bound and its tail are the same number."""


def names(bound: TailBound) -> str:
    return f"{bound.event}, {bound.name}"


def typical(bound: TailBound, dim: int, rate: float) -> float:
    """The scale of the variable whose tail is bounded."""
    return {"Z > z": math.sqrt(dim + 1) / rate, "T > t": dim**-0.5, "L > l": dim / rate, "L <= l": dim / rate}[
        bound.event
    ]


def holds(bound: TailBound, points, dim: int, rate: float) -> bool:
    gap = slack(bound, points, dim, rate)
    return bool((gap >= -ROUNDING * (1 + np.abs(np.maximum(bound.function(points, dim, rate), -1e300)))).all())


@pytest.mark.parametrize("bound", ALL, ids=names)
@settings(deadline=None, max_examples=120)
@given(dim=st.integers(1, 4096), log_rate=st.floats(-4, 4), log_point=st.floats(-6, 4))
def test_a_bound_is_above_the_exact_tail(bound, dim, log_rate, log_point) -> None:
    rate = 10**log_rate
    points = np.array([0.0, 0.5, 0.99, 1.0, 1.01, 2.0]) * 10**log_point * typical(bound, dim, rate)
    assert holds(bound, points, dim, rate)
    assert (bound.function(points, dim, rate) <= 0).all()


@pytest.mark.parametrize("bound", ALL, ids=names)
@pytest.mark.parametrize("dim", [1, 2, 3, 50, 300, 4096])
def test_a_bound_is_above_and_a_tenth_smaller_point_is_not(bound, dim) -> None:
    """The mutant claims the bound at z for the tail at a smaller z; a bound that never noticed would bound nothing."""
    points = np.geomspace(1e-3, 1e4, 200) * typical(bound, dim, 2.0)
    assert holds(bound, points, dim, 2.0)
    up = 10.0 if bound.event != "L <= l" else 0.1
    wrong = dataclasses.replace(bound, function=lambda z, n, r: bound.function(np.asarray(z) * up, n, r))
    if not (dim == 1 and bound.event == "T > t"):  # the tail of a sign is flat up to 1
        assert not holds(wrong, points, dim, 2.0)


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 300, 4096])
def test_the_direction_has_variance_proxy_one_over_dim_and_no_less(dim) -> None:
    """E exp(a T) = 0F1(dim / 2; a^2 / 4), against exp(s a^2 / 2); the mutant s is 1 / (dim + 1)."""
    a = np.geomspace(0.03, 6, 40) * math.sqrt(dim)
    log_mean = np.log(hyp0f1(dim / 2, a * a / 4))
    assert (log_mean <= direction_variance_proxy(dim) * a * a / 2 * (1 + 1e-12)).all()
    assert not (log_mean <= a * a / 2 / (dim + 1)).all()


@pytest.mark.parametrize("dim", [1, 50, 4096])
@pytest.mark.parametrize("u", [1e-3, 1.0, 30.0])
def test_bounds_that_have_an_inverse_have_these_values(dim, u) -> None:
    """A smaller constant may still bound this one, so the stated ones are checked as numbers; u nats, rate 2."""
    v = dim + 1
    assert log_bernstein((math.sqrt(2 * v * u) + u) / 2, dim, 2.0) == pytest.approx(-u, rel=1e-10)
    assert log_length_bernstein((dim + math.sqrt(2 * dim * u) + u) / 2, dim, 2.0) == pytest.approx(-u, rel=1e-10)
    if math.sqrt(2 * dim * u) <= dim:
        assert log_length_lower_gaussian((dim - math.sqrt(2 * dim * u)) / 2, dim, 2.0) == pytest.approx(-u, rel=1e-9)
    z = math.sqrt(NoisyDotProduct(dim, 2.0).variance * (0.5 + u))
    assert log_chebyshev(z, dim, 2.0) == pytest.approx(-math.log(2 * (0.5 + u)), rel=1e-9)
    assert log_direction_gaussian(math.sqrt(2 * u / dim), dim) == pytest.approx(-u, rel=1e-12)


@pytest.mark.parametrize("dim", [3, 50, 1000])
def test_the_combined_bound_is_its_two_terms_where_they_cross(dim) -> None:
    """By another root finder, with the formulas written out; and at most twice the best cut's value."""
    for x in (2.0 * math.sqrt(dim), 5.0 * math.sqrt(dim), 30.0 * math.sqrt(dim)):

        def aligned(length: float, x=x) -> float:
            return -dim * (x / length) ** 2 / 2

        def long(length: float) -> float:
            return math.log(0.5) - (length - dim - dim * math.log(length / dim))

        cut = brentq(lambda length: aligned(length) - long(length), dim, 4 * dim + 4 * x, xtol=1e-12, rtol=1e-14)
        crossing = min(0.0, float(np.logaddexp(aligned(cut), long(cut))))
        assert log_combined(x / 2, dim, 2.0) == pytest.approx(crossing, abs=1e-8)
        best = min(float(np.logaddexp(aligned(c), long(c))) for c in np.geomspace(dim, 4 * dim + 4 * x, 5000))
        assert crossing <= best + math.log(2) + 1e-9


def test_chernoff_is_the_least_of_its_kind() -> None:
    dim, rate = 50, 10.0
    s = np.linspace(1e-4, 1 - 1e-4, 200_001)
    for z in (0.1, 0.7, 2.0, 9.0):
        searched = (-s * rate * z - (dim + 1) / 2 * np.log1p(-s * s)).min()
        assert log_chernoff(z, dim, rate) == pytest.approx(searched, rel=1e-6)


def test_the_order_of_the_bounds_in_many_dimensions() -> None:
    """Five standard deviations out in 300 dimensions, nats given away: what the page prints."""
    z = 5 * math.sqrt(NoisyDotProduct(300, 1.0).variance)
    given = {bound.name: float(slack(bound, z, 300, 1.0)) for bound in BOUNDS}
    assert given["Chernoff"] == min(given.values()) < 3
    assert given["Chebyshev"] == max(given.values()) > 10
    assert given["direction (cap) and length"] < given["direction (sub-Gaussian) and length"]


def test_slack_of_impossible_events() -> None:
    by_name = {names(bound): bound for bound in COMPONENT_BOUNDS}
    assert slack(by_name["T > t, cap"], [1.0, 2.0], 3, 1.0).tolist() == [0, 0]
    assert slack(by_name["T > t, sub-Gaussian direction"], [0.999, 1.0], 3, 1.0)[1] == math.inf
    assert log_direction_cap([0.5, 1.0], 1).tolist() == [-math.log(2), -math.inf]


@pytest.mark.parametrize("dim", [1, 2, 3, 50, 300, 4096])
@pytest.mark.parametrize("share", [1e-300, 1e-16, 1e-9, 0.3, 0.499999, 0.500001])
def test_the_lower_bound_of_the_length_far_below_its_mean(dim, share) -> None:
    """At x = dim share the tail is at least x^dim e^-x / dim!: the slack is at most Stirling's. Mutant: log1p alone."""
    gap = float(log_length_lower(dim * share, dim, 1.0) - NoiseLength(dim, 1.0).log_cdf(dim * share))
    stirling = math.lgamma(dim + 1) - dim * math.log(dim) + dim
    rounding = 1e-15 * dim * (1 - math.log(share)) + 1e-14
    assert -rounding <= gap <= stirling + rounding
    if share < 1e-8:
        assert gap == pytest.approx(stirling, abs=rounding + 2 * dim * share)


def test_cuts_keep_bounds_at_extreme_rates() -> None:
    """Mutants: the point is cut before it is scaled; a cosine is cut by the rate; a tiny product becomes 0."""
    for bound in (log_length_lower, log_length_lower_gaussian):
        assert bound(1e301, 300, 1e-100) == bound(1e200, 300, 1e200) == bound(np.inf, 300, 1e-300) == 0
        assert bound(0.0, 300, 1e200) == bound(0.0, 300, 1e-200)
    for bound in (log_direction_gaussian, log_direction_cap):
        for rate in (1e-300, 1e200, 1e308):
            assert bound(0.9, 300, rate) == bound(0.9, 300) < -100
    assert log_length_upper(1e250, 3, 1e-250) == log_length_upper(1.0, 3, 1.0) == 0
    assert log_length_upper(5e250, 3, 1e-250) == pytest.approx(float(log_length_upper(5.0, 3, 1.0)), rel=1e-13)
    assert log_length_lower(0.0, 3, 1.0) == -np.inf
    assert -3000 < log_length_lower(1e-200, 3, 1e-200) < -2000  # the truth, -2765, is above no infinity


@pytest.mark.parametrize("bound", ALL, ids=names)
def test_far_points_and_empty_arrays(bound) -> None:
    values = bound.function([0.0, 1e250, np.inf], 3, 1e-3)
    assert values.shape == (3,) and not np.isnan(values).any()
    assert bound.function([], 3, 1.0).shape == (0,) and bound.function(0.5, 3, 1.0).shape == ()
    assert bound.name and bound.source


@pytest.mark.parametrize("bound", ALL, ids=names)
def test_bad_input_is_refused(bound) -> None:
    for arguments in ((-0.1, 3, 1.0), (math.nan, 3, 1.0), (1.0, 0, 1.0), (1.0, 3, 0.0), (1.0, 3, math.inf)):
        with pytest.raises(ParameterError, match="must be"):
            bound.function(*arguments)
    with pytest.raises(ParameterError, match="dim must be"):
        direction_variance_proxy(0)
