"""Loss distributions lie on their stated side of the exact delta, and close to it; composed ones too."""

import importlib.util
import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers.lab import needs_lab

from textveil.errors import ParameterError
from textveil.privacy import loss_distribution
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.loss_distribution import LossDistribution, gaussian_loss, pair_loss

DP_ACCOUNTING = importlib.util.find_spec("dp_accounting") is not None
needs_dp_accounting = pytest.mark.skipif(not DP_ACCOUNTING, reason="the package dp-accounting is not installed")


def hockey_stick(p, q, epsilon):
    return math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


def product(row, times):
    return [math.prod(parts) for parts in itertools.product(row, repeat=times)]


rows = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=2, max_size=5).filter(
    lambda pairs: sum(a for a, _ in pairs) > 0.1 and sum(b for _, b in pairs) > 0.1
)


@settings(deadline=None, max_examples=60)
@example(  # losses 792 nats apart: a doubled step
    pairs=[(1e-38, 0.279), (1e-38, 0.279), (0.719, 0.511), (0.143, 2e-308)], times=1, epsilon=0.51, step=0.01
)
@given(pairs=rows, times=st.integers(1, 3), epsilon=st.floats(0.0, 4.0), step=st.sampled_from([0.3, 0.01]))
def test_discrete_pairs_are_bracketed_against_enumeration(pairs, times, epsilon, step):
    p, q = (np.array(row) / sum(row) for row in zip(*pairs, strict=True))
    if (np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300))).min() < -600:
        return  # a loss that no grid of this step holds
    exact = hockey_stick(product(p, times), product(q, times), epsilon)
    above = pair_loss(p, q, step=step).repeat(times)
    below = pair_loss(p, q, step=step, upper=False).repeat(times)
    upper, lower = above.delta(epsilon), below.delta(epsilon)
    assert lower <= exact * (1 + 1e-12) + 1e-15
    assert exact <= upper * (1 + 1e-12) + 1e-15
    held = max(above.step, below.step)  # doubled where losses lie so far apart that their bins do not suffice
    assert held == step or max(len(above.masses), len(below.masses)) > 1 << 14
    assert upper - lower <= times * held + 1e-8


def test_the_upper_side_errs_by_the_square_of_the_step():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.21, 0.37, 0.42])
    exact = hockey_stick(product(p, 6), product(q, 6), 1.0)
    errors = [pair_loss(p, q, step=step).repeat(6).delta(1.0) - exact for step in (0.16, 0.04, 0.01)]
    assert all(error > 0 for error in errors)
    assert errors[2] < 2e-5
    assert errors[0] > 20 * errors[2]


@needs_lab
@pytest.mark.parametrize("upper", [True, False])
def test_laplace_against_its_closed_form(upper):
    from textveil_lab.noise.laplace_profile import laplace_loss

    made = laplace_loss(-2.0, 0.5, step=1e-3, upper=upper)
    for epsilon in (0.0, 0.5, 2.0, 3.9):
        exact = -math.expm1((epsilon - 4) / 2)
        assert made.delta(epsilon) == pytest.approx(exact, rel=1e-5)
        assert made.delta(epsilon) >= exact if upper else made.delta(epsilon) <= exact
    assert made.masses.sum() == pytest.approx(1, abs=1e-12)


