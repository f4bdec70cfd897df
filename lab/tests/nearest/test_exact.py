"""Exact nearest word: equal to a brute-force loop, ties to the lower id."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil_lab.nearest.projection import exact_numpy as nearest


def brute_force(vectors: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Distances in float64, one query at a time."""
    rows = vectors.astype(np.float64)
    return np.array([np.argmin(((rows - query) ** 2).sum(axis=1)) for query in queries.astype(np.float64)])


@pytest.mark.parametrize("words", [1, 2, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize("batch", [0, 1, 513, 4095, 4096, 4097])
def test_equals_brute_force_at_every_block_edge(words: int, batch: int, rng) -> None:
    vectors = rng.normal(size=(words, 12)).astype(np.float32)
    queries = rng.normal(size=(batch, 12)).astype(np.float32) * 2
    found = nearest(vectors)(queries)
    assert found.dtype == np.int64
    checked = np.unique(np.linspace(0, max(batch - 1, 0), 200).astype(int))[: len(queries)]
    np.testing.assert_array_equal(found[checked], brute_force(vectors, queries[checked]).astype(np.int64))


@given(st.integers(1, 40), st.integers(1, 6), st.integers(1, 20), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_ties_go_to_the_lower_id(words: int, dim: int, batch: int, seed: int) -> None:
    """On small integers scores are exact, so ties are real ties."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, size=(words, dim)).astype(np.float32)
    queries = rng.integers(-2, 3, size=(batch, dim)).astype(np.float32)
    np.testing.assert_array_equal(nearest(vectors)(queries), brute_force(vectors, queries))


def test_a_search_that_forgets_the_norms_is_noticed(rng) -> None:
    vectors = rng.normal(size=(300, 8)).astype(np.float32) * rng.uniform(0.2, 4, size=(300, 1)).astype(np.float32)
    queries = rng.normal(size=(200, 8)).astype(np.float32)
    mutant = (queries @ vectors.T).argmax(axis=1)
    assert not np.array_equal(mutant, brute_force(vectors, queries))
    np.testing.assert_array_equal(nearest(vectors)(queries), brute_force(vectors, queries))


def test_float64_queries_are_taken(rng) -> None:
    vectors = rng.normal(size=(50, 5)).astype(np.float32)
    queries = rng.normal(size=(9, 5))
    np.testing.assert_array_equal(nearest(vectors)(queries), brute_force(vectors, queries))


@pytest.mark.parametrize("shape", [(3, 4), (5,), (2, 2, 5)])
def test_queries_must_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match=r"queries must be of shape \(batch, 5\)"):
        nearest(np.zeros((4, 5), dtype=np.float32))(np.zeros(shape, dtype=np.float32))


def test_there_must_be_a_word() -> None:
    with pytest.raises(ParameterError, match="vectors"):
        nearest(np.zeros((0, 5), dtype=np.float32))


def test_ties_across_blocks_go_to_the_lower_id(rng) -> None:
    vectors = np.tile(rng.integers(-3, 4, size=(7, 4)).astype(np.float32), (600, 1))
    queries = vectors[4000:4100]
    np.testing.assert_array_equal(nearest(vectors)(queries), brute_force(vectors, queries))


def test_few_queries_take_one_product(rng, monkeypatch) -> None:
    """Threads of a product wait for each other at its end: a product a thousand words would cost many waits."""
    search, queries = nearest(rng.normal(size=(9000, 4)).astype(np.float32)), rng.normal(size=(64, 4))
    widths, product = [], np.matmul

    def counted(left, right, out):
        widths.append(right.shape[1])
        return product(left, right, out=out)

    monkeypatch.setattr(np, "matmul", counted)
    search(queries.astype(np.float32))
    assert widths == [9000]
