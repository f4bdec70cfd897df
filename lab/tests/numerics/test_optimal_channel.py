"""The search for the optimal channel, against linear programs, random channels and brute force."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from textveil_lab.numerics.optimal_channel import WINDOW, Problem, begun, capped, optimized, search_from
from textveil_lab.numerics.utility_sums import NearestLists, UtilityTable, WholeTable, sample_cuts, upper_bound


class Given:
    """Utilities in an array."""

    def __init__(self, table: np.ndarray) -> None:
        self.table, self.size = table.astype(np.float32), len(table)

    def rows(self, ids: np.ndarray) -> np.ndarray:
        return self.table[ids]


def cosines(size: int, seed: int = 1, dim: int = 6) -> Given:
    points = np.random.default_rng(seed).normal(size=(size, dim))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Given(points @ points.T)


def prior_of(kind: str, size: int) -> np.ndarray:
    prior = np.ones(size) if kind == "flat" else 1 / (np.arange(size) + 3.7)
    return prior / prior.sum()


def problem_of(given: Given, prior: np.ndarray, epsilon: float, table: UtilityTable | None = None) -> Problem:
    return Problem(
        table=WholeTable(given, np.float32) if table is None else table,
        mean_utility=prior @ given.table.astype(np.float64),
        prior=prior,
        epsilon=epsilon,
        spread=1.0,
    )


def best_value(given: Given, prior: np.ndarray, epsilon: float) -> float:
    """The value of the optimal channel, by a linear program over q and the raised parts of all pairs."""
    utilities, lift = given.table.astype(np.float64), np.expm1(epsilon)
    n = len(prior)
    goal = -np.concatenate([prior @ utilities, lift * (prior[:, None] * utilities).ravel()])
    rows = sparse.hstack([np.ones((n, n)), lift * sparse.kron(sparse.eye(n), np.ones((1, n)))]).tocsr()
    within = sparse.hstack([-sparse.kron(np.ones((n, 1)), sparse.eye(n)), sparse.eye(n * n)]).tocsr()
    found = linprog(goal, A_ub=within, b_ub=np.zeros(n * n), A_eq=rows, b_eq=np.ones(n), method="highs")
    assert found.status == 0
    return -float(found.fun)


@pytest.mark.parametrize("kind", ["flat", "zipf"])
@pytest.mark.parametrize(("size", "epsilon"), [(15, 0.3), (30, 1.0), (40, 3.0), (40, 6.0), (25, 10.0)])
def test_value_and_bound_enclose_the_linear_program(kind: str, size: int, epsilon: float) -> None:
    given, prior = cosines(size), prior_of(kind, size)
    problem = problem_of(given, prior, epsilon)
    found = optimized(problem, begun(problem, prior**0.75, 0.3), goal=0.002)
    bound, _ = upper_bound(given, prior, found.best_levels, epsilon)
    exact = best_value(given, prior, epsilon)
    assert problem.value(found.best_base) <= exact * (1 + 1e-5)
    assert exact <= bound * (1 + 1e-7)
    assert bound - found.value <= 0.02 * exact


def test_the_bound_holds_for_any_levels_and_a_lowered_one_does_not() -> None:
    given, prior, epsilon = cosines(20), prior_of("zipf", 20), 2.0
    exact = best_value(given, prior, epsilon)
    for seed in range(30):
        levels = np.random.default_rng(seed).normal(0.5, 0.5, size=20)
        assert upper_bound(given, prior, levels, epsilon)[0] >= exact * (1 - 1e-7)
    problem = problem_of(given, prior, epsilon)
    levels = optimized(problem, begun(problem, prior, 0.3), goal=0.002).best_levels
    bound, proving = upper_bound(given, prior, levels, epsilon)
    assert exact * (1 - 1e-7) <= bound < 1.01 * exact
    # The mutants: without the correction by the largest slope, and with the lift of a smaller epsilon.
    assert float(prior @ (proving - 0.03)) < exact
    assert upper_bound(given, prior, levels, epsilon - 0.2)[0] < exact


@pytest.mark.parametrize("seed", range(5))
def test_no_random_private_channel_is_worth_more_than_the_bound(seed: int) -> None:
    size, epsilon = 25, 2.5
    rng = np.random.default_rng(seed)
    given, prior = cosines(size, seed), prior_of("zipf", size)
    problem = problem_of(given, prior, epsilon)
    found = optimized(problem, begun(problem, prior, 0.3), goal=0.005)
    bound, _ = upper_bound(given, prior, found.best_levels, epsilon)
    for _ in range(50):
        weights = np.exp(rng.uniform(0, epsilon / 2, size=(size, size)))  # normalizers differ by e^(epsilon / 2)
        sharp = np.exp(epsilon / 2 * (given.table > np.quantile(given.table, rng.uniform(0.3, 0.98))))
        for rows in (weights, sharp):
            rows = rows * rng.pareto(1.0, size)
            channel = rows / rows.sum(axis=1, keepdims=True)
            assert np.log(channel.max(axis=0) / channel.min(axis=0)).max() <= epsilon * (1 + 1e-9)
            assert float((prior[:, None] * channel * given.table).sum()) <= bound


def test_lists_and_whole_tables_give_the_same_sums_and_cuts() -> None:
    size = 300
    given, prior = cosines(size), prior_of("zipf", size)
    levels = np.random.default_rng(3).uniform(0.3, 0.9, size)
    base = np.random.default_rng(4).pareto(1.0, size) / 3000
    exact = given.table.astype(np.float64) > levels.astype(np.float32)[:, None]
    over = np.where(exact, given.table - levels[:, None], 0)
    for table in (WholeTable(given, np.float32), WholeTable(given), NearestLists(given, 250)):
        sums = table.sums(levels, base, prior)
        assert sums.raised == pytest.approx(exact @ base, rel=1e-5)
        assert sums.gain == pytest.approx(prior @ over, rel=1e-4, abs=1e-8)
        assert sums.share == pytest.approx(prior @ exact, rel=1e-5, abs=1e-9)
        cuts = table.cuts(base, 0.05)
        for word in (0, 17, 299):
            order = np.argsort(-given.table[word], kind="stable")
            reached = np.cumsum(base[order])
            last = int(np.searchsorted(reached, 0.05))
            parts = np.diff(np.minimum(reached, 0.05), prepend=0.0)
            assert cuts.levels[word] == given.table[word, order[last]]
            assert cuts.lengths[word] == last + 1
            assert cuts.values[word] == pytest.approx(float(parts @ given.table[word, order]), rel=1e-6)
    assert sample_cuts(given, base, 0.05) >= np.median(cuts.lengths)


def test_a_search_goes_on_where_it_was_kept() -> None:
    given, prior = cosines(30), prior_of("flat", 30)
    problem = problem_of(given, prior, 2.0)
    start = begun(problem, prior, 0.3)
    whole = optimized(problem, start, steps=3 * WINDOW, goal=-1.0)
    half = optimized(problem, start, steps=WINDOW + 7, goal=-1.0)
    kept = search_from(half.arrays(), 30)
    assert kept is not None and kept.step == WINDOW + 7
    again = optimized(problem, kept, steps=3 * WINDOW, goal=-1.0)
    assert (again.value, again.bound) == (whole.value, whole.bound)
    assert np.array_equal(again.best_base, whole.best_base)
    assert start.step == 0
    assert search_from(half.arrays(), 31) is None
    assert search_from({**half.arrays(), "levels": np.full(30, np.nan)}, 30) is None
    assert search_from({}, 30) is None


def test_caps_hold_and_cost_value() -> None:
    given, prior = cosines(40), prior_of("zipf", 40)
    problem = problem_of(given, prior, 3.0)
    free = optimized(problem, begun(problem, prior, 0.3), goal=0.005)
    caps = np.ones(40)
    caps[:10] = 1e-4
    found = optimized(capped(problem, caps), begun(problem, prior, 0.3), steps=3 * WINDOW, goal=-1.0)
    assert found.best_base[:10].max() <= 1e-4 * (1 + 1e-9)
    assert found.value < free.value


def test_utilities_kept_as_bytes_lead_to_nearly_the_same_channel() -> None:
    given, prior, epsilon = cosines(200), prior_of("zipf", 200), 3.0
    found = []
    for table in (WholeTable(given, np.float32), WholeTable(given, np.uint8)):
        problem = problem_of(given, prior, epsilon, table)
        search = optimized(problem, begun(problem, prior, 0.3), goal=0.003)
        exact = problem_of(given, prior, epsilon)
        found.append((exact.value(search.best_base), upper_bound(given, prior, search.best_levels, epsilon)[0]))
    (value, bound), (near, other) = found
    assert value == pytest.approx(near, rel=0.004) and bound == pytest.approx(other, rel=0.004)
    assert near < bound and near < other
