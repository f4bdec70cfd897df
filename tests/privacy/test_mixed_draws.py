"""Draws of several kinds together, against all outcomes of their worst pairs in exact fractions."""

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from scipy.stats import binom

from textveil.errors import ParameterError
from textveil.privacy import accountant as mixed_draws
from textveil.privacy.accountant import Accountant, Kind, mixed_epsilon, telling_share
from textveil.privacy.guarantees import ApproximateDP, PureDP

Factor = Fraction

MIXES: list[dict[Factor, int]] = [
    {Fraction(2): 3},
    {Fraction(2): 4, Fraction(3): 3},
    {Fraction(11, 10): 6, Fraction(3, 2): 4, Fraction(9): 1},
    {Fraction(1001, 1000): 5, Fraction(7): 3},
]
"""e^epsilon of a draw, and how many there are."""


def least_factor(mix: dict[Factor, int], delta: Fraction) -> Fraction:
    """The least e^epsilon >= 1 at delta, from every outcome of randomized response for each draw."""
    pairs = [[(f / (1 + f), 1 / (1 + f)), (1 / (1 + f), f / (1 + f))] for f, times in mix.items() for _ in range(times)]
    outcomes = [
        (math.prod((p for p, _ in one), start=Fraction(1)), math.prod((q for _, q in one), start=Fraction(1)))
        for one in itertools.product(*pairs)
    ]
    outcomes.sort(key=lambda pair: pair[0] / pair[1], reverse=True)
    best, likely, rare = Fraction(1), Fraction(0), Fraction(0)
    for p, q in outcomes:
        likely, rare = likely + p, rare + q
        best = max(best, (likely - delta) / rare)
    return best


def kinds_of(mix: dict[Factor, int]) -> list[Kind]:
    return [Kind(math.nextafter(math.log(factor), math.inf), times) for factor, times in mix.items()]


def exact_epsilon(mix: dict[Factor, int], delta: Fraction) -> mpmath.mpf:
    factor = least_factor(mix, delta)
    with mpmath.workdps(40):
        return mpmath.log(mpmath.mpf(factor.numerator) / factor.denominator)


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 1000), Fraction(1, 7)])
def test_the_least_epsilon_is_that_of_all_outcomes_rounded_up(mix: dict[Factor, int], delta: Fraction) -> None:
    found, exact = mixed_epsilon(kinds_of(mix), float(delta)), exact_epsilon(mix, delta)
    assert exact <= found <= exact + 1e-11
    assert mixed_draws.are_counted(kinds_of(mix))


def test_a_grid_is_never_below_all_outcomes_and_rounding_down_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_draws, "OUTCOMES", 1)
    below = set()
    real = mixed_draws.atoms_loss
    for mix, bins in itertools.product(MIXES[1:], (16, 64, 8192)):
        monkeypatch.setattr(mixed_draws, "_BINS", bins)
        exact = float(exact_epsilon(mix, Fraction(1, 1000)))
        monkeypatch.setattr(mixed_draws, "atoms_loss", real)
        found = mixed_epsilon(kinds_of(mix), 1e-3)
        assert exact <= found <= exact * (1 + 3 / bins) + 1e-11
        monkeypatch.setattr(mixed_draws, "atoms_loss", lambda *law, step: real(*law, step=step, upper=False))
        below.add(mixed_epsilon(kinds_of(mix), 1e-3) < exact)
    assert True in below


def test_mixes_cost_less_than_the_moment_bound_said() -> None:
    """And no more than the same draws with every epsilon the largest."""
    for (few, first), (many, second), before in (((0.5, 20), (0.25, 40), 15.2883), ((0.5, 16), (0.25, 40), 13.9317)):
        total = Accountant().compose(PureDP(epsilon=few), first).compose(PureDP(epsilon=many), second)
        found = total.optimal().approximate().epsilon
        assert total.exact and found < before - 0.5
        half = Accountant().compose(PureDP(epsilon=few), first).optimal().approximate().epsilon
        assert half < found < Accountant().compose(PureDP(epsilon=few), first + second).optimal().approximate().epsilon


