"""Exponential mechanism on a metric of ranks or counts (``vocabulary.metrics``), with integer weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids, checked_word_id
from textveil.numerics.integer_weights import log_ratio_up
from textveil.privacy.guarantees import MetricDP, PureDP, Status
from textveil.privacy.proved import status_under
from textveil.randomness import resolve
from textveil.registry.options import NEIGHBORHOODS, Option, at_least, named
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, given, one_of
from textveil_lab.mechanisms.sampling.level_weights import LevelRows, LevelWeights, most_fall, pure_weights, weights_at
from textveil_lab.vocabulary.metrics.axioms import need_metric
from textveil_lab.vocabulary.metrics.choose import DEFAULT, HOPS, NEIGHBORS, level_counts, word_metric
from textveil_lab.vocabulary.metrics.metric import WordMetric, blocks, distances

PROOF = "textveil_lab/proofs/metric_exponential.md"
_BISECTIONS = 40
_MARGIN = 2.0**-40  # covers the rounding of a difference of two logarithms below 43


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class MetricExponential:
    """P(y | x) = w(d(x, y)) / Z(x), w falling geometrically with the distance; d takes few integer values.

    Proof: textveil_lab/proofs/metric_exponential.md.
    """

    vocabulary: Vocabulary
    metric: WordMetric  # the metric
    weights: LevelWeights  # the integers that are sampled, one for each level of the metric
    # pure DP if ``epsilon`` was given, metric DP if ``epsilon_per_distance`` was
    guarantee: PureDP | MetricDP
    sizes: Mapping[str, Any]  # of the metric, as they were given: ``neighbors`` and ``hops``, if they were
    _rows: LevelRows = field(repr=False)
    name: str = "metric-exponential"

    @property
    def parameters(self) -> Mapping[str, Any]:
        facts = self.metric.facts
        return {**self.guarantee.numbers, "metric": facts.name, "distance": facts.description, **self.sizes}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self._rows.draw(checked_ids(ids, len(self.vocabulary)), resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | word_id), shape (n,)."""
        row = self.integer_weights(np.array([checked_word_id(word_id, len(self.vocabulary))]))[0]
        return row / float(row.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        return self._rows.weights(checked_ids(ids, len(self.vocabulary)))

    def word_distances(self, ids: Ids) -> Reals:
        return distances(self.metric, checked_ids(ids, len(self.vocabulary))).astype(np.float64)


_METRIC = Option(named(*NEIGHBORS), "The distance by which weights fall.", "NAME", NEIGHBORHOODS)
_NEIGHBORS = Option(
    at_least(1),
    "Words in a word's list, or in a cell, the word itself included.",
    "K",
    NEIGHBORHOODS,
    unset=", ".join(f"{size} for {name}" for name, size in NEIGHBORS.items()),
)
_HOPS = Option(at_least(2), "The largest distance, for the metric neighbor-graph.", "H", NEIGHBORHOODS, unset=str(HOPS))


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source=f"McSherry and Talwar 2007, section 3; {PROOF}",
    summary="Weights that fall with a metric of ranks or counts.",
)
def metric_exponential(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    metric: Annotated[str, _METRIC] | WordMetric = DEFAULT,
    neighbors: Annotated[int, _NEIGHBORS] | None = None,
    hops: Annotated[int, _HOPS] | None = None,
    progress: Progress | None = None,
) -> MetricExponential:
    """The exponential mechanism on a word metric, calibrated by exactly one of its two parameters.

    With ``epsilon``, the normalizers of all words take their part of it, and the weights the rest. At least half of
    ``epsilon_per_distance`` goes into the weights. ``metric`` may also be a metric on as many words, whose axioms are
    verified: above 2,000 words a guarantee per distance is then only CLAIMED.

    Raises:
        ParameterError: neither or both parameters, one out of its domain, weights too small for integers, or an invalid
            metric.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    if isinstance(metric, str):
        chosen = word_metric(vocabulary, metric, neighbors=neighbors, hops=hops, progress=progress)
        verified = True  # by the proof of each
    else:
        chosen = metric
        need(neighbors is None and hops is None, "neighbors and hops", "given", "left to the metric that is given")
        need(isinstance(metric, WordMetric), "metric", type(metric).__name__, "a name or a WordMetric")
        need(metric.facts.size == len(vocabulary), "metric", f"{metric.facts.size} words", "one of the vocabulary's")
        verified = need_metric(metric, progress=progress)
    sizes = given(neighbors=neighbors, hops=hops)
    return on_metric(vocabulary, chosen, (name, value), sizes, verified=verified, proof=PROOF, progress=progress)


def on_metric(
    vocabulary: Vocabulary,
    chosen: WordMetric,
    asked: tuple[str, float],
    sizes: Mapping[str, Any],
    *,
    verified: bool,
    proof: str,
    name: str = "metric-exponential",
    progress: Progress | None = None,
) -> MetricExponential:
    """Return the exponential mechanism on a given metric.

    Args:
        chosen: the metric.
        asked: ``"epsilon"`` or ``"epsilon_per_distance"``, and its value.
        sizes: of the metric, for reports.
        verified: whether its axioms are proved or were checked.
    """
    kind, value = asked
    counts = np.unique(level_counts(chosen, progress), axis=0)
    deepest = int(np.flatnonzero(counts.any(axis=0))[-1])
    steps, counts = chosen.facts.distances[: deepest + 1], counts[:, : deepest + 1]
    if kind == "epsilon":
        weights = pure_weights(value, steps, counts)
        loss = weights.loss(counts)
        stated = loss if loss < value - 1e-9 else value
        promise: PureDP | MetricDP = PureDP(epsilon=stated, status=status_under(proof), source=proof)
    else:
        weights = _metric_weights(value, steps, counts)
        promise = MetricDP(
            epsilon_per_distance=value,
            metric=chosen.facts.description,
            diameter=float(steps[-1]),
            status=status_under(proof) if verified else Status.CLAIMED,
            source=proof,
        )
    unused = chosen.facts.top - deepest  # no two words are that far: these weights are never drawn
    weights = LevelWeights(weights=weights.weights + weights.weights[-1:] * unused, shift=weights.shift)
    return MetricExponential(vocabulary, chosen, weights, promise, sizes, LevelRows(chosen, weights), name)


def _metric_weights(epsilon_per_distance: float, distances: tuple[int, ...], counts: Integers) -> LevelWeights:
    """Return the steepest weights, within 2^-40, whose loss is at most ``epsilon_per_distance`` (proof, section 2).

    With rate r the loss is r + min(r, G / d_1), G = ln(max Z / min Z), d_1 the smallest distance of two words.
    """
    low, high = epsilon_per_distance / 2, epsilon_per_distance
    best = weights_at(low, distances, counts)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        # The logarithm is rounded up; 2^-50 pays for the quotient and the sum.
        if middle * distances[-1] <= most_fall(counts):
            tried = weights_at(middle, distances, counts)
            if (middle + tried.spread(counts) / distances[1]) * (1 + 2.0**-50) <= epsilon_per_distance:
                low, best = middle, tried
                continue
        high = middle
    return best


def certified_guarantee(mechanism: MetricExponential, *, progress: Progress | None = None) -> MetricDP:
    """Return the metric guarantee of the channel itself: the largest loss per distance over all pairs of words.

    The loss of a pair at distance d is at most ln M(d) + ln(Z(x') / Z(x)), M(d) the largest ratio of weights whose
    levels are at most d apart; it is this up to rounding, because y = x attains it. Every pair below the top level is
    visited; for the others the largest ratio of two normalizers is taken.

    Returns:
        A guarantee of status CERTIFIED, or CLAIMED if the metric has too many words to verify its axioms; at most
        ``epsilon_per_distance``, usually less.

    Raises:
        ParameterError: the metric is invalid.
    """
    metric, weights = mechanism.metric, mechanism.weights
    verified = need_metric(metric, progress=progress)
    counts = level_counts(metric)
    totals = np.log(weights.totals(counts).astype(np.float64))
    distances = metric.facts.distances
    spread = np.full(len(distances), -np.inf)
    for ids in blocks(metric.facts.size):
        for word, near in zip(ids.tolist(), metric.near(ids), strict=True):
            there = np.flatnonzero(near.counts)
            starts = (np.cumsum(near.counts) - near.counts)[there]
            spread[there] = np.maximum(spread[there], np.maximum.reduceat(totals[near.members], starts) - totals[word])
        if progress is not None:
            progress(int(ids[-1]) + 1, metric.facts.size)
    if counts[:, -1].any():
        spread[-1] = totals.max() - totals.min()
    worst = max(
        (_log_weights(weights, distances, distances[level]) + float(spread[level]) + _MARGIN) / distances[level]
        for level in range(1, len(distances))
        if spread[level] > -np.inf
    )
    per_unit = math.nextafter(max(worst, 0.0), math.inf)
    # Both hold if the mechanism states one per distance; the margin must not show.
    per_unit = min(per_unit, mechanism.guarantee.numbers.get("epsilon_per_distance", math.inf))
    return MetricDP(
        epsilon_per_distance=per_unit,
        metric=metric.facts.description,
        diameter=float(distances[int(np.flatnonzero(counts.any(axis=0))[-1])]),
        status=Status.CERTIFIED if verified else Status.CLAIMED,
        source=PROOF,
    )


def _log_weights(weights: LevelWeights, distances: tuple[int, ...], apart: int) -> float:
    return max(
        log_ratio_up(weights.weights[first], weights.weights[second])
        for first in range(len(distances))
        for second in range(first, len(distances))
        if distances[second] - distances[first] <= apart
    )
