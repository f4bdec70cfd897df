"""Distances to the k-th nearest word and the thresholds of equations 18 and 19, against plain loops."""

import numpy as np
import pytest
from tests.helpers.shared import shared_path
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws import neighbors
from textveil_lab.laws.neighbors import (
    neighbor_distances,
    neighbor_geometry,
    neighbors_at_ranks,
    sample_words,
    spread,
)


def named(vectors: np.ndarray) -> Vocabulary:
    return Vocabulary([f"w{i}" for i in range(len(vectors))], vectors, "made")


def sorted_neighbors(vocabulary: Vocabulary, word: int) -> list[tuple[float, int]]:
    """(distance, id) of every other word, nearest first, by a loop in float64."""
    points = vocabulary.vectors.astype(np.float64)
    return sorted((float(np.linalg.norm(points[i] - points[word])), i) for i in range(len(points)) if i != word)


def test_every_rank_of_every_word_is_the_brute_force_one(tiny) -> None:
    ids, distances = neighbors_at_ranks(tiny, np.arange(40), range(1, 40))
    for word in range(40):
        expected = sorted_neighbors(tiny, word)
        assert ids[word].tolist() == [i for _, i in expected]
        np.testing.assert_allclose(distances[word], [d for d, _ in expected], rtol=1e-14)


def test_ranks_may_come_in_any_order_and_twice(tiny) -> None:
    got = neighbor_distances(tiny, np.array([3, 3]), (7, 1, 7))
    expected = [d for d, _ in sorted_neighbors(tiny, 3)]
    np.testing.assert_allclose(got, [[expected[6], expected[0], expected[6]]] * 2, rtol=1e-14)


def test_ties_go_to_the_lower_id() -> None:
    line = named(np.arange(9, dtype=np.float32)[:, None])
    ids, distances = neighbors_at_ranks(line, np.array([4]), (1, 2, 3, 4, 8))
    assert ids.tolist() == [[3, 5, 2, 6, 8]]
    assert distances.tolist() == [[1, 1, 2, 2, 4]]


def test_small_gaps_far_from_the_origin_are_not_lost_in_the_matrix_product() -> None:
    rng = np.random.default_rng(5)
    vectors = rng.normal(scale=1e-3, size=(300, 20))
    vectors[:, 0] = 2.0**14  # scores of 2^27, off by 2^-26 where squared distances differ by less
    far = named(vectors.astype(np.float32))
    ids, distances = neighbors_at_ranks(far, np.arange(300), (1, 2, 150, 299))
    for word in range(300):
        expected = sorted_neighbors(far, word)
        np.testing.assert_allclose(distances[word], [expected[k - 1][0] for k in (1, 2, 150, 299)], rtol=1e-12)
        assert ids[word].tolist() == [expected[k - 1][1] for k in (1, 2, 150, 299)]


def test_duplicates_are_neighbors_at_distance_zero(rng) -> None:
    vectors = rng.normal(size=(12, 5)).astype(np.float32)
    vectors[7] = vectors[2]
    vectors[11] = vectors[10] = vectors[9]
    twins = named(vectors)
    ids, distances = neighbors_at_ranks(twins, np.array([2, 7, 9]), (1, 2))
    assert ids[0, 0] == 7 and ids[1, 0] == 2 and ids[2].tolist() == [10, 11]
    assert distances[:, 0].tolist() == [0, 0, 0] and distances[2, 1] == 0
    geometry = neighbor_geometry(twins, ranks=(2, 3))
    assert geometry.duplicates == 5
    assert np.isfinite(geometry.gaps).all()
    assert geometry.gaps[9, 0] == 0  # its first two neighbors share a vector: no noise tells them apart


def test_clipping_shortens_first(tiny) -> None:
    lengths = np.linalg.norm(tiny.vectors, axis=1, keepdims=True)
    units = named(tiny.vectors / lengths)
    np.testing.assert_allclose(
        neighbor_distances(tiny, np.arange(40), (1, 5), clip=1.0),
        neighbor_distances(units, np.arange(40), (1, 5)),
        rtol=1e-5,
    )


