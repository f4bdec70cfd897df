"""The room for rounding in the metric form of the exponential mechanism: what was measured, and each term's need."""

import math

import mpmath
import numpy as np
import pytest

from textveil.types import Vectors
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.exponential import exponential
from textveil_lab.mechanisms.sampling.distance_weights import WeightRows
from textveil_lab.mechanisms.sampling.distance_weights import slip as bound_on_slip
from textveil_lab.vocabulary.geometry import minimum_distance
from textveil_lab.vocabulary.grid_distances import rounding_of

TOP = 2**54


def vocabulary_of(vectors: Vectors) -> Vocabulary:
    return Vocabulary([f"w{row}" for row in range(len(vectors))], np.asarray(vectors, dtype=np.float32), "made")


def terms(vocabulary: Vocabulary, rate: float, top: int) -> dict[str, float]:
    """The terms of the proof's s for this vocabulary, each computed here once more."""
    grid = integer_grid(vocabulary)
    distances = exact_distances(vocabulary)
    rounding = rounding_of(grid, vocabulary.vectors)
    apart = minimum_distance(vocabulary) - 2 * rounding
    longest = float(grid.lengths.max())
    return {
        "floor": 2 / (top * math.exp(-rate * float(distances.max()))),
        "squares": rate * 2.0**-47 * longest**2 / apart,
        "grid": rate * 2 * rounding,
        "floats": 2.0**-48,
    }


def exact_distances(vocabulary: Vocabulary) -> np.ndarray:
    """Distances of the public vectors, to fifty digits."""
    with mpmath.workdps(50):
        points = [[mpmath.mpf(float(value)) for value in row] for row in vocabulary.vectors]
        return np.array([[mpmath.norm([a - b for a, b in zip(x, y, strict=True)]) for y in points] for x in points])


def largest_error(vocabulary: Vocabulary, rate: float, top: int) -> float:
    """max |ln w(x, y) - ln top + rate d(x, y)|, the error that s must cover, by fifty digits."""
    weights = WeightRows(vocabulary, rate=rate, clip=None, top=top, floor=1).weights(np.arange(len(vocabulary)))
    distances = exact_distances(vocabulary)
    with mpmath.workdps(50):
        rows, columns = np.nonzero(~np.eye(len(vocabulary), dtype=bool))
        return float(
            max(
                abs(mpmath.log(int(weights[x, y])) - mpmath.log(top) + mpmath.mpf(rate) * distances[x, y])
                for x, y in zip(rows, columns, strict=True)
            )
        )


def corners(rng: np.random.Generator) -> dict[str, tuple[Vocabulary, float, int]]:
    """Vocabularies, rates and tops where one term carries the bound."""
    line = rng.uniform(5.0, 6.0, size=(40, 1))  # weights of about 2^20 round down to integers
    far = 10.0 + rng.uniform(0, 2**-9, size=(12, 6))  # long vectors close together: squared distances cancel
    coarse = rng.normal(size=(6, 900))  # in many dimensions the grid is coarse
    few = np.array([[0.0], [0.5], [1.0]])  # on the grid, weights next to a top of 60 bits: what is left is exp itself
    return {
        "floor": (vocabulary_of(np.append(line, [[0.0]], axis=0)), 2.7, 2**44),
        "squares": (vocabulary_of(np.round(far * 2**12) / 2**12), 1.0, TOP),
        "grid": (vocabulary_of(coarse), 0.2, TOP),
        "floats": (vocabulary_of(few), 0.0013, 2**60),
    }


@pytest.mark.parametrize("term", ["floor", "squares", "grid", "floats"])
def test_the_room_covers_the_measured_error_and_without_any_of_its_terms_it_does_not(term: str, rng) -> None:
    vocabulary, rate, top = corners(rng)[term]
    parts = terms(vocabulary, rate, top)
    measured = largest_error(vocabulary, rate, top)
    assert measured <= sum(parts.values())
    assert measured > sum(value for name, value in parts.items() if name != term)


def test_the_room_is_the_one_of_the_proof(rng) -> None:
    for vocabulary, rate, top in corners(rng).values():
        parts = terms(vocabulary, rate, top)
        grid = integer_grid(vocabulary)
        rounding = rounding_of(grid, vocabulary.vectors)
        slip = bound_on_slip(
            rate,
            2 / parts["floor"],
            float(grid.lengths.max()),
            minimum_distance(vocabulary) - 2 * rounding,
            rounding,
        )
        assert slip == pytest.approx(sum(parts.values()), rel=1e-12, abs=0)


@pytest.mark.slow
def test_the_rate_pays_four_errors_at_the_least_distance(rng) -> None:
    vocabulary = vocabulary_of(rng.normal(size=(40, 900)))
    made = exponential(vocabulary, epsilon_per_distance=0.2, clip=None)
    top = 1 << (61 - math.ceil(math.log2(40)))
    slip = sum(terms(vocabulary, 0.1, top).values())
    left = 0.2 - 4 * slip / minimum_distance(vocabulary)
    assert made.parameters["epsilon_per_distance"] == pytest.approx(left, rel=1e-12, abs=0)
    assert 4 * slip / minimum_distance(vocabulary) > 1e-9 * 0.2  # visible at that precision
