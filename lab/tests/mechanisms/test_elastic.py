"""The elastic metric: balls hold their mass, distances are Dijkstra's, and the channel keeps its guarantee."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from scipy.stats import chisquare
from tests.helpers.exactness import table, worst_log_ratio, worst_metric_loss
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.privacy.guarantees import MetricDP
from textveil.randomness import seeded_generator
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.channels.metric_exponential import MetricExponential
from textveil_lab.vocabulary.metrics.elastic import elastic_metric, required
from textveil_lab.vocabulary.metrics.metric import distances


def made(vocabulary: Vocabulary, **options) -> MetricExponential:
    found = mechanism("elastic", vocabulary, **options)
    assert isinstance(found, MetricExponential)
    return found


def share_of(vocabulary: Vocabulary, prior: str) -> np.ndarray:
    counts = word_frequencies(vocabulary, prior).counts
    return counts / counts.sum()


@pytest.mark.parametrize(("prior", "mass", "levels"), [("flat", 0.05, 3), ("zipf", 0.04, 4), ("flat", 0.02, 5)])
def test_distances_are_shortest_paths_and_balls_hold_their_mass(tiny, prior: str, mass: float, levels: int) -> None:
    share = share_of(tiny, prior)
    metric = elastic_metric(tiny, share, mass, levels)
    unit = tiny.vectors.astype(np.float64) / np.linalg.norm(tiny.vectors.astype(np.float64), axis=1, keepdims=True)
    edges = np.full((40, 40), np.inf)
    for word in range(40):
        cosines = unit @ unit[word]
        cosines[word] = 2.0
        order = np.argsort(-cosines, kind="stable")
        held = np.cumsum(share[order])
        for level in range(levels - 1, 0, -1):
            needed = order[: int((held < required(mass, level) - 1e-9).sum()) + 1]
            edges[word, needed] = level
    edges = np.minimum(edges, edges.T)
    np.fill_diagonal(edges, np.inf)
    expected = np.minimum(dijkstra(np.where(np.isinf(edges), 0, edges)), levels)
    found = distances(metric, np.arange(40))
    assert np.array_equal(found, expected)
    for level in range(1, levels):
        assert ((found <= level) @ share).min() >= required(mass, level) - 1e-9


@pytest.mark.parametrize("options", [{"epsilon": 3.0}, {"epsilon_per_distance": 1.5}])
@pytest.mark.parametrize("prior", ["flat", "zipf"])
def test_the_loss_is_within_the_guarantee(tiny, options, prior: str) -> None:
    channel = made(tiny, prior=prior, **options)
    rows = table(channel)
    if isinstance(channel.guarantee, MetricDP):
        far = distances(channel.metric, np.arange(40))
        worst = worst_metric_loss(rows, far)
        assert 0.5 * 1.5 < worst <= 1.5 * (1 + 1e-12)
    else:
        assert 0.9 * 3.0 < worst_log_ratio(rows) <= 3.0 * (1 + 1e-12)
    assert tv.audit(channel).verdict is Verdict.CERTIFIED  # after all axioms of the metric were gone through


def test_draws_follow_the_rows(tiny) -> None:
    """Chi-squared at alpha 1e-6; the rows of epsilon 3.3 in place of 3 are the mutant that it kills."""
    counts = np.bincount(made(tiny, epsilon=3.0).privatize(np.full(60_000, 7), seeded_generator(3)), minlength=40)

    def p_value(epsilon: float) -> float:
        return float(chisquare(counts, made(tiny, epsilon=epsilon).probabilities(7) * counts.sum()).pvalue)

    assert p_value(3.0) > 1e-6
    assert p_value(3.3) < 1e-6


def test_a_word_far_from_all_others_has_neighbors() -> None:
    """Euclidean distances leave it alone; elastic ones do not."""
    vocabulary = made_vocabulary(40)
    vectors = vocabulary.vectors.copy()
    vectors[0] *= 50
    lonely = Vocabulary(vocabulary.words, vectors, "lonely")
    near = distances(made(lonely, epsilon=1.0).metric, np.array([0]))[0]
    assert (near <= 1).sum() >= 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": 1.0}, r"mass must be in \(0, 1\); got 1"),
        ({"mass": 0.5, "levels": 3}, "levels must be at most 2 for this mass; got 3"),
        ({"levels": 1}, "levels must be an integer >= 2; got 1"),
        ({"prior": np.zeros(40)}, "prior must be finite and > 0 for every word"),
        ({"prior": np.ones(4)}, "prior must be one number for each of 40 words"),
    ],
)
def test_what_it_does_not_take(tiny, options, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism("elastic", tiny, epsilon=1.0, **options)


def test_more_mass_than_the_nearest_words_have_is_refused() -> None:
    vocabulary = made_vocabulary(1100, dim=4)
    with pytest.raises(ParameterError, match=r"mass must be at most about 0.2\d+ at these levels; got 0.24"):
        mechanism("elastic", vocabulary, epsilon=1.0, mass=0.24)
