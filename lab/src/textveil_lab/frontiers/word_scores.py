"""Scores of words and of public texts.

Words: how near their outputs are, how many stay, and the best attacker's success. Texts: the words that a decoder
names, and the accuracy of a task learned from releases.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from textveil.errors import InputError, UnsupportedGuarantee
from textveil.mechanisms.kinds import Channel, IntegerWeights, WordMechanism
from textveil.randomness import seeded_generator
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.types import Ids, Reals
from textveil_lab.audit.attacks import bayes_vulnerability
from textveil_lab.audit.recovery import measure_recovery
from textveil_lab.frontiers.corpus import model_of
from textveil_lab.frontiers.downstream.accuracy import LinearLearner
from textveil_lab.frontiers.downstream.measured import ON_RELEASES, ON_TEXTS, accuracy_scorer, measured
from textveil_lab.frontiers.measures import (
    ACCURACY_RELEASES,
    ACCURACY_TEXTS,
    COSINE,
    NEAR,
    RECOVERED,
    RECOVERED_ALONE,
    UNCHANGED,
)
from textveil_lab.frontiers.study import FrontierStudy, drawn_words
from textveil_lab.mechanisms.capabilities import ChannelColumns, NoisyVectors
from textveil_lab.mechanisms.product_columns import own_columns
from textveil_lab.noise.distribution import NoiseDistribution, PairwiseDensity
from textveil_lab.numerics.intervals import student_mean
from textveil_lab.posterior.words import row_maxima

CONFIDENCE = 0.95  # Of each interval, on its own
_NUMBERS = 1 << 21  # Densities that are held at once: 16 MB


def word_scores(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Return cosine, share among the nearest and unchanged share of one draw for each input of the study."""
    words = study.inputs
    outputs = mechanism.privatize(words, rng)
    cosines = np.einsum("ij,ij->i", study.units[words], study.units[outputs], dtype=np.float64)
    same = outputs == words
    near = (study.near[words] == outputs[:, None]).any(axis=1)
    count = len(words)
    return {
        COSINE: student_mean(np.where(same, 1.0, np.clip(cosines, -1, 1)), CONFIDENCE),
        NEAR: clopper_pearson(int(np.count_nonzero(near)), count, CONFIDENCE),
        UNCHANGED: clopper_pearson(int(np.count_nonzero(same)), count, CONFIDENCE),
    }


def vulnerability(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> Bound | None:
    """Return the success of the best attacker on one output, under the study's prior; None if no method applies.

    It is exact for channels. If noise of a known density is added to public points, the attacker gets the noisy vector,
    so the result is an upper bound for the released word, estimated with an interval.
    """
    own = own_columns(mechanism)
    if own is not None:
        of_columns = _of_columns(own, study.prior)
        if of_columns is not None:
            return exactly(of_columns)
    if isinstance(mechanism, Channel | IntegerWeights):
        return bayes_vulnerability(mechanism, study.prior).success
    if isinstance(mechanism, NoisyVectors):
        some = drawn_words(study.prior, study.sizes.noisy, rng)
        return _cut(student_mean(chances_of_best_guess(mechanism, some, study.prior, rng), CONFIDENCE))
    return None


def chances_of_best_guess(mechanism: NoisyVectors, words: Ids, prior: Reals, rng: np.random.Generator) -> Reals:
    """Return the probability that the best guess from a fresh noisy vector of each word is right; shape (batch,).

    Its mean over words of the prior is the Bayes vulnerability of the noisy vector.

    Args:
        words: drawn from the prior, shape (batch,).
        prior: > 0, sum 1, shape (n,).
    """
    points = np.asarray(mechanism.points, dtype=np.float64)
    logs = np.log(prior)
    noisy = points[words] + mechanism.distribution.sample(len(words), rng, np.float64)
    best = np.empty(len(words))
    rows = max(1, _NUMBERS // len(points))
    for start in range(0, len(words), rows):
        part = slice(start, start + rows)
        scores = logs + _log_densities(mechanism.distribution, noisy[part], points)
        best[part] = 1 / np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)
    return best


def _log_densities(noise: NoiseDistribution, noisy: Reals, points: Reals) -> Reals:
    if isinstance(noise, PairwiseDensity):
        return noise.log_densities(noisy, points)
    return np.stack([noise.log_density(vector - points) for vector in noisy])


def _of_columns(channel: ChannelColumns, prior: Reals) -> float | None:
    """Return sum over y of max over x of pi(x) P(y | x) from the columns; None if they leave something out."""
    columns = channel.columns(np.arange(len(prior)))
    if not columns.complete:
        return None
    listed, _ = row_maxima(prior[columns.inputs] * np.exp(columns.log_ratios), columns.starts)
    # The word of the largest prior is worth at least that prior, and more if it is listed.
    return min(1.0, float(np.exp(columns.log_least) @ np.maximum(listed, prior.max())))


def _cut(bound: Bound) -> Bound:
    return Bound(max(0.0, bound.lower), bound.estimate, min(1.0, bound.upper), bound.confidence)


_LINEAR: Final = "linear"
_NAMES: Final = {ACCURACY_RELEASES: f"{_LINEAR}, {ON_RELEASES}", ACCURACY_TEXTS: f"{_LINEAR}, {ON_TEXTS}"}


def recovery_scores(study: FrontierStudy, mechanism: WordMechanism, stream: int) -> dict[str, Bound]:
    """Return shares of the words of public texts that a decoder names; empty if no decoder fits."""
    model = model_of(study.vocabulary) if study.sentences else None
    if model is None:
        return {}
    try:
        recovered = measure_recovery(mechanism, study.sentences, model, rng=seeded_generator(stream, 1)).kinds[0]
    except (UnsupportedGuarantee, InputError):  # no channel, or too few words of the vocabulary
        return {}
    alone = {} if recovered.alone is None else {RECOVERED_ALONE: recovered.alone}
    return {**alone, RECOVERED: recovered.in_context}


def accuracy_scores(study: FrontierStudy, mechanism: WordMechanism | None, stream: int) -> Mapping[str, Bound]:
    """Return the accuracy of a linear classifier trained on releases; None as mechanism: on the texts themselves."""
    if study.task is None:
        return {}
    scorer = accuracy_scorer(_LINEAR, LinearLearner(study.units), study.task.classes, study.seed)
    accuracies = measured(mechanism, study.task, [scorer], stream)
    bounds = {key: accuracies.bound(name) for key, name in _NAMES.items()}
    return {key: Bound(max(0.0, low), mid, min(1.0, high), sure) for key, (low, mid, high, sure) in bounds.items()}
