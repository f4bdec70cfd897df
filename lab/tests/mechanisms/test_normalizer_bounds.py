"""Pure forms of the exponential family: what the integers lose, over all pairs, against what is stated."""

import numpy as np
import pytest

from textveil.catalog import word_mechanism
from textveil.mechanisms.randomized_response import GroupedChannel
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.sampling.normalizer_bounds import bounds_of, steepest

FAMILY = ("exponential", "tem", "santext", "santext-plus", "same-tag", "privic", "hyperbolic-exponential", "custext")


def loss(weights, groups):
    """The exact loss of two words of one group, by enumeration."""
    largest = 0.0
    for group in np.unique(groups[groups >= 0]):
        here = np.flatnonzero(groups == group)
        rows = weights[here] / weights[here].sum(axis=1, keepdims=True)
        rows = rows[:, rows[0] > 0]
        largest = max(largest, float(np.log(rows.max(axis=0) / rows.min(axis=0)).max()))
    return largest


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_stated_epsilon_is_never_exceeded_and_nearly_spent(name, epsilon):
    mechanism = word_mechanism(name, load_vocabulary(limit=300), epsilon=epsilon)
    groups = mechanism.groups if isinstance(mechanism, GroupedChannel) else np.zeros(300, dtype=int)
    lost = loss(mechanism.integer_weights(np.arange(300)).astype(float), groups)
    assert 0.85 * mechanism.guarantee.epsilon < lost <= mechanism.guarantee.epsilon


def test_slightly_steeper_weights_exceed_epsilon():
    """The mutant: two clouds far apart, whose extremes meet, so that the bound is tight to its steps."""
    points = np.concatenate([np.zeros(199), np.ones(1)])
    apart = np.abs(points[:, None] - points)
    weights = steepest(2.0, 1 << 40, 1.0, (bounds_of(lambda ids: apart[ids].copy(), np.arange(200), 1.0),))

    def lost(rate):
        return loss(np.exp(-rate * apart), np.zeros(200, dtype=int))

    assert lost(weights.rate) <= 2.0 < lost(weights.rate * 1.02)


@pytest.mark.parametrize("name", ["exponential", "tem", "santext"])
@pytest.mark.parametrize("apart", [1e-5, 1e-6, 3e-8])
def test_vectors_that_nearly_coincide_lose_what_is_stated(name, apart):
    """Their computed distances are rounding, some of them above the diameter."""
    rng = np.random.default_rng(1)
    vectors = np.ones((6, 8)) + apart * rng.normal(size=(6, 8))
    vocabulary = Vocabulary([*"abcdef"], vectors.astype(np.float32))
    mechanism = word_mechanism(name, vocabulary, epsilon=2.0)
    lost = loss(mechanism.integer_weights(np.arange(6)).astype(float), np.zeros(6, dtype=int))
    assert lost <= mechanism.guarantee.epsilon <= 2.0
