"""Counts behind a release: against brute force, and the coverage of their intervals by simulation.

Each simulated coverage fails by chance with probability below 1e-6 (exact binomial tails at the stated confidence), and
an interval without its correction, or too narrow by half, is caught.
"""

import numpy as np
import pytest
from scipy import stats
from tests.helpers.golden import release_reference
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.neighborhood import neighborhood
from textveil.mechanisms.randomized_response import randomized_response
from textveil.randomness import seeded_generator
from textveil_lab.estimation.channel_matrix import channel_matrix, matrix_of_rows
from textveil_lab.estimation.frequencies import FrequencyEstimator
from textveil_lab.estimation.weights import weights_for
from textveil_lab.mechanisms.additive.gaussian import gaussian
from textveil_lab.mechanisms.channels.exponential import exponential

ALPHA = 1e-6
SIZE, TOKENS, RUNS = 24, 4000, 60


def _rows(made) -> np.ndarray:
    weights = made.integer_weights(np.arange(len(made.vocabulary)))
    return weights / weights.sum(axis=1, keepdims=True)


def _text(size: int = SIZE, tokens: int = TOKENS, seed: int = 3) -> np.ndarray:
    share = 1 / (np.arange(size) + 2.7)
    return seeded_generator(seed).choice(size, size=tokens, p=share / share.sum())


def _mechanism(name: str, size: int = SIZE):
    words = made_vocabulary(size)
    if name == "randomized-response":
        return randomized_response(words, epsilon=3.0)
    if name == "exponential":
        return exponential(words, epsilon=20.0)
    return neighborhood(words, epsilon=4.0, base_weights=name)


CHANNELS = ("randomized-response", "flat", "frequency", "exponential")


@pytest.mark.parametrize("name", CHANNELS)
def test_the_matrix_is_the_channel(name: str) -> None:
    made = _mechanism(name)
    matrix, rows = channel_matrix(made), _rows(made)
    rng = np.random.default_rng(1)
    weights = rng.normal(size=(SIZE, 3))
    assert np.allclose(matrix.expected(weights), rows @ weights, rtol=1e-10)
    assert np.allclose(matrix.expected(weights[:, 0]), rows @ weights[:, 0], rtol=1e-10)
    assert np.allclose(matrix.outputs(weights), rows.T @ weights, rtol=1e-10)
    assert np.allclose(matrix.squared_row_sums(weights[:, 0]), rows**2 @ weights[:, 0], rtol=1e-10)


@pytest.mark.parametrize("number", range(3))
def test_unbiased_weights_are_the_inverse_by_brute_force(number: int) -> None:
    case = release_reference()["cases"][number]
    matrix = matrix_of_rows(made_vocabulary(6), np.array(case["rows"]) / case["total"])
    found = weights_for(matrix, np.eye(6), tokens=1000.0, prior=np.full(6, 1 / 6))
    assert np.abs(found.middle - np.array(case["inverse"])).max() < 1e-9
    assert np.abs(found.above - found.below).max() < 1e-8


@pytest.mark.parametrize("name", CHANNELS)
def test_intervals_bracket_every_goal_for_every_text(name: str) -> None:
    """Below and above are weights whose means lie on their sides for each single word, so for any text."""
    made = _mechanism(name, 60)
    goals = np.eye(60)[:, :6]
    found = weights_for(channel_matrix(made), goals, tokens=1e4, prior=np.full(60, 1 / 60))
    rows = _rows(made)
    assert name not in ("flat", "frequency") or np.abs(found.missed).max() > 1e-3
    assert (rows @ found.below <= goals + 1e-9).all()
    assert (rows @ found.above >= goals - 1e-9).all()


def _misses(name: str, *, narrow: float = 1.0, corrected: bool = True, confidence: float = 0.9) -> int:
    """How many of the runs' intervals miss the true count of a set of words that no other word is like."""
    made, ids = _mechanism(name), _text()
    estimator = FrequencyEstimator(made, confidence=confidence)
    members = np.unique(np.concatenate([estimator.alike(word) for word in (1, 5)]))
    true = int(np.isin(ids, members).sum())
    goal = np.zeros((SIZE, 1))
    goal[members] = 1
    rng, missed = seeded_generator(5), 0
    for _ in range(RUNS):
        (found,) = estimator.topics(made.privatize(ids, rng), goal)
        low, middle, high = found.total[:3]
        if not corrected:
            low, high = (found.released + end - middle for end in (low, high))
        half = narrow * (high - low) / 2
        missed += not (low + high) / 2 - half <= true <= (low + high) / 2 + half
    return missed


@pytest.mark.parametrize("name", CHANNELS)
def test_intervals_cover(name: str) -> None:
    assert stats.binom.sf(_misses(name) - 1, RUNS, 0.12) > ALPHA  # .1 and what the normal law is off by


def test_coverage_catches_what_is_wrong() -> None:
    name = "randomized-response"
    assert stats.binom.sf(_misses(name, narrow=0.5) - 1, RUNS, 0.12) < ALPHA
    assert stats.binom.sf(_misses(name, corrected=False) - 1, RUNS, 0.12) < ALPHA


def test_estimates_are_unbiased_where_the_channel_is_invertible() -> None:
    made, ids = _mechanism("randomized-response"), _text()
    estimator, rng = FrequencyEstimator(made), seeded_generator(8)
    found = [estimator.words(made.privatize(ids, rng), np.array([0]))[0] for _ in range(RUNS)]
    errors = np.array([one.total.estimate for one in found]) - np.sum(ids == 0)
    noise = np.mean([one.noise for one in found])
    assert all(one.bias == 0 for one in found)
    assert abs(errors.mean()) < stats.norm.isf(ALPHA / 2) * noise / np.sqrt(RUNS)
    assert stats.chi2.cdf(np.sum(errors**2) / noise**2, RUNS) > ALPHA
    assert stats.chi2.sf(np.sum(errors**2) / noise**2, RUNS) > ALPHA
    assert stats.chi2.cdf(np.sum(errors**2) / (2 * noise) ** 2, RUNS) < ALPHA  # twice the noise would be seen


