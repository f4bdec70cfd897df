import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from textveil.errors import ParameterError
from textveil.vocabulary.facts import neighborhood_sizes, similarity_sums
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.geometry import clip, clipped_diameter, diameter, nearest_neighbors, normalize, pairs
from textveil_lab.vocabulary.geometry.facts import norms
from textveil_lab.vocabulary.geometry.pairs import shortest_distance

METRICS = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}

seeds = st.integers(0, 2**32 - 1)


def table(seed: int, n: int = 90, dim: int = 7, kind: str = "normal") -> np.ndarray:
    """A table of vectors of one shape or another, float32."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, dim))
    if kind == "far":  # a cloud far from the origin
        points = points * 1e-2 + 1e3
    elif kind == "shells":
        points *= rng.exponential(size=(n, 1)) ** 3
    elif kind == "duplicates":
        points = points[rng.integers(0, max(1, n // 3), size=n)]
    elif kind == "corners":  # many pairs tie for the diameter
        points = np.sign(points)
    elif kind == "huge":
        points *= 1e30
    elif kind == "tiny":
        points *= 1e-38
    return points.astype(np.float32)


kinds = st.sampled_from(["normal", "far", "shells", "duplicates", "corners", "huge", "tiny"])


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks in a small table, so that pruning and merging happen."""
    monkeypatch.setattr(pairs, "_GEMM_ROWS", 16)
    monkeypatch.setattr(pairs, "_CITY_ROWS", 16)
    monkeypatch.setattr(pairs, "_RECHECKED", 3)


def test_norms_are_those_of_float64():
    vectors = table(0, kind="shells")
    np.testing.assert_allclose(norms(vectors), np.linalg.norm(vectors.astype(float), axis=1), rtol=1e-14)
    assert norms(np.full((1, 4), 3e38, np.float32))[0] == pytest.approx(6e38)
    assert norms(np.zeros((2, 3), np.float32)).tolist() == [0, 0]


def exact_square(row: np.ndarray) -> Fraction:
    return sum((Fraction(float(x)) ** 2 for x in row), Fraction(0))


@given(seeds, kinds, st.floats(-29, 29))
@settings(deadline=None, max_examples=60)
def test_clipping_never_exceeds_the_norm_and_leaves_short_rows_alone(seed, kind, exponent):
    vectors, bound = table(seed, n=12, kind=kind), 10.0**exponent
    clipped = clip(vectors, bound)
    assert clipped.dtype == np.float32
    assert clipped.flags.c_contiguous
    for before, after in zip(vectors, clipped, strict=True):
        assert exact_square(after) <= Fraction(bound) ** 2
        length = math.sqrt(exact_square(before))
        if length <= bound * (1 - 1e-12):
            np.testing.assert_array_equal(after, before)
        else:
            wanted = before.astype(float) * (bound / length)
            np.testing.assert_allclose(after, wanted, rtol=4e-7, atol=2e-45)


@given(seeds, st.sampled_from(["normal", "shells"]))
@settings(deadline=None, max_examples=10)
def test_clipping_at_a_norm_itself_stays_below_it(seed, kind):
    vectors = table(seed, n=10, dim=300, kind=kind)
    for bound in norms(vectors)[:2]:
        assert all(exact_square(row) <= Fraction(float(bound)) ** 2 for row in clip(vectors, float(bound)))


@pytest.mark.parametrize("bound", [0.0, -1.0, math.nan, math.inf, 1e-31, 1e31])
def test_clipping_norms_out_of_range_are_refused(bound):
    with pytest.raises(ParameterError, match="norm"):
        clip(table(0), bound)


def test_normalized_rows_have_norm_one_and_zero_rows_stay():
    vectors = table(1, kind="shells")
    vectors[3] = 0
    units = normalize(vectors)
    assert units.dtype == np.float32
    assert units[3].tolist() == [0] * 7
    np.testing.assert_allclose(np.delete(norms(units), 3), 1, atol=2**-23)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("order", METRICS)
@pytest.mark.parametrize("kind", ["normal", "far", "shells", "duplicates", "corners", "huge", "tiny"])
@pytest.mark.parametrize("n", [2, 17, 90])
def test_diameters_equal_brute_force_and_never_fall_below(order, kind, n):
    for seed in range(3):
        vectors = table(seed, n=n, kind=kind)
        every = squareform(pdist(vectors.astype(float), METRICS[order]))
        found = diameter(vectors, order)
        assert found.first < found.second
        assert found.value >= every.max()
        assert found.value == pytest.approx(every.max(), rel=1e-12)
        assert every[found.first, found.second] == pytest.approx(every.max(), rel=1e-12)
        assert isinstance(found.value, float)


