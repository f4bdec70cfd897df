"""Audit a promise per distance on the pairs that it is about, by whatever a mechanism states.

The audit is exact for channels, in closed form for noise, by draws for the rest; each needs the distances of the
promise. A verdict on any two words is about the diameter, and says nothing of words near each other.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import Channel, IntegerWeights
from textveil.privacy.guarantees import MetricDP
from textveil.statistics import Bound
from textveil.types import Ids, Reals
from textveil_lab.audit.channels.groups import rows_of
from textveil_lab.audit.channels.metric_loss import metric_epsilon
from textveil_lab.audit.channels.rows import Rows, source_of
from textveil_lab.audit.methods import Audit, Method, first_of, is_a
from textveil_lab.audit.report.report import Claim, Finding, Subject, Verdict
from textveil_lab.audit.sampled.bounds import Draw, audit_sampled_metric, minimum_samples
from textveil_lab.audit.sampled.draws import mechanism_draw
from textveil_lab.audit.sampled.stated import ALPHA
from textveil_lab.mechanisms.capabilities import NoisyVectors, OnWordDistances, WithinGroups
from textveil_lab.noise.distribution import ProfiledNoise

INPUTS: Final = 400
"""Largest number of words whose pairs are compared: evenly spaced in the vocabulary, each with its nearest."""

DRAWS: Final = 2000  # For each word of a pair, if nothing but draws is known
_PAIRS: Final = 3
_ROUNDING: Final = 2.0**-38  # Nats: four errors of a logarithm, as ``metric_loss`` bounds them
_MARGIN: Final = 1e-6
"""Relative margin by which the noise's loss must exceed the promise; lengths of shifts are far more precise."""


def audit_per_distance(channel: Rows, metric: OnWordDistances, promise: MetricDP) -> Finding:
    """Check whether two words lose more than the promise allows at their distance.

    Args:
        channel: a row for each word of the vocabulary.
        metric: distances of the promise.

    Returns:
        A finding of method ``"exact channel per distance"`` about the two words of the largest loss per distance among
        those compared: REFUTED, CERTIFIED where all words were, or NOT_REFUTED. A loss within the rounding of
        logarithms of the promise is within it.

    Raises:
        ParameterError: the rows are no channel.
        UnsupportedGuarantee: no distances are stated.
    """
    vocabulary, source = metric.vocabulary, source_of(channel)
    size = len(vocabulary)
    groups = _groups(metric, size)
    ids = np.unique(_near_pairs(metric, groups)) if size > INPUTS else np.arange(size)
    losses = []
    for number in np.unique(groups[ids][groups[ids] >= 0]).tolist():
        members = ids[groups[ids] == number]
        if len(members) > 1:
            part = rows_of(source, members)
            losses.append((metric_epsilon(part.source, metric.word_distances(members)[:, members]), members, part))
    worst, members, part = max(losses, key=lambda loss: loss[0].epsilon_per_distance.lower)
    per_distance = worst.epsilon_per_distance
    verdict = Verdict.CERTIFIED if len(ids) == size else Verdict.NOT_REFUTED
    if per_distance.lower > promise.epsilon_per_distance:
        verdict = Verdict.REFUTED
    elif (per_distance.upper - promise.epsilon_per_distance) * worst.distance > _ROUNDING:
        verdict = Verdict.NOT_REFUTED
    first, second = (int(members[row]) for row in worst.pair)
    witness: Mapping[str, Any] = {
        "input": vocabulary.words[first],
        "other_input": vocabulary.words[second],
        "output": vocabulary.words[int(part.outputs[worst.output])],
        "distance": worst.distance,
        "log_ratio": per_distance.estimate * worst.distance,
        "epsilon_per_distance": per_distance.estimate,
    }
    finding = _finding(promise, verdict, worst.distance, per_distance, "exact channel per distance", witness)
    told = f"{len(ids)} of {size} words were compared with each other, over all outputs."
    return replace(finding, notes=(f"{finding.notes[0]} {told}",))


def audit_noise_per_distance(mechanism: NoisyVectors, metric: OnWordDistances, promise: MetricDP) -> Finding | None:
    """Check whether the noise on two words loses more than the promise allows at their distance.

    Returns:
        A finding of method ``"closed form per distance"`` about the noisy vector, REFUTED or NOT_REFUTED: near words
        and a few far ones are compared. None if no two of them differ, or the noise has no profile.

    Raises:
        UnsupportedGuarantee: no distances are stated.
    """
    if not isinstance(mechanism.distribution, ProfiledNoise):
        return None
    words = metric.vocabulary.words
    pairs = _near_pairs(metric, _groups(metric, len(words)))
    pairs = np.concatenate([pairs, np.stack([pairs[:-1, 0], pairs[1:, 0]], axis=1)])
    worst: tuple[float, float, Ids] | None = None
    for pair, distance in zip(pairs, _of_pairs(metric, pairs), strict=True):
        shift = mechanism.points[pair[0]].astype(np.float64) - mechanism.points[pair[1]]
        if distance > 0 and shift.any():
            rate = mechanism.distribution.privacy_profile(shift).largest_loss / distance
            worst = max(worst or (-math.inf, 0.0, pair), (rate, float(distance), pair), key=lambda rated: rated[0])
    if worst is None:
        return None
    rate, distance, pair = worst
    refuted = rate > promise.epsilon_per_distance * (1 + _MARGIN)
    verdict = Verdict.REFUTED if refuted else Verdict.NOT_REFUTED
    witness = {"words": [words[word] for word in pair.tolist()], "ids": pair.tolist(), "distance": distance}
    per_distance = Bound(rate * (1 - _MARGIN), rate, math.inf, 1.0)
    finding = _finding(promise, verdict, distance, per_distance, "closed form per distance", witness)
    told = f"{len(pairs)} pairs of words were compared, the nearest among them."
    return replace(finding, subject=Subject.NOISY_VECTOR, notes=(f"{finding.notes[0]} {told}",))


