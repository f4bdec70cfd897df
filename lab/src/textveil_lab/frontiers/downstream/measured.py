"""Utility of a released labelled corpus, and an attacker's success, run by run.

For a channel the attacker is exact: the word of the largest prior times P(y | x). The channel of a noisy vector's
nearest word is not known in closed form; there the attacker gets the noisy vector itself, which is more than is
released. So no attacker on the released word does better than the printed share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import IntegerWeights, WordMechanism
from textveil.randomness import seeded_generator
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Ids, Reals
from textveil_lab.frontiers.downstream.accuracy import DocumentLearner, accuracies
from textveil_lab.frontiers.downstream.tasks import LabelledTask, Repetition, with_ids
from textveil_lab.mechanisms.capabilities import NoisyVectors
from textveil_lab.mechanisms.product_columns import own_columns
from textveil_lab.numerics.intervals import student_mean
from textveil_lab.posterior.words import WordPosterior, checked_prior

NOISY_TOKENS: Final = 200  # Tokens that are attacked if every word's density must be computed for each


def recovered(
    mechanism: WordMechanism,
    words: Ids,
    released: Ids,
    prior: Reals,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Bound:
    """Return the share of words that a Bayes attacker names correctly.

    Args:
        mechanism: of the release; a channel, or one that adds noise of a known density to public points.
        words: independent draws of original words from a text, shape (batch,).
        released: their releases, shape (batch,); noisy vectors are drawn afresh.
        prior: the attacker's word frequencies, shape (n,).

    Raises:
        UnsupportedGuarantee: the mechanism is neither.
    """
    if isinstance(mechanism, IntegerWeights) or own_columns(mechanism) is not None:
        guesses = WordPosterior(mechanism, prior).most_probable(released)
        return clopper_pearson(int(np.count_nonzero(guesses == words)), len(words), confidence)
    if isinstance(mechanism, NoisyVectors):
        some = words[:NOISY_TOKENS]
        guesses = guessed_from_noisy_vectors(mechanism, some, checked_prior(prior, len(mechanism.vocabulary)), rng)
        return clopper_pearson(int(np.count_nonzero(guesses == some)), len(some), confidence)
    raise UnsupportedGuarantee(
        f"the Bayes attack needs a channel or noise of a known density; got {mechanism.name}. Leave the attack out."
    )


def guessed_from_noisy_vectors(mechanism: NoisyVectors, words: Ids, prior: Reals, rng: np.random.Generator) -> Ids:
    """Return the most probable word behind a fresh noisy vector of each word, the lower id in a tie; shape (batch,).

    Args:
        words: originals, shape (batch,).
        prior: of the words, with sum 1, shape (n,).
    """
    points = np.asarray(mechanism.points, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(prior)
    noisy = points[words] + mechanism.distribution.sample(len(words), rng, np.float64)
    return np.array(
        [np.argmax(logs + mechanism.distribution.log_density(vector - points)) for vector in noisy], np.int64
    )


CONFIDENCE: Final = 0.95  # Of each interval, on its own
ATTACKED: Final = 4000  # Tokens of test documents that an attacker looks at, at most
Scorer: TypeAlias = Callable[[Repetition, Repetition], Mapping[str, float]]
"""Function from a run and its release to scores by name."""

ON_RELEASES, ON_TEXTS = "tested on releases", "tested on clean text"


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Scores of one mechanism."""

    scores: Mapping[str, Reals]  # by name, one number a run, shape (runs,); runs share no document and no draw
    # share of words that the Bayes attacker names correctly; None if it was not measured
    recovered: Bound | None = None

    def to_data(self) -> dict[str, Any]:
        scores = {name: values.tolist() for name, values in self.scores.items()}
        return {"scores": scores, "recovered": None if self.recovered is None else list(self.recovered)}

    @staticmethod
    def of_dict(data: Mapping[str, Any]) -> Measured:
        recovered = data["recovered"]
        scores = {name: np.array(values) for name, values in data["scores"].items()}
        return Measured(scores, None if recovered is None else Bound(*recovered))

    def bound(self, score: str, confidence: float = CONFIDENCE) -> Bound:
        return student_mean(self.scores[score], confidence)

    def lead(self, score: str, other: Measured, confidence: float = CONFIDENCE) -> Bound:
        """Return the mean over runs of a score's lead over another mechanism's on the same documents."""
        return student_mean(self.scores[score] - other.scores[score], confidence)


def measured(
    mechanism: WordMechanism | None,
    task: LabelledTask,
    scorers: Sequence[Scorer],
    seed: int,
    *stream: int,
    prior: Reals | None = None,
    attacked: int = ATTACKED,
) -> Measured:
    """Release every run of a task and score it.

    Args:
        mechanism: releases every word; None leaves the documents unchanged.
        scorers: their score names must not overlap.
        stream: separates the draws of different calls.
        prior: of the attacker, shape (n,); None leaves the attack out.
        attacked: largest number of test tokens that the attacker sees.
    """
    rows: list[dict[str, float]] = []
    clean, drawn = [], []
    for number, run in enumerate(task.runs):
        release = run if mechanism is None else released_run(mechanism, run, seeded_generator(seed, *stream, number))
        rows.append({name: value for score in scorers for name, value in score(run, release).items()})
        clean.append(run.test.documents.ids)
        drawn.append(release.test.documents.ids)
    scores = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    if mechanism is None or prior is None:
        return Measured(scores)
    words, outputs = np.concatenate(clean), np.concatenate(drawn)
    rng = seeded_generator(seed, *stream, len(rows))
    some = rng.permutation(len(words))[:attacked]
    return Measured(scores, recovered(mechanism, words[some], outputs[some], prior, rng, CONFIDENCE))


def released_run(mechanism: WordMechanism, run: Repetition, rng: np.random.Generator) -> Repetition:
    """Return the documents of a run, word by word through a mechanism."""
    train, test = (mechanism.privatize(part.documents.ids, rng) for part in run)
    return Repetition(with_ids(run.train, train), with_ids(run.test, test))


def accuracy_scorer(name: str, learner: DocumentLearner, classes: int, seed: int = 0) -> Scorer:
    """Return a scorer: accuracy on released and on clean documents of a classifier trained on released ones."""

    def score(clean: Repetition, released: Repetition) -> Mapping[str, float]:
        shares = accuracies(learner, classes, clean, released, seed)
        return {f"{name}, {ON_RELEASES}": shares.on_releases, f"{name}, {ON_TEXTS}": shares.on_texts}

    return score
