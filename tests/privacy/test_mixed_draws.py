"""Draws of several kinds together, against all outcomes of their worst pairs in exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest

from textveil.privacy import mixed_draws
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP
from textveil.privacy.mixed_draws import Kind, mixed_epsilon

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


def test_a_delta_below_what_is_trimmed_takes_the_closed_form() -> None:
    assert mixed_epsilon([Kind(0.1, 5000), Kind(0.2, 5000)], 1e-40) == math.inf
    total = Accountant().compose(PureDP(epsilon=0.1), 5000).compose(PureDP(epsilon=0.2), 5000)
    assert total.optimal(1e-6).approximate().epsilon < total.optimal(1e-40).approximate().epsilon < 1500
