"""Scores of single words: how near their outputs are, how many stay, and what the best attacker makes of them."""

from __future__ import annotations

import numpy as np

from textveil.audit.attacks import bayes_vulnerability
from textveil.frontiers.measures import COSINE, NEAR, UNCHANGED
from textveil.frontiers.study import FrontierStudy, drawn_words
from textveil.mechanisms.capabilities import ChannelColumns, IntegerWeights, NoisyVectors
from textveil.mechanisms.kinds import Channel, WordMechanism
from textveil.noise.capabilities import PairwiseDensity
from textveil.noise.distribution import NoiseDistribution
from textveil.posterior.words import row_maxima
from textveil.statistics import Bound, clopper_pearson, exactly, student_mean
from textveil.types import Ids, Reals

CONFIDENCE = 0.95
"""Of each interval, on its own."""

_NUMBERS = 1 << 21
"""Densities that are held at once: 16 MB."""


def word_scores(study: FrontierStudy, mechanism: WordMechanism, rng: np.random.Generator) -> dict[str, Bound]:
    """Cosine, share among the nearest and share unchanged of one draw for each input of the study."""
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
    """Success of the best attacker on one output, under the study's prior; None where no method reaches it.

    Exact for channels. Where noise of a known density is added to public points the attacker is given the noisy vector,
    so it is an upper bound on what the released word tells, estimated with an interval.
    """
    if isinstance(mechanism, ChannelColumns):
        of_columns = _of_columns(mechanism, study.prior)
        if of_columns is not None:
            return exactly(of_columns)
    if isinstance(mechanism, Channel | IntegerWeights):
        return bayes_vulnerability(mechanism, study.prior).success
    if isinstance(mechanism, NoisyVectors):
        some = drawn_words(study.prior, study.sizes.noisy, rng)
        return _cut(student_mean(chances_of_best_guess(mechanism, some, study.prior, rng), CONFIDENCE))
    return None


def chances_of_best_guess(mechanism: NoisyVectors, words: Ids, prior: Reals, rng: np.random.Generator) -> Reals:
    """Probability that the best guess from a fresh noisy vector of each word is right; shape (batch,).

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
    """The density of every noisy vector around every point; shape (batch, n)."""
    if isinstance(noise, PairwiseDensity):
        return noise.log_densities(noisy, points)
    return np.stack([noise.log_density(vector - points) for vector in noisy])


def _of_columns(channel: ChannelColumns, prior: Reals) -> float | None:
    """Sum over y of max over x of pi(x) P(y | x), from the columns; None where those leave something out."""
    columns = channel.columns(np.arange(len(prior)))
    if not columns.complete:
        return None
    listed, _ = row_maxima(prior[columns.inputs] * np.exp(columns.log_ratios), columns.starts)
    # The word of the largest prior is worth at least that prior, and more where it is listed.
    return min(1.0, float(np.exp(columns.log_least) @ np.maximum(listed, prior.max())))


def _cut(bound: Bound) -> Bound:
    return Bound(max(0.0, bound.lower), bound.estimate, min(1.0, bound.upper), bound.confidence)
