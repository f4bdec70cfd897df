"""The exponential mechanism on word metrics: exact losses against enumeration, distributions, certified guarantees."""

import json
import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import table, worst_integer_ratio, worst_log_ratio, worst_metric_loss
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import Channel, Mechanism
from textveil.privacy.guarantees import MetricDP, PureDP, Status
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.channels.metric_loss import metric_epsilon
from textveil_lab.audit.report.report import Verdict, claim_of
from textveil_lab.mechanisms.channels.metric_exponential import certified_guarantee, metric_exponential
from textveil_lab.mechanisms.sampling.level_weights import LevelRows, LevelWeights, level_weights
from textveil_lab.vocabulary.metrics.choose import level_counts, word_metric
from textveil_lab.vocabulary.metrics.metric import distances
from textveil_lab.vocabulary.metrics.ultrametric import Ultrametric

ALPHA = 1e-6
SIZE = 60
WORDS = made_vocabulary(SIZE)
EVERYONE = np.arange(SIZE)

METRICS = {
    "shared": ("shared-neighbors", 10, None),
    "graph, 2 hops": ("neighbor-graph", 7, 2),
    "graph, 3 hops": ("neighbor-graph", 4, 3),
    "graph, whole": ("neighbor-graph", 4, 30),
    "cells": ("ultrametric", 12, None),
    "one cell": ("ultrametric", SIZE, None),
}


def _metric(name: str):
    kind, neighbors, hops = METRICS[name]
    return word_metric(WORDS, kind, neighbors=neighbors, hops=hops)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0, 8.0, 20.0])
@pytest.mark.parametrize("name", METRICS)
def test_the_pure_loss_is_within_epsilon_in_exact_arithmetic_and_uses_it(name: str, epsilon: float) -> None:
    made = metric_exponential(WORDS, epsilon=epsilon, metric=_metric(name))
    assert isinstance(made, Channel)
    assert isinstance(made, Mechanism)
    assert made.guarantee.status is Status.PROVED
    weights = made.integer_weights(EVERYONE)
    ratio = worst_integer_ratio(weights)
    loss = math.log(ratio.numerator) - math.log(ratio.denominator)
    assert loss <= made.guarantee.epsilon * (1 + 1e-12) + 1e-12
    assert made.guarantee.epsilon <= epsilon
    assert loss > 0.8 * epsilon
    np.testing.assert_allclose(table(made), weights / weights.sum(axis=1, keepdims=True), rtol=1e-12)


def test_measured_normalizers_leave_more_than_half_for_the_weights() -> None:
    made = metric_exponential(WORDS, epsilon=4.0, metric=_metric("cells"))
    assert math.log(made.weights.weights[0]) - math.log(made.weights.weights[-1]) > 0.9 * 4.0


def test_a_twin_that_forgets_the_normalizers_is_caught() -> None:
    epsilon = 4.0
    for name in ("shared", "graph, 2 hops"):
        values = np.array(_metric(name).facts.distances)
        rows = np.exp(-epsilon * distances(_metric(name), EVERYONE) / values[-1])
        rows /= rows.sum(axis=1, keepdims=True)
        assert worst_log_ratio(rows) > epsilon * 1.02


