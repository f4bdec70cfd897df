"""A delta that no float can hold is not 0: pure claims on noise, and claims far below the least float."""

import json
import math

import numpy as np
import pytest
from tests.helpers.catalog import CATALOG
from tests.helpers.vocabularies import made_vocabulary

from textveil.statistics import Bound, exactly
from textveil_lab.audit.noise.closed_form import audit_noise, audit_shift
from textveil_lab.audit.noise.profiles import as_delta, epsilon_at
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace


def verdict(noise, shift, epsilon: float, log_delta: float = -math.inf) -> Verdict:
    return audit_shift(noise, shift, Claim(epsilon=epsilon, log_delta=log_delta)).verdict


def test_gaussian_noise_is_pure_at_no_epsilon() -> None:
    mechanism = CATALOG["gaussian"].constructor()(made_vocabulary(40, 6), epsilon=1.0)
    report = audit_mechanism(mechanism, claim=Claim(epsilon=100.0), attacks=False)
    assert (report.verdict, report.leading.subject) == (Verdict.REFUTED, Subject.NOISY_VECTOR)
    assert report.leading.epsilon.lower == math.inf
    assert report.leading.delta.lower == 0  # e^-90000 has no float
    assert -1e5 < report.leading.log_delta.lower < -1e4
    assert "proved" not in report.summary()
    assert json.loads(report.to_json())["log_delta"]["lower"] == report.leading.log_delta.lower


PURE = {
    "gaussian": (Gaussian(dim=1, sigma=1.0), [1.0], math.inf),
    "truncated": (TruncatedLaplace(dim=1, scale=1.0, bound=800.0), [1.0], math.inf),
    "truncated beyond floats": (TruncatedLaplace(dim=1, scale=1e-200, bound=1e200), [1e-200], math.inf),
    "1700 coordinates": (CoordinateLaplace(dim=1700, scale=1.0), np.full(1700, 2.0**-10), 1700 / 1024),
    "laplace": (CoordinateLaplace(dim=2, scale=1.0), [0.5, 0.25], 0.75),
    "spherical": (SphericalLaplace(dim=2000, rate=1.0), [3.0, 4.0] + [0.0] * 1998, 5.0),
    "spherical on a line": (SphericalLaplace(dim=1, rate=0.5), [-3.0], 1.5),
}


@pytest.mark.parametrize("case", PURE)
def test_pure_claims_turn_at_the_largest_loss_and_nowhere_else(case: str) -> None:
    noise, shift, largest = PURE[case]
    if case != "truncated beyond floats":
        assert verdict(noise, shift, 0.5) is Verdict.REFUTED
    if math.isinf(largest):
        assert verdict(noise, shift, 1e6) in (Verdict.REFUTED, Verdict.NOT_REFUTED)
        assert verdict(noise, shift, 1.0) is not Verdict.PROVED
        assert (verdict(noise, shift, 1.0) is Verdict.REFUTED) is (case != "truncated beyond floats")
    else:
        assert verdict(noise, shift, math.nextafter(largest, 0.0)) is Verdict.REFUTED
        assert verdict(noise, shift, largest) is Verdict.PROVED
        assert verdict(noise, shift, largest + 1) is Verdict.PROVED


def test_true_claims_below_the_least_float_are_not_refuted() -> None:
    """A lower bound that was raised to the least float, e^-744.4, stood above the truth."""
    noise = SphericalLaplace(dim=300, rate=1.0)
    shift = [100.0] + [0.0] * 299
    profile = noise.privacy_profile(shift)
    exact = profile.log_delta(99.99).estimate
    assert exact < -1000
    assert verdict(noise, shift, 99.99, exact + 0.01) is Verdict.PROVED
    assert verdict(noise, shift, 99.99, exact - 0.01) is Verdict.REFUTED
    many = CoordinateLaplace(dim=1700, scale=1.0)
    spread = np.full(1700, 2.0**-10)
    near = 1700 / 1024 * (1 - 1e-6)
    assert verdict(many, spread, near, -1150.0) is not Verdict.REFUTED
    assert verdict(many, spread, near, -1250.0) is Verdict.REFUTED


def test_the_dominant_radius_of_high_dimensions_is_seen() -> None:
    """The truth is -566.678 (40 digits, see tests/noise/test_privacy_profiles.py); -568.5 was called proved."""
    noise, shift = SphericalLaplace(dim=2000, rate=1.0), [1e4] + [0.0] * 1999
    assert verdict(noise, shift, 9500.0, -568.5) is Verdict.REFUTED
    assert verdict(noise, shift, 9500.0, -566.68) is Verdict.REFUTED
    assert verdict(noise, shift, 9500.0, -566.67) is Verdict.PROVED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gaussian", "laplace", "spherical-laplace", "truncated-laplace"])
def test_claims_of_delta_below_the_floats(name: str) -> None:
    """Far enough out every claim with a tiny delta is true, and with a tinier one false or open; never an error."""
    mechanism = CATALOG[name].constructor()(made_vocabulary(20, 3), epsilon=2.0)
    for epsilon in (0.5, 2.0, 50.0, 1e4):
        for log_delta in (-1.0, -800.0, -1e7):
            found = audit_noise(mechanism, Claim(epsilon=epsilon, log_delta=log_delta))
            log = found.log_delta
            assert log is not None
            assert (found.verdict is Verdict.PROVED) is (log.upper <= log_delta)
            assert (found.verdict is Verdict.REFUTED) is (log.lower > log_delta)
            assert found.epsilon.lower <= found.epsilon.upper
            assert (found.delta.upper == 0) is (log.upper == -math.inf)


def test_epsilon_at_a_delta_below_the_floats() -> None:
    for noise in (Gaussian(dim=2, sigma=1.0), SphericalLaplace(dim=40, rate=1.0)):
        profile = noise.privacy_profile([30.0] + [0.0] * (noise.dim - 1))
        found = epsilon_at(profile, -900.0)
        assert profile.log_delta(found.upper).upper <= -900.0
        assert found.lower == 0 or profile.log_delta(found.lower * (1 - 1e-9)).lower > -900.0
        assert found.upper - found.lower <= 1e-4 * found.upper


def test_deltas_as_floats_are_rounded_to_their_side() -> None:
    assert as_delta(exactly(-math.inf)) == (0.0, 0.0, 0.0, 1.0)
    assert as_delta(Bound(-2000.0, -1500.0, -1000.0, 1.0)) == (0.0, 0.0, 5e-324, 1.0)
    found = as_delta(Bound(-2.0, -1.5, -1.0, 1.0))
    assert found.lower < math.exp(-2.0) < found.estimate < math.exp(-1.0) < found.upper
    assert as_delta(exactly(0.0)).upper == 1.0
