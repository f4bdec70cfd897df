"""Bounds on what was missed: every sample of every small corpus, exactly; then simulations."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from textveil.certificate.bounds import (
    Bets,
    capture_recapture,
    lower_mean,
    missed_share,
    none_missed_upper,
    pages_still_needed,
    upper_count,
    upper_mean,
    wrong_share,
)
from textveil.certificate.sampling import Sample, draw_order
from textveil.errors import ParameterError

LEVELS = (0.5, 0.7, 0.8, 0.95)
ALPHA = 1e-6  # of each test by simulation


def uniform(population: int, read: int) -> Sample:
    return Sample.of(population, np.arange(read))


# --- exactly


def uncovered(population: int, wrong_after: Callable[[tuple[int, ...], int], bool]) -> float:
    """Largest probability, over corpora of 0 and 1, that a bound is wrong after some number of pages."""
    wrong_at = cache(wrong_after)
    worst = 0.0
    for marked in range(population + 1):
        orders = [order for order in product((0, 1), repeat=population) if sum(order) == marked]
        wrong = sum(any(wrong_at(order[:read], marked) for read in range(population + 1)) for order in orders)
        worst = max(worst, wrong / len(orders))
    return worst


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("population", [1, 2, 5, 8])
def test_bounds_hold_at_all_pages_of_every_small_corpus(population: int, level: float) -> None:
    @cache
    def both(seen: tuple[int, ...]) -> tuple[float, float]:
        values, sample = np.array(seen, dtype=float), uniform(population, len(seen))
        return lower_mean(values, sample, level), upper_mean(values, sample, level)

    slack = 1e-12

    @cache
    def count(seen: tuple[int, ...]) -> int:
        return upper_count(np.array(seen, dtype=float), uniform(population, len(seen)), level)

    assert uncovered(population, lambda seen, m: count(seen) < m) <= 1 - level
    assert uncovered(population, lambda seen, m: both(seen)[1] < m / population - slack) <= 1 - level
    assert uncovered(population, lambda seen, m: both(seen)[0] > m / population + slack) <= 1 - level


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_mutant_with_wrong_probabilities_is_caught(factor: float) -> None:
    """Values that count half or double: the same enumeration finds one of the bounds wrong too often."""

    def wrong(seen: tuple[int, ...], marked: int) -> bool:
        if len(seen) > 6:  # doubled probabilities must stay below 1
            return False
        fair = uniform(8, len(seen))
        values = np.array(seen, dtype=float)
        sample = Sample(8, np.minimum(fair.probabilities * factor, 1.0), fair.smallest * min(1.0, factor))
        mean = marked / 8
        return upper_mean(values, sample, 0.5) < mean - 1e-12 or lower_mean(values, sample, 0.5) > mean + 1e-12

    def truly(seen: tuple[int, ...], marked: int) -> bool:
        values, sample = np.array(seen, dtype=float), uniform(8, len(seen))
        return upper_mean(values, sample, 0.5) < marked / 8 - 1e-12

    assert uncovered(8, wrong) > 0.5 >= uncovered(8, truly)


def sequences(values: Sequence[float], weights: np.ndarray) -> Iterator[tuple[tuple[int, ...], float]]:
    """All orders of pages with their probabilities."""
    for order in permutations(range(len(values))):
        drawn = weights[list(order)]
        yield order, float(np.prod(drawn / np.cumsum(drawn[::-1])[::-1]))


def wrong_by_weights(
    weights: np.ndarray, told: np.ndarray | None, level: float, values: Sequence[float] = (0.0, 1.0)
) -> tuple[float, float]:
    """Largest probability that the upper, and the lower, bound is wrong after some page, over small corpora."""
    population = len(weights)

    @cache
    def both(order: tuple[int, ...], seen: tuple[float, ...]) -> tuple[float, float]:
        sample = Sample.of(population, np.array(order, dtype=np.int64), told)
        read = np.array(seen)
        return lower_mean(read, sample, level), upper_mean(read, sample, level)

    worst = [0.0, 0.0]
    for corpus in product(values, repeat=population):
        mean = sum(corpus) / population
        above = below = 0.0
        for order, probability in sequences(corpus, weights):
            found = [both(order[:n], tuple(corpus[page] for page in order[:n])) for n in range(population + 1)]
            above += probability * any(upper < mean - 1e-12 for _, upper in found)
            below += probability * any(lower > mean + 1e-12 for lower, _ in found)
        worst = [max(worst[0], above), max(worst[1], below)]
    return worst[0], worst[1]


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (1, 2, 4, 8), (1, 1, 1, 20)])
def test_bounds_of_weighted_draws_hold_at_all_pages_of_every_small_corpus(weights: tuple[int, ...]) -> None:
    real = np.array(weights, dtype=float)
    assert max(wrong_by_weights(real, real, 0.6)) <= 0.4
    assert max(wrong_by_weights(real[1:], real[1:], 0.6, (0.0, 0.4, 1.0))) <= 0.4


def test_mutant_that_ignores_weights_is_caught() -> None:
    assert wrong_by_weights(np.array([1.0, 1, 1, 20]), None, 0.6)[0] > 0.4
    assert wrong_by_weights(np.array([1.0, 1, 1, 20]), None, 0.25)[1] > 0.75


def test_wealth_against_the_true_mean_is_fair_in_every_small_corpus() -> None:
    """After each page its expectation is 1, or below where nothing is left; bets against another mean are not fair."""
    weights = np.array([1.0, 3, 2, 1])
    for corpus in product((0.0, 0.4, 1.0), repeat=4):
        mean = sum(corpus) / 4
        expected = np.zeros((3, 5))
        for order, probability in sequences(corpus, weights):
            bets = Bets(np.array(corpus)[list(order)], Sample.of(4, np.array(order), weights))
            logs = bets.below(mean), bets.above(mean), bets.below(mean + 0.1)
            expected += probability * np.exp(np.minimum(logs, 20))  # an impossible mean makes rich without limit
        assert np.all(expected[:2] <= 1 + 1e-9)
        assert np.allclose(expected[0, :3], 1) and expected[2, 2] > 1


def test_whole_corpus_read_leaves_nothing_open() -> None:
    values = np.array([1.0, 0, 0, 0.5])
    assert upper_mean(values, uniform(4, 4)) == lower_mean(values, uniform(4, 4)) == pytest.approx(0.375)
    assert (lower_mean(values[:0], uniform(4, 0)), upper_mean(values[:0], uniform(4, 0))) == (0.0, 1.0)


def test_counts_of_whole_corpora_and_of_worst_cases_lose_nothing_by_rounding() -> None:
    """In floating point 22 * (15 / 22) is below 15, and so is 7 * (1 / 7 + 4 / 7) below 5."""
    for population, misses, left in product(range(1, 47), (1, 13, 15, 30), (0, 4)):
        read = population - left
        if misses <= read:
            values = (np.arange(read) < misses) * 1.0
            assert upper_count(values, uniform(population, read), 1 - 1e-9) == misses + left


def test_one_percent_takes_at_most_330_pages_without_a_miss() -> None:
    for population in (10_000, 10**6):
        assert upper_count(np.zeros(330), uniform(population, 330)) <= 0.01 * population
        assert upper_count(np.zeros(290), uniform(population, 290)) > 0.01 * population
    assert upper_count(np.zeros(211), uniform(500, 211)) == 5


def test_bound_of_draws_with_most_weight_on_few_pages_is_wider() -> None:
    weights = np.where(np.arange(1000) < 100, 9.0, 1.0)
    order = draw_order(1000, np.random.default_rng(3), weights)[:200]
    assert upper_mean(np.zeros(200), Sample.of(1000, order, weights)) > upper_mean(np.zeros(200), uniform(1000, 200))


def test_bound_without_a_miss_is_the_exact_one_and_holds_for_weights() -> None:
    for population, read, level in ((7, 3, 0.5), (50, 20, 0.9), (12_000, 300, 0.95)):
        chances = hypergeom.pmf(0, population, np.arange(population - read + 1), read)
        exact = np.flatnonzero(chances > 1 - level).max()
        assert none_missed_upper(uniform(population, read), level) == exact
    assert (none_missed_upper(uniform(5, 0)), none_missed_upper(uniform(5, 5))) == (5, 0)
    weights = np.array([1.0, 1, 2, 5])

    def wrong(order: tuple[int, ...], told: np.ndarray | None, missed: tuple[int, ...]) -> bool:
        """Whether a bound is below the truth after some page, no miss being seen so far."""
        clean = next((n for n, page in enumerate(order) if page in missed), 4)
        samples = [Sample.of(4, np.array(order[:read], dtype=np.int64), told) for read in range(clean + 1)]
        return any(none_missed_upper(sample, 0.6) < len(missed) for sample in samples)

    worst = [0.0, 0.0]
    for missed in ((0,), (3,), (0, 1), (0, 3), (0, 1, 2)):
        for at, told in enumerate((weights, None)):
            worst[at] = max(worst[at], sum(p for order, p in sequences(weights, weights) if wrong(order, told, missed)))
    assert worst[0] <= 0.4 < worst[1]  # the mutant ignores weights


# --- by simulation


def test_order_follows_the_weights() -> None:
    """The first page and, given it, the second; alpha 1e-6 each. A mutant with the root of the weights dies."""
    rng = np.random.default_rng(5)
    weights = np.array([1.0, 2, 3, 4])
    runs = 5_000

    def first_two(by: np.ndarray) -> tuple[float, float]:
        orders = np.array([draw_order(4, rng, by)[:2] for _ in range(runs)])
        heavy = orders[:, 0] == 3
        first = binom(runs, 0.4)
        second = binom(int(heavy.sum()), 3 / 6)
        found = int(heavy.sum()), int((orders[heavy, 1] == 2).sum())
        return (
            2 * min(first.cdf(found[0]), first.sf(found[0] - 1)),
            2 * min(second.cdf(found[1]), second.sf(found[1] - 1)),
        )

    assert min(first_two(weights)) > ALPHA
    assert min(first_two(np.sqrt(weights))) < ALPHA


def spans_of_a_corpus(rng: np.random.Generator, population: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = rng.poisson(6, population).astype(float)
    return (rng.random(population) < 0.04) * rng.integers(1, 4, population), rng.binomial(found.astype(int), 0.1), found


def test_shares_of_spans_hold() -> None:
    """At level .8, 100 samples: wrong in a fifth at most, with alpha 1e-6. Bounds of half the size die."""
    rng = np.random.default_rng(11)
    missed, wrong, found = spans_of_a_corpus(rng, 600)
    true = missed.sum() / (missed.sum() + found.sum() - wrong.sum()), wrong.sum() / found.sum()
    broken, mutant = np.zeros(2), np.zeros(2)
    for _ in range(100):
        order = draw_order(600, rng)[:300]
        sample = Sample.of(600, order)
        stated = np.array(
            [
                missed_share(missed[order], wrong[order], found, sample, most=3, level=0.8),
                wrong_share(wrong[order], found, sample, level=0.8),
            ]
        )
        broken += stated < true
        mutant += stated / 2 < true
    enough = binom(100, 0.2).isf(ALPHA)
    assert max(broken) <= enough < min(mutant)


def test_shares_without_spans_are_zero_and_unread_ones_one() -> None:
    none = np.zeros(3)
    assert wrong_share(none[:1], none, uniform(3, 1)) == 0.0
    assert missed_share(none, none, none, uniform(3, 3), most=2) == 0.0
    assert missed_share(none[:0], none[:0], none + 1, uniform(3, 0), most=2) == 1.0


def test_pages_still_needed_are_those_it_takes_at_the_rate_seen() -> None:
    assert 310 <= (pages_still_needed(np.zeros(0), uniform(12_000, 0), 0.01) or 0) <= 330
    assert pages_still_needed(np.zeros(330), uniform(12_000, 330), 0.01) == 0
    values = np.zeros(200)
    values[50] = 1
    more = pages_still_needed(values, uniform(12_000, 200), 0.02)
    assert more is not None
    longer = np.concatenate([values, np.zeros(more)])
    longer[299::200] = 1  # as many as before
    stated = [upper_count(longer[:read], uniform(12_000, read)) for read in (199 + more, 200 + more)]
    assert stated[1] <= 240 < stated[0]
    assert pages_still_needed(np.ones(10), uniform(100, 10), 0.01) is None


def test_two_readers_estimate_what_both_overlooked() -> None:
    estimate = capture_recapture(60, 50, 40)
    assert estimate.estimate == pytest.approx(20 * 10 / 41)
    assert estimate.lower < 5 < estimate.upper
    assert capture_recapture(0, 0, 0).upper == math.inf
    assert capture_recapture(5, 3, 0).upper == math.inf
    assert capture_recapture(5, 5, 5).lower == 0 < capture_recapture(5, 5, 5).upper


# --- what is refused


@pytest.mark.parametrize(
    "call",
    [
        lambda: upper_mean(np.array([0.0, 2.0]), uniform(5, 2)),
        lambda: upper_mean(np.array([0.0, math.nan]), uniform(5, 2)),
        lambda: upper_mean(np.zeros(3), uniform(5, 2)),
        lambda: lower_mean(np.zeros(2), uniform(5, 2), 0.0),
        lambda: none_missed_upper(uniform(5, 1), 1.0),
        lambda: upper_count(np.array([0.5]), uniform(5, 1)),
        lambda: pages_still_needed(np.array([0.5]), uniform(5, 1), 0.01),
        lambda: pages_still_needed(np.zeros(2), uniform(5, 2), 0.0),
        lambda: missed_share(np.zeros(2), np.zeros(2), np.zeros(5), uniform(5, 2), most=0),
        lambda: missed_share(np.zeros(2), np.zeros(2), np.zeros(4), uniform(5, 2), most=1),
        lambda: missed_share(-np.ones(2), np.zeros(2), np.zeros(5), uniform(5, 2), most=1),
        lambda: wrong_share(np.zeros(1), np.ones(5), uniform(5, 2)),
        lambda: capture_recapture(1, 2, 2),
        lambda: capture_recapture(-1, 2, 0),
        lambda: Sample.of(3, np.array([0, 0])),
        lambda: Sample.of(3, np.array([3])),
        lambda: Sample.of(3, np.array([0]), np.ones(2)),
        lambda: Sample.of(3, np.array([0]), np.array([1.0, 0, 1])),
        lambda: Sample.of(2, np.array([0]), np.array([1.0, 1e-9])),
        lambda: Sample(3, np.array([0.2]), np.array([0.3])),
        lambda: Sample(3, np.array([0.5]), np.array([0.4])),
        lambda: draw_order(0, np.random.default_rng(0)),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call: Callable[[], object]) -> None:
    with pytest.raises(ParameterError) as error:
        call()
    assert "\n" not in str(error.value) and "must be" in str(error.value)
