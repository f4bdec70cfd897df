"""Figures of the curse study against second methods: brute force, quadrature, and the numbers that the paper prints."""

import json
import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import cKDTree
from tests.helpers.shared import shared_path
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.papers.curse.disc import disc_lengths, figure_10, ring_share
from textveil_lab.papers.curse.nearest_geometry import DIMENSIONS, figure_5
from textveil_lab.papers.curse.noise_length import figure_4, largest_gap
from textveil_lab.papers.curse.rank_arrangements import (
    asymmetry,
    both_faults,
    broken_triangles,
    every_rank_table,
    rank_table,
    smallest_arrangement,
)
from textveil_lab.papers.curse.rank_no_metric import _ranks_back_and_onward, figure_7, table_1
from textveil_lab.papers.curse.small_dimensions import (
    CLOSE_DISTANCES,
    closest_rate,
    figure_1,
    integer_shares,
    turning_rates,
)
from textveil_lab.papers.curse.state_map import state_vocabulary
from textveil_lab.papers.curse.two_states import RATE, STATES, figure_3
from textveil_lab.papers.setting import Reproduced, StudySetting

pytest.importorskip("matplotlib")


def setting_of(*vocabularies: Vocabulary, **options: object) -> StudySetting:
    return StudySetting(vocabularies=vocabularies or (made_vocabulary(130),), origin="made", named=True, **options)


def column(table, name: str) -> list:
    position = table.columns.index(name)
    return [row[position] for row in table.rows]


# Figure 1


@pytest.mark.parametrize("rate", [0.02, 0.4, 3.0])
@pytest.mark.parametrize("distance", CLOSE_DISTANCES)
def test_shares_of_a_positive_integer_by_summing_laplace_intervals(rate: float, distance: int) -> None:
    """Rounded to the nearest positive integer, so that all below 1.5 becomes 1; the input is far enough from it."""
    own, most = 2000, 6000
    edges = np.concatenate([[-np.inf], np.arange(1, most) + 0.5, [np.inf]])
    law = np.diff(stats.laplace(own, 1 / rate).cdf(edges))
    away = np.abs(np.arange(1, most + 1) - own)
    summed = [law[away == 0].sum(), law[(away > 0) & (away <= distance)].sum(), law[away > distance].sum()]
    assert np.allclose(integer_shares(rate, 2 * distance), summed, atol=1e-12)


@pytest.mark.parametrize("distance", CLOSE_DISTANCES)
def test_orders_change_where_it_is_said(distance: int) -> None:
    first, second = turning_rates(distance)
    below, between, above = (integer_shares(rate, 2 * distance) for rate in (0.9 * first, 1.1 * first, 1.1 * second))
    assert below.distant > below.near > below.original
    assert between.near > max(between.distant, between.original)
    assert above.original > above.near > above.distant


@pytest.mark.parametrize("distance", CLOSE_DISTANCES)
def test_close_integers_have_their_largest_share_there(distance: int) -> None:
    best = closest_rate(distance)
    around = [integer_shares(best * factor, 2 * distance).near for factor in (0.98, 1.0, 1.02)]
    assert max(around) == around[1]
    assert all(integer_shares(rate, 2 * distance).near <= around[1] for rate in np.geomspace(1e-3, 10, 200))


def test_figure_1_starts_with_distant_and_ends_with_original_integers() -> None:
    table = figure_1(setting_of()).tables[""]
    for distance in CLOSE_DISTANCES:
        rows = [row for row in table.rows if row[0] == distance]
        assert max(rows[0][2:]) == rows[0][4]
        assert max(rows[-1][2:]) == rows[-1][2]
        assert all(math.isclose(sum(row[2:]), 1, rel_tol=1e-7) for row in rows)


# Figure 3


def test_hawaii_comes_back_and_kansas_goes_on() -> None:
    outcome = figure_3(setting_of())
    share = {(row[0], row[1]): row[2] for row in outcome.tables[""].rows}
    assert share["Hawaii", "original"] > 0.99
    assert share["Kansas", "original"] < 0.2
    assert share["Kansas", "close"] > share["Kansas", "distant"] > 0.2
    for state in STATES:
        assert math.isclose(sum(share[state, part] for part in ("original", "close", "distant")), 1, rel_tol=1e-6)
    from_kansas = dict(
        zip(column(outcome.tables["states"], "output"), column(outcome.tables["states"], "from Kansas"), strict=True)
    )
    assert from_kansas["Kansas"] == pytest.approx(share["Kansas", "original"], abs=1e-7)
    assert len(from_kansas) == 49
    assert outcome.tables[""].facts["epsilon per km"] == RATE