@pytest.mark.parametrize("tokens", [10.0, 1e3, 1e9])
def test_randomized_response_is_inverted_however_small_the_release(tokens: float) -> None:
    found = weights_for(channel_matrix(_mechanism("randomized-response")), np.eye(SIZE), tokens=tokens, prior=_zipf())
    assert np.abs(found.missed).max() < 1e-9


def _zipf() -> np.ndarray:
    share = 1 / (np.arange(SIZE) + 2.7) ** 2
    return share / share.sum()


def test_words_of_one_row_are_counted_together() -> None:
    rows = np.array([[0.6, 0.2, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.1, 0.2, 0.6]])
    estimator = FrequencyEstimator(matrix_of_rows(made_vocabulary(4), rows))
    assert estimator.alike(1).tolist() == estimator.alike(2).tolist() == [1, 2]
    assert estimator.alike(0).tolist() == [0]
    ids = np.repeat(np.arange(4), [3000, 500, 1500, 1000])
    rng = np.random.default_rng(0)
    released = np.array([rng.choice(4, p=rows[one]) for one in ids])
    first, second = estimator.words(released, np.array([1, 2]))
    assert first == second
    assert first.total.lower < 2000 < first.total.upper
    assert first.total.upper - first.total.lower < 600


@pytest.mark.parametrize("differ", [1e-6, 1e-4, 1e-3])
def test_what_is_hardly_told_apart_is_vague_and_named(differ: float) -> None:
    """Two rows that differ by a thousandth or less: an inverse would multiply the noise by a thousand or more."""
    rows = np.array(
        [[0.6, 0.2, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.4 + differ, 0.4 - differ, 0.1], [0.1, 0.1, 0.2, 0.6]]
    )
    estimator = FrequencyEstimator(matrix_of_rows(made_vocabulary(4), rows), prior=np.ones(4))
    ids = np.repeat(np.arange(4), [3000, 500, 1500, 1000])
    rng = np.random.default_rng(0)
    released = np.array([rng.choice(4, p=rows[one]) for one in ids])
    one, two, other = estimator.words(released, np.array([1, 2, 0]))
    for found, true in ((one, 500), (two, 1500)):
        assert found.total.lower <= true <= found.total.upper
        assert found.total.upper < 4000
        assert found.bias > 0
        assert {1, 2} & set(found.confused)
    assert other.bias == 0 and other.confused == ()
    (both,) = estimator.topics(released, np.array([[0.0], [1], [1], [0]]))
    assert both.total.lower < 2000 < both.total.upper
    assert both.total.upper - both.total.lower < 600


def test_pairs_are_covered() -> None:
    size = 12
    made, rng = randomized_response(made_vocabulary(size), epsilon=4.0), seeded_generator(2)
    ids = np.tile([0, 1, 2, 0, 1, 5, 6, 7], 300)
    bounds = np.arange(0, len(ids) + 1, 8)
    missed = 0
    for _ in range(40):
        found = FrequencyEstimator(made).pairs(made.privatize(ids, rng), bounds, np.array([0, 1, 2, 7]))
        table = {(one.first, one.second): one.estimate.total for one in found}
        assert len(table) == 16
        missed += not table[0, 1].lower <= 600 <= table[0, 1].upper
        missed += not table[7, 0].lower <= 0 <= table[7, 0].upper  # across texts: no pair
    assert stats.binom.sf(missed - 1, 80, 0.06) > ALPHA
    assert found[0].first == 0 and found[0].second == 1
    assert table[0, 1].upper < 1200 and table[0, 1].lower > 300


def test_likeliest_words_are_the_frequent_ones() -> None:
    made, ids = _mechanism("frequency"), _text(tokens=20_000)
    found = FrequencyEstimator(made).likeliest(made.privatize(ids, seeded_generator(4)), 3)
    assert set(found.tolist()) & {0, 1, 2}


def test_a_release_without_words_has_none() -> None:
    estimator = FrequencyEstimator(_mechanism("flat"))
    (found,) = estimator.words(np.array([], dtype=np.int64), np.array([1]))
    assert found.total[:3] == (0, 0, 0)
    assert estimator.pairs(np.array([], dtype=np.int64), np.array([0]), np.array([1])) == []


def test_bad_arguments() -> None:
    made = _mechanism("flat")
    for confidence in (0.0, 1.0, float("nan")):
        with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
            FrequencyEstimator(made, confidence=confidence)
    with pytest.raises(ParameterError, match="prior must be"):
        FrequencyEstimator(made, prior=np.ones(SIZE - 1))
    with pytest.raises(UnsupportedGuarantee, match="estimates need words"):
        FrequencyEstimator(gaussian(made_vocabulary(SIZE), epsilon=3.0, delta=1e-5))
    estimator = FrequencyEstimator(made)
    for topics in (np.ones(SIZE), np.ones((SIZE + 1, 2)), np.full((SIZE, 1), np.nan)):
        with pytest.raises(ParameterError, match="topics must be"):
            estimator.topics(np.array([0]), topics)
    with pytest.raises(ParameterError, match="rows must be"):
        matrix_of_rows(made_vocabulary(3), np.ones((3, 3)))
