"""Cost of draws of several kinds together: the product of their worst pairs, outcome by outcome.

A draw that is epsilon-DP is a post-processing of randomized response on one bit: a loss of +epsilon with probability
e^epsilon / (1 + e^epsilon), else -epsilon; where its channel's rows have something in common, of the same behind a coin
that often tells nothing, a loss of 0. Losses of ``times`` draws of one kind lie on a grid of step epsilon, where
their law is computed without rounding a loss; laws of several kinds are multiplied outcome by outcome. Only where there
are too many outcomes are losses moved to a common grid, split so that the old pair follows from the new one.

Delta at epsilon is the largest P(T) - e^epsilon Q(T) over events T, and the best T holds the largest losses. So the
least epsilon at delta is the largest ln((P(T) - delta) / Q(T)) over those T: no search is needed.

Source: the worst pair, Kairouz, Oh and Viswanath 2015, theorem 3.3. Proof: privacy/proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from textveil.privacy.loss_distribution import LossDistribution, atoms_loss
from textveil.types import Reals

OUTCOMES: Final = 1 << 16
"""Outcomes of all kinds together up to which every one is counted; beyond, losses are moved to a grid."""

_BINS: Final = 1 << 13
_UNIT: Final = 2.0**-52


class Kind(NamedTuple):
    """Draws of one kind."""

    epsilon: float  # nats of one draw, finite and > 0
    times: int  # how many, >= 1
    share: float = 1.0  # how often a draw tells anything, in (0, 1]: `telling_share`


class _Law(NamedTuple):
    losses: Reals
    masses: Reals
    infinite: float


def mixed_epsilon(kinds: Sequence[Kind], delta: float) -> float:
    """Return the smallest epsilon at which all draws together keep delta, rounded up; inf if unknown.

    ``kinds``: at least one; ``delta``: in (0, 1).
    """
    law = _Law(np.zeros(1), np.ones(1), 0.0)
    for kind in sorted(kinds, key=lambda kind: kind.times):
        law = _together(law, _many(kind))
    return _least_epsilon(law, delta, _margin(sum(kind.times for kind in kinds), len(law.losses)))


def are_counted(kinds: Sequence[Kind]) -> bool:
    """Whether ``mixed_epsilon`` counts every outcome, so that nothing but rounding is above the optimum."""
    return math.prod((1 if kind.share == 1 else 2) * kind.times + 1 for kind in kinds) <= OUTCOMES


def telling_share(epsilon: float, base_mass: float) -> float:
    """Return how often a draw tells anything, rounded up: (1 - base_mass) coth(epsilon / 2), at most 1.

    ``epsilon``: nats of one draw, finite and > 0; ``base_mass``: probability of a draw by one law whatever the word is,
    in [0, 1].
    """
    return min(1.0, (1 - base_mass + _UNIT) / math.tanh(epsilon / 2) * (1 + 8 * _UNIT))


@lru_cache(maxsize=256)
def _many(kind: Kind) -> _Law:
    rare = 1 / (1 + math.exp(min(kind.epsilon, 700.0)))
    masses = np.array([kind.share * rare, 1 - kind.share, kind.share * (1 - rare)])
    draw = LossDistribution(step=kind.epsilon, first=-1, masses=masses)
    law = draw.repeat(kind.times, bins=0)
    possible = law.masses > 0
    return _Law(law.losses[possible], law.masses[possible], law.infinite)


def _together(first: _Law, second: _Law) -> _Law:
    infinite = first.infinite + second.infinite
    if len(first.losses) * len(second.losses) <= OUTCOMES:
        losses = np.add.outer(first.losses, second.losses).ravel()
        masses = np.multiply.outer(first.masses, second.masses).ravel()
        possible = masses > 0  # without what underflows, Q(T) is smaller and epsilon larger
        return _Law(losses[possible], masses[possible], infinite)
    step = float(np.ptp(first.losses) + np.ptp(second.losses)) / _BINS
    grids = [atoms_loss(law.losses, law.masses, step=step) for law in (first, second)]
    law = grids[0].compose(grids[1])
    possible = law.masses > 0
    return _Law(law.losses[possible], law.masses[possible], infinite + law.slack)


def _least_epsilon(law: _Law, delta: float, margin: float) -> float:
    """Return the largest ln((P(T) - delta) / Q(T)) over events of the largest losses, with a margin of the masses."""
    order = np.argsort(law.losses)[::-1]
    losses, masses = law.losses[order], law.masses[order]
    likely = (np.cumsum(masses) + law.infinite) * (1 + margin)
    if law.infinite * (1 + margin) >= delta:
        return math.inf
    logs = np.log(masses) - losses
    rare = np.logaddexp.accumulate(logs)
    enough = likely > delta
    if not enough.any():
        return 0.0
    largest = float(np.max(np.log(likely[enough] - delta) - rare[enough]))
    slack = margin + _UNIT * (len(logs) + 16) * (float(np.abs(logs).max()) + 1)
    return max(0.0, largest + slack)


def _margin(times: int, outcomes: int) -> float:
    """Bound the error of masses: three units for each probability, and what products and sums of so many add."""
    return _UNIT * (8 * times * (math.log2(times) + 2) + 4 * outcomes + 16)


_HALF_UNIT = 2.0**-53
_POINTS = 256
_LEAST, _MOST = -12.0, 12.0  # decimal logarithms between which lambda is looked for


def saved_by_moments(parts: Sequence[tuple[float, int]], log_delta: float) -> float:
    """By how much the sum of all epsilons may be lowered at delta: nats, >= 0, rounded down.

    A closed form, as quick for ten million tokens as for ten. Losses of independent tokens add, so the logarithms of
    their moments do, and delta(epsilon) <= lambda^lambda / (1 + lambda)^(1 + lambda) E e^(lambda (L - epsilon)) for
    every lambda > 0. Source: Canonne, Kamath and Steinke 2020, proposition 12; proof: privacy/proofs/composition.md.

    ``parts``: epsilon of one token, finite and >= 0, and how many tokens have it; ``log_delta``: natural logarithm of
    delta, < 0.
    """
    return _saved(tuple(sorted(parts)), log_delta)


@lru_cache(maxsize=4096)
def _saved(parts: tuple[tuple[float, int], ...], log_delta: float) -> float:
    """Search a grid of lambdas, refined twice around the best: every lambda is right, the best saves most."""
    low, high, best = _LEAST, _MOST, 0.0
    for _ in range(3):
        exponents = np.linspace(low, high, _POINTS)
        saved = _at(10.0**exponents, parts, log_delta)
        place = int(np.argmax(saved))
        best = max(best, float(saved[place]))
        low, high = exponents[max(0, place - 1)], exponents[min(_POINTS - 1, place + 1)]
    return best


def _at(orders: Reals, parts: tuple[tuple[float, int], ...], log_delta: float) -> Reals:
    gained = np.zeros_like(orders)
    size = 0.0
    for epsilon, count in parts:
        gained += count * (math.log1p(math.exp(-epsilon)) - np.log1p(np.exp(-epsilon * (1 + 2 * orders))))
        size += count
    factor = (1 + orders) * np.log1p(orders) - orders * np.log(orders)
    terms = size + np.abs(log_delta) + (1 + orders) * (1 + np.abs(np.log(orders)))
    saved: Reals = (gained + log_delta + factor - 64 * _HALF_UNIT * (len(parts) + 1) * terms) / orders
    return saved