@pytest.mark.parametrize("state", STATES)
def test_shares_on_the_map_by_quadrature_over_the_plane(state: str) -> None:
    """A second method: squares of 20 km, each given to the state nearest to its middle."""
    table, step = state_vocabulary(), 20.0
    points = table.vectors.astype(np.float64)
    side = np.arange(-5000, 5000, step) + step / 2
    x, y = np.meshgrid(side, side)
    weights = RATE**2 / (2 * math.pi) * np.exp(-RATE * np.hypot(x, y)) * step**2
    spots = points[table.id_of(state)] + np.stack([x.ravel(), y.ravel()], axis=1)
    summed = np.bincount(cKDTree(points).query(spots)[1], weights=weights.ravel(), minlength=len(points))
    by_state = figure_3(setting_of(quick=True)).tables["states"]
    assert np.allclose(column(by_state, f"from {state}"), summed, atol=2e-3)


# Figure 4


def test_lengths_are_gamma() -> None:
    table = figure_4(setting_of(quick=True)).tables[""]
    for dim, mean, sd, mode, low, high, near in table.rows:
        law = stats.gamma(dim)
        wanted = (law.mean(), law.std(), dim - 1, law.ppf(0.005), law.ppf(0.995))
        assert np.allclose((mean, sd, mode, low, high), wanted, rtol=1e-6)
        assert near == pytest.approx(law.cdf(1.05 * dim) - law.cdf(0.95 * dim), rel=1e-6)


# Figure 5


def test_conditions_say_what_distances_say() -> None:
    table = figure_5(setting_of(quick=True)).tables[""]
    assert [(row[0], row[1]) for row in table.rows] == [(dim, kind) for dim in DIMENSIONS for kind in (1, 2)]
    assert set(column(table, "draws in which condition and distances differ")) == {0}
    for exact, low, high in zip(
        column(table, "P(stays nearer), exact"), column(table, "lower"), column(table, "upper"), strict=True
    ):
        assert low <= exact <= high
        assert high - low < 0.07
    firsts, seconds = ([row[2] for row in table.rows if row[1] == kind] for kind in (1, 2))
    assert np.allclose(firsts, 1.0)  # half of the distance 2
    assert min(seconds) > 0  # x1, at distance 2, is nearer than x2, at 2.5


# Figure 7


