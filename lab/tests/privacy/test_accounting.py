"""Optimal composition against multiple precision and enumeration; calibration never gives less than asked."""

import importlib.util
import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.composition import gaussian_delta, repeat
from textveil.privacy.guarantees import ApproximateDP, MetricDP, NoGuarantee, PureDP
from textveil.privacy.loss_distribution import LossDistribution
from textveil_lab.numerics.accounting import (
    GaussianTokens,
    WorstTokens,
    calibrate,
    compose_tokens,
    token_epsilon,
)

DP_ACCOUNTING = importlib.util.find_spec("dp_accounting") is not None
needs_dp_accounting = pytest.mark.skipif(not DP_ACCOUNTING, reason="the package dp-accounting is not installed")


def exact_worst(token, log_delta, times, epsilon):
    """The formula of Kairouz, Oh and Viswanath in 60 digits."""
    with mpmath.workdps(60):
        e, target = mpmath.mpf(token), mpmath.mpf(epsilon)
        total = mpmath.mpf(0)
        for i in range(times + 1):
            gain = mpmath.exp(i * e) - mpmath.exp(target + (times - i) * e)
            total += mpmath.binomial(times, i) * max(mpmath.mpf(0), gain)
        total /= (1 + mpmath.exp(e)) ** times
        disclosed = 1 - (1 - mpmath.exp(mpmath.mpf(log_delta))) ** times if log_delta > -math.inf else 0
        return disclosed + (1 - disclosed) * total


@settings(deadline=None, max_examples=80)
@given(
    token=st.floats(1e-3, 6),
    log_delta=st.sampled_from([-math.inf, -30.0, -3.0]),
    times=st.integers(1, 60),
    share=st.floats(0, 1.2),
)
@example(token=4.585617637955558, log_delta=-math.inf, times=49, share=1.0)  # epsilon is a rounding below the last loss
def test_worst_tokens_against_multiple_precision(token, log_delta, times, share):
    """Never below, and above by the rounding of logarithms alone.

    Where epsilon comes near a loss, the gain 1 - e^(epsilon - loss) cancels; the rounding of its terms,
    16 units of n ln(n + 1) + n (e + 1) + 16, counted twice, is then added in full: 2.5e-12 for 60 draws of 6 nats.
    """
    epsilon = share * times * token
    exact = exact_worst(token, log_delta, times, epsilon)
    ours = WorstTokens(token_epsilon=token, log_delta=log_delta, times=times).delta(epsilon)
    assert ours >= exact * (1 - mpmath.mpf(2) ** -52)
    assert ours <= exact * (1 + mpmath.mpf("1e-8")) + mpmath.mpf("2.5e-12")


def test_worst_tokens_against_enumeration_of_randomized_response():
    e = 0.8
    p = [math.exp(e) / (1 + math.exp(e)), 1 / (1 + math.exp(e))]
    for epsilon in (0.0, 0.5, 1.7, 3.9):
        exact = sum(
            max(0.0, math.prod(p[i] for i in outcome) - math.exp(epsilon) * math.prod(p[1 - i] for i in outcome))
            for outcome in itertools.product((0, 1), repeat=5)
        )
        assert WorstTokens(token_epsilon=e, times=5).delta(epsilon) == pytest.approx(exact, rel=1e-10)


def test_optimal_is_never_worse_than_basic_composition():
    for part in (PureDP(epsilon=0.3), ApproximateDP(epsilon=0.3, log_delta=-20.0)):
        basic = repeat(part, 50)
        optimal = compose_tokens(part, tokens=50)
        log_delta = getattr(basic, "log_delta", -math.inf)
        assert optimal.delta(basic.epsilon) <= math.exp(log_delta)
        assert optimal.epsilon(1e-5) < 0.75 * basic.epsilon
    pure = compose_tokens(PureDP(epsilon=0.3), tokens=50)
    assert pure.epsilon(0.0) <= repeat(PureDP(epsilon=0.3), 50).epsilon
    assert pure.epsilon(0.0) == pytest.approx(15.0, rel=1e-12)
    assert compose_tokens(ApproximateDP(epsilon=0.3, log_delta=-20.0), tokens=50).epsilon(1e-12) == math.inf


def test_releases_repeat_tokens() -> None:
    loss = LossDistribution(step=0.1, first=-1, masses=np.array([0.4, 0.1, 0.5]))
    for token in (PureDP(epsilon=0.2), GaussianTokens(sigma=5.0, l2_sensitivity=1.0), loss):
        together = compose_tokens(token, tokens=6, releases=2).delta(0.7)
        assert together == compose_tokens(token, tokens=12).delta(0.7)
        assert together > compose_tokens(token, tokens=6).delta(0.7)


