"""Distances on the grid: those of float64, their rounding stated, zero rows no trouble."""

from fractions import Fraction

import numpy as np
import pytest

from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.grid_distances import distances_on, rounding_of


def _vocabulary(vectors: np.ndarray) -> Vocabulary:
    return Vocabulary([f"w{i}" for i in range(len(vectors))], vectors.astype(np.float32), "made")


def test_short_fractions_and_zero_rows_are_no_trouble() -> None:
    vectors = np.array([[0.5, -2.25, 3.0], [1024.0, 0.125, 7.0], [0.0, 0.0, 0.0]])
    grid = integer_grid(_vocabulary(vectors))
    longest = float(np.linalg.norm(vectors, axis=1).max())
    assert rounding_of(grid, vectors.astype(np.float32)) == pytest.approx(2.0**-48 * longest, rel=1e-12, abs=0)
    assert np.isfinite(distances_on(grid, np.arange(3), 1.0)).all()


def test_distances_meet_float64_and_clip(rng) -> None:
    vectors = (rng.normal(size=(60, 40)) * rng.uniform(0.01, 3, size=(60, 1))).astype(np.float32)
    grid = integer_grid(_vocabulary(vectors))
    for clip in (None, 1.0):
        points = vectors.astype(np.float64)
        if clip is not None:
            points *= np.minimum(1, clip / np.linalg.norm(points, axis=1, keepdims=True))
        exact = np.linalg.norm(points[:, None] - points[None], axis=2)
        found = distances_on(grid, np.arange(60), clip)
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-7)
        assert (np.diag(found) == 0).all()


def test_the_rounding_is_never_stated_smaller_than_it_is() -> None:
    """By fractions; without the units in the last place of the longest row it would be, for some vectors."""
    short = 0
    for seed in range(20):
        vectors = np.random.default_rng(seed).normal(size=(3, 40)).astype(np.float32)
        grid = integer_grid(_vocabulary(vectors))
        scales = [Fraction(float(scale)) for scale in grid.scales]
        squares = [
            sum((scale * int(value) - Fraction(float(part))) ** 2 for value, part in zip(values, vector, strict=True))
            for scale, values, vector in zip(scales, grid.values, vectors, strict=True)
        ]
        stated, room = Fraction(rounding_of(grid, vectors)), Fraction(2.0**-48 * float(grid.lengths.max()))
        assert (stated - 2 * room) ** 2 < max(squares) <= stated**2
        short += max(squares) > (stated - room) ** 2
    assert short > 0