@given(seeds, kinds, st.integers(2, 40), st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_diameters_of_any_shape(seed, kind, n, dim):
    vectors = table(seed, n=n, dim=dim, kind=kind)
    for order, metric in METRICS.items():
        every = pdist(vectors.astype(float), metric)
        found = diameter(vectors, order)
        assert every.max() <= found.value <= every.max() * (1 + 1e-12)


@pytest.mark.parametrize("order", METRICS)
def test_a_table_of_one_point_has_diameter_zero(order):
    assert diameter(np.full((5, 3), 0.1, np.float32), order) == pairs.Diameter(0.0, 0, 1)


def test_diameters_hold_in_exact_arithmetic():
    """The bound is above the exact distance of the pair, which floats alone could not show."""
    for seed in range(20):
        vectors = table(seed, n=30, dim=5)
        found = diameter(vectors, 2)
        gaps = [
            Fraction(float(a)) - Fraction(float(b)) for a, b in zip(*vectors[[found.first, found.second]], strict=True)
        ]
        assert sum(gap**2 for gap in gaps) <= Fraction(found.value) ** 2
        found = diameter(vectors, 1)
        gaps = [
            Fraction(float(a)) - Fraction(float(b)) for a, b in zip(*vectors[[found.first, found.second]], strict=True)
        ]
        assert sum(abs(gap) for gap in gaps) <= Fraction(found.value)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("kind", ["shells", "normal"])
def test_pruned_blocks_count_as_progress(kind, order):
    calls = []
    diameter(table(0, n=200, kind=kind), order, lambda done, total: calls.append((done, total)))
    assert calls[-1] == (91, 91)
    assert calls == sorted(calls)


def test_pruning_spares_work(small_blocks, monkeypatch):
    counted = []
    whole = pairs._augmented
    monkeypatch.setattr(pairs, "_augmented", lambda rows, swap: counted.append(0) or whole(rows, swap=swap))
    vectors = table(0, n=320, dim=2, kind="shells")
    diameter(vectors, 2)
    assert len(counted) < 60  # all pairs of 20 blocks would take 230


@pytest.mark.parametrize("order", [0, 3, math.nan, -1])
def test_other_orders_are_refused(order):
    with pytest.raises(ParameterError, match="order"):
        diameter(table(0), order)
    with pytest.raises(ParameterError, match="order"):
        clipped_diameter(Vocabulary(["a", "b"], table(0, n=2)), 1.0, order)


def test_one_row_has_no_pairs():
    for measure in (lambda rows: diameter(rows, 2), shortest_distance):
        with pytest.raises(ParameterError, match="2 rows"):
            measure(table(0, n=1))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ["normal", "far", "shells", "duplicates", "corners"])
@pytest.mark.parametrize("n", [2, 17, 90])
def test_the_shortest_distance_equals_brute_force(kind, n):
    for seed in range(3):
        vectors = table(seed, n=n, kind=kind)
        assert shortest_distance(vectors) == pytest.approx(pdist(vectors.astype(float)).min(), rel=1e-12)


@pytest.mark.usefixtures("small_blocks")
def test_a_pair_closer_than_the_matrix_product_can_see_is_found():
    vectors = table(0, n=100, dim=20)
    vectors[83] = vectors[11]
    vectors[83, 4] = np.nextafter(vectors[83, 4], np.float32(9))
    assert shortest_distance(vectors) == abs(float(vectors[83, 4]) - float(vectors[11, 4]))


@pytest.mark.usefixtures("small_blocks")
def test_the_closest_pair_may_lie_in_two_blocks_as_far_apart_as_their_radii():
    """Steps of 1 on both sides of the mean, and one of 1/2 just where the second block of 16 begins."""
    radii = np.array([100.0 - step for step in range(8)] + [92.5 - step for step in range(24)])
    vectors = np.concatenate([radii, -radii])[:, None].astype(np.float32)
    assert shortest_distance(vectors) == 0.5


def brute_neighbors(vectors: np.ndarray, k: int, metric: str) -> np.ndarray:
    far = squareform(pdist(vectors.astype(float), metric))
    np.fill_diagonal(far, -1)
    return np.argsort(far, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 5, 90])
