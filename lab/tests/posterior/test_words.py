"""Posteriors word by word: against Bayes' rule on whole tables, with remapping by brute force, and of releases."""

import pickle

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.geometry import normalize

SIZE = 40
OUTPUTS = np.array([3, 39, 0, 3])


@pytest.fixture(params=["neighborhood", "flat", "randomized-response", "exponential"])
def channel(request):
    options = {"flat": {"base_weights": "flat"}, "neighborhood": {"alpha": 1.0, "base_mass": 0.3}}
    name = "neighborhood" if request.param == "flat" else request.param
    return mechanism(name, lettered_vocabulary(SIZE), epsilon=3.0, **options.get(request.param, {}))


def bayes(channel, prior: np.ndarray) -> np.ndarray:
    """P(x | y), shape (outputs, n)."""
    weights = channel.integer_weights(np.arange(SIZE))
    joint = prior[:, None] * (weights / weights.sum(axis=1, keepdims=True))
    return (joint / joint.sum(axis=0)).T


def test_posteriors_are_bayes_rule_under_the_public_frequencies(channel) -> None:
    found = WordPosterior(channel)
    counts = word_frequencies(channel.vocabulary).counts
    wanted = bayes(channel, counts / counts.sum())
    for output in OUTPUTS.tolist():
        np.testing.assert_allclose(found.probabilities(output), wanted[output], atol=1e-12)
    assert found.most_probable(OUTPUTS).tolist() == np.argmax(wanted, axis=1)[OUTPUTS].tolist()


def test_posteriors_under_another_prior_with_zeros(channel) -> None:
    prior = np.random.default_rng(5).pareto(0.7, SIZE)
    prior[[3, 11]] = 0
    found = WordPosterior(channel, prior)
    wanted = bayes(channel, prior)
    for output in (3, 20):
        np.testing.assert_allclose(found.probabilities(output), wanted[output], atol=1e-12)
    everything = np.arange(SIZE)
    assert found.most_probable(everything).tolist() == np.argmax(wanted, axis=1).tolist()


def test_a_word_that_no_output_speaks_for_can_be_the_most_probable() -> None:
    flat = mechanism("neighborhood", lettered_vocabulary(SIZE), epsilon=0.5, neighborhood_size=2)
    prior = np.full(SIZE, 1e-6)
    prior[17] = 1
    assert set(WordPosterior(flat, prior).most_probable(np.arange(SIZE)).tolist()) == {17}


def test_means_are_expected_vectors(channel) -> None:
    prior = np.random.default_rng(5).random(SIZE)
    vectors = channel.vocabulary.vectors
    wanted = bayes(channel, prior) @ vectors
    np.testing.assert_allclose(WordPosterior(channel, prior).means(OUTPUTS), wanted[OUTPUTS], atol=1e-5)
    own = np.random.default_rng(6).normal(size=(SIZE, 3))
    mine = WordPosterior(channel, prior).means(OUTPUTS, own)
    np.testing.assert_allclose(mine, (bayes(channel, prior) @ own)[OUTPUTS], atol=1e-5)


def test_remapping_has_the_least_expected_loss(channel) -> None:
    prior = np.random.default_rng(7).pareto(1.0, SIZE)
    found, table = WordPosterior(channel, prior), bayes(channel, prior)
    every = np.arange(SIZE)
    units = normalize(channel.vocabulary.vectors)
    losses = {"word": 1 - np.eye(SIZE), "cosine": 1 - units @ units.T}
    for name, loss in losses.items():
        expected = table @ loss
        chosen = found.remapped(every, name)
        np.testing.assert_allclose(expected[every, chosen], expected.min(axis=1), atol=1e-6)
        assert found.remapped(every, np.asarray(loss)).tolist() == np.argmin(expected, axis=1).tolist()
    assert found.remapped(OUTPUTS[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.ones(3), r"prior must be of shape \(40,\); got shape \(3,\)"),
        (np.zeros(SIZE), "prior must be above 0 for a word at least"),
        (np.full(SIZE, np.nan), "prior must be finite and >= 0"),
        (np.full(SIZE, -1.0), "prior must be finite and >= 0"),
        (np.array(["a"] * SIZE), "prior must be numbers"),
    ],
)
def test_bad_priors_are_refused_in_one_line(prior, message) -> None:
    with pytest.raises(ParameterError, match=message):
        WordPosterior(mechanism("randomized-response", lettered_vocabulary(SIZE), epsilon=1.0), prior)


def test_bad_losses_are_refused_in_one_line() -> None:
    found = WordPosterior(mechanism("randomized-response", lettered_vocabulary(SIZE), epsilon=1.0))
    for loss, message in (
        ("l2", "loss must be 'word', 'cosine', or a matrix; got 'l2'"),
        (np.eye(3), "loss must be of"),
    ):
        with pytest.raises(ParameterError, match=message):
            found.remapped(OUTPUTS, loss)
    with pytest.raises(ParameterError, match="loss must be finite everywhere"):
        found.remapped(OUTPUTS, np.full((SIZE, SIZE), np.inf))


def test_a_release_gives_a_row_for_each_word() -> None:
    vocabulary = lettered_vocabulary(SIZE)
    channel = mechanism("neighborhood", vocabulary, epsilon=3.0)
    release = Sanitizer(channel, rng=np.random.default_rng(1))("waa. Wab, 12 a@b.com (wac)")
    words = [one.strip(".,()") for one in release.text.lower().split()]
    ids = [vocabulary.words.index(one) for one in words if one in vocabulary.words]
    assert len(ids) == 3
    np.testing.assert_array_equal(release.vectors(), WordPosterior(channel).means(np.array(ids)))
    prior = np.arange(1, SIZE + 1)
    np.testing.assert_array_equal(release.vectors(prior), WordPosterior(channel, prior).means(np.array(ids)))
    again = pickle.loads(pickle.dumps(release))
    np.testing.assert_array_equal(again.vectors(), release.vectors())


def test_a_release_of_a_sequence_gives_rows_by_what_was_released_before() -> None:
    vocabulary = lettered_vocabulary(SIZE)
    drawn = mechanism("consistent-neighborhood", vocabulary, epsilon=3.0, copies=500)
    release = Sanitizer(drawn, rng=np.random.default_rng(1))("waa wab waa wab waa")
    ids = np.array([vocabulary.words.index(one) for one in release.text.lower().split()])
    prior = word_frequencies(vocabulary).counts / word_frequencies(vocabulary).counts.sum()
    for place, output in enumerate(ids):
        weights = drawn.integer_weights_after(ids[:place], np.arange(SIZE))
        joint = prior * weights[:, output] / weights.sum(axis=1)
        wanted = joint / joint.sum() @ vocabulary.vectors
        np.testing.assert_allclose(release.vectors()[place], wanted, atol=1e-5)


def test_releases_of_noise_and_of_whole_texts_have_no_vectors() -> None:
    vocabulary = lettered_vocabulary(SIZE)
    for name, options in (("gaussian", {"epsilon": 3.0, "delta": 1e-5}), ("keywords", {"epsilon": 3.0})):
        release = Sanitizer(mechanism(name, vocabulary, **options), rng=np.random.default_rng(1))("waa wab")
        with pytest.raises(UnsupportedGuarantee):
            release.vectors()