def test_metric_guarantees_are_taken_at_their_diameter():
    metric = MetricDP(epsilon_per_distance=2.0, metric="euclidean", diameter=0.5)
    ours = compose_tokens(metric, tokens=4).epsilon(1e-3)
    assert ours == pytest.approx(compose_tokens(PureDP(epsilon=1.0), tokens=4).epsilon(1e-3), rel=1e-9)


def test_gaussian_tokens_are_one_gaussian():
    token = GaussianTokens(sigma=3.0, l2_sensitivity=2.0)
    for tokens in (1, 7, 100):
        composed = compose_tokens(token, tokens=tokens)
        exact = gaussian_delta(1.5, 3.0, 2.0 * math.sqrt(tokens))
        assert composed.delta(1.5) == pytest.approx(exact, rel=1e-8)
        epsilon = composed.epsilon(1e-6)
        assert composed.delta(epsilon) <= 1e-6 < composed.delta(epsilon * (1 - 1e-6))
    assert token.epsilon(0.0) == math.inf
    assert token.epsilon(1.0) == 0.0


@settings(deadline=None, max_examples=40)
@given(
    epsilon=st.floats(0.01, 30),
    log_delta=st.floats(-30, -1),
    tokens=st.integers(1, 300),
    releases=st.integers(1, 4),
)
def test_calibration_never_returns_less_privacy_than_asked(epsilon, log_delta, tokens, releases):
    delta = math.exp(log_delta)
    pure = token_epsilon(epsilon=epsilon, delta=delta, tokens=tokens, releases=releases)
    assert pure >= epsilon / (tokens * releases) * (1 - 1e-12)
    assert exact_worst(pure, -math.inf, tokens * releases, epsilon) <= delta
    more = WorstTokens(token_epsilon=pure * (1 + 1e-6) + 1e-9, times=tokens * releases)
    assert more.delta(epsilon) > delta * (1 - 1e-3) or pure >= epsilon


def test_a_cost_that_is_not_monotone_still_keeps_the_promise():
    class Jagged:
        def __init__(self, x):
            self.x = x

        def delta(self, epsilon):
            return 0.5 if math.sin(40 * self.x) > 0.9 else self.x / 10

        def epsilon(self, delta):
            return 0.0

    found = calibrate(Jagged, epsilon=1.0, delta=0.2, private=0.01, other=9.0)
    assert Jagged(found).delta(1.0) <= 0.2


def test_what_cannot_be_composed_is_refused():
    with pytest.raises(UnsupportedGuarantee):
        compose_tokens(NoGuarantee(reason="raw vectors"), tokens=2)
    below = LossDistribution(step=0.1, first=0, masses=np.ones(1), upper=False)
    with pytest.raises(UnsupportedGuarantee, match="upper=True"):
        compose_tokens(below, tokens=2)
    with pytest.raises(UnsupportedGuarantee):
        compose_tokens("eight", tokens=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: compose_tokens(PureDP(epsilon=1.0), tokens=0),
        lambda: compose_tokens(PureDP(epsilon=1.0), tokens=1, releases=0),
        lambda: WorstTokens(token_epsilon=-1.0),
        lambda: WorstTokens(token_epsilon=1.0, times=0),
        lambda: GaussianTokens(sigma=0.0, l2_sensitivity=1.0),
        lambda: GaussianTokens(sigma=1.0, l2_sensitivity=1.0).delta(-1.0),
        lambda: WorstTokens(token_epsilon=1.0).delta(math.nan),
        lambda: WorstTokens(token_epsilon=1.0).epsilon(2.0),
        lambda: calibrate(lambda e: WorstTokens(token_epsilon=e), epsilon=1.0, delta=0.0, private=2.0, other=3.0),
        lambda: token_epsilon(epsilon=1.0, delta=1.0, tokens=3),
    ],
)
def test_arguments_outside_their_domain_are_refused(call):
    with pytest.raises(ParameterError):
        call()


@needs_dp_accounting
def test_dp_accounting_agrees():
    from dp_accounting.pld import privacy_loss_distribution as pld

    theirs = pld.from_gaussian_mechanism(5.0, value_discretization_interval=1e-3).self_compose(50)
    ours = compose_tokens(GaussianTokens(sigma=5.0, l2_sensitivity=1.0), tokens=50)
    for epsilon in (0.5, 2.0, 5.0):
        assert ours.delta(epsilon) == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=1e-3)


@pytest.mark.parametrize("log_delta", [-1e-17, -5e-324, -1e-9, -0.5, -40.0, -800.0])
def test_disclosures_of_any_size(log_delta: float) -> None:
    """Delta at the summed epsilon is 1 - (1 - d)^n; next to d = 1 the exponential rounds to 1."""
    worst = WorstTokens(token_epsilon=1.0, log_delta=log_delta, times=3)
    with mpmath.workdps(400):
        exact = 1 - (1 - mpmath.exp(mpmath.mpf(log_delta))) ** 3
        assert exact <= worst.delta(3.0) <= max(exact * (1 + mpmath.mpf(10) ** -12), 2.0**-1074)
