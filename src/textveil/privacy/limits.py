"""What any word-level guarantee allows: a mechanism that keeps more words than this is not private.

The first two limits speak of the probability that a word comes out unchanged under an (epsilon, delta) guarantee
for any two words. They are used to refute claims, so they are rounded up.

Derivations: from P(x | x) <= e^epsilon P(x | x') + delta for every x' != x, summed over all pairs, with
T = sum_x P(x | x) and sum over x' != x of P(x | x') = n - T:

    (n - 1) T <= e^epsilon (n - T) + n (n - 1) delta

and, for a prior pi and any fixed word x', sum_x pi(x) (e^epsilon P(x | x') + delta) is at most
e^epsilon max pi + delta.
"""

from __future__ import annotations

import math

from textveil.errors import need

_MARGIN = 1 + 2.0**-40
"""More than all rounding errors of the formulas below together, whose logarithms stay below 1e3."""


def unchanged_limit(words: int, epsilon: float, delta: float = 0.0) -> float:
    """Largest mean probability, over equally likely words, that a word comes out unchanged.

    (e^epsilon + (n - 1) delta) / (e^epsilon + n - 1); attained by randomized response mixed with the
    identity.

    Args:
        words: n, the number of words that the guarantee covers, >= 1.
        epsilon: nats, finite and >= 0.
        delta: in [0, 1].
    """
    need(isinstance(words, int) and words >= 1, "words", words, "an integer >= 1")
    _check_guarantee(epsilon, delta)
    others = (words - 1) * math.exp(-epsilon)  # both sides divided by e^epsilon, which may overflow
    return min(1.0, _MARGIN * (1 + others * delta) / (1 + others))


def unchanged_limit_with_prior(max_prior: float, epsilon: float, delta: float = 0.0) -> float:
    """Largest probability that a word drawn from a prior comes out unchanged: e^epsilon max pi + delta.

    It is capped at 1.

    Where the adversary also sees the released context, ``max_prior`` is the mean of the largest probability
    of the word given the other words, which is an estimate and must be reported with the result.

    Args:
        max_prior: probability of the most likely word, in (0, 1].
        epsilon: nats, finite and >= 0.
        delta: in [0, 1].
    """
    need(0 < max_prior <= 1, "max_prior", max_prior, "in (0, 1]")
    _check_guarantee(epsilon, delta)
    log_kept = epsilon + math.log(max_prior)
    return 1.0 if log_kept >= 0 else min(1.0, _MARGIN * (math.exp(log_kept) + delta))


def log_delta_of_pure(pure: float, epsilon: float) -> float:
    """Natural logarithm of the delta at ``epsilon`` that a pure loss allows: (e^p - e^epsilon) / (e^p + 1), rounded up.

    Attained by randomized response. Source: Kairouz, Oh and Viswanath 2015, theorem 3.4 with one release.

    Args:
        pure: nats, >= 0; inf allows any delta.
        epsilon: nats, finite and >= 0.
    """
    need(pure >= 0, "pure", pure, ">= 0")
    _check_guarantee(epsilon, 0.0)
    if pure <= epsilon:
        return -math.inf
    if math.isinf(pure):
        return 0.0
    gap = (pure - epsilon) * (1 + 2.0**-52)  # the difference is rounded once, and once more in its exponential
    return min(0.0, math.log(-math.expm1(-gap)) - math.log1p(math.exp(-pure)) + 2.0**-48)


def _check_guarantee(epsilon: float, delta: float) -> None:
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    need(0 <= delta <= 1, "delta", delta, "in [0, 1]")
