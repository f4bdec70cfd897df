"""Scores by run, leads between mechanisms on the same documents, and the attacker's success."""

from dataclasses import dataclass

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import word_mechanism
from textveil.errors import UnsupportedGuarantee
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.downstream.accuracy import BatchNoise, LinearLearner, features_of
from textveil_lab.frontiers.downstream.measured import (
    ON_RELEASES,
    ON_TEXTS,
    Measured,
    accuracy_scorer,
    guessed_from_noisy_vectors,
    measured,
    recovered,
)
from textveil_lab.frontiers.downstream.tasks import LabelledPart, LabelledTask, Repetition
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.documents import Documents
from textveil_lab.vocabulary.geometry import normalize


def _two_halves() -> Vocabulary:
    """Words of which the second thirty lie apart from the first."""
    made = made_vocabulary(60, 12, seed=5)
    vectors = made.vectors.copy()
    vectors[30:, 0] += 4
    return Vocabulary(made.words, vectors, "two halves")


VOCABULARY = _two_halves()


def _part(rng: np.random.Generator, documents: int) -> LabelledPart:
    """Documents of six words: the first class from the first half of the vocabulary, the second from the other."""
    classes = np.arange(documents) % 2
    ids = rng.integers(0, 30, size=6 * documents) + 30 * np.repeat(classes, 6)
    return LabelledPart(Documents(ids, np.arange(documents + 1) * 6), classes)


def _task() -> LabelledTask:
    rng = np.random.default_rng(3)
    return LabelledTask(
        name="made", classes=2, runs=tuple(Repetition(_part(rng, 400), _part(rng, 200)) for _ in range(3))
    )


UNCHANGED = "unchanged"


def _unchanged(clean: Repetition, released: Repetition) -> dict[str, float]:
    return {UNCHANGED: float(np.mean(clean.test.documents.ids == released.test.documents.ids))}


def _scorers(task: LabelledTask) -> list:
    learner = LinearLearner(normalize(VOCABULARY.vectors))
    return [_unchanged, accuracy_scorer("linear", learner, task.classes)]


def test_texts_as_they_are_keep_all_words_and_are_told_apart() -> None:
    task = _task()
    found = measured(None, task, _scorers(task), 1)
    assert found.bound(UNCHANGED).estimate == 1
    assert np.array_equal(found.scores[f"linear, {ON_RELEASES}"], found.scores[f"linear, {ON_TEXTS}"])
    assert found.bound(f"linear, {ON_TEXTS}").estimate > 0.8
    assert found.recovered is None


def test_more_epsilon_keeps_more_of_everything() -> None:
    task = _task()
    prior = np.ones(60)
    loose, tight = (
        measured(
            word_mechanism("randomized-response", VOCABULARY, epsilon=epsilon), task, _scorers(task), 1, prior=prior
        )
        for epsilon in (9.0, 0.1)
    )
    assert loose.lead(UNCHANGED, tight).lower > 0
    assert loose.lead(f"linear, {ON_RELEASES}", tight).estimate > 0.1
    assert loose.recovered is not None and tight.recovered is not None
    assert loose.recovered.lower > tight.recovered.upper


def test_draws_repeat_by_seed_and_stream() -> None:
    task, mechanism = _task(), word_mechanism("randomized-response", VOCABULARY, epsilon=2.0)
    one, same, other = (measured(mechanism, task, _scorers(task), 1, stream).scores[UNCHANGED] for stream in (4, 4, 5))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_lead_is_of_the_same_runs() -> None:
    """What all runs have in common does not widen the interval of a difference."""
    shared = np.array([0.1, 0.5, 0.9])
    lead = Measured({"x": shared + 0.2}).lead("x", Measured({"x": shared}))
    assert lead.estimate == pytest.approx(0.2)
    assert lead.upper - lead.lower < 1e-12


def test_a_channel_is_attacked_by_its_posterior() -> None:
    mechanism = word_mechanism("neighborhood", VOCABULARY, epsilon=6.0, neighborhood_size=3)
    rng = np.random.default_rng(7)
    words = rng.integers(0, 60, size=4000)
    released = mechanism.privatize(words, rng)
    prior = np.arange(1.0, 61.0)
    found = recovered(mechanism, words, released, prior, rng)
    guesses = WordPosterior(mechanism, prior).most_probable(released)
    assert found.estimate == np.mean(guesses == words)


def test_who_sees_the_noisy_vector_names_at_least_as_many_words() -> None:
    mechanism = word_mechanism("gaussian", VOCABULARY, epsilon=8.0)
    rng = seeded_generator(8)
    words = np.tile(np.arange(60), 20)
    guesses = guessed_from_noisy_vectors(mechanism, words, np.full(60, 1 / 60), rng)
    kept = mechanism.privatize(words, rng) == words
    assert np.mean(guesses == words) > np.mean(kept) - 0.06  # the nearest word is the same guess, of other noise
    certain = np.zeros(60)
    certain[11] = 1.0
    assert set(guessed_from_noisy_vectors(mechanism, words[:5], certain, rng)) == {11}


def test_a_mechanism_that_cannot_be_attacked_is_refused() -> None:
    @dataclass
    class Opaque:
        name: str = "opaque"

    with pytest.raises(UnsupportedGuarantee, match="the Bayes attack needs a channel"):
        recovered(Opaque(), np.zeros(2, int), np.zeros(2, int), np.ones(2), seeded_generator(1))  # type: ignore[arg-type]


def test_the_noise_of_a_batch_is_drawn_once_for_its_words() -> None:
    documents = Documents(np.zeros(12, np.int64), np.array([0, 4, 8, 8, 12]))
    sizes: list[int] = []

    def disturb(vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        sizes.append(len(vectors))
        return vectors + len(sizes)

    plain = features_of(VOCABULARY.vectors, documents)
    noisy = features_of(VOCABULARY.vectors, documents, BatchNoise(disturb, 2))
    assert sizes == [8, 4]
    assert np.allclose(noisy - plain, 2 * np.array([1, 1, 0, 2])[:, None], atol=1e-5)  # root of 4 words, or of none
    assert VOCABULARY.vectors[0, 0] == _two_halves().vectors[0, 0]  # the table is left alone
