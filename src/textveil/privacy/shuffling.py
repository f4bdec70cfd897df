"""Amplification by shuffling: what is known of one person's report when n reports are released without their order.

Each of n people draws one report with one and the same mechanism at epsilon_0, and a trusted shuffler releases them in
random order, or counted. The bounds are computed from binomial laws, not from asymptotic formulas. Proof:
``proofs/shuffling.md``, which also says what this does not cover: the words of a text stand in order.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy.stats import binom

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import ApproximateDP, PureDP, Status
from textveil.privacy.units import Adjacency, Unit
from textveil.types import Reals

PROOF: Final = "privacy/proofs/shuffling.md"

ONE_REPORT: Final = Adjacency(
    Unit.PERSON,
    "two sets of as many reports, one a person, that differ in the report of one person, where reports are released in "
    "random order and by nothing else can be told whose they are",
)

_ROUNDING: Final = 1e-11
"""What binomial tails may be off by, relative to their sum: they are good to 1e-13."""

_BISECTIONS: Final = 60
_MOST_REPORTS: Final = 10**8


def shuffled_delta(epsilon: float, epsilon_0: float, reports: int, outputs: int | None = None) -> float:
    """An upper bound on the least delta at ``epsilon`` of n shuffled reports, each drawn at ``epsilon_0``.

    Args:
        epsilon: nats, >= 0.
        epsilon_0: nats of one report, finite and > 0.
        reports: n, >= 1.
        outputs: None for any mechanism; k where each report is k-ary randomized response, which has a second bound:
            the smaller of the two is returned.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    _check(epsilon_0, reports, outputs)
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    if epsilon >= epsilon_0:
        return 0.0
    kinds = [None] if outputs is None else [None, outputs]
    return min(1.0, *(_bound(epsilon, epsilon_0, reports, *_clones(epsilon_0, kind)) for kind in kinds))


def _bound(epsilon: float, epsilon_0: float, reports: int, clones: float, share: float) -> float:
    """The sum of the proof, for clones that are so likely and one's own report that tells with probability share."""
    counts, chances, lost = _numbers(reports - 1, clones)
    likely = 1 / (1 + math.exp(-epsilon_0))
    rare = 1 - likely
    # The likelihood ratio rises with the number j of reports of one kind, among count + 1; above edge it is too large.
    factor = math.exp(epsilon)
    edge = (counts + 1) / 2 * (1 + math.tanh(epsilon / 2) / math.tanh(epsilon_0 / 2))
    first = np.floor(edge)  # any threshold gives a lower bound, the right one the value: so rounding of edge is covered
    best = np.zeros(len(counts))
    for start in (first, first + 1):
        with_one, without = binom.sf(start - 2, counts, 0.5), binom.sf(start - 1, counts, 0.5)
        gain = likely * with_one + rare * without - factor * (rare * with_one + likely * without)
        best = np.maximum(best, gain + _ROUNDING * factor * with_one)
    return share * (float(chances @ best) * (1 + _ROUNDING) + lost)


def shuffled(guarantee: PureDP, reports: int, delta: float, outputs: int | None = None) -> ApproximateDP:
    """The (epsilon, delta) guarantee of one person's report among n that are released in random order.

    Args:
        guarantee: of one report, pure, for any two values of it.
        reports: n.
        delta: in (0, 1).
        outputs: as in ``shuffled_delta``.

    Returns:
        The least epsilon whose bound is at most ``delta``, rounded up; epsilon_0 itself where shuffling gives nothing.
        Its status is that of the guarantee.

    Raises:
        UnsupportedGuarantee: the guarantee is not pure.
        ParameterError: an argument is outside its domain.
    """
    if not isinstance(guarantee, PureDP):
        raise UnsupportedGuarantee(
            f"amplification by shuffling needs a pure guarantee of one report; got {guarantee}. Take its worst_case()."
        )
    need(0 < delta < 1, "delta", delta, "in (0, 1)")
    _check(guarantee.epsilon, reports, outputs)
    low, high = 0.0, guarantee.epsilon
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if shuffled_delta(middle, guarantee.epsilon, reports, outputs) <= delta:
            high = middle
        else:
            low = middle
    proved = guarantee.status is Status.PROVED
    return ApproximateDP(
        epsilon=math.nextafter(high, math.inf) if high < guarantee.epsilon else guarantee.epsilon,
        log_delta=math.log(delta),
        status=guarantee.status,
        source=PROOF if proved else guarantee.source,
        adjacency=ONE_REPORT,
    )


def _check(epsilon_0: float, reports: int, outputs: int | None) -> None:
    need(0 < epsilon_0 < 700, "epsilon_0", epsilon_0, "between 0 and 700")
    need(1 <= reports <= _MOST_REPORTS, "reports", reports, f"between 1 and {_MOST_REPORTS:,}")
    need(outputs is None or outputs >= 2, "outputs", outputs, "at least 2, or None for any mechanism")


def _clones(epsilon_0: float, outputs: int | None) -> tuple[float, float]:
    """How likely another report is a clone of the two values compared, and how likely one's own report tells."""
    if outputs is None:
        return math.exp(-epsilon_0), 1.0
    total = math.exp(epsilon_0) + outputs - 1
    return 2 / total, (math.exp(epsilon_0) + 1) / total


def _numbers(others: int, clones: float) -> tuple[Reals, Reals, float]:
    """Numbers of clones that matter, their probabilities, and an upper bound on the mass of all others."""
    middle, spread = others * clones, 12 * math.sqrt(others * clones) + 40
    low, high = max(0, int(middle - spread)), min(others, int(middle + spread))
    counts = np.arange(low, high + 1, dtype=np.float64)
    lost = float(binom.cdf(low - 1, others, clones) + binom.sf(high, others, clones))
    return counts, binom.pmf(counts, others, clones), lost * (1 + 1e-9)
