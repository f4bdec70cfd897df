"""Laplace noise in one and two dimensions: closed forms, a second method, and simulation by the real mechanism."""

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from textveil.errors import ParameterError
from textveil.statistics import Bound
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import exact_rank_profile, rank_profile
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.papers.curse.small_dimensions import IntegerLaplace, integer_shares, integer_vocabulary
from textveil_lab.papers.curse.state_map import ANGLES, PlanarLaplace, albers, state_points, state_vocabulary

ALPHA = 1e-6


def covers(bound: Bound, value: float) -> bool:
    return bound.lower <= value <= bound.upper


# One dimension


@pytest.mark.parametrize("rate", [0.02, 0.5, 3.0])
@pytest.mark.parametrize("word", [0, 1, 20, 40])
def test_the_distribution_on_integers_is_that_of_rounding(rate: float, word: int) -> None:
    """Differences of the distribution function at the midpoints, the ends open."""
    distribution = IntegerLaplace(rate, integer_vocabulary(41)).probabilities(word)
    edges = np.concatenate([[-np.inf], np.arange(40) + 0.5, [np.inf]])
    expected = np.diff(stats.laplace(loc=word, scale=1 / rate).cdf(edges))
    np.testing.assert_allclose(distribution, expected, atol=1e-15)
    assert distribution.sum() == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("rate", [50.0, 1500.0, 1e6, 1e308])
def test_a_large_rate_leaves_the_integer_alone(rate: float) -> None:
    """Mutant: the factor of the word itself, e^(rate / 2), is computed and overflows."""
    for word in (0, 5, 10):
        distribution = IntegerLaplace(rate, integer_vocabulary(11)).probabilities(word)
        assert distribution[word] == pytest.approx(1, abs=1e-10) and distribution.sum() == pytest.approx(1, rel=1e-15)
        assert distribution.min() >= 0
        if word == 5:
            assert (
                distribution[4]
                == distribution[6]
                == pytest.approx(math.exp(-rate / 2) / 2 * -math.expm1(-rate), rel=1e-14)
            )