def test_nearest_neighbors_equal_brute_force(metric, k):
    for kind in ("normal", "shells", "far"):
        vectors = table(2, kind=kind) if metric == "euclidean" or kind != "far" else table(2)
        ids = np.array([5, 0, 89, 5])
        found = nearest_neighbors(vectors, ids, k, metric=metric)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, brute_neighbors(vectors, k, metric)[ids])


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_ties_go_to_the_lower_id_and_a_word_is_its_own_first_neighbor(metric):
    vectors = np.repeat(np.eye(3, dtype=np.float32), 4, axis=0)
    found = nearest_neighbors(vectors, np.arange(12), 12, metric=metric)
    for row, neighbors in enumerate(found.tolist()):
        group = [i for i in range(row // 4 * 4, row // 4 * 4 + 4) if i != row]
        rest = [i for i in range(12) if i // 4 != row // 4]
        assert neighbors == [row, *group, *rest]


def test_zero_rows_have_neighbors_too():
    vectors = table(0, n=10)
    vectors[4] = 0
    assert nearest_neighbors(vectors, np.array([4]), 10).tolist() == [[4, 0, 1, 2, 3, 5, 6, 7, 8, 9]]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbors_do_not_depend_on_the_batch(metric, monkeypatch):
    vectors = table(3, n=400, dim=50)
    alone = [nearest_neighbors(vectors, np.array([i]), 40, metric=metric)[0] for i in range(60)]
    together = nearest_neighbors(vectors, np.arange(60), 40, metric=metric)
    np.testing.assert_array_equal(together, alone)
    monkeypatch.setattr("textveil.vocabulary.facts._SCORES", 400 * 10)
    monkeypatch.setattr("textveil.vocabulary.facts._COLUMNS", 37)
    np.testing.assert_array_equal(nearest_neighbors(vectors, np.arange(60), 40, metric=metric), alone)


def test_rounding_decides_near_ties_in_one_way_whatever_the_batch():
    """Permuted rows have equal products with a constant row but for the order of the additions."""
    rng = np.random.default_rng(0)
    row = rng.normal(size=300)
    vectors = np.concatenate(
        [rng.normal(size=(9, 1)) + np.zeros((9, 300)), rng.permuted(np.tile(row, (300, 1)), axis=1)]
    )
    ids = np.arange(9)
    alone = [nearest_neighbors(vectors, np.array([i]), 50)[0] for i in ids]
    np.testing.assert_array_equal(nearest_neighbors(vectors, ids, 50), alone)


@pytest.mark.parametrize("k", [0, 91])
def test_more_neighbors_than_rows_are_refused(k):
    with pytest.raises(ParameterError, match="k must be"):
        nearest_neighbors(table(0), np.array([0]), k)
    with pytest.raises(ParameterError, match="metric"):
        nearest_neighbors(table(0), np.array([0]), 1, metric="manhattan")
    assert nearest_neighbors(table(0), np.array([], dtype=np.int64), 3).shape == (0, 3)


@given(st.integers(2, 5000))
@settings(deadline=None, max_examples=50)
def test_sizes_start_dense_and_end_with_all(n):
    sizes = neighborhood_sizes(n)
    assert sizes.dtype == np.int64
    assert sizes[0] == 1
    assert sizes[-1] == n
    assert (np.diff(sizes) > 0).all()
    assert sizes[: min(n, 512)].tolist() == list(range(1, min(n, 512) + 1))
    assert (sizes[1:] <= np.ceil(np.maximum(sizes[:-1] * 1.02, sizes[:-1] + 1))).all()


def test_similarity_sums_equal_brute_force(monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.facts._SCORES", 100)
    monkeypatch.setattr("textveil.vocabulary.facts._COLUMNS", 32)
    vectors, rows = table(4, n=700), np.array([0, 3, 699, *range(20, 40)])
    units = vectors / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    cosines = -np.sort(-(units[rows] @ units.T), axis=1)
    wanted = np.cumsum(cosines, axis=1).mean(axis=0)[neighborhood_sizes(700) - 1]
    calls = []
    sums = similarity_sums(vectors, rows, lambda done, total: calls.append((done, total)))
    np.testing.assert_allclose(sums, wanted, rtol=1e-6, atol=1e-5)
    assert calls[-1] == (23, 23)


def test_a_zero_row_is_still_similar_to_itself():
    vectors = table(4, n=20)
    vectors[2] = 0
    np.testing.assert_array_equal(similarity_sums(vectors, np.array([2])), np.ones(20))