def test_the_size_of_a_block_changes_nothing(monkeypatch) -> None:
    table = made_vocabulary(300, 12)
    whole = neighbor_distances(table, np.arange(300), (1, 17))
    monkeypatch.setattr(neighbors, "_SCORES", 1)
    monkeypatch.setattr(neighbors, "_COLUMNS", 37)
    seen: list[tuple[int, int | None]] = []
    parts = neighbor_distances(table, np.arange(300), (1, 17), progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(whole, parts)
    assert seen[0] == (8, 300) and seen[-1] == (300, 300)


def test_geometry_is_the_formulas_of_the_paper(tiny) -> None:
    geometry = neighbor_geometry(tiny, np.array([0, 13, 39]), ranks=(2, 30))
    points = tiny.vectors.astype(np.float64)
    for row, word in enumerate((0, 13, 39)):
        expected = sorted_neighbors(tiny, word)
        first, x1 = expected[0]
        assert geometry.half_first[row] == pytest.approx(first / 2, rel=1e-14)
        for column, rank in enumerate((2, 30)):
            distance, xk = expected[rank - 1]
            between = np.linalg.norm(points[xk] - points[x1])
            assert geometry.gaps[row, column] == pytest.approx((distance**2 - first**2) / (2 * between), rel=1e-9)
    assert len(geometry.spreads()) == 3
    assert geometry.spreads()[0].mean == pytest.approx(geometry.half_first.mean())


def test_the_thresholds_decide_who_is_nearer(tiny, rng) -> None:
    """Equations 18 and 19: comparing a projection with the threshold is comparing two distances."""
    found, _ = neighbors_at_ranks(tiny, np.arange(40), (1, 9))
    geometry = neighbor_geometry(tiny, ranks=(9,))
    points = tiny.vectors.astype(np.float64)
    for _ in range(50):
        noise = rng.normal(size=8) * rng.exponential(4)
        for word in range(40):
            x1, x9 = points[found[word, 0]], points[found[word, 1]]
            noisy = points[word] + noise
            along = (x1 - points[word]) / np.linalg.norm(x1 - points[word])
            stays = noise @ along <= geometry.half_first[word]
            assert stays == (np.linalg.norm(noisy - points[word]) <= np.linalg.norm(noisy - x1))
            along = (x9 - x1) / np.linalg.norm(x9 - x1)
            ahead = noise @ along <= geometry.gaps[word, 0]
            assert ahead == (np.linalg.norm(noisy - x1) <= np.linalg.norm(noisy - x9))


def test_results_are_read_only(tiny) -> None:
    geometry = neighbor_geometry(tiny, ranks=(2,))
    with pytest.raises(ValueError, match="read-only"):
        geometry.gaps[0, 0] = 1.0


def test_spread_is_numpy_s(rng) -> None:
    values = rng.normal(size=101)
    got = spread(values)
    assert got.mean == pytest.approx(values.mean()) and got.sd == pytest.approx(np.std(values, ddof=1))
    assert got.quantiles[2] == pytest.approx(np.median(values))
    assert spread(np.array([3.0])).sd == 0.0


def test_samples_are_different_words_in_order(tiny, rng) -> None:
    words = sample_words(tiny, 30, rng)
    assert len(np.unique(words)) == 30 and (np.diff(words) > 0).all() and words.max() < 40
    assert sample_words(tiny, 40, rng).tolist() == list(range(40))
    with pytest.raises(ParameterError, match="between 1 and the 40 words"):
        sample_words(tiny, 41, rng)


@pytest.mark.parametrize("ranks", [(0,), (40,), (1, 101), ()])
def test_ranks_outside_the_vocabulary_are_refused(tiny, ranks) -> None:
    with pytest.raises(ParameterError, match="ranks must be"):
        neighbor_distances(tiny, np.array([0]), ranks)


def test_other_bad_arguments_are_refused_in_one_line(tiny) -> None:
    with pytest.raises(ParameterError, match="an id outside"):
        neighbor_distances(tiny, np.array([40]), (1,))
    with pytest.raises(ParameterError, match="clip must be"):
        neighbor_distances(tiny, np.array([0]), (1,), clip=0.0)
    with pytest.raises(ParameterError, match="at least one word"):
        neighbor_geometry(tiny, np.empty(0, dtype=np.int64), ranks=(2,))
    with pytest.raises(ParameterError, match="each 2 or more"):
        neighbor_geometry(tiny, ranks=(1, 3))
    assert neighbor_distances(tiny, np.empty(0, dtype=np.int64), (1, 2)).shape == (0, 2)


@pytest.mark.parametrize(
    ("path", "half", "slack"),
    [
        ("glove-6b-300d-pool-4612", 2.8, 0.1),
        ("glove-6b-50d-10000/glove-6b-50d-10000.txt", 1.33, 0.1),
        ("glove-twitter-25d-11925/glove-twitter-25d-11925.txt", 0.98, 0.05),
    ],
)
def test_half_distances_of_the_subsets_are_near_the_paper_s(path: str, half: float, slack: float) -> None:
    """Table 2 has 2.896, 1.369 and 1.078 on the full tables; 600 words leave a standard error below 0.03."""
    vocabulary = load_vocabulary(shared_path(f"data/vectors/{path}"))
    words = sample_words(vocabulary, 600, np.random.default_rng(3))
    half_first, second, far = neighbor_geometry(vocabulary, words).spreads()
    assert half_first.mean == pytest.approx(half, abs=slack)
    assert second.mean < half_first.mean / 4
    assert second.mean < far.mean < half_first.mean
