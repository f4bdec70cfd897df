"""Attacks: exact success by enumeration, intervals that hold, and the limits that no attack passes."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.helpers.exactness import table

from textveil.audit.attacks import bayes_vulnerability, nearest_neighbor_inversion
from textveil.errors import ParameterError
from textveil.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil.mechanisms.channels.exponential import exponential
from textveil.mechanisms.channels.neighborhood import neighborhood
from textveil.mechanisms.channels.randomized_response import randomized_response
from textveil.privacy.limits import unchanged_limit, unchanged_limit_with_prior
from textveil.vocabulary.vocabulary import Vocabulary

ALPHA = 1e-6
MAKERS = {"randomized response": randomized_response, "neighborhood": neighborhood, "exponential": exponential}


def zipf(n: int) -> np.ndarray:
    weights = 1.0 / np.arange(1, n + 1)
    return weights / weights.sum()


@given(n=st.integers(2, 4), k=st.integers(1, 5), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_no_decoder_beats_the_bayes_decoder(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, prior = rng.dirichlet(np.ones(k), size=n), rng.dirichlet(np.ones(n))
    best = max(
        sum(prior[x] * rows[x, y] for y, x in enumerate(decoder)) for decoder in itertools.product(range(n), repeat=k)
    )
    result = bayes_vulnerability(rows, prior)
    assert result.success.estimate == pytest.approx(best, rel=1e-12)
    assert result.baseline == prior.max()
    assert result.success.estimate >= result.baseline * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 8.0])
@pytest.mark.parametrize("name", MAKERS)
def test_no_attack_passes_the_limits(tiny: Vocabulary, name: str, epsilon: float) -> None:
    channel = MAKERS[name](tiny, epsilon=epsilon)
    flat = bayes_vulnerability(channel).success.upper
    assert flat <= unchanged_limit(len(tiny), epsilon)
    assert bayes_vulnerability(channel, zipf(40)).success.upper <= unchanged_limit_with_prior(zipf(40).max(), epsilon)


def test_randomized_response_attains_the_limit_and_a_leaky_twin_passes_it(tiny: Vocabulary) -> None:
    channel = randomized_response(tiny, epsilon=2.0)
    limit = unchanged_limit(len(tiny), 2.0)
    assert bayes_vulnerability(channel).success.estimate == pytest.approx(limit, rel=1e-9)
    leaky = table(channel) * 0.95 + 0.05 * np.eye(len(tiny))
    assert bayes_vulnerability(leaky).success.lower > limit


def test_nearest_neighbor_inversion_estimates_the_unchanged_words(tiny: Vocabulary, rng: np.random.Generator) -> None:
    """Under a prior on the words that are kept most; a flat one is the mutant that it must kill."""
    channel, samples = exponential(tiny, epsilon=8.0, clip=None), 20_000
    kept = np.diag(table(channel))
    prior = kept**4 / (kept**4).sum()
    result = nearest_neighbor_inversion(channel, prior, samples=samples, rng=rng)
    hits = round(result.success.estimate * samples)
    assert binomtest(hits, samples, float(prior @ kept)).pvalue > ALPHA
    assert binomtest(hits, samples, float(kept.mean())).pvalue < ALPHA
    assert result.baseline == prior.max()


def test_naming_more_words_succeeds_more_often(tiny: Vocabulary, rng: np.random.Generator) -> None:
    mechanism = spherical_laplace(tiny, epsilon_per_distance=8.0)
    one = nearest_neighbor_inversion(mechanism, samples=4_000, rng=rng)
    ten = nearest_neighbor_inversion(mechanism, neighbors=10, samples=4_000, rng=rng)
    all_words = nearest_neighbor_inversion(mechanism, neighbors=40, samples=100, rng=rng)
    assert ten.success.lower > one.success.upper
    assert all_words.success.estimate == 1.0 == pytest.approx(all_words.baseline)


def test_results_are_json(tiny: Vocabulary) -> None:
    data = bayes_vulnerability(randomized_response(tiny, epsilon=1.0)).to_data()
    assert set(data) == {"name", "success", "baseline", "samples", "notes"}
    assert json.loads(json.dumps(data))["success"]["confidence"] == 1.0


def test_bad_arguments_are_refused(tiny: Vocabulary) -> None:
    channel = randomized_response(tiny, epsilon=1.0)
    for call in (
        lambda: bayes_vulnerability(channel, np.ones(40)),
        lambda: bayes_vulnerability(channel, np.ones(3) / 3),
        lambda: bayes_vulnerability([[0.5, 0.6], [0.5, 0.5]]),
        lambda: nearest_neighbor_inversion(channel, neighbors=0),
        lambda: nearest_neighbor_inversion(channel, samples=0),
    ):
        with pytest.raises(ParameterError):
            call()
