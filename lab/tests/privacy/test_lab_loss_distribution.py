"""Loss distributions of noise and channels lie on their stated side of the exact delta; composed ones too."""

import importlib.util
import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil.privacy import loss_distribution
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.guarantees import PureDP
from textveil_lab.noise.laplace_profile import laplace_loss, truncated_laplace_loss
from textveil_lab.noise.token_losses import gaussian_loss, pair_loss, token_sigma, two_level_loss
from textveil_lab.noise.truncation import one_coordinate_delta
from textveil_lab.numerics.accounting import GaussianTokens, calibrate, compose_tokens

DP_ACCOUNTING = importlib.util.find_spec("dp_accounting") is not None
needs_dp_accounting = pytest.mark.skipif(not DP_ACCOUNTING, reason="the package dp-accounting is not installed")


def hockey_stick(p, q, epsilon):
    return math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


def product(row, times):
    return [math.prod(parts) for parts in itertools.product(row, repeat=times)]


def test_the_upper_side_errs_by_the_square_of_the_step():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.21, 0.37, 0.42])
    exact = hockey_stick(product(p, 6), product(q, 6), 1.0)
    errors = [pair_loss(p, q, step=step).repeat(6).delta(1.0) - exact for step in (0.16, 0.04, 0.01)]
    assert all(error > 0 for error in errors)
    assert errors[2] < 2e-5
    assert errors[0] > 20 * errors[2]


@pytest.mark.parametrize("upper", [True, False])
def test_laplace_against_its_closed_form(upper):
    made = laplace_loss(-2.0, 0.5, step=1e-3, upper=upper)
    for epsilon in (0.0, 0.5, 2.0, 3.9):
        exact = -math.expm1((epsilon - 4) / 2)
        assert made.delta(epsilon) == pytest.approx(exact, rel=1e-5)
        assert made.delta(epsilon) >= exact if upper else made.delta(epsilon) <= exact
    assert made.masses.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("shift", [0.4, 2.0, 3.7, 5.9])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.9, 1.0])
def test_truncated_laplace_against_quadrature(shift, ratio):

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


@pytest.mark.parametrize("upper", [True, False])
def test_fourier_and_direct_convolution_agree_within_the_stated_slack(upper, monkeypatch):
    one = laplace_loss(1.0, 1.0, step=2e-3, upper=upper)
    direct = one.repeat(6, bins=0)
    monkeypatch.setattr(loss_distribution, "_DIRECT", 0)
    transformed = one.repeat(6, bins=0)
    assert direct.slack == 0 < transformed.slack < 1e-10
    for epsilon in (0.0, 1.0, 5.0):
        difference = transformed.delta(epsilon) - direct.delta(epsilon)
        assert 0 <= difference <= 3 * transformed.slack if upper else -3 * transformed.slack <= difference <= 0


@pytest.mark.parametrize("upper", [True, False])
def test_coarser_grids_keep_the_side(upper):
    fine = laplace_loss(1.0, 0.7, step=1e-3, upper=upper).repeat(8, bins=0)
    held = laplace_loss(1.0, 0.7, step=1e-3, upper=upper).repeat(8, bins=512)
    assert len(held.masses) <= 512 < len(fine.masses)
    for epsilon in (0.0, 2.0, 6.0):
        assert held.delta(epsilon) >= fine.delta(epsilon) if upper else held.delta(epsilon) <= fine.delta(epsilon)
        assert held.delta(epsilon) == pytest.approx(fine.delta(epsilon), abs=1e-3 if upper else 0.15)


@settings(deadline=None, max_examples=40)
@given(delta=st.floats(0, 1), shift=st.floats(0.1, 6), bound=st.floats(0.2, 20))
def test_epsilon_inverts_delta_on_its_side(delta, shift, bound):
    upper = truncated_laplace_loss(shift, 1.0, bound, step=0.01)
    lower = truncated_laplace_loss(shift, 1.0, bound, step=0.01, upper=False)
    high, low = upper.epsilon(delta), lower.epsilon(delta)
    assert low <= high
    if math.isfinite(high):
        assert upper.delta(high) <= delta
    if 0 < low < math.inf:
        assert lower.delta(low) > delta


def test_both_sides_stay_close_over_many_tokens():
    upper = laplace_loss(0.0317, 1.0, step=1e-3).repeat(100, bins=0)
    lower = laplace_loss(0.0317, 1.0, step=1e-3, upper=False).repeat(100, bins=0)
    for epsilon in (0.0, 0.3):
        assert lower.delta(epsilon) < upper.delta(epsilon) < 1.07 * lower.delta(epsilon)


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
        lambda: two_level_loss(size=5, members=6, inside=3, outside=1),
        lambda: two_level_loss(size=5, members=2, inside=1, outside=1),
        lambda: two_level_loss(size=5, members=4, inside=3, outside=1, overlap=2),
        lambda: token_sigma(epsilon=1.0, delta=0.0, l2_sensitivity=1.0, tokens=3),
    ],
)
def test_arguments_outside_their_domain_are_refused(call):
    with pytest.raises(ParameterError):
        call()


