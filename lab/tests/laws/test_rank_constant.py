"""The constant of the rank resampling by a criterion, against sums written out on a small vocabulary."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws import rank_constant as module
from textveil_lab.laws.rank_constant import (
    Criterion,
    calibrate_rank_constant,
    compare_with_exponential,
    constants_by_last_rank,
    geometric_ranks,
)
from textveil_lab.mechanisms.additive.perturb_project import RankResampling
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.channels.exponential import exponential
from textveil_lab.papers.curse.small_dimensions import integer_vocabulary
from textveil_lab.vocabulary.grid_distances import distances_on

BOTH = [Criterion.MEAN_DISTANCE, Criterion.MEAN_RANK]


def sorted_distances(vocabulary: Vocabulary) -> np.ndarray:
    """Row x: distances of all words from x, smallest (its own, 0) first."""
    points = vocabulary.vectors.astype(np.float64)
    return np.sort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)


def exponential_distributions(rows: np.ndarray, epsilon: float) -> np.ndarray:
    weights = np.exp(-epsilon * rows / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def fix_distribution(constant: float, epsilon: float, size: int) -> np.ndarray:
    weights = np.array([math.exp(-constant * epsilon * i) for i in range(size)])
    return weights / weights.sum()


def divergence(first: np.ndarray, second: np.ndarray) -> float:
    return float((first * np.log(first / second)).sum())


def test_least_squares_of_log_probabilities_by_brute_force(tiny) -> None:
    """The general solver on every (word, rank) with an intercept for each word, at any epsilon."""
    epsilon, close, rows = 1.7, 9, sorted_distances(tiny)
    design = np.zeros((40 * close, 41))
    wanted = np.empty(40 * close)
    for word in range(40):
        for rank in range(1, close + 1):
            line = word * close + rank - 1
            design[line, 0], design[line, 1 + word] = -epsilon * rank, 1.0
            wanted[line] = math.log(exponential_distributions(rows, epsilon)[word, rank])
    solved = np.linalg.lstsq(design, wanted, rcond=None)[0][0]
    got = calibrate_rank_constant(tiny, close=close)
    assert got.value == pytest.approx(solved, rel=1e-5)
    assert got.target == got.achieved == pytest.approx(2 * got.value)
    assert (got.words, got.close, got.epsilon_per_distance) == (40, close, None)


@pytest.mark.parametrize("epsilon", [0.5, 1.5, 4.0])
@pytest.mark.parametrize("criterion", BOTH)
def test_matched_means_by_brute_force(tiny, criterion: Criterion, epsilon: float) -> None:
    rows = sorted_distances(tiny)
    distributions, ranks = exponential_distributions(rows, epsilon), np.arange(40)
    got = calibrate_rank_constant(tiny, criterion=criterion, epsilon_per_distance=epsilon)
    fix = fix_distribution(got.value, epsilon, 40)
    if criterion is Criterion.MEAN_DISTANCE:
        wanted, met = (distributions * rows).sum(axis=1).mean(), (rows @ fix).mean()
        wrong = (rows @ fix_distribution(got.value * 1.05, epsilon, 40)).mean()
    else:
        wanted, met = (distributions @ ranks).mean(), fix @ ranks
        wrong = fix_distribution(got.value * 1.05, epsilon, 40) @ ranks
    assert got.target == pytest.approx(wanted, rel=1e-5)
    assert got.achieved == pytest.approx(got.target, rel=1e-9)
    assert met == pytest.approx(wanted, rel=1e-5)
    assert wrong != pytest.approx(wanted, rel=1e-3)  # the mutant: 5 % off shows


def test_the_mean_rank_has_the_least_divergence(tiny) -> None:
    distribution = exponential_distributions(sorted_distances(tiny), 1.2).mean(axis=0)
    best = calibrate_rank_constant(tiny, criterion=Criterion.MEAN_RANK, epsilon_per_distance=1.2).value
    least = divergence(distribution, fix_distribution(best, 1.2, 40))
    for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0):
        assert divergence(distribution, fix_distribution(best * factor, 1.2, 40)) > least


@pytest.mark.parametrize("criterion", BOTH)
def test_a_stated_target_is_met(tiny, criterion: Criterion) -> None:
    got = calibrate_rank_constant(tiny, criterion=criterion, epsilon_per_distance=3.0, target=2.5)
    assert got.target == 2.5 and got.achieved == pytest.approx(2.5, rel=1e-9)
    larger = calibrate_rank_constant(tiny, criterion=criterion, epsilon_per_distance=3.0, target=3.0)
    assert larger.value < got.value  # farther means less decay
    half = calibrate_rank_constant(tiny, criterion=criterion, epsilon_per_distance=1.5, target=2.5)
    assert half.value == pytest.approx(2 * got.value, rel=1e-9)  # what counts is c times epsilon


def test_on_a_line_the_slope_is_known() -> None:
    """From the middle of evenly spaced integers neighbors are 1, 1, 2, 2, ...: half a unit a rank, c near 1/4."""
    got = calibrate_rank_constant(integer_vocabulary(401), ids=np.array([200]), close=100)
    assert got.value == pytest.approx(0.25, rel=1e-3)
    assert got.words == 1


def test_words_and_clip_are_those_that_are_named(tiny) -> None:
    units = Vocabulary(tiny.words, tiny.vectors / np.linalg.norm(tiny.vectors, axis=1, keepdims=True), "units")
    clipped = calibrate_rank_constant(tiny, close=9, clip=1.0, ids=np.arange(10))
    assert clipped.value == pytest.approx(calibrate_rank_constant(units, close=9, ids=np.arange(10)).value, rel=1e-5)
    assert clipped.words == 10


def test_blocks_change_nothing_but_the_order_of_sums(monkeypatch) -> None:
    table = made_vocabulary(120)
    whole = calibrate_rank_constant(table, criterion=Criterion.MEAN_RANK, epsilon_per_distance=1.0)
    monkeypatch.setattr(module, "_SCORES", 120 * 7)
    seen: list[tuple[int, int | None]] = []
    parts = calibrate_rank_constant(
        table,
        criterion=Criterion.MEAN_RANK,
        epsilon_per_distance=1.0,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert seen[0] == (7, 120) and seen[-1] == (120, 120)


def test_the_sample_is_evenly_spaced_and_the_same_every_time(monkeypatch) -> None:
    table = made_vocabulary(120)
    monkeypatch.setattr(module, "SAMPLED_WORDS", 30)
    got = calibrate_rank_constant(table, close=9)
    assert got == calibrate_rank_constant(table, close=9, ids=np.arange(0, 120, 4))


def test_the_comparison_is_both_distributions_written_out(tiny) -> None:
    rows = sorted_distances(tiny)
    distributions = exponential_distributions(rows, 1.3)
    got = compare_with_exponential(tiny, rank_constant=0.2, epsilon_per_distance=1.3, close=6)
    fix = fix_distribution(0.2, 1.3, 40)
    np.testing.assert_allclose(got.resampling, fix, rtol=1e-12)
    np.testing.assert_allclose(got.exponential, distributions.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(got.distances, rows.mean(axis=0), rtol=1e-5, atol=1e-5)
    assert got.resampling_distance == pytest.approx((rows @ fix).mean(), rel=1e-5)
    assert got.exponential_distance == pytest.approx((distributions * rows).sum(axis=1).mean(), rel=1e-5)
    assert got.total_variation == pytest.approx(np.maximum(fix - distributions.mean(axis=0), 0).sum(), rel=1e-5)
    assert got.exponential_shares.near == pytest.approx(distributions[:, 1:7].sum(axis=1).mean(), rel=1e-5)
    assert sum(got.resampling_shares) == pytest.approx(1) and sum(got.exponential_shares) == pytest.approx(1)
    assert got.resampling_shares.original == pytest.approx(fix[0])


def test_the_exponential_distribution_is_the_mechanism_s(tiny) -> None:
    """The catalog's exponential mechanism, at the rate that it keeps after room for rounding."""
    channel = exponential(tiny, epsilon_per_distance=1.3, clip=1.0)
    grid = integer_grid(tiny)
    by_rank = np.zeros(40)
    for word in range(40):
        row = distances_on(grid, np.array([word]), 1.0)[0]
        by_rank += channel.probabilities(word)[np.argsort(row, kind="stable")] / 40
    got = compare_with_exponential(tiny, rank_constant=0.2, epsilon_per_distance=1.3, close=6, clip=1.0)
    np.testing.assert_allclose(got.exponential, by_rank, rtol=1e-5)


