"""Optimal composition over the tokens of a document and its releases, and calibration that inverts it.

Draws are independent given the text, and two texts of n protected tokens may differ in all of them, so n tokens
released r times are n r independent pairs. A pair (P, Q) dominates a token's mechanism if its delta is at least the
mechanism's at every epsilon and for any two words; then the n-fold product of (P, Q) dominates n tokens (Zhu, Dong and
Wang 2022, theorem 10). The pair composed here is a dominating pair that two words attain, or the worst pair that the
guarantee allows: no smaller number follows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np

from textveil.errors import ParameterError, UnsupportedGuarantee, need
from textveil.privacy.composition import as_approximate, gaussian_delta_at, gaussian_epsilon, least_epsilon
from textveil.privacy.guarantees import Guarantee, PureDP
from textveil.privacy.loss_distribution import LossDistribution

_UNIT = 2.0**-53


class Composed(Protocol):
    """Cost of many tokens together."""

    def delta(self, epsilon: float) -> float:
        """Return an upper bound on the smallest delta at epsilon >= 0."""

    def epsilon(self, delta: float) -> float:
        """Return an upper bound on the smallest epsilon at delta in [0, 1]; inf if none reaches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianTokens:
    """``times`` draws of N(0, sigma^2 I) noise on vectors at distance at most ``l2_sensitivity``.

    The loss of one draw is N(mu^2/2, mu^2) with mu = l2_sensitivity / sigma; ``times`` of them add to the loss of
    one draw at sensitivity sqrt(times) l2_sensitivity, exactly.

    Source: Balle and Wang 2018, theorem 8; Dong, Roth and Su 2022, corollary 3.3.
    """

    sigma: float  # standard deviation of one coordinate, finite and > 0
    l2_sensitivity: float  # finite and > 0
    times: int = 1  # number of draws, >= 1

    def __post_init__(self) -> None:
        need(0 < self.sigma < math.inf, "sigma", self.sigma, "finite and > 0")
        need(0 < self.l2_sensitivity < math.inf, "l2_sensitivity", self.l2_sensitivity, "finite and > 0")
        need(isinstance(self.times, int) and self.times >= 1, "times", self.times, "an integer >= 1")

    @property
    def joint_sensitivity(self) -> float:
        """sqrt(times) l2_sensitivity, rounded up."""
        product = math.sqrt(self.times) * self.l2_sensitivity
        return self.l2_sensitivity if self.times == 1 else product * (1 + 4 * _UNIT)

    def delta(self, epsilon: float) -> float:
        """Return ``Composed.delta``, within a relative 3e-9 of the exact value."""
        return gaussian_delta_at(epsilon, self.sigma, self.joint_sensitivity)

    def epsilon(self, delta: float) -> float:
        """Return ``Composed.epsilon``."""
        return gaussian_epsilon(delta, self.sigma, self.joint_sensitivity)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstTokens:
    """``times`` draws of the worst mechanism that an (epsilon, delta) guarantee allows.

    Its pair has P = (d, (1 - d) e^e, 1 - d, 0) / (1, e^e + 1, e^e + 1, 1) and Q the same reversed: randomized
    response, and with probability d a disclosure. Losses of ``times`` draws are (2 i - times) e, so

        delta'(e') = 1 - (1 - d)^times (1 - sum_i C(times, i) (e^(i e) - e^(e' + (times - i) e))+ / (1 + e^e)^times)

    Source: Kairouz, Oh and Viswanath 2015, theorem 3.3.
    """

    token_epsilon: float  # e, nats of one token, finite and >= 0
    log_delta: float = -math.inf  # ln of d, <= 0; -inf is pure DP
    times: int = 1  # number of draws, >= 1

    def __post_init__(self) -> None:
        need(0 <= self.token_epsilon < math.inf, "token_epsilon", self.token_epsilon, "finite and >= 0")
        need(self.log_delta <= 0, "log_delta", self.log_delta, "<= 0")
        need(isinstance(self.times, int) and 1 <= self.times <= 10**7, "times", self.times, "an integer in [1, 10^7]")

    @property
    def basic_epsilon(self) -> float:
        """Sum of all tokens' epsilon, rounded up; the rest of delta is the disclosures'."""
        product = self.times * self.token_epsilon
        short = Fraction(product) < self.times * Fraction(self.token_epsilon)
        return math.nextafter(product, math.inf) if short else product

    def delta(self, epsilon: float) -> float:
        """Return ``Composed.delta``; it exceeds the exact value only by the rounding of log-factorials."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        # 1 - e^log_delta without cancellation: log_delta = -1e-17 is not 0, though its exponential rounds to 1.
        disclosed = 1.0 if self.log_delta == 0 else -math.expm1(self.times * _log_complement(self.log_delta))
        kept = self._without_disclosure(epsilon)
        # disclosed * (1 - kept) + kept, and the next floats above, as 1 - (1 - d)^n cancels nothing.
        value = disclosed * (1 - kept) + kept
        if self.log_delta > -math.inf:
            value = max(value, 2.0**-1074)  # too small for a float, and not 0
        return min(1.0, value * (1 + 16 * _UNIT)) if value > 0 else 0.0

    def epsilon(self, delta: float) -> float:
        """Return ``Composed.epsilon``."""
        need(0 <= delta <= 1, "delta", delta, "in [0, 1]")
        return (
            least_epsilon(self.delta, delta, self.basic_epsilon)
            if self.delta(self.basic_epsilon) <= delta
            else math.inf
        )

    def _without_disclosure(self, epsilon: float) -> float:
        from scipy.special import gammaln  # a third of a second, which most releases do not need

        n, e = self.times, self.token_epsilon
        if Fraction(epsilon) >= n * Fraction(e):
            return 0.0
        least = max(0, math.floor((n + epsilon / e) / 2))
        i = np.arange(least, n + 1)
        logs = gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1) - (n - i) * e - n * math.log1p(math.exp(-e))
        gains = -np.expm1(np.minimum(epsilon - (2 * i - n) * e, 0.0))
        terms = np.exp(logs) * gains
        # Each logarithm is off by a few units of its largest term; each gain by units of n e.
        slack = 16 * _UNIT * (n * math.log(n + 1) + n * (e + 1) + 16)
        return min(1.0, float(terms.sum()) * (1 + 2 * slack) + slack * float(np.exp(logs).sum()) * 2)


Token: TypeAlias = Guarantee | GaussianTokens | LossDistribution


def compose_tokens(token: Token, *, tokens: int, releases: int = 1) -> Composed:
    """Compose the cost of ``tokens`` tokens of a text that is released ``releases`` times, by the optimal rule.

    Gaussian tokens become one Gaussian; a loss distribution (of a dominating pair, one direction of a symmetric pair)
    is convolved; of a guarantee, the worst mechanism that it allows is composed. A metric guarantee is taken at its
    diameter.

    Args:
        token: cost of one token.
        tokens: number of protected tokens in which two texts may differ, >= 1.
        releases: number of independent releases of the same text, >= 1.

    Raises:
        UnsupportedGuarantee: there is no guarantee, or the loss distribution is a lower bound.
    ParameterError: a count is below 1.
    """
    for name, count in (("tokens", tokens), ("releases", releases)):
        need(isinstance(count, int) and count >= 1, name, count, "an integer >= 1")
    times = tokens * releases
    if isinstance(token, GaussianTokens):
        return GaussianTokens(sigma=token.sigma, l2_sensitivity=token.l2_sensitivity, times=token.times * times)
    if isinstance(token, LossDistribution):
        if not token.upper:
            raise UnsupportedGuarantee("cannot account with lower bounds of losses. Build them with upper=True.")
        return token.repeat(times)
    part = as_approximate(token)
    return WorstTokens(token_epsilon=part.epsilon, log_delta=part.log_delta, times=times)


def calibrate(
    composed: Callable[[float], Composed], *, epsilon: float, delta: float, private: float, other: float
) -> float:
    """Find the parameter nearest to ``other`` at which ``composed`` keeps (epsilon, delta), by bisection.

    The result itself is tested, so it never gives less privacy than asked, even if the cost is not monotone in the
    parameter. If it is, no float nearer to ``other`` by more than 1e-12 keeps (epsilon, delta).

    Args:
        composed: function from the parameter (an epsilon for one token, a sigma, a rate) to the cost of all tokens.
        epsilon: nats of all tokens together, finite and >= 0.
        delta: in [0, 1].
        private: a parameter that keeps (epsilon, delta): a tiny epsilon, or a large sigma.
        other: the end to move toward: a large epsilon, or a tiny sigma.

    Raises:
        ParameterError: ``private`` does not keep (epsilon, delta).
    """
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    need(0 <= delta <= 1, "delta", delta, "in [0, 1]")

    def kept(parameter: float) -> bool:
        return composed(parameter).delta(epsilon) <= delta

    if kept(other):
        return other
    if not kept(private):
        raise ParameterError(f"private must be a parameter that keeps the promise; got {private}. Move it outward.")
    while abs(other - private) > 1e-12 * abs(private):
        middle = private + (other - private) / 2
        if middle in (private, other):
            break
        private, other = (middle, other) if kept(middle) else (private, middle)
    return private


def token_epsilon(*, epsilon: float, delta: float, tokens: int, releases: int = 1) -> float:
    """Find the largest epsilon of one pure token at which all tokens together keep (epsilon, delta).

    It is never below basic composition's epsilon / (tokens releases).

    Raises:
        ParameterError: an argument is outside its domain.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(0 <= delta < 1, "delta", delta, "in [0, 1)")
    least = epsilon / (tokens * releases) * (1 - 8 * _UNIT)
    # A token at ln((1 + d) / (1 - d)) more has a total variation above delta by itself.
    most = epsilon + math.log1p(delta) - math.log1p(-delta) if tokens * releases > 1 else epsilon
    most = max(most, epsilon)
    return calibrate(
        lambda e: compose_tokens(PureDP(epsilon=e), tokens=tokens, releases=releases),
        epsilon=epsilon,
        delta=delta,
        private=least,
        other=most,
    )


def _log_complement(log_share: float) -> float:
    if log_share > -math.log(2):
        return math.log(-math.expm1(log_share))
    return math.log1p(-math.exp(log_share))