@needs_lab
@pytest.mark.parametrize("shift", [0.4, 2.0, 3.7, 5.9])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.9, 1.0])
def test_truncated_laplace_against_quadrature(shift, ratio):
    from textveil_lab.noise.laplace_profile import truncated_laplace_loss
    from textveil_lab.noise.truncation import one_coordinate_delta

    scale, bound = 1.3, 3.0
    peak = min(shift, 2 * bound - shift) / scale
    epsilon = ratio * peak
    normalizer = 2 * scale * -mpmath.expm1(-bound / scale)

    def density(x):
        return mpmath.exp(-abs(x) / scale) / normalizer if abs(x) <= bound else mpmath.mpf(0)

    cut = (shift - epsilon * scale) / 2  # left of it the loss exceeds epsilon
    kinks = sorted({shift - bound, min(max(0.0, shift - bound), cut), cut})
    inside = mpmath.quad(lambda x: density(x) - mpmath.exp(epsilon) * density(x - shift), kinks) if ratio < 1 else 0
    exact = one_coordinate_delta(shift, scale, bound) + float(inside)
    for step in (0.05, 1e-3):
        upper = truncated_laplace_loss(shift, scale, bound, step=step).delta(epsilon)
        lower = truncated_laplace_loss(shift, scale, bound, step=step, upper=False).delta(epsilon)
        assert lower <= exact * (1 + 1e-12) <= upper * (1 + 2e-12)
        assert upper - lower < 2 * step
    assert truncated_laplace_loss(6.0, scale, bound, step=0.1).delta(1.0) == 1.0


@pytest.mark.parametrize("upper", [True, False])
def test_gaussian_tokens_become_one_gaussian(upper):
    made = gaussian_loss(0.5, 1.0, step=1e-3, upper=upper).repeat(10)
    for epsilon in (0.01, 1.0, 4.0):
        exact = gaussian_delta(epsilon, 1.0, 0.5 * math.sqrt(10))
        assert made.delta(epsilon) == pytest.approx(exact, rel=2e-5 if upper else 2e-2)
        assert made.delta(epsilon) >= exact * (1 - 1e-8) if upper else made.delta(epsilon) <= exact


@needs_lab
@pytest.mark.parametrize("upper", [True, False])
def test_fourier_and_direct_convolution_agree_within_the_stated_slack(upper, monkeypatch):
    from textveil_lab.noise.laplace_profile import laplace_loss

    one = laplace_loss(1.0, 1.0, step=2e-3, upper=upper)
    direct = one.repeat(6, bins=0)
    monkeypatch.setattr(loss_distribution, "_DIRECT", 0)
    transformed = one.repeat(6, bins=0)
    assert direct.slack == 0 < transformed.slack < 1e-10
    for epsilon in (0.0, 1.0, 5.0):
        difference = transformed.delta(epsilon) - direct.delta(epsilon)
        assert 0 <= difference <= 3 * transformed.slack if upper else -3 * transformed.slack <= difference <= 0


@needs_lab
@pytest.mark.parametrize("upper", [True, False])
def test_coarser_grids_keep_the_side(upper):
    from textveil_lab.noise.laplace_profile import laplace_loss

    fine = laplace_loss(1.0, 0.7, step=1e-3, upper=upper).repeat(8, bins=0)
    held = laplace_loss(1.0, 0.7, step=1e-3, upper=upper).repeat(8, bins=512)
    assert len(held.masses) <= 512 < len(fine.masses)
    for epsilon in (0.0, 2.0, 6.0):
        assert held.delta(epsilon) >= fine.delta(epsilon) if upper else held.delta(epsilon) <= fine.delta(epsilon)
        assert held.delta(epsilon) == pytest.approx(fine.delta(epsilon), abs=1e-3 if upper else 0.15)


@needs_lab
@settings(deadline=None, max_examples=40)
@given(delta=st.floats(0, 1), shift=st.floats(0.1, 6), bound=st.floats(0.2, 20))
def test_epsilon_inverts_delta_on_its_side(delta, shift, bound):
    from textveil_lab.noise.laplace_profile import truncated_laplace_loss

    upper = truncated_laplace_loss(shift, 1.0, bound, step=0.01)
    lower = truncated_laplace_loss(shift, 1.0, bound, step=0.01, upper=False)
    high, low = upper.epsilon(delta), lower.epsilon(delta)
    assert low <= high
    if math.isfinite(high):
        assert upper.delta(high) <= delta
    if 0 < low < math.inf:
        assert lower.delta(low) > delta


