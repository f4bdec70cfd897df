"""Likelihood through the channel: counts, priors, features and classes."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.mechanisms.neighborhood import neighborhood
from textveil.mechanisms.randomized_response import randomized_response
from textveil_lab.estimation.channel_matrix import channel_matrix, class_laws, document_scores, most_likely_counts
from textveil_lab.estimation.scikit_learn import learned_prior, word_features
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.documents import document_features

SIZE = 30
EVEN = np.full(SIZE, 1 / SIZE)


@pytest.fixture(params=["frequency", "flat"])
def made(request):
    return neighborhood(made_vocabulary(SIZE), epsilon=4.0, base_weights=request.param)


def _log_likelihood(matrix, counts, inputs) -> float:
    return float(counts @ np.log(matrix.outputs(inputs / inputs.sum())))


def test_each_step_is_likelier_and_keeps_the_sum(made) -> None:
    matrix = channel_matrix(made)
    counts = np.random.default_rng(0).poisson(50.0, SIZE).astype(float)
    found = [most_likely_counts(matrix, counts, EVEN, steps) for steps in (0, 1, 5, 50)]
    likelihoods = [_log_likelihood(matrix, counts, one) for one in found]
    assert likelihoods == sorted(likelihoods)
    assert all(one.min() >= 0 and np.isclose(one.sum(), counts.sum()) for one in found)
    both = most_likely_counts(matrix, np.stack([counts, 2 * counts], axis=1), EVEN, 5)
    assert np.allclose(both[:, 0], found[2]) and np.allclose(both[:, 1], 2 * found[2])


def test_an_invertible_channel_gives_the_truth_from_expected_counts() -> None:
    matrix = channel_matrix(randomized_response(made_vocabulary(SIZE), epsilon=4.0))
    true = np.arange(1.0, SIZE + 1)
    found = most_likely_counts(matrix, matrix.outputs(true), EVEN, 3000)
    assert np.allclose(found, true, rtol=1e-3)


def test_features_are_posterior_means_and_their_means(made) -> None:
    matrix = channel_matrix(made)
    prior = learned_prior(matrix, np.zeros(SIZE), EVEN)
    assert np.allclose(prior, EVEN)
    prior = learned_prior(matrix, matrix.outputs(np.arange(1.0, SIZE + 1)), EVEN)
    assert np.isclose(prior.sum(), 1) and prior.min() > 0 and prior[25:].sum() > prior[:5].sum()
    found = word_features(matrix, prior)
    units = matrix.vocabulary.vectors / np.linalg.norm(matrix.vocabulary.vectors, axis=1, keepdims=True)
    inputs = (units - prior @ units) * np.clip(-np.log(prior) - 3, 0, 9)[:, None]
    assert np.abs(inputs).max() > 0
    means = WordPosterior(made, prior).means(np.arange(SIZE), inputs)
    assert np.allclose(found.released, means, atol=1e-5)
    weights = made.integer_weights(np.arange(SIZE))
    assert np.allclose(found.clean, (weights / weights.sum(axis=1, keepdims=True)) @ means, atol=1e-5)
    ids, bounds = np.array([3, 4, 3, 9]), np.array([0, 3, 3, 4])
    wanted = [(means[3] * 2 + means[4]) / np.sqrt(3), np.zeros(8), means[9]]
    assert np.allclose(document_features(found.released, ids, bounds), wanted, atol=1e-5)


def test_classes_are_told_by_what_was_behind_their_releases(made) -> None:
    """The first class holds the first ten words, the second the others: no released word was read as such."""
    matrix, rng = channel_matrix(made), np.random.default_rng(1)
    texts = [rng.integers(0, 10, 3000), rng.integers(10, SIZE, 3000)]
    counts = np.stack([np.bincount(made.privatize(one, rng), minlength=SIZE) for one in texts], axis=1).astype(float)
    laws = class_laws(matrix, counts, EVEN)
    assert np.allclose(np.exp(laws.clean).sum(axis=1), 1) and np.allclose(np.exp(laws.released).sum(axis=1), 1)
    assert np.allclose(np.exp(laws.released).T, matrix.outputs(np.exp(laws.clean).T))
    assert ((laws.clean[0] > laws.clean[1]) == (np.arange(SIZE) < 10)).mean() > 0.8
    ids, bounds = np.array([1, 2, 3, 20, 21]), np.array([0, 3, 5, 5])
    scores = document_scores(laws.clean, ids, bounds)
    assert np.allclose(scores[0], laws.clean[:, [1, 2, 3]].sum(axis=1) / np.sqrt(3))
    assert scores[0, 0] > scores[0, 1] and scores[1, 1] > scores[1, 0] and not scores[2].any()
    assert np.abs(class_laws(matrix, counts * 0, EVEN).clean - np.log(EVEN)).max() < 1e-9