def test_the_geometric_distribution_is_what_the_mechanism_draws(tiny, rng) -> None:
    """Chi-square at alpha 1e-6; the mutant, a decay 10 % larger, dies."""
    decay, draws = 0.15, 40_000
    counts = np.bincount(RankResampling(integer_grid(tiny), None, decay).ranks(draws, rng), minlength=40)

    def p_value(distribution: np.ndarray) -> float:
        return float(stats.chisquare(counts, distribution * draws).pvalue)

    assert p_value(geometric_ranks(decay, 40)) > 1e-6
    assert p_value(geometric_ranks(decay * 1.1, 40)) < 1e-6


def test_the_constant_goes_into_the_mechanism(tiny) -> None:
    got = calibrate_rank_constant(tiny, criterion=Criterion.MEAN_DISTANCE, epsilon_per_distance=2.0)
    mechanism = spherical_laplace(tiny, epsilon_per_distance=2.0, clip=None, rank_constant=got.value)
    assert mechanism.parameters["rank_decay"] == pytest.approx(got.value * 2.0)
    reached = sorted_distances(tiny).mean(axis=0) @ geometric_ranks(mechanism.parameters["rank_decay"], 40)
    assert reached == pytest.approx(got.target, rel=1e-5)


def test_what_cannot_be_met_is_refused_in_one_line(tiny) -> None:
    mean, rank = BOTH
    with pytest.raises(ParameterError, match="None for LOG_PROBABILITIES"):
        calibrate_rank_constant(tiny, epsilon_per_distance=1.0, close=9)
    with pytest.raises(ParameterError, match="None for LOG_PROBABILITIES"):
        calibrate_rank_constant(tiny, target=1.0, close=9)
    with pytest.raises(ParameterError, match="a number for the other criteria"):
        calibrate_rank_constant(tiny, criterion=mean)
    with pytest.raises(ParameterError, match="close must be between 2 and 39"):
        calibrate_rank_constant(tiny)
    with pytest.raises(ParameterError, match="epsilon_per_distance must be finite"):
        calibrate_rank_constant(tiny, criterion=mean, epsilon_per_distance=math.nan)
    for target in (0.0, 19.5, math.nan):
        with pytest.raises(ParameterError, match="target must be above"):
            calibrate_rank_constant(tiny, criterion=rank, epsilon_per_distance=1.0, target=target)
    with pytest.raises(ParameterError, match="target must be above"):  # it never moves
        calibrate_rank_constant(tiny, criterion=mean, epsilon_per_distance=5000.0)
    flat = Vocabulary(list("abcd"), np.eye(4, dtype=np.float32), "simplex")
    with pytest.raises(ParameterError, match="distances grow with rank"):
        calibrate_rank_constant(flat, close=3)
    with pytest.raises(ParameterError, match="at least one word"):
        calibrate_rank_constant(tiny, close=9, ids=np.empty(0, dtype=np.int64))
    with pytest.raises(ParameterError, match="rank_constant must be"):
        compare_with_exponential(tiny, rank_constant=0.0, epsilon_per_distance=1.0, close=5)


def test_constants_by_the_last_rank_are_those_of_separate_fits() -> None:
    vocabulary = made_vocabulary(60)
    lasts = (2, 7, 40)
    constants, distances = constants_by_last_rank(vocabulary, lasts)
    assert constants == pytest.approx([calibrate_rank_constant(vocabulary, close=last).value for last in lasts])
    assert distances == pytest.approx(sorted_distances(vocabulary).mean(axis=0)[:41], rel=1e-5)
    slope = np.polyfit(np.arange(1, 8), distances[1:8], 1)[0]
    assert constants[1] == pytest.approx(slope / 2)
    for lasts in ((1,), (60,), ()):
        with pytest.raises(ParameterError, match="between 2 and 59"):
            constants_by_last_rank(vocabulary, lasts)
