"""Rank profiles: exact ones against enumeration, simulated ones against exact ones, and the interval itself."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.mechanisms.randomized_response import randomized_response
from textveil.statistics import Bound, clopper_pearson
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws import rank_profile as module
from textveil_lab.laws.rank_profile import (
    exact_rank_profile,
    mean_probability,
    rank_edges,
    rank_profile,
    rank_profiles,
    ranks_around,
)
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.channels.exponential import exponential
from textveil_lab.papers.curse.small_dimensions import integer_vocabulary

ALPHA = 1e-6
"""Chance that one interval of a simulated profile misses, where this file says so."""


def brute_rank(vectors: np.ndarray, x: int, y: int) -> int:
    """Words strictly nearer to x than y is, ties to the lower id; x itself comes first."""
    gaps = np.linalg.norm(vectors.astype(np.float64) - vectors[x].astype(np.float64), axis=1)
    order = sorted(range(len(vectors)), key=lambda i: (i != x, round(float(gaps[i]), 9), i))
    return order.index(y)


def covers(bound: Bound, value: float) -> bool:
    return bound.lower <= value <= bound.upper


def test_ranks_are_the_brute_force_ones(tiny) -> None:
    grid = integer_grid(tiny)
    everyone = np.tile(np.arange(40), (40, 1))
    got = ranks_around(grid, np.arange(40), everyone)
    assert got.tolist() == [[brute_rank(tiny.vectors, x, y) for y in range(40)] for x in range(40)]


def test_ties_and_twins_have_decided_ranks() -> None:
    grid = integer_grid(integer_vocabulary(9))
    assert ranks_around(grid, np.array([4]), np.arange(9)[None]).tolist() == [[7, 5, 3, 1, 0, 2, 4, 6, 8]]
    vectors = np.array([[0, 1], [3, 0], [3, 0], [3, 0]], dtype=np.float32)
    twins = integer_grid(Vocabulary(list("abcd"), vectors, "twins"))
    assert ranks_around(twins, np.array([2, 3]), np.tile(np.arange(4), (2, 1))).tolist() == [[3, 1, 0, 2], [3, 1, 2, 0]]


def test_blocks_and_repeated_words_change_nothing(tiny, rng, monkeypatch) -> None:
    grid, words = integer_grid(tiny), rng.integers(0, 40, size=90)
    outputs = rng.integers(0, 40, size=(90, 7))
    whole = ranks_around(grid, words, outputs, 1.0)
    monkeypatch.setattr(module, "_SCORES", 1)
    np.testing.assert_array_equal(whole, ranks_around(grid, words, outputs, 1.0))


@pytest.mark.parametrize("n", [2, 3, 40, 101, 102, 33_860])
def test_edges_tile_the_ranks(n: int) -> None:
    for close in {1, min(n - 1, 7), min(n - 1, 100)}:
        edges = rank_edges(n, close)
        assert edges[0] == 0 and edges[1] == 1 and edges[-1] == n
        assert close + 1 in edges and (np.diff(edges) > 0).all()


@pytest.mark.parametrize("make", [lambda v: exponential(v, epsilon=6.0), lambda v: randomized_response(v, epsilon=3.0)])
def test_exact_profiles_are_sums_over_ranks(tiny, make) -> None:
    channel = make(tiny)
    words, clip = np.array([0, 5, 5, 22]), channel.parameters.get("clip")
    vectors = tiny.vectors if clip is None else tiny.vectors / np.linalg.norm(tiny.vectors, axis=1, keepdims=True)
    by_rank = np.zeros(40)
    for word in words:
        for y, p in enumerate(channel.probabilities(int(word))):
            by_rank[brute_rank(vectors, int(word), y)] += p / len(words)
    got = exact_rank_profile(channel, words, close=6)
    assert got.original.estimate == pytest.approx(by_rank[0], rel=1e-12)
    assert got.near.estimate == pytest.approx(by_rank[1:7].sum(), rel=1e-12)
    assert got.distant.estimate == pytest.approx(by_rank[7:].sum(), rel=1e-12)
    assert got.original.confidence == 1.0 and got.draws_per_word is None and got.words == 4
    np.testing.assert_allclose(got.shares, np.add.reduceat(by_rank, got.edges[:-1]), rtol=1e-12)
    assert got.shares.sum() == pytest.approx(1, rel=1e-12)


def test_simulation_agrees_with_the_exact_profile_and_not_with_a_mutant(tiny, rng) -> None:
    """At ALPHA an interval; the mutant ranks outputs around another word, and the near share gives it away."""
    channel, words = exponential(tiny, epsilon=8.0), np.arange(40)
    exact = exact_rank_profile(channel, words, close=5)
    got = rank_profile(channel, words, draws_per_word=500, close=5, confidence=1 - ALPHA, rng=rng)
    for part in ("original", "near", "distant"):
        assert covers(getattr(got, part), getattr(exact, part).estimate), part
    assert got.shares.sum() == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(got.shares, exact.shares, atol=0.02)
    drawn = channel.privatize(np.repeat(words, 500), rng).reshape(40, 500)
    around_another = ranks_around(integer_grid(tiny), np.roll(words, 1), drawn, 1.0)
    mutant = mean_probability(int(np.count_nonzero((around_another > 0) & (around_another <= 5))), 20_000, 1 - ALPHA)
    assert not covers(mutant, exact.near.estimate)


def test_several_mechanisms_at_once_are_each_themselves(tiny, rng) -> None:
    channels = [exponential(tiny, epsilon=epsilon) for epsilon in (2.0, 12.0)]
    got = rank_profiles(channels, np.arange(40), draws_per_word=400, close=5, confidence=1 - ALPHA, rng=rng)
    for channel, profile in zip(channels, got, strict=True):
        assert covers(profile.original, exact_rank_profile(channel, np.arange(40), close=5).original.estimate)
    assert got[0].original.upper < got[1].original.lower


def test_shares_of_draws_do_not_change_the_profile(tiny, monkeypatch) -> None:
    monkeypatch.setattr(module, "_DRAWS", 30)
    seen: list[tuple[int, int | None]] = []
    channel = exponential(tiny, epsilon=8.0)
    got = rank_profile(
        channel,
        np.arange(40),
        draws_per_word=300,
        close=5,
        confidence=1 - ALPHA,
        rng=np.random.default_rng(2),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert covers(got.near, exact_rank_profile(channel, np.arange(40), close=5).near.estimate)
    assert seen[-1] == (40, 40) and len(seen) == 40


def test_noise_in_many_dimensions_leaves_out_the_neighbors_and_the_resampling_brings_them_in() -> None:
    """The claim of the paper, on 600 made-up words in 200 dimensions: what is not the original is distant."""
    table = made_vocabulary(600, 200)
    rng, words = np.random.default_rng(8), np.arange(600)
    plain, fixed = (
        rank_profile(
            spherical_laplace(table, epsilon_per_distance=1.8, clip=None, rank_constant=constant),
            words,
            draws_per_word=4,
            close=20,
            rng=rng,
        )
        for constant in (None, 0.1)
    )
    moved = plain.near.estimate + plain.distant.estimate
    assert plain.original.lower > 0.5 and moved > 0.2 and plain.near.upper < 0.2 * moved
    assert fixed.near.lower > 5 * plain.near.upper


def test_ranks_follow_the_mechanism_s_clip_or_the_one_asked_for(tiny) -> None:
    channel = exponential(tiny, epsilon=5.0)  # clips to 1
    same = exact_rank_profile(channel, np.arange(40), close=5, clip=1.0)
    other = exact_rank_profile(channel, np.arange(40), close=5, clip=None)
    default = exact_rank_profile(channel, np.arange(40), close=5)
    np.testing.assert_array_equal(default.shares, same.shares)
    assert not np.allclose(default.shares, other.shares)
    with pytest.raises(ParameterError, match="the same for all mechanisms"):
        rank_profiles([channel, neighborhood(tiny, epsilon=3.0)], np.arange(4), close=5)
    assert len(rank_profiles([channel, neighborhood(tiny, epsilon=3.0)], np.arange(4), close=5, clip=1.0)) == 2


def poisson_binomial(chances: np.ndarray) -> np.ndarray:
    """P(S = s), by convolution."""
    distribution = np.ones(1)
    for chance in chances:
        distribution = np.convolve(distribution, [1 - chance, chance])
    return distribution


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.99])
def test_the_interval_holds_for_unequal_probabilities(confidence: float, rng) -> None:
    """Exact miss probabilities, by enumeration, over made-up and extreme chances: each side keeps its half."""
    tail = (1 - confidence) / 2
    n = 25
    limits = [mean_probability(s, n, confidence) for s in range(n + 1)]
    cases = [rng.random(n) ** power for power in (0.2, 1, 4, 20) for _ in range(40)]
    cases += [np.array([edge] + [0.0] * (n - 1)) for edge in (tail * 0.9999, tail * 1.001, 0.3, 0.999)]
    cases += [np.array([1.0] * k + [chance] * (n - k)) for k in (1, 12, 24) for chance in (1e-4, 0.1, 0.5, 0.9)]
    for chances in [*cases, *[1 - one for one in cases]]:
        distribution, mean = poisson_binomial(chances), chances.mean()
        below = sum(p for p, limit in zip(distribution, limits, strict=True) if limit.lower > mean + 1e-15)
        above = sum(p for p, limit in zip(distribution, limits, strict=True) if limit.upper < mean - 1e-15)
        assert below <= tail * (1 + 1e-9) and above <= tail * (1 + 1e-9)


def test_clopper_and_pearson_alone_would_miss_too_often() -> None:
    """The mutant: one trial of chance 0.00501 among 49 of chance 0 is below their lower limit whenever it succeeds."""
    tail, n = 0.005, 50
    chance = 0.00501
    assert clopper_pearson(1, n, 0.99).lower > chance / n and chance > tail
    assert mean_probability(1, n, 0.99).lower <= chance / n
    assert mean_probability(n - 1, n, 0.99).upper >= 1 - chance / n
    assert mean_probability(7, n, 0.99) == clopper_pearson(7, n, 0.99)
    with pytest.raises(ParameterError, match="confidence must be"):
        mean_probability(1, 2, 0.5)


def test_bad_arguments_are_refused_in_one_line(tiny) -> None:
    channel, words = exponential(tiny, epsilon=5.0), np.arange(3)
    with pytest.raises(ParameterError, match="close must be between 1 and 39"):
        rank_profile(channel, words)  # 100 close words of 40
    with pytest.raises(ParameterError, match="close must be"):
        exact_rank_profile(channel, words, close=0)
    with pytest.raises(ParameterError, match="draws_per_word must be"):
        rank_profile(channel, words, close=5, draws_per_word=0)
    with pytest.raises(ParameterError, match="at least one word"):
        rank_profile(channel, words[:0], close=5)
    with pytest.raises(ParameterError, match="an id outside"):
        exact_rank_profile(channel, np.array([40]), close=5)
    with pytest.raises(ParameterError, match="or 'mechanism'"):
        exact_rank_profile(channel, words, close=5, clip="units")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="on one vocabulary"):
        rank_profiles([channel, exponential(made_vocabulary(41), epsilon=5.0)], words, close=5)
    with pytest.raises(ParameterError, match="mechanisms must be"):
        rank_profiles([], words, close=5)