@pytest.mark.parametrize("per_distance", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("name", METRICS)
def test_the_metric_form_holds_for_every_pair_and_is_certified_exactly(name: str, per_distance: float) -> None:
    metric = _metric(name)
    made = metric_exponential(WORDS, epsilon_per_distance=per_distance, metric=metric)
    apart = distances(metric, EVERYONE)
    worst = worst_metric_loss(table(made), apart.astype(np.float64))
    assert isinstance(made.guarantee, MetricDP)
    assert made.guarantee.epsilon_per_distance == per_distance
    assert made.guarantee.diameter == apart.max()
    assert worst <= per_distance * (1 + 1e-12)
    assert worst > 0.5 * per_distance
    found = certified_guarantee(made)
    assert found.status is Status.CERTIFIED
    assert worst * (1 - 1e-12) <= found.epsilon_per_distance <= min(per_distance, worst * (1 + 1e-3))
    audited = metric_epsilon(made, apart.astype(np.float64)).epsilon_per_distance
    assert audited.estimate == pytest.approx(worst, rel=1e-9)
    assert found.pure().epsilon >= worst_log_ratio(table(made)) * (1 - 1e-12)


def test_without_the_triangle_inequality_the_metric_form_fails() -> None:
    """Squared hops keep the order of words but are no metric: the same weights break the promise."""
    apart = distances(_metric("graph, whole"), EVERYONE).astype(np.float64) ** 2
    rows = np.exp(-0.2 * apart)
    rows /= rows.sum(axis=1, keepdims=True)
    assert worst_metric_loss(rows, np.where(apart > 0, apart, 1.0)) > 2 * 0.2 * 1.1


def test_the_certified_guarantee_of_a_pure_mechanism_is_that_of_the_channel() -> None:
    for name in METRICS:
        made = metric_exponential(WORDS, epsilon=3.0, metric=_metric(name))
        apart = distances(_metric(name), EVERYONE).astype(np.float64)
        found = certified_guarantee(made).epsilon_per_distance
        assert found == pytest.approx(worst_metric_loss(table(made), apart), rel=1e-3)
        assert found >= worst_metric_loss(table(made), apart) * (1 - 1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_draws_follow_the_table_and_a_mutant_is_noticed(name: str, rng) -> None:
    made = metric_exponential(WORDS, epsilon=4.0, metric=_metric(name))
    word, draws = 11, 200_000
    counts = np.bincount(made.privatize(np.full(draws, word), rng), minlength=SIZE)
    assert chisquare(counts, made.probabilities(word) * draws).pvalue > ALPHA
    other = metric_exponential(WORDS, epsilon=4.6, metric=_metric(name))
    assert chisquare(counts, other.probabilities(word) * draws).pvalue < ALPHA


def test_each_id_is_drawn_from_its_own_row(rng, monkeypatch) -> None:
    """Many words and blocks at once: at epsilon 25 nearly every word stays, whatever the order and the blocks."""
    monkeypatch.setattr("textveil_lab.mechanisms.sampling.level_weights._BLOCK", 7)
    monkeypatch.setattr("textveil_lab.mechanisms.sampling.level_weights._DRAWS", 50)
    made = metric_exponential(WORDS, epsilon=25.0, metric=_metric("graph, 2 hops"))
    ids = rng.integers(0, SIZE, 6000)
    kept = np.mean([made.probabilities(word)[word] for word in range(SIZE)])
    assert kept > 0.99
    assert np.mean(made.privatize(ids, rng) == ids) > 0.98


@pytest.mark.parametrize("name", METRICS)
def test_every_integer_below_the_total_names_a_word_with_its_weight(name: str) -> None:
    """The whole range of a draw, for small weights: exactly w(x, y) of the integers give y."""
    metric = _metric(name)
    levels = metric.facts.top
    weights = LevelWeights(weights=(*range(4 + levels, 4, -1), 4), shift=2)
    rows = LevelRows(metric, weights)
    for word in (0, 17, SIZE - 1):
        (row,) = rows._made(np.array([word]))
        drawn = rows._at([row], np.zeros(row.total, dtype=np.int64), np.arange(row.total))
        np.testing.assert_array_equal(np.bincount(drawn, minlength=SIZE), rows.weights(np.array([word]))[0])
    expected = np.array(weights.weights)[np.searchsorted(metric.facts.distances, distances(metric, EVERYONE))]
    np.testing.assert_array_equal(rows.weights(EVERYONE), expected)
    np.testing.assert_array_equal(weights.totals(level_counts(metric)), expected.sum(axis=1))


def test_rows_are_dropped_for_want_of_room_and_not_pickled(rng, monkeypatch) -> None:
    monkeypatch.setattr("textveil_lab.mechanisms.sampling.level_weights._BLOCK", 16)
    metric = _metric("graph, whole")
    weights = metric_exponential(WORDS, epsilon=5.0, metric=metric).weights
    roomy, narrow = LevelRows(metric, weights), LevelRows(metric, weights, budget=1)
    ids = rng.integers(0, SIZE, 4000)
    for _ in range(2):
        first, second = (rows.draw(ids, np.random.default_rng(3)) for rows in (roomy, narrow))
        np.testing.assert_array_equal(first, second)
    assert len(narrow._cache.kept) == 16
    assert len(roomy._cache.kept) == SIZE
    assert narrow._cache.used == sum(row.members.nbytes for row in narrow._cache.table if row is not None)
    made = metric_exponential(WORDS, epsilon=5.0, metric=metric)
    made.privatize(EVERYONE)
    copy = pickle.loads(pickle.dumps(made))
    assert not len(copy._rows._cache.kept)
    np.testing.assert_array_equal(copy.integer_weights(EVERYONE), made.integer_weights(EVERYONE))


def test_weights_fall_by_no_more_than_their_steps() -> None:
    steps = [0.3, 1.7, 0.01]
    found = level_weights(steps, np.array([[1, 4, 20, 75], [1, 1, 1, 97]])).weights
    for (first, second), step in zip(pairwise(found), steps, strict=True):
        assert Fraction(first, second) <= Fraction(math.exp(step)) * Fraction(1 + 2**-50)
        assert first / second == pytest.approx(math.exp(step), rel=1e-12)
    with pytest.raises(ParameterError, match="weights must be below"):
        level_weights([60.0], np.array([[1, 9]]))


@pytest.mark.parametrize("epsilon", [200.0, 1e300])
def test_a_huge_epsilon_states_less(epsilon: float) -> None:
    made = metric_exponential(WORDS, epsilon=epsilon, metric=_metric("shared"))
    ratio = worst_integer_ratio(made.integer_weights(EVERYONE))
    assert math.log(ratio.numerator) - math.log(ratio.denominator) <= made.guarantee.epsilon * (1 + 1e-12) < 45
    with pytest.raises(ParameterError, match="epsilon_per_distance must be at most"):
        metric_exponential(WORDS, epsilon_per_distance=epsilon, metric=_metric("shared"))


def test_audits_certify_the_claim_and_refute_a_smaller_one() -> None:
    made = metric_exponential(WORDS, epsilon=4.0, metric=_metric("graph, 3 hops"))
    claim = claim_of(made.guarantee)
    assert audit_channel(made, claim).verdict is Verdict.CERTIFIED
    smaller = claim_of(PureDP(epsilon=3.9, status=Status.CLAIMED))
    assert audit_channel(made, smaller).verdict is Verdict.REFUTED


def test_options_have_a_domain() -> None:
    with pytest.raises(ParameterError, match="exactly one of `epsilon` or `epsilon_per_distance`"):
        metric_exponential(WORDS)
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        metric_exponential(WORDS, epsilon=-1.0)
    with pytest.raises(ParameterError, match="metric must be one of"):
        metric_exponential(WORDS, epsilon=1.0, metric="euclidean")
    with pytest.raises(ParameterError, match="neighbors and hops must be left"):
        metric_exponential(WORDS, epsilon=1.0, metric=_metric("shared"), neighbors=3)
    with pytest.raises(ParameterError, match="metric must be one of the vocabulary's"):
        metric_exponential(made_vocabulary(20), epsilon=1.0, metric=_metric("shared"))
    with pytest.raises(ParameterError, match="metric must be a name or a WordMetric"):
        metric_exponential(WORDS, epsilon=1.0, metric=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="ids must be") as caught:
        metric_exponential(WORDS, epsilon=1.0, metric=_metric("shared")).privatize(np.array([SIZE]))
    assert str(SIZE) not in str(caught.value).replace(f"[0, {SIZE})", "")


def test_the_catalog_makes_it_with_its_options() -> None:
    made = mechanism("metric-exponential", WORDS, epsilon=2.0, metric="neighbor-graph", neighbors=5, hops=4)
    assert json.loads(json.dumps(dict(made.parameters))) == {
        "epsilon": 2.0,
        "metric": "neighbor-graph",
        "distance": "hops between nearest 5, at most 4",
        "neighbors": 5,
        "hops": 4,
    }
    assert isinstance(mechanism("metric-exponential", WORDS).metric, Ultrametric)
    per_distance = mechanism("metric-exponential", WORDS, epsilon_per_distance=0.5)
    assert dict(per_distance.parameters)["epsilon_per_distance"] == 0.5


def test_on_real_vectors_most_outputs_stay_in_the_cell(embedded) -> None:
    """Section 4 of the proof page in numbers: cells close the gap, at the cost of words across their edges."""
    words = Vocabulary(embedded.words[:3000], embedded.vectors[:3000], "part")
    made = metric_exponential(words, epsilon=8.0)
    ids = np.arange(0, 3000, 50)
    own = made.metric.near(ids)
    inside = np.mean([made.probabilities(word)[near.members].sum() for word, near in zip(ids, own, strict=True)])
    assert inside > 0.8
    distinct = [made.probabilities(word)[near.members[1]] for word, near in zip(ids, own, strict=True)]
    assert min(distinct) > 0.5 * max(made.probabilities(word)[word] for word in ids)
