"""The largest stretch of a map over a table: against all pairs, and where rows nearly coincide."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from textveil.errors import ParameterError
from textveil_lab.vocabulary.geometry import largest_stretch


@pytest.mark.parametrize(("count", "dim", "other"), [(2, 1, 1), (40, 8, 3), (1100, 5, 7)])
def test_it_is_the_maximum_over_all_pairs(count: int, dim: int, other: int) -> None:
    made = np.random.default_rng(count)
    before = made.normal(size=(count, dim)).astype(np.float32)
    after = (before @ made.normal(size=(dim, other)) + 3).astype(np.float32)
    wanted = (pdist(after.astype(np.float64)) / pdist(before.astype(np.float64))).max()
    found = largest_stretch(before, after)
    assert wanted <= found * (1 + 1e-15)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_rows_that_nearly_coincide_are_taken_by_their_differences() -> None:
    """Far from zero and 2^-22 apart: squared norms, which are near 2, cannot tell such rows."""
    made = np.random.default_rng(5)
    before = np.concatenate([made.normal(size=(300, 4)), [[1, 1, 0, 0], [1 + 2.0**-22, 1, 0, 0]]]).astype(np.float32)
    after = before[:, :2].copy()
    after[-1] += np.float32(2.0**-20)
    gaps = [after[-1, i].astype(float) - after[-2, i].astype(float) for i in range(2)]
    square = sum(Fraction(gap) ** 2 for gap in gaps) / Fraction(2.0**-22) ** 2
    found = largest_stretch(before, after)
    assert Fraction(found) ** 2 >= square
    assert found == pytest.approx(float(square) ** 0.5, rel=1e-12)
    assert found > 4


def test_equal_rows_must_stay_equal() -> None:
    before = np.array([[0.0], [0.0], [1.0]])
    assert largest_stretch(before, 2 * before) == pytest.approx(2.0)
    assert largest_stretch(before, 0 * before) == 0.0
    with pytest.raises(ParameterError, match="after must be one row for equal rows"):
        largest_stretch(before, np.array([[0.0], [0.5], [1.0]]))


def test_shapes_are_checked_and_progress_is_told() -> None:
    with pytest.raises(ParameterError, match="after must be of as many rows"):
        largest_stretch(np.zeros((3, 2)), np.zeros((4, 2)))
    told: list[tuple[int, int | None]] = []
    rows = np.random.default_rng(1).normal(size=(1500, 2))
    largest_stretch(rows, rows, lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