@settings(deadline=None, max_examples=40)
@given(
    epsilon=st.floats(0.01, 30), log_delta=st.floats(-30, -1), tokens=st.integers(1, 300), releases=st.integers(1, 4)
)
def test_calibration_of_gaussian_noise_never_returns_less_privacy_than_asked(epsilon, log_delta, tokens, releases):
    delta, joint = math.exp(log_delta), 2.0 * math.sqrt(tokens * releases)
    sigma = token_sigma(epsilon=epsilon, delta=delta, l2_sensitivity=2.0, tokens=tokens, releases=releases)
    assert gaussian_delta(epsilon, sigma, joint) <= delta * (1 + 1e-15)
    assert gaussian_delta(epsilon, sigma * (1 - 1e-6), joint) > delta


@needs_dp_accounting
def test_dp_accounting_agrees():
    from dp_accounting.pld import privacy_loss_distribution as pld

    response = pld.from_randomized_response(20 * 4 / (20 * 4 + 37 - 4), 20, value_discretization_interval=1e-4)
    pair = two_level_loss(size=20, members=1, inside=37, outside=4)
    for epsilon in (0.5, 2.0, 5.0):
        many = response.self_compose(12).get_delta_for_epsilon(epsilon)
        assert compose_tokens(pair, tokens=12).delta(epsilon) == pytest.approx(many, rel=1e-3)
    theirs = pld.from_laplace_mechanism(1.0, sensitivity=0.5, value_discretization_interval=1e-4).self_compose(20)
    ours = laplace_loss(0.5, 1.0, step=1e-4).repeat(20)
    lower = laplace_loss(0.5, 1.0, step=1e-4, upper=False).repeat(20)
    for epsilon in (0.5, 2.0, 5.0):
        value = theirs.get_delta_for_epsilon(epsilon)
        assert ours.delta(epsilon) == pytest.approx(value, rel=1e-4)
        assert lower.delta(epsilon) <= value


def test_releases_repeat_tokens():
    for token in (PureDP(epsilon=0.2), GaussianTokens(sigma=5.0, l2_sensitivity=1.0), laplace_loss(1, 5, step=0.01)):
        together = compose_tokens(token, tokens=6, releases=2).delta(0.7)
        assert together == compose_tokens(token, tokens=12).delta(0.7)
        assert together > compose_tokens(token, tokens=6).delta(0.7)


def channel_rows(size, members, inside, outside, sets):
    table = np.full((len(sets), size), outside, dtype=float)
    for row, chosen in zip(table, sets, strict=True):
        row[list(chosen)] = inside
    return table / (members * inside + (size - members) * outside)


@pytest.mark.parametrize(("size", "members"), [(6, 1), (6, 2), (5, 3), (5, 4)])
def test_two_level_pair_dominates_every_pair_of_rows(size, members):
    inside, outside = 37, 4
    sets = list(itertools.combinations(range(size), members))
    table = channel_rows(size, members, inside, outside, sets)
    pair = two_level_loss(size=size, members=members, inside=inside, outside=outside)
    for epsilon in (0.0, 0.5, 1.5, 2.2):
        ratio = math.exp(epsilon)
        worst = max(np.maximum(p - ratio * q, 0).sum() for p, q in itertools.permutations(table, 2))
        assert pair.delta(epsilon) == pytest.approx(worst, rel=1e-8, abs=1e-15)
        assert pair.delta(epsilon) >= worst
        two = max(
            np.maximum(np.outer(p, p2) - ratio * np.outer(q, q2), 0).sum()
            for p, q in itertools.permutations(table[:6], 2)
            for p2, q2 in itertools.permutations(table[:4], 2)
        )
        assert compose_tokens(pair, tokens=2).delta(epsilon) >= two * (1 - 1e-9)
    p, q = channel_rows(size, members, inside, outside, [sets[0], sets[-1]])
    twice = np.maximum(np.outer(p, p) - math.exp(1.0) * np.outer(q, q), 0).sum()
    assert compose_tokens(pair, tokens=2).delta(1.0) == pytest.approx(twice, rel=1e-8)


def test_two_level_composition_beats_the_worst_pure_mechanism():
    inside = 2980
    pair = compose_tokens(two_level_loss(size=10_000, members=1, inside=inside, outside=1), tokens=200)
    worst = compose_tokens(PureDP(epsilon=math.log(inside)), tokens=200)
    assert pair.epsilon(1e-6) < 0.4 * worst.epsilon(1e-6)
    assert pair.epsilon(1e-6) > 0


def test_calibration_by_loss_distributions():
    def composed(scale):
        return compose_tokens(laplace_loss(1.0, scale, step=2.0**-10), tokens=10)

    scale = calibrate(composed, epsilon=2.0, delta=1e-4, private=100.0, other=0.1)
    assert composed(scale).delta(2.0) <= 1e-4 < composed(scale * 0.99).delta(2.0)
    basic = 10 / 2.0
    assert scale < basic
