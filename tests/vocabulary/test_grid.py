"""The integer grid: exact inner products, exact selection with its ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil.vocabulary.grid import IntegerGrid, by_falling_score, integer_grid, largest, nested_limit
from textveil.vocabulary.vocabulary import Vocabulary


def _vocabulary(vectors: np.ndarray) -> Vocabulary:
    return Vocabulary([f"w{i}" for i in range(len(vectors))], vectors.astype(np.float32), "made")


@pytest.mark.parametrize("dim", [1, 2, 7, 300, 1024])
def test_inner_products_are_exact_integers(dim: int, rng) -> None:
    grid = integer_grid(_vocabulary(rng.normal(size=(30, dim)) * 10.0 ** rng.integers(-3, 4, size=(30, 1))))
    integers = grid.values.astype(np.int64).astype(object)
    exact = integers @ integers.T
    found = grid.inner_products(np.arange(30))
    assert [[int(value) for value in row] for row in found] == exact.tolist()
    assert max(abs(value) for row in exact for value in row) < 2**53


def test_the_embedded_grid_is_exact_in_float32(embedded: Vocabulary) -> None:
    grid = integer_grid(embedded)
    assert grid.values.dtype == np.float32
    some = np.arange(0, len(embedded), 997)
    exact = grid.values[some].astype(np.int64) @ grid.values.astype(np.int64).T
    np.testing.assert_array_equal(grid.inner_products(some).astype(np.int64), exact)


def test_short_fractions_lie_on_the_grid_exactly() -> None:
    vectors = np.array([[0.5, -2.25, 3.0], [1024.0, 0.125, 7.0], [0.0, 0.0, 0.0]])
    grid = integer_grid(_vocabulary(vectors))
    np.testing.assert_array_equal(grid.values * grid.scales[:, None], vectors)


def test_a_zero_row_is_no_trouble() -> None:
    grid = integer_grid(_vocabulary(np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])))
    assert grid.neighborhoods(np.arange(3), 2).shape == (3, 2)


def test_values_that_could_round_are_refused() -> None:
    with pytest.raises(ParameterError, match="small enough for exact inner products"):
        IntegerGrid(values=np.full((2, 300), 300, np.float32), scales=np.ones(2), lengths=np.ones(2))


@given(
    st.integers(1, 4),
    st.integers(1, 900),
    st.integers(2, 60),
    st.integers(0, 2**32 - 1),
    st.data(),
)
@settings(deadline=None, max_examples=150)
def test_selection_equals_a_stable_sort_with_many_ties(
    batch: int, n: int, levels: int, seed: int, data: st.DataObject
) -> None:
    """Of both signs, zero and minus zero among them, and in both types."""
    size = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    scores = (rng.integers(-levels, levels, size=(batch, n)) * 0.1).astype(
        data.draw(st.sampled_from([np.float32, float]))
    )
    scores[rng.random(scores.shape) < 0.1] = -0.0
    scores[:, rng.integers(n)] = np.inf
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :size]
    np.testing.assert_array_equal(by_falling_score(scores, size), expected)
    np.testing.assert_array_equal(np.sort(largest(scores, size), axis=1), np.sort(expected, axis=1))
    if size <= nested_limit(n):
        np.testing.assert_array_equal(largest(scores, size), expected)


def test_selection_without_ties_at_vocabulary_size(rng) -> None:
    scores = rng.normal(size=(8, 33_860)).astype(np.float32)
    for size in (1, 2, 67, 500, 529, 530, 5000):
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :size]
        np.testing.assert_array_equal(np.sort(largest(scores, size), axis=1), np.sort(expected, axis=1))
        np.testing.assert_array_equal(by_falling_score(scores, size), expected)


def test_a_word_is_in_its_own_neighborhood(embedded: Vocabulary) -> None:
    ids = np.arange(0, len(embedded), 501)
    sets = integer_grid(embedded).neighborhoods(ids, 5)
    assert (sets == ids[:, None]).any(axis=1).all()
    assert all(len(set(row)) == 5 for row in sets.tolist())


def test_the_size_of_a_neighborhood_is_checked(embedded: Vocabulary) -> None:
    with pytest.raises(ParameterError, match="size must be between"):
        integer_grid(embedded).neighborhoods(np.array([0]), 0)


def test_a_word_is_in_its_own_neighborhood_even_among_twins() -> None:
    vectors = np.tile(np.array([[1.0, 2.0, 2.0]]), (60, 1))
    sets = integer_grid(_vocabulary(vectors)).neighborhoods(np.arange(60), 3)
    assert (sets == np.arange(60)[:, None]).any(axis=1).all()