def audit_draws_per_distance(
    draw: Draw, metric: OnWordDistances, promise: MetricDP, *, samples: int, confidence: float
) -> Finding | None:
    """Check whether draws of two near words differ more than the promise allows at their distance.

    Returns:
        A sampled finding; None if no two words are near enough for so many draws to refute anything.

    Raises:
        UnsupportedGuarantee: no distances are stated.
    """
    words = metric.vocabulary.words
    pairs = _near_pairs(metric, _groups(metric, len(words)))
    far = _of_pairs(metric, pairs)
    alone = 1 - (1 - confidence) / _PAIRS
    order = [
        place
        for place in np.argsort(far, kind="stable").tolist()
        if far[place] > 0 and promise.epsilon_per_distance * far[place] < math.log(max(samples, 2))
        if minimum_samples(Claim(epsilon=promise.epsilon_per_distance * float(far[place])), 1, alone) <= samples
    ]
    tried = [order[0], order[len(order) // 2], order[-1]] if order else []
    tried = list(dict.fromkeys(tried))
    if not tried:
        return None
    finding = audit_sampled_metric(
        draw,
        [(int(a), int(b)) for a, b in pairs[tried]],
        far[tried].tolist(),
        promise.epsilon_per_distance,
        samples=samples,
        confidence=confidence,
        name=lambda word: words[int(word)],
    )
    return replace(finding, method="sampled per distance", inputs="two words at that distance")


def _groups(metric: OnWordDistances, size: int) -> Ids:
    """Return the group of each word, within which words are compared; -1: compared with none."""
    return np.asarray(metric.groups) if isinstance(metric, WithinGroups) else np.zeros(size, dtype=np.int64)


def _near_pairs(metric: OnWordDistances, groups: Ids) -> Ids:
    known = np.flatnonzero(groups >= 0)
    few = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), INPUTS // 2)).astype(np.int64))]
    pairs = []
    for start in range(0, len(few), 32):
        ids = few[start : start + 32]
        far = np.where(groups[ids][:, None] == groups, metric.word_distances(ids), np.inf)
        far[np.arange(len(ids)), ids] = np.inf
        near = far.argmin(axis=1)
        pairs += [(a, b) for a, b, row in zip(ids.tolist(), near.tolist(), far, strict=True) if row[b] < np.inf]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _of_pairs(metric: OnWordDistances, pairs: Ids) -> Reals:
    parts = [pairs[start : start + 32] for start in range(0, len(pairs), 32)]
    return np.concatenate([metric.word_distances(part[:, 0])[np.arange(len(part)), part[:, 1]] for part in parts])


def _finding(
    promise: MetricDP, verdict: Verdict, distance: float, per_distance: Bound, method: str, witness: Mapping[str, Any]
) -> Finding:
    low, middle, high = (value * distance if value else 0.0 for value in per_distance[:3])
    return Finding(
        verdict=verdict,
        claim=Claim(epsilon=promise.epsilon_per_distance * distance),
        epsilon=Bound(low, middle, high, 1.0),
        delta=Bound(0.0, 0.0, 1.0, 1.0),
        method=method,
        witness=witness,
        notes=(
            f"The loss per distance is {per_distance.estimate:.6g}; {promise.epsilon_per_distance:.6g} is claimed.",
        ),
        inputs="two words at that distance",
    )


def _run_rows(audit: Audit) -> Finding | None:
    return audit_per_distance(audit.mechanism, audit.mechanism, audit.mechanism.guarantee)


def _run_noise(audit: Audit) -> Finding | None:
    return audit_noise_per_distance(audit.mechanism, audit.mechanism, audit.mechanism.guarantee)


def _run_draws(audit: Audit) -> Finding | None:
    draw, confidence = mechanism_draw(audit.mechanism, audit.rng), max(audit.confidence, 1 - ALPHA)
    promise = audit.mechanism.guarantee
    return audit_draws_per_distance(draw, audit.mechanism, promise, samples=DRAWS, confidence=confidence)


def _kept(find: Callable[[Audit], Finding | None]) -> Callable[[Audit], None]:
    def run(audit: Audit) -> None:
        try:
            finding = find(audit)
        except UnsupportedGuarantee:  # it states no distances after all
            return
        if finding is not None:
            audit.findings.append(finding)
            audit.per_distance = f"{finding.verdict.value} ({finding.method})"

    return run


PER_DISTANCE: Final = first_of(
    Method(_kept(_run_rows), is_a(OnWordDistances, Channel | IntegerWeights)),
    Method(_kept(_run_noise), is_a(OnWordDistances, NoisyVectors)),
    Method(_kept(_run_draws), is_a(OnWordDistances)),
    wanted=lambda audit: audit.per_distance is not None,
)
"""First applicable method for a promise at the distances of words."""
