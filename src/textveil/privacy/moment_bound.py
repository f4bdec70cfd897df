"""A closed form for what many tokens of several kinds cost together: the bound from the moments of their losses.

An epsilon-DP token costs at most what randomized response at epsilon does: a loss of +epsilon with probability
e^epsilon / (1 + e^epsilon), else -epsilon. Losses of independent tokens add, so the logarithms of their moments do:

    ln E e^(lambda L) = sum_i n_i [lambda e_i + ln(1 + e^(-e_i (1 + 2 lambda))) - ln(1 + e^(-e_i))]

and for every lambda > 0

    delta(epsilon) = E[(1 - e^(epsilon - L))+] <= lambda^lambda / (1 + lambda)^(1 + lambda) E e^(lambda (L - epsilon)).

Solved for epsilon, this takes as long for ten million tokens as for ten.

Source: randomized response as the worst pair, Kairouz, Oh and Viswanath 2015, theorem 3.3; the factor, Canonne, Kamath
and Steinke 2020, proposition 12. Proof: privacy/proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from textveil.types import Reals

_UNIT = 2.0**-53
_POINTS = 256
_LEAST, _MOST = -12.0, 12.0  # decimal logarithms between which lambda is looked for


def saved_by_moments(parts: Sequence[tuple[float, int]], log_delta: float) -> float:
    """By how much the sum of all epsilons may be lowered at delta: nats, >= 0, rounded down.

    Args:
        parts: epsilon of one token, finite and >= 0, and how many tokens have it.
        log_delta: natural logarithm of delta, < 0.
    """
    return _saved(tuple(sorted(parts)), log_delta)


@lru_cache(maxsize=4096)
def _saved(parts: tuple[tuple[float, int], ...], log_delta: float) -> float:
    """The best of a grid of lambdas, refined twice around the best: every lambda is right, the best saves most."""
    low, high, best = _LEAST, _MOST, 0.0
    for _ in range(3):
        exponents = np.linspace(low, high, _POINTS)
        saved = _at(10.0**exponents, parts, log_delta)
        place = int(np.argmax(saved))
        best = max(best, float(saved[place]))
        low, high = exponents[max(0, place - 1)], exponents[min(_POINTS - 1, place + 1)]
    return best


def _at(orders: Reals, parts: tuple[tuple[float, int], ...], log_delta: float) -> Reals:
    """What is saved at each lambda, less a margin that covers the rounding of every term."""
    gained = np.zeros_like(orders)
    size = 0.0
    for epsilon, count in parts:
        gained += count * (math.log1p(math.exp(-epsilon)) - np.log1p(np.exp(-epsilon * (1 + 2 * orders))))
        size += count
    factor = (1 + orders) * np.log1p(orders) - orders * np.log(orders)
    terms = size + np.abs(log_delta) + (1 + orders) * (1 + np.abs(np.log(orders)))
    saved: Reals = (gained + log_delta + factor - 64 * _UNIT * (len(parts) + 1) * terms) / orders
    return saved