@pytest.mark.parametrize("close", [1, 2, 5, 100])
@pytest.mark.parametrize("rate", [0.05, 0.7, 4.0])
def test_shares_on_all_integers_are_sums_of_the_distribution(rate: float, close: int) -> None:
    def chance(k: int) -> float:
        return float(np.diff(stats.laplace(scale=1 / rate).cdf([k - 0.5, k + 0.5]))[0])

    offsets = [(-1) ** i * -((i + 1) // 2) for i in range(close + 1)]  # 0, 1, -1, 2, -2, ...
    assert sorted(map(abs, offsets)) == [abs(k) for k in offsets]
    got = integer_shares(rate, close)
    assert got.original == pytest.approx(chance(0), abs=1e-14)
    assert got.near == pytest.approx(sum(chance(k) for k in offsets[1:]), abs=1e-13)
    assert sum(got) == pytest.approx(1, rel=1e-14)


def test_in_the_middle_of_many_integers_the_profile_is_the_closed_form() -> None:
    exact = exact_rank_profile(IntegerLaplace(0.3), np.arange(400, 600), close=10)
    expected = integer_shares(0.3, 10)
    assert exact.original.estimate == pytest.approx(expected.original, rel=1e-12)
    assert exact.near.estimate == pytest.approx(expected.near, rel=1e-12)
    assert exact.distant.estimate == pytest.approx(expected.distant, rel=1e-12)


def test_the_mechanism_in_one_dimension_draws_this_distribution_and_not_a_mutant(rng) -> None:
    """At ALPHA an interval; a rate 10 % larger falls outside."""
    table, words = integer_vocabulary(201), np.arange(201)
    mechanism = spherical_laplace(table, epsilon_per_distance=0.5, clip=None)
    got = rank_profile(mechanism, words, draws_per_word=200, close=6, confidence=1 - ALPHA, rng=rng)
    right = exact_rank_profile(IntegerLaplace(0.5, table), words, close=6)
    wrong = exact_rank_profile(IntegerLaplace(0.55, table), words, close=6)
    for part in ("original", "near", "distant"):
        assert covers(getattr(got, part), getattr(right, part).estimate), part
    assert not covers(got.original, wrong.original.estimate)


def test_what_is_not_the_original_is_close_on_integers() -> None:
    """At even odds of the original, fewer than 1 in 10^20 outputs are beyond the hundred nearest."""
    even = integer_shares(2 * math.log(2), 100)
    assert even.original == pytest.approx(0.5)
    assert even.near == pytest.approx(0.5) and even.distant < 1e-20


# Two dimensions


def test_the_states_are_fifty_less_alaska() -> None:
    points = state_points()
    assert len(points) == len({point.code for point in points}) == 50
    assert [point.name for point in points] == sorted(point.name for point in points)
    table = state_vocabulary()
    assert len(table) == 49 and "Alaska" not in table.words and "Hawaii" in table.words
    assert len(state_vocabulary(("AK", "HI"))) == 48 and len(state_vocabulary(())) == 50
    below = [point for point in points if point.code not in ("AK", "HI")]
    assert all(24.5 < point.latitude < 49.4 and -124.8 < point.longitude < -66.9 for point in below)


def test_the_plane_is_that_of_the_manual() -> None:
    """The numerical example of Snyder 1987, appendix A, page 291: these parallels, 35 north and 75 west, radius 1."""
    x, y = albers(35, -75)
    assert x / 6371.0088 == pytest.approx(0.2952720, abs=5e-8)
    assert y / 6371.0088 == pytest.approx(0.2416774, abs=1e-7)


def test_the_plane_keeps_areas() -> None:
    """The area of a small cell is R^2 cos(latitude) d(latitude) d(longitude), in any place."""
    step = 1e-4
    for latitude, longitude in [(25, -81), (37.5, -96), (48, -123), (20, -156), (64, -150)]:
        x, y = albers(latitude, longitude)
        north, east = albers(latitude + step, longitude), albers(latitude, longitude + step)
        area = abs((east[0] - x) * (north[1] - y) - (east[1] - y) * (north[0] - x))
        expected = 6371.0088**2 * math.cos(math.radians(latitude)) * math.radians(step) ** 2
        assert area == pytest.approx(expected, rel=1e-4)


def test_distances_on_the_plane_are_nearly_those_of_the_globe() -> None:
    points = [point for point in state_points() if point.code not in ("AK", "HI")]
    for a in points[::5]:
        for b in points[::7]:
            flat = math.dist(albers(a.latitude, a.longitude), albers(b.latitude, b.longitude))
            one, two = math.radians(a.latitude), math.radians(b.latitude)
            half = math.sin((two - one) / 2) ** 2
            half += math.cos(one) * math.cos(two) * math.sin(math.radians(b.longitude - a.longitude) / 2) ** 2
            round_the_globe = 2 * 6371.0088 * math.asin(math.sqrt(half))
            assert flat == pytest.approx(round_the_globe, rel=0.03, abs=1)


@pytest.mark.parametrize("rate", [0.3, 2.0])
def test_two_points_have_a_closed_form(rate: float) -> None:
    """P(the other) is the tail beyond half the distance of the projection of the noise, a Bessel density."""
    table = Vocabulary(["a", "b"], np.array([[1, 2], [4, 6]], dtype=np.float32), "pair")

    def density(z: float) -> float:
        return rate * (rate * z / 2) * special.kv(1, rate * z) / (math.sqrt(math.pi) * math.gamma(1.5))

    tail = integrate.quad(density, 2.5, np.inf)[0]
    distribution = PlanarLaplace(rate, table).probabilities(0)
    assert distribution[1] == pytest.approx(tail, rel=1e-3, abs=1e-6)
    assert distribution.sum() == pytest.approx(1, rel=1e-12)


def test_the_distribution_on_a_map_by_quadrature_over_the_plane() -> None:
    """A second method: a fine grid of the plane, each cell given to its nearest point."""
    points = np.array([[0, 0], [1, 0.2], [-0.3, 1.1], [2, 2], [-1, -1.5]], dtype=np.float32)
    table, rate, step = Vocabulary(list("abcde"), points, "five"), 1.3, 0.02
    side = np.arange(-14, 14, step) + step / 2
    x, y = np.meshgrid(side, side)
    weights = rate**2 / (2 * math.pi) * np.exp(-rate * np.hypot(x - points[1, 0], y - points[1, 1])) * step**2
    gaps = np.stack([np.hypot(x - px, y - py) for px, py in points.astype(float)])
    expected = np.bincount(gaps.argmin(axis=0).ravel(), weights=weights.ravel(), minlength=5)
    np.testing.assert_allclose(PlanarLaplace(rate, table).probabilities(1), expected, atol=5e-4)


def test_more_directions_change_little() -> None:
    """What ANGLES promises, for a word in the middle, at the edge and far out, at a short and a long noise."""
    table = state_vocabulary()
    for word in ("Kansas", "Maine", "Hawaii", "Rhode Island"):
        for rate in (0.002, 0.02):
            few, many = (
                PlanarLaplace(rate, table, angles=angles).probabilities(table.words.index(word))
                for angles in (ANGLES, 4 * ANGLES)
            )
            assert np.abs(few - many).max() < 2e-5
            assert few.sum() == pytest.approx(1, rel=1e-12) and few.min() >= 0


@pytest.mark.parametrize("rate", [0.0005, 0.007, 0.05])
def test_few_directions_are_enough_for_shares(rate: float) -> None:
    """Means over the states move by less than 2e-5 from 1,024 to 4,096 directions; mutant: from 8."""
    every = np.arange(49)
    rough, few, many = (
        exact_rank_profile(PlanarLaplace(rate, angles=angles), every, close=10) for angles in (8, 1024, ANGLES)
    )
    assert abs(few.near.estimate - many.near.estimate) < 2e-5
    assert abs(few.original.estimate - many.original.estimate) < 2e-5
    assert abs(rough.near.estimate - many.near.estimate) > 2e-5


def test_the_mechanism_on_the_map_draws_this_distribution_and_not_a_mutant(rng) -> None:
    """At ALPHA an interval; a rate 5 % larger falls outside."""
    table, words = state_vocabulary(), np.arange(49)
    mechanism = spherical_laplace(table, epsilon_per_distance=0.008, clip=None)
    got = rank_profile(mechanism, words, draws_per_word=1500, close=5, confidence=1 - ALPHA, rng=rng)
    right = exact_rank_profile(PlanarLaplace(0.008, table), words, close=5)
    wrong = exact_rank_profile(PlanarLaplace(0.0084, table), words, close=5)
    for part in ("original", "near", "distant"):
        assert covers(getattr(got, part), getattr(right, part).estimate), part
    assert not covers(got.original, wrong.original.estimate)
    assert right.near.estimate > 2 * right.distant.estimate  # on a map, what is not the original is mostly close


def test_bad_arguments_are_refused_in_one_line() -> None:
    pair = Vocabulary(["a", "b"], np.array([[1, 2], [1, 2]], dtype=np.float32), "pair")
    for rate in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ParameterError, match="rate must be"):
            IntegerLaplace(rate)
        with pytest.raises(ParameterError, match="rate must be"):
            PlanarLaplace(rate)
        with pytest.raises(ParameterError, match="rate must be"):
            integer_shares(rate, 2)
    with pytest.raises(ParameterError, match="close must be"):
        integer_shares(1.0, 0)
    with pytest.raises(ParameterError, match="size must be"):
        integer_vocabulary(1)
    with pytest.raises(ParameterError, match="integers 0 to n - 1"):
        IntegerLaplace(1.0, pair)
    with pytest.raises(ParameterError, match="without equal points"):
        PlanarLaplace(1.0, pair)
    with pytest.raises(ParameterError, match="points of a plane"):
        PlanarLaplace(1.0, integer_vocabulary(3))
    with pytest.raises(ParameterError, match="angles must be"):
        PlanarLaplace(1.0, angles=4)
    with pytest.raises(ParameterError, match="postal codes"):
        state_vocabulary(("XX",))
    with pytest.raises(ParameterError, match="an id outside"):
        PlanarLaplace(1.0).probabilities(49)
