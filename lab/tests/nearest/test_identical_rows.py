"""Of identical rows the first: by equality of the rows, whatever a matrix product rounds to."""

import numpy as np
import pytest

from textveil_lab.nearest import identical_rows
from textveil_lab.nearest import projection as numpy_search
from textveil_lab.nearest.identical_rows import first_rows
from textveil_lab.nearest.projection import exact_numpy


def brute_force(table: np.ndarray) -> list[int]:
    return [next(other for other in range(len(table)) if np.array_equal(table[other], row)) for row in table]


def found(table: np.ndarray) -> list[int]:
    return first_rows(table)(np.arange(len(table))).tolist()


@pytest.mark.parametrize("block", [1, 7, 2**20])
@pytest.mark.parametrize("values", [1, 2, 5])
def test_first_rows_equal_brute_force(values: int, block: int, rng, monkeypatch) -> None:
    monkeypatch.setattr(identical_rows, "_BLOCK", block)
    table = rng.integers(0, values, size=(150, 3)).astype(np.float32)
    assert found(table) == brute_force(table)


@pytest.mark.parametrize("kinds", [1, 3])
def test_rows_that_share_a_hash_are_told_apart(kinds: int, rng, monkeypatch) -> None:
    monkeypatch.setattr(
        identical_rows, "_hashes", lambda table: np.resize(np.arange(kinds, dtype=np.uint64), len(table))
    )
    table = rng.integers(0, 2, size=(90, 3)).astype(np.float32)
    wanted = []
    for id_, row in enumerate(table):
        # A real hash is equal for equal rows; this one need not be, so only rows of one hash are compared.
        same = [other for other in range(id_ % kinds, len(table), kinds) if np.array_equal(table[other], row)]
        wanted.append(same[0])
    assert found(table) == wanted


def test_zeros_of_either_sign_are_equal_and_neighbors_in_float32_are_not() -> None:
    table = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, np.nextafter(np.float32(1), np.float32(2))]], dtype=np.float32)
    assert found(table) == [0, 0, 2]


def test_a_table_without_identical_rows_keeps_no_map(rng) -> None:
    assert first_rows(rng.normal(size=(500, 4)).astype(np.float32)).first is None
    assert first_rows(np.zeros((1, 3), dtype=np.float32)).first is None


def test_the_first_row_wins_however_the_product_rounds(rng, monkeypatch) -> None:
    """A product whose later columns come out larger, as on some processors those of another part of a kernel do."""
    multiply = np.matmul

    def rounds_later_columns_up(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
        multiply(left, right, out=out)
        out += np.float32(1e-6) * np.arange(out.shape[1], dtype=np.float32)

    table = np.repeat(rng.normal(size=(40, 6)).astype(np.float32), 4, axis=0)[rng.permutation(160)]
    firsts = np.array(brute_force(table))
    monkeypatch.setattr(numpy_search.np, "matmul", rounds_later_columns_up)
    np.testing.assert_array_equal(exact_numpy(table)(table), firsts)
