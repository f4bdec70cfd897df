"""The best channel by a formula and by a linear program: against each other, the known limit, and a dense program."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from textveil_lab.numerics.optimal_exactly import MOST_PAIRS, Exact, of_identity, of_program


def value(found: Exact, utilities: np.ndarray, prior: np.ndarray, epsilon: float) -> float:
    """The mean utility of the best rows over q: a knapsack each."""
    total, most = 0.0, found.base * math.expm1(epsilon)
    for row, weight in zip(utilities, prior, strict=True):
        left, gained = 1 - found.base.sum(), float(found.base @ row)
        for output in np.argsort(-row, kind="stable"):
            taken = min(left, most[output])
            gained, left = gained + taken * row[output], left - taken
        assert left < 1e-9
        total += weight * gained
    return total


def bound(found: Exact, utilities: np.ndarray, prior: np.ndarray, epsilon: float) -> float:
    left = utilities - found.levels[:, None]
    raised = left + math.expm1(epsilon) * np.maximum(left, 0)
    return float(prior @ found.levels) + max(0.0, float((prior @ raised).max()))


def dense(utilities: np.ndarray, prior: np.ndarray, epsilon: float) -> float:
    """The definition: max of the mean utility over rows with P(y | x) <= e^epsilon P(y | x')."""
    n = len(utilities)
    ratios, sums = [], []
    for y in range(n):
        for x in range(n):
            for other in range(n):
                if x != other:
                    line = np.zeros((n, n))
                    line[x, y], line[other, y] = 1, -math.exp(epsilon)
                    ratios.append(line.ravel())
    for x in range(n):
        line = np.zeros((n, n))
        line[x] = 1
        sums.append(line.ravel())
    program = linprog(
        -(prior[:, None] * utilities).ravel(), np.array(ratios), np.zeros(len(ratios)), np.array(sums), np.ones(n)
    )
    return -program.fun


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 6.0])
def test_the_program_is_the_best_of_all_channels(rng, epsilon: float) -> None:
    for _ in range(6):
        prior = rng.dirichlet(np.ones(5))
        tied = rng.integers(0, 2, (5, 5)).astype(float)
        for utilities in (rng.normal(size=(5, 5)), tied, np.eye(5)[[0, 0, 2, 2, 4]]):
            found = of_program(utilities, prior, epsilon)
            assert found is not None
            best = dense(utilities, prior, epsilon)
            assert value(found, utilities, prior, epsilon) == pytest.approx(best, abs=1e-7)
            assert bound(found, utilities, prior, epsilon) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 12.0])
def test_the_formula_is_the_best_for_the_identity(rng, epsilon: float) -> None:
    from textveil_lab.numerics.guarantee_limits import unchanged_limit_of_prior

    for _ in range(20):
        n = int(rng.integers(2, 9))
        prior, gains, rest = rng.dirichlet(np.full(n, 0.4)) + 1e-9, rng.uniform(0.1, 5, n), rng.normal(size=n)
        utilities = rest[:, None] + np.diag(gains)
        found = of_identity(gains, rest, prior, epsilon)
        reached = value(found, utilities, prior, epsilon)
        assert bound(found, utilities, prior, epsilon) == pytest.approx(reached, rel=1e-9, abs=1e-12)
        program = of_program(utilities, prior, epsilon)
        assert program is not None
        assert value(program, utilities, prior, epsilon) == pytest.approx(reached, rel=1e-5, abs=1e-5)
        kept = of_identity(np.ones(n), np.zeros(n), prior / prior.sum(), epsilon)
        limit = unchanged_limit_of_prior(prior / prior.sum(), epsilon)
        assert value(kept, np.eye(n), prior / prior.sum(), epsilon) == pytest.approx(limit, rel=1e-9)


def test_words_that_are_alike_count_as_one(rng) -> None:
    """Two hundred words of three kinds are solved at once; as many different ones are too many."""
    kinds = rng.integers(0, 3, 200)
    utilities = rng.normal(size=(3, 3))[np.ix_(kinds, kinds)]
    prior = rng.dirichlet(np.ones(200))
    found = of_program(utilities, prior, 2.0)
    assert found is not None
    assert value(found, utilities, prior, 2.0) == pytest.approx(bound(found, utilities, prior, 2.0), abs=1e-7)
    assert MOST_PAIRS < 200 * 200 and of_program(rng.normal(size=(200, 200)), prior, 2.0) is None


def test_caps_are_kept_and_cost_something(rng) -> None:
    prior, caps = rng.dirichlet(np.ones(6)), np.ones(6)
    caps[:2] = 0.01
    free, held = of_program(np.eye(6), prior, 2.0), of_program(np.eye(6), prior, 2.0, caps)
    assert free is not None and held is not None
    assert (held.base <= caps + 1e-9).all()
    assert value(held, np.eye(6), prior, 2.0) <= value(free, np.eye(6), prior, 2.0) + 1e-9
    assert of_program(np.eye(6), prior, 2.0, np.full(6, 1e-9)) is None  # rows would not reach 1