def test_a_mix_with_too_many_outcomes_is_near_the_same_of_one_epsilon() -> None:
    """Two epsilons a hair apart, 4,000 draws, on a grid: what 4,000 of the larger cost, to a thousandth."""
    total = Accountant().compose(PureDP(epsilon=0.1), 2000).compose(PureDP(epsilon=0.1 + 1e-9), 2000)
    same = Accountant().compose(PureDP(epsilon=0.1 + 1e-9), 4000)
    assert same.exact and not total.exact
    one, other = same.optimal().approximate().epsilon, total.optimal().approximate().epsilon
    assert one * (1 - 1e-6) <= other <= one * 1.001


def test_rows_with_a_base_cost_at_least_what_any_three_of_them_do() -> None:
    """Every outcome of three draws, in fractions, for all triples of pairs of rows; half the share is too little."""
    base, gains = [4, 2, 1, 1], [[4, 2, 0, 0], [0, 2, 2, 2], [3, 0, 1, 2], [6, 0, 0, 0]]
    rows = [[Fraction(b + g, 14) for b, g in zip(base, gain, strict=True)] for gain in gains]
    factor = max(p / q for one, other in itertools.permutations(rows, 2) for p, q in zip(one, other, strict=True))
    kind = Kind(math.log(factor) * (1 + 1e-15), 3, telling_share(math.log(factor), 8 / 14))
    assert 0.5 < kind.share < 1
    for delta in (Fraction(1, 100), Fraction(1, 5)):
        found, worst = mixed_epsilon([kind], float(delta)), 0.0
        for pairs in itertools.combinations_with_replacement(list(itertools.permutations(rows, 2)), 3):
            outcomes = [
                tuple(map(math.prod, zip(*one, strict=True))) for one in itertools.product(*map(_paired, pairs))
            ]
            outcomes.sort(key=lambda pair: pair[0] / pair[1], reverse=True)
            likely = itertools.accumulate(pair[0] for pair in outcomes)
            rare = itertools.accumulate(pair[1] for pair in outcomes)
            worst = max(worst, *(float((p - delta) / q) for p, q in zip(likely, rare, strict=True)))
        assert math.log(worst) <= found < mixed_epsilon([kind._replace(share=1.0)], float(delta))
        assert mixed_epsilon([kind._replace(share=kind.share / 2)], float(delta)) < math.log(worst)


def _paired(rows: tuple[list[Fraction], list[Fraction]]) -> list[tuple[Fraction, Fraction]]:
    return list(zip(*rows, strict=True))


def test_an_accountant_counts_the_base_mass_of_pure_draws_alone() -> None:
    pure, loose = PureDP(epsilon=8.0), ApproximateDP(epsilon=8.0, log_delta=-20.0)
    mass = 10_000 / (math.expm1(8.0) + 10_000)
    found = Accountant().compose(pure, 100, mass).optimal().approximate().epsilon
    assert 300 < found < 400 < Accountant().compose(pure, 100).optimal().approximate().epsilon
    assert Accountant().compose(pure, 100, mass).spent == Accountant().compose(pure, 100).spent
    assert Accountant().compose(loose, 9, mass).optimal() == Accountant().compose(loose, 9).optimal()
    with pytest.raises(ParameterError, match="base_mass"):
        Accountant().compose(pure, 1, 1.5)


def test_a_delta_below_what_is_trimmed_takes_the_closed_form() -> None:
    assert mixed_epsilon([Kind(0.1, 5000), Kind(0.2, 5000)], 1e-40) == math.inf
    total = Accountant().compose(PureDP(epsilon=0.1), 5000).compose(PureDP(epsilon=0.2), 5000)
    assert total.optimal(1e-6).approximate().epsilon < total.optimal(1e-40).approximate().epsilon < 1500


def test_words_of_randomized_response_cost_what_the_page_of_guarantees_says():
    words = 32_698
    base_mass = words / (math.exp(8) + words - 1)
    cost = Accountant().compose(PureDP(epsilon=8.0), 200, base_mass).optimal(1e-6).epsilon
    # A word comes out as itself, at a loss of 8, about as often as it is not drawn from all words: a binomial tail.
    tail = binom.isf(1e-6, 200, (1 - base_mass) * math.exp(8) / (math.exp(8) - 1))
    assert 303 < cost < 304 and abs(cost - 8 * tail) < 16
    assert Accountant().compose(PureDP(epsilon=8.0), 200).optimal(1e-6).epsilon > 1500