def slow_ranks(points: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return [[sum(math.dist(own, one) < math.dist(own, other) for one in points) for other in points] for own in points]


@pytest.mark.parametrize(("dimensions", "side"), [(1, 9), (2, 3)])
def test_the_smallest_arrangement_has_both_faults(dimensions: int, side: int) -> None:
    found = smallest_arrangement(4, dimensions, triangle=True)
    assert found is not None
    a, b, c = found.fault
    ranks = slow_ranks(found.points)
    assert [list(row) for row in found.ranks] == ranks
    assert (ranks[a][b], ranks[b][a], ranks[b][c], ranks[a][c]) == (1, 2, 1, 3)
    assert found.side == side == max(max(axis) - min(axis) for axis in zip(*found.points, strict=True))
    assert found.narrower_broken == 0


def test_the_arrangement_on_a_line() -> None:
    found = smallest_arrangement(4, 1, triangle=True)
    assert found is not None
    assert found.points == ((0,), (2,), (5,), (9,))
    pair = smallest_arrangement(3, 1, triangle=False)
    assert pair is not None
    assert pair.points == ((0,), (1,), (3,))


@pytest.mark.parametrize(("dimensions", "side", "count"), [(1, 9, 26), (2, 3, 10)])
def test_no_narrower_arrangement_breaks_a_triangle(dimensions: int, side: int, count: int) -> None:
    """The whole grid below that side, without the search's own list of cases; shifted copies count once."""
    grid = [
        tuple(int(one) for one in point) for point in np.ndindex(*(side,) * dimensions)
    ]  # coordinates 0 to side - 1
    seen = set()
    for points in combinations(grid, 4):
        gaps = [[math.dist(one, other) for other in points] for one in points]
        if any(len(set(row)) < 4 for row in gaps):
            continue
        low = [min(axis) for axis in zip(*points, strict=True)]
        seen.add(tuple(tuple(one - start for one, start in zip(point, low, strict=True)) for point in points))
        ranks = slow_ranks(points)
        for a, b, c in permutations(range(4), 3):
            assert ranks[a][c] <= ranks[a][b] + ranks[b][c]
    assert len(seen) == count == smallest_arrangement(4, dimensions, triangle=True).narrower


def test_three_points_never_break_a_triangle_and_four_may() -> None:
    three = list(every_rank_table(3))
    assert len(set(three)) == 8
    assert not any(list(broken_triangles(ranks)) for ranks in three)
    assert sum(1 for _ in every_rank_table(4)) == 6**4
    assert any(both_faults(ranks) is not None for ranks in every_rank_table(4))
    assert [asymmetry(ranks) for ranks in every_rank_table(2)] == [None]


def test_ties_have_no_ranks() -> None:
    assert rank_table(((0,), (1,), (2,))) is None
    assert rank_table(((0,), (0,), (5,))) is None
    assert rank_table(((0, 0), (1, 0), (0, 3))) == ((0, 1, 2), (1, 0, 2), (1, 2, 0))


def test_a_search_is_refused_where_it_would_not_end() -> None:
    for arguments in ((6, 1), (1, 1), (4, 3), (4, 0)):
        with pytest.raises(ParameterError, match="between"):
            smallest_arrangement(*arguments, triangle=True)


def test_ranks_back_and_onward_by_brute_force() -> None:
    words = made_vocabulary(60, dim=3)
    points = words.vectors.astype(np.float64)
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    ranks = gaps.argsort(axis=1).argsort(axis=1)
    back, onward = [], []
    for own in range(60):
        first = int(np.flatnonzero(ranks[own] == 1)[0])
        other = next(int(one) for one in gaps[first].argsort()[1:] if one != own)
        back.append(ranks[first, own])
        onward.append(ranks[own, other] - (ranks[first, own] == 1))
        broken = ranks[own, other] > ranks[own, first] + ranks[first, other]
        assert broken == (onward[-1] > 2)
    found = _ranks_back_and_onward(words, np.arange(60))
    assert np.array_equal(found[0], back)
    assert np.array_equal(found[1], onward)


def test_figure_7_has_the_same_ranks_on_a_line_and_in_a_plane() -> None:
    table = figure_7(setting_of(quick=True, sample=30)).tables[""]
    ranks = {(row[0], row[1]): row[3:] for row in table.rows}
    assert all(ranks["line", name] == ranks["plane", name] for name in "abcd")
    assert ranks["line", "a"] == (0, 1, 3, 2)
    assert ranks["line", "b"] == (2, 0, 1, 3)


# Figure 10


def test_rings_have_the_density_of_the_disc(rng) -> None:
    """At 1e-6: lengths of density 2 r / R^2; a uniform length is refuted."""
    assert ring_share(0, 0.5) == 0.25
    assert sum(ring_share(k / 7, (k + 1) / 7) for k in range(7)) == pytest.approx(1)
    lengths = disc_lengths(20_000, rng, radius=3.0)
    assert lengths.min() > 0 and lengths.max() <= 3
    bound = math.sqrt(math.log(2 / 1e-6) / (2 * len(lengths)))  # Dvoretzky, Kiefer, Wolfowitz and Massart
    assert largest_gap(lengths, lambda r: (r / 3) ** 2) < bound
    assert largest_gap(3 * rng.random(20_000), lambda r: (r / 3) ** 2) > bound


def test_figure_10_counts_every_point() -> None:
    table = figure_10(setting_of(quick=True)).tables[""]
    for name in ("density 2r/R^2", "uniform"):
        assert sum(column(table, name)) == pytest.approx(1)
    assert sum(column(table, "share of the area (exact)")) == pytest.approx(1)
    assert column(table, "uniform")[0] > 5 * column(table, "density 2r/R^2")[0]


# Table 1


def test_table_1_holds_the_papers_numbers() -> None:
    printed = json.loads(shared_path("papers/curse.json").read_text(encoding="utf-8"))["table-1"]
    wanted = [(name, dim, words) for name, (dimensions, words) in printed.items() for dim in dimensions]
    assert [row[:3] for row in table_1(setting_of()).tables[""].rows[:-1]] == wanted


def test_table_1_sets_those_at_hand_beside_them() -> None:
    wiki = made_vocabulary(40, dim=50)
    named = Vocabulary(wiki.words, wiki.vectors, "glove.6B.50d")
    outcome = table_1(setting_of(named, made_vocabulary(30)))
    rows = outcome.tables[""].rows
    assert len(rows) == 11
    at = next(row for row in rows if row[:2] == ("GloVe-Wiki", 50))
    assert at[2:5] == (400_000, 40, 1e-4)
    assert rows[-1][:4] == ("none of these", 8, None, 30)
    assert "0 whole and 1 in part" in outcome.judgment.why
    assert outcome.judgment.reproduced is Reproduced.PARTLY
    assert table_1(setting_of()).judgment.reproduced is Reproduced.NO
    assert [one.ours for one in outcome.comparisons].count("not at hand") == 9
