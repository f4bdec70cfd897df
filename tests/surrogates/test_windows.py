"""The staircase: its law to the last digit, the width that it takes, and draws by that law."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.numerics.integer_weights import exp_floor
from textveil.surrogates.quantities import Window, best_width, window

ALPHA = 1e-6


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 5.0, 50.0])
@pytest.mark.parametrize(("size", "circle"), [(2, False), (7, True), (25, False)])
def test_the_loss_is_epsilon_at_most_for_any_two_places(size: int, circle: bool, epsilon: float) -> None:
    made = window(size=size, epsilon=epsilon, circle=circle)
    rows = [made.probabilities(place) for place in range(size)]
    assert all(sum(row) == 1 for row in rows)
    most = max(max(column) / min(column) for column in zip(*rows, strict=True))
    bound = Fraction(exp_floor(min(epsilon, 60.0), 1 << 60), 1 << 60) if epsilon else Fraction(1)
    assert most <= bound + Fraction(1, 1 << 60)
    if 0 < epsilon < 20 and made.width < size:
        assert math.log(most) == pytest.approx(epsilon, rel=1e-6)


def _p_value(made: Window, place: int, drawn: list[int]) -> float:
    expected = [float(one) * len(drawn) for one in made.probabilities(place)]
    found = Counter(drawn)
    return float(chisquare([found[other] for other in range(made.size)], expected).pvalue)


@pytest.mark.parametrize(("place", "circle"), [(0, False), (8, False), (11, False), (0, True), (11, True)])
def test_draws_follow_the_law(place: int, circle: bool, rng: np.random.Generator) -> None:
    """The mutant that dies has its window one place further."""
    made = window(size=12, epsilon=1.5, width=3, circle=circle)
    drawn = [made.draw(place, rng) for _ in range(4_000)]
    assert _p_value(made, place, drawn) > ALPHA
    assert _p_value(made, place, [(one + 1) % 12 for one in drawn]) < ALPHA


def test_windows_stay_inside_or_go_round() -> None:
    line, circle = (window(size=10, epsilon=1.0, width=5, circle=round_) for round_ in (False, True))
    assert [line.first(place) for place in (0, 1, 5, 9)] == [0, 0, 3, 5]
    assert [circle.first(place) for place in (0, 5, 9)] == [-2, 3, 7]


@pytest.mark.parametrize(("size", "epsilon", "circle"), [(100, 1.0, False), (100, 3.0, False), (60, 2.0, True)])
def test_no_width_is_nearer_on_the_average(size: int, epsilon: float, circle: bool) -> None:
    middle = size // 2

    def mean_distance(width: int) -> float:
        row = window(size=size, epsilon=epsilon, width=width, circle=True).probabilities(middle)
        apart = [abs(other - middle) for other in range(size)]
        row_far = sum(apart) / size if circle else (size * size - 1) / (3 * size)
        small = float(min(row))
        near = sum(float(one - min(row)) * distance for one, distance in zip(row, apart, strict=True))
        return small * size * row_far + near

    chosen = best_width(size, epsilon, circle=circle)
    assert chosen % 2 == 1
    assert mean_distance(chosen) <= min(map(mean_distance, range(1, size, 2))) + 1e-9


def test_what_is_no_window_is_refused() -> None:
    with pytest.raises(ParameterError, match="width must be between 1 and 10; got 11"):
        window(size=10, epsilon=1.0, width=11)
    with pytest.raises(ParameterError, match="size must be at least 2; got 1"):
        window(size=1, epsilon=1.0)
