"""Cost of draws together: the sum, the optimal composition at a stated delta, and what is left of a budget.

An accountant is a value: ``compose`` gives a new one. It reads guarantees and nothing else, so what it computes is the
cost of the worst mechanisms that the guarantees allow. Proof: ``proofs/composition.md``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.privacy.composition import added_up, as_approximate, compose, repeat
from textveil.privacy.guarantees import ApproximateDP, Guarantee, PureDP, raised_log, shown_up
from textveil.privacy.loss_distribution import LossDistribution, atoms_loss
from textveil.privacy.units import ONE_DOCUMENT, Adjacency
from textveil.types import Reals

DELTA: Final = 1e-6
"""Delta that optimal composition spends unless another is named: what it gives for a smaller epsilon."""

EXACT_DRAWS: Final = 20_000
"""Draws up to which losses are counted (``mixed_draws``); beyond, a closed form bounds them (``saved_by_moments``)."""


class Remaining(NamedTuple):
    """Rest of a budget; below 0 if more was spent than there was."""

    epsilon: float  # nats, rounded down
    delta: float  # rounded down

    @property
    def exceeded(self) -> bool:
        """True if more was spent than there was."""
        return self.epsilon < 0 or self.delta < 0


class GaussianPart(NamedTuple):
    """Gaussian noise that a draw is made of: but for a failure it is no more than that, whatever was drawn before."""

    squared_mu: Fraction  # at least the sum of the squares of sensitivity / sigma, > 0
    log_failure: float  # logarithm of the probability of a failure, at most; -inf is none


class Draws(NamedTuple):
    """Independent draws with one guarantee each."""

    guarantee: Guarantee  # of one draw
    times: int  # how many
    base_mass: float = 0.0  # probability of a draw by one law whatever the word is; 0 where nothing is known of that
    gaussian: GaussianPart | None = None  # noise that one draw is made of; None where nothing is known of that


@dataclass(frozen=True, slots=True)
class Accountant:
    """The draws that a change of one unit can reach, and what they cost together."""

    into: Adjacency = ONE_DOCUMENT  # the unit whose change is paid for, and which two inputs are compared
    draws: tuple[Draws, ...] = ()  # what was drawn

    def compose(
        self, guarantee: Guarantee, times: int = 1, base_mass: float = 0.0, gaussian: GaussianPart | None = None
    ) -> Accountant:
        """With ``times`` more draws, each under ``guarantee``, of which the rest is known (``Draws``).

        Raises ParameterError: ``times`` is negative, or ``base_mass`` is not in [0, 1]; UnsupportedGuarantee: an
        unknown kind of guarantee, or one of a unit larger than the accountant's.
        """
        need(0 <= base_mass <= 1, "base_mass", base_mass, "in [0, 1]")
        _repeated(guarantee, times, self.into)  # what cannot be added up is refused now
        return replace(self, draws=(*self.draws, Draws(guarantee, times, base_mass, gaussian)))

    @property
    def spent(self) -> Guarantee:
        """Sum of epsilons and deltas, rounded up. No guarantee if one part promises nothing."""
        return compose([_repeated(draw.guarantee, draw.times, self.into) for draw in self.draws], self.into)

    def optimal(self, delta: float = DELTA) -> Guarantee:
        """Return the smallest epsilon known to hold at ``delta`` more than the sum's own, rounded up.

        It is never larger than the sum's epsilon. Up to ``EXACT_DRAWS`` draws are exact if they have few outcomes,
        else off by the step of a grid; more are bounded in closed form. It holds for guarantees that were fixed before
        the first draw; if later ones are chosen by what earlier ones released, take the sum.

        ``delta``: what may be spent for a smaller epsilon, in (0, 1).
        """
        need(0 < delta < 1, "delta", delta, "between 0 and 1")
        total = self.spent
        if not total.promises or not any(draw.times for draw in self.draws):
            return total
        basic = total.approximate()
        if basic.epsilon == 0:  # nothing is left to save
            return total
        log_delta = min(0.0, _log_sum(basic.log_delta, math.log(delta)))
        return ApproximateDP(
            epsilon=_least(self._parts(), basic.epsilon, delta),
            log_delta=log_delta,
            status=basic.status,
            source=basic.source,
            adjacency=basic.adjacency,
        )

    @property
    def exact(self) -> bool:
        """True if ``optimal`` is the optimum itself, and not an upper bound of it."""
        parts = self._parts()
        return _is_counted(parts) and are_counted(parts)

    def remaining(self, budget: PureDP | ApproximateDP) -> Remaining:
        """Return the rest of a budget, by the sum: later draws may be chosen after looking at earlier releases.

        ``budget``: of the accountant's unit. Raises UnsupportedGuarantee: a draw promises nothing; or the budget is of
        a smaller unit than the accountant.
        """
        added_up([replace(draw.guarantee, adjacency=self.into) for draw in self.draws], budget.adjacency)
        limit, total = budget.approximate(), as_approximate(self.spent)
        return Remaining(_difference(limit.epsilon, total.epsilon), _difference(_floor(limit), total.delta))

    def _parts(self) -> tuple[Kind, ...]:
        counts: Counter[tuple[float, float]] = Counter()
        for draw in (draw for draw in self.draws if draw.guarantee.promises and draw.times):
            part = as_approximate(draw.guarantee)
            if part.epsilon > 0:
                known = draw.base_mass > 0 and part.log_delta == -math.inf
                share = telling_share(part.epsilon, draw.base_mass) if known else 1.0
                counts[part.epsilon, share] += draw.times
        return tuple(sorted(Kind(epsilon, times, share) for (epsilon, share), times in counts.items()))


@lru_cache(maxsize=4096)
def _repeated(guarantee: Guarantee, times: int, into: Adjacency) -> Guarantee:
    """``repeat``, which a server asks for the same few guarantees at every request."""
    return repeat(guarantee, times, into)


def shown_optimal(guarantee: Guarantee, *, exact: bool) -> str:
    """Return an optimal composition for readers. Raises UnsupportedGuarantee: nothing is promised."""
    part = guarantee.approximate()
    how = "optimal composition" if exact else "optimal composition, bounded"
    return f"epsilon {shown_up(part.epsilon)} at delta {shown_up(part.delta, digits=3)} ({how})"


def _is_counted(parts: tuple[Kind, ...]) -> bool:
    return sum(part.times for part in parts) <= EXACT_DRAWS


@lru_cache(maxsize=4096)
def _least(parts: tuple[Kind, ...], basic: float, delta: float) -> float:
    """Return an epsilon that holds at ``delta``, rounded up, without the disclosures of approximate parts."""
    if not parts:
        return 0.0
    if _is_counted(parts):
        least = mixed_epsilon(parts, delta)
        if least < math.inf:
            return min(basic, least)
    pairs = [(part.epsilon, part.times) for part in parts]
    saved = max(0.0, saved_by_moments(pairs, math.log(delta) * (1 + 2.0**-50)))
    return max(0.0, math.nextafter(basic - saved, math.inf) if saved > 0 else basic)


def _log_sum(first: float, second: float) -> float:
    """ln(e^first + e^second), with a margin that covers its rounding."""
    top, other = max(first, second), min(first, second)
    return raised_log(top + math.log1p(math.exp(other - top))) if other > -math.inf else raised_log(top)


def _difference(budget: float, spent: float) -> float:
    exact = Fraction(budget) - Fraction(spent)
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


def _floor(limit: ApproximateDP) -> float:
    if limit.log_delta == -math.inf:
        return 0.0
    return math.exp(limit.log_delta * (1 + 2.0**-50) - 2.0**-50)


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
    """Tell whether ``mixed_epsilon`` counts every outcome, so that nothing but rounding is above the optimum."""
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
