"""Limits that a word-level guarantee sets: a mechanism that keeps more words than this is not private.

The first four limits bound the probability that a word comes out unchanged under an (epsilon, delta) guarantee for any
two words. They serve to refute claims, so they are rounded up. ``epsilon`` is in nats, finite and >= 0, and ``delta``
in [0, 1].

Derivations: from P(x | x) <= e^epsilon P(x | x') + delta for every x' != x, summed over all pairs, with T = sum_x P(x |
x) and sum over x' != x of P(x | x') = n - T:

    (n - 1) T <= e^epsilon (n - T) + n (n - 1) delta

and, for a prior pi and any fixed word x', sum_x pi(x) (e^epsilon P(x | x') + delta) is at most e^epsilon max pi +
delta. The sharp limit for a whole prior, V + (1 - V) delta with

    V = max over k of e^epsilon Pi_k / (e^epsilon - 1 + k),   Pi_k = the k largest probabilities together,

is attained by randomized response among the k most frequent words, mixed with the identity. Proof that no channel
exceeds it: let q(y) = min over x of P(y | x), Q = sum q <= 1. P(y | y) is at most e^epsilon q(y) + delta, and as its
row sums to 1, P(y | y) <= 1 - Q + q(y). Take lambda(y) in [0, pi(y)] of the second and pi(y) - lambda(y) of the first,
with sum lambda = V and (pi(y) - lambda(y)) e^epsilon + lambda(y) <= V for every y; such lambda exist, since sum over y
of max(0, e^epsilon pi(y) - V) <= (e^epsilon - 1) V is the definition of V, for every k. Together they bound the mean by
Q V + (1 - Q) V + (1 - V) delta.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need

_MARGIN = 1 + 2.0**-40  # more than all rounding errors of the formulas below together, whose logarithms stay below 1e3


def unchanged_limit(words: int, epsilon: float, delta: float = 0.0) -> float:
    """Return the largest mean probability, over equally likely words, that a word comes out unchanged.

    It is (e^epsilon + (n - 1) delta) / (e^epsilon + n - 1), attained by randomized response mixed with the identity.

    ``words`` is n, the number of words that the guarantee covers, >= 1.
    """
    need(isinstance(words, int) and words >= 1, "words", words, "an integer >= 1")
    _check_guarantee(epsilon, delta)
    others = (words - 1) * math.exp(-epsilon)  # both sides divided by e^epsilon, which may overflow
    return min(1.0, _MARGIN * (1 + others * delta) / (1 + others))


def unchanged_limit_with_prior(max_prior: float, epsilon: float, delta: float = 0.0) -> float:
    """Return the largest probability that a word from a prior comes out unchanged: e^epsilon max pi + delta.

    It is capped at 1.

    If the adversary also sees the released context, ``max_prior`` is the mean of the largest probability of the word
    given the other words: an estimate, to be reported with the result.

    ``max_prior``: probability of the most likely word, in (0, 1].
    """
    need(0 < max_prior <= 1, "max_prior", max_prior, "in (0, 1]")
    _check_guarantee(epsilon, delta)
    log_kept = epsilon + math.log(max_prior)
    return 1.0 if log_kept >= 0 else min(1.0, _MARGIN * (math.exp(log_kept) + delta))


def unchanged_limit_of_prior(prior: ArrayLike, epsilon: float, delta: float = 0.0) -> float:
    """Return the largest probability that a word from a prior comes out unchanged; it is attained.

    For equally likely words it is ``unchanged_limit``, and it is never above ``unchanged_limit_with_prior``.

    ``prior``: probabilities of the words, or counts, shape (words,); >= 0 with a positive sum.
    """
    weights = np.sort(np.asarray(prior, dtype=np.float64))[::-1]
    valid = weights.ndim == 1 and weights.size > 0 and bool(np.all(np.isfinite(weights))) and weights[-1] >= 0
    need(valid and weights[0] > 0, "prior", "something else", "finite weights >= 0 of one or more words, not all 0")
    _check_guarantee(epsilon, delta)
    scaled = weights / weights[0]  # sums of the largest numbers there are stay finite
    largest = np.cumsum(scaled) / float(np.sum(scaled))
    others = np.arange(len(weights)) * math.exp(-epsilon)  # both sides divided by e^epsilon, which may overflow
    most = float(np.max(largest / (1 + others)))
    return _mixed(most, delta, rounding=len(weights) * 2.0**-52)


def unchanged_limit_of_guesses(guessed: float, epsilon: float, delta: float = 0.0) -> float:
    """Return the largest probability of an unchanged word that a reader without the release guesses this often.

    The odds rise at most by a factor of e^epsilon: e^epsilon p / (1 + (e^epsilon - 1) p) for delta 0. It follows from
    ``unchanged_limit_of_prior`` by Pi_k <= min(1, k p). It is concave in p, so it holds for means over contexts: p is
    then the mean, over all that the reader knows, of the largest probability of a word. It is never above
    ``unchanged_limit_with_prior``.

    ``guessed``: p, the probability of the most likely word, or its mean over contexts; in (0, 1].
    """
    need(0 < guessed <= 1, "guessed", guessed, "in (0, 1]")
    _check_guarantee(epsilon, delta)
    return _mixed(guessed / (guessed + (1 - guessed) * math.exp(-epsilon)), delta)


def least_guessed(unchanged: float, epsilon: float, delta: float = 0.0) -> float:
    """Return the share of guesses without the release that allows this share of unchanged words.

    It is the inverse of ``unchanged_limit_of_guesses``, rounded down; 0 if delta alone allows the share.

    ``unchanged``: share of words that come out unchanged, in [0, 1].
    """
    need(0 <= unchanged <= 1, "unchanged", unchanged, "in [0, 1]")
    _check_guarantee(epsilon, delta)
    if unchanged <= delta:
        return 0.0
    lost = (1 - unchanged) / (1 - delta)  # by its own difference: near 1 the one from a rounded share has no digits
    scaled = (unchanged - delta) / (1 - delta) * math.exp(-epsilon)
    return scaled / (scaled + lost) / _MARGIN if lost > 0 else 1.0


def _mixed(kept: float, delta: float, rounding: float = 0.0) -> float:
    return min(1.0, (_MARGIN + rounding) * (kept + (1 - kept) * delta))


def log_delta_of_pure(pure: float, epsilon: float) -> float:
    """Return ln of the delta at ``epsilon`` that a pure loss allows: (e^p - e^epsilon) / (e^p + 1), rounded up.

    Randomized response attains it. Source: Kairouz, Oh and Viswanath 2015, theorem 3.4 with one release.

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
