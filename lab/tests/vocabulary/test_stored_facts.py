"""Facts that a vocabulary stores of its vectors: they bound what is computed afresh, and serve where they apply."""

import gc
import math
from weakref import ref

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.vocabulary import facts as kept_facts
from textveil.vocabulary.facts import neighborhood_sizes, similarity_sums
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.vocabulary.geometry import (
    clip,
    clipped_diameter,
    farthest_pair,
    mean_neighbor_similarity,
    measured_facts,
    minimum_distance,
    norm_range,
    pairs,
)
from textveil_lab.vocabulary.geometry import facts as geometry
from textveil_lab.vocabulary.geometry.facts import clipped_bound, norms

METRICS = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}


def table(seed: int, n: int = 90, dim: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def vocabulary_of(vectors: np.ndarray, **options) -> Vocabulary:
    return Vocabulary([f"w{i}" for i in range(len(vectors))], vectors, **options)


def test_without_facts_the_curve_is_averaged_over_evenly_spaced_words():
    vectors = table(5, n=1500, dim=4)
    sizes, sums = mean_neighbor_similarity(vocabulary_of(vectors))
    rows = np.array([i * 1500 // 1024 for i in range(1024)])
    np.testing.assert_array_equal(sizes, neighborhood_sizes(1500))
    np.testing.assert_array_equal(sums, similarity_sums(vectors, rows))
    few = vocabulary_of(table(5, n=40))
    np.testing.assert_array_equal(mean_neighbor_similarity(few)[1], similarity_sums(few.vectors, np.arange(40)))


def test_what_is_computed_is_computed_once(monkeypatch):
    vocabulary = vocabulary_of(table(6))
    first = clipped_diameter(vocabulary, 1.0, 2), minimum_distance(vocabulary, 1.0), norm_range(vocabulary)
    sums = mean_neighbor_similarity(vocabulary)[1]
    for name in ("diameter", "shortest_distance", "norms", "similarity_sums"):
        monkeypatch.setattr(geometry, name, None)
    again = clipped_diameter(vocabulary, 1.0, 2), minimum_distance(vocabulary, 1.0), norm_range(vocabulary)
    assert again == first
    sums[:] = 0  # a caller's copy, not the kept one
    assert mean_neighbor_similarity(vocabulary)[1][0] == 1


def test_the_farthest_pair_is_searched_for_once_for_the_same_points(monkeypatch):
    vocabulary = vocabulary_of(table(6))
    points = clip(vocabulary.vectors, 1.0)
    found = farthest_pair(vocabulary, points, 2)
    assert found == pairs.diameter(points, 2)
    other, of_sums = farthest_pair(vocabulary, vocabulary.vectors, 2), farthest_pair(vocabulary, points, 1)
    assert len({found.value, other.value, of_sums.value}) == 3
    monkeypatch.setattr(geometry, "diameter", None)
    assert farthest_pair(vocabulary, points.copy(), 2) == found
    assert clipped_diameter(vocabulary, 1.0, 2) == found.value


@pytest.mark.slow
def test_audits_of_noise_share_the_farthest_pair(monkeypatch):
    vocabulary = vocabulary_of(table(6, dim=4))
    names = ("spherical-laplace", "laplace", "mahalanobis", "pte")

    def audited(epsilon: float) -> list[Verdict]:
        made = (mechanism(name, vocabulary, epsilon=epsilon) for name in names)
        return [audit_mechanism(one, attacks=False).verdict for one in made]

    first = audited(2.0)
    monkeypatch.setattr(geometry, "diameter", None)
    assert audited(7.0) == first == [Verdict.PROVED] * 4


def test_a_vocabulary_that_is_gone_leaves_nothing_behind():
    vocabulary = vocabulary_of(table(7))
    clipped_diameter(vocabulary, 1.0, 2)
    assert vocabulary in kept_facts._MEMORY
    gone = ref(vocabulary)
    del vocabulary
    gc.collect()
    assert gone() is None


def quiet(step: str):
    return None


@pytest.mark.parametrize("dim", [1, 2, 30])
@pytest.mark.parametrize("seed", [0, 1])
def test_stored_facts_bound_what_clipping_really_returns(seed, dim):
    vectors = table(seed, n=60, dim=dim) + np.float32(0.01)
    bare = vocabulary_of(vectors)
    stored = vocabulary_of(vectors, facts=measured_facts(bare, quiet))
    least, greatest = norm_range(stored)
    assert norm_range(bare) == (least, greatest)
    lengths = norms(vectors)
    assert least <= lengths.min() <= least * (1 + 1e-12)
    assert greatest >= lengths.max() >= greatest * (1 - 1e-12)
    clips = [None, least, least * 1e-3, least * 1.5, greatest * 0.9, greatest * (1 + 1e-9), 1e9, 1e-30]
    for bound in clips:
        real = vectors if bound is None else clip(vectors, bound)
        for order, metric in METRICS.items():
            every = pdist(real.astype(float), metric)
            for vocabulary in (stored, bare):
                found = clipped_diameter(vocabulary, bound, order)
                assert every.max() <= found <= every.max() * (1 + 2**-19)
        closest = pdist(real.astype(float)).min()
        tolerance = 0 if bound is None else 2**-20 * bound
        for vocabulary in (stored, bare):
            assert (
                closest * (1 + 1e-12)
                >= minimum_distance(vocabulary, bound)
                >= closest - 2 * tolerance - 1e-12 * closest
            )
    np.testing.assert_allclose(mean_neighbor_similarity(stored)[1], mean_neighbor_similarity(bare)[1])
    np.testing.assert_array_equal(mean_neighbor_similarity(stored)[0], neighborhood_sizes(60))
    assert stored.digest == bare.digest


def test_facts_are_used_where_they_apply_and_only_there(monkeypatch):
    vectors = table(8)
    stored = vocabulary_of(vectors, facts=measured_facts(vocabulary_of(vectors), quiet))
    least, greatest = norm_range(stored)
    asked = []
    monkeypatch.setattr(geometry, "diameter", lambda *given: asked.append(given) or pairs.Diameter(1.0, 0, 1))
    for bound in (None, least, least / 2, greatest * 1.01):
        clipped_diameter(stored, bound, 2)
    assert not asked
    clipped_diameter(stored, least * 1.001, 2)
    assert len(asked) == 1


def test_the_bound_from_unit_vectors_is_their_diameter_times_the_norm():
    assert clipped_bound(1.5, 2.0, 300, 2) == pytest.approx(3.0, rel=1e-6)
    assert clipped_bound(1.5, 2.0, 300, 2) <= 3.0
    assert clipped_bound(0.0, 1.0, 300, 2) > 0  # rounding alone may part two equal directions


@pytest.mark.parametrize("bound", [0.0, -1.0, math.nan, math.inf])
def test_a_clipping_norm_out_of_its_domain_is_refused(bound):
    vocabulary = vocabulary_of(table(0))
    for measure in (lambda: clipped_diameter(vocabulary, bound, 2), lambda: minimum_distance(vocabulary, bound)):
        with pytest.raises(ParameterError, match="clip"):
            measure()


def test_facts_of_a_vocabulary_with_a_zero_vector_are_refused():
    with pytest.raises(ParameterError, match="zero"):
        measured_facts(vocabulary_of(np.eye(4, 3, dtype=np.float32)), quiet)