@needs_lab
def test_both_sides_stay_close_over_many_tokens():
    from textveil_lab.noise.laplace_profile import laplace_loss

    upper = laplace_loss(0.0317, 1.0, step=1e-3).repeat(100, bins=0)
    lower = laplace_loss(0.0317, 1.0, step=1e-3, upper=False).repeat(100, bins=0)
    for epsilon in (0.0, 0.3):
        assert lower.delta(epsilon) < upper.delta(epsilon) < 1.07 * lower.delta(epsilon)


@pytest.mark.parametrize("upper", [True, False])
def test_trimmed_ends_move_to_the_side_that_keeps_the_bound(upper):
    masses = np.array([1e-26, 0.5, 0.5, 1e-26])
    long = LossDistribution(step=1.0, first=-1, masses=masses, upper=upper)
    trimmed = long.repeat(1)
    assert len(trimmed.masses) == 2
    assert trimmed.delta(1.5) > long.delta(1.5) if upper else trimmed.delta(1.5) <= long.delta(1.5)
    assert trimmed.infinite == (1e-26 if upper else 0.0)


def test_disclosures_add_up():
    half = LossDistribution(step=1.0, first=0, masses=np.array([0.5]), infinite=0.5)
    assert half.repeat(3).delta(10.0) == pytest.approx(0.875)
    assert half.repeat(0).delta(0.0) == 0.0
    assert half.epsilon(0.4) == math.inf


@needs_lab
@pytest.mark.parametrize(
    "call",
    [
        lambda: pair_loss([0.5, 0.6], [0.5, 0.5], step=0.1),
        lambda: pair_loss([1.5, -0.5], [0.5, 0.5], step=0.1),
        lambda: pair_loss([math.nan, 1.0], [0.5, 0.5], step=0.1),
        lambda: pair_loss([1.0], [0.5, 0.5], step=0.1),
        lambda: pair_loss([0.5, 0.5], [0.4, 0.6], step=0.0),
        lambda: gaussian_loss(math.inf, 1.0, step=0.1),
        lambda: gaussian_loss(1.0, 0.0, step=0.1),
        lambda: gaussian_loss(0.0, 1.0, step=0.1),
        lambda: gaussian_loss(1.0, 1.0, step=0.1).compose(gaussian_loss(1.0, 1.0, step=0.2)),
        lambda: gaussian_loss(1.0, 1.0, step=0.1).compose(gaussian_loss(1.0, 1.0, step=0.1, upper=False)),
        lambda: gaussian_loss(1.0, 1.0, step=0.1).delta(-1.0),
        lambda: gaussian_loss(1.0, 1.0, step=0.1).epsilon(1.5),
        lambda: gaussian_loss(1.0, 1.0, step=0.1).repeat(-1),
        lambda: LossDistribution(step=0.1, first=0, masses=np.array([2.0])),
        lambda: LossDistribution(step=0.1, first=0, masses=np.array([-0.1])),
    ],
)
def test_arguments_outside_their_domain_are_refused(call):

    with pytest.raises(ParameterError):
        call()


@needs_lab
@needs_dp_accounting
def test_dp_accounting_agrees():
    from dp_accounting.pld import privacy_loss_distribution as pld

    from textveil_lab.noise.laplace_profile import laplace_loss

    theirs = pld.from_laplace_mechanism(1.0, sensitivity=0.5, value_discretization_interval=1e-4).self_compose(20)
    ours = laplace_loss(0.5, 1.0, step=1e-4).repeat(20)
    lower = laplace_loss(0.5, 1.0, step=1e-4, upper=False).repeat(20)
    for epsilon in (0.5, 2.0, 5.0):
        value = theirs.get_delta_for_epsilon(epsilon)
        assert ours.delta(epsilon) == pytest.approx(value, rel=1e-4)
        assert lower.delta(epsilon) <= value
