"""Amplification by shuffling: the bound against exact laws of small shuffles and the published closed form."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import beta, binom

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.guarantees import MetricDP, PureDP, Status
from textveil_lab.numerics import shuffling
from textveil_lab.numerics.shuffling import ONE_REPORT, shuffled, shuffled_delta

PURE = PureDP(epsilon=2.0, status=Status.PROVED, source="page")


def response(epsilon: float, k: int) -> np.ndarray:
    rows = np.ones((k, k)) + (math.exp(epsilon) - 1) * np.eye(k)
    return rows / rows.sum(axis=1, keepdims=True)


def response_mass(epsilon: float, k: int) -> float:
    return k / (math.expm1(epsilon) + k)


def base_mass_of(rows: np.ndarray) -> float:
    """What all rows have in common."""
    return float(rows.min(axis=0).sum())


def counts_law(rows: np.ndarray, inputs: tuple[int, ...]) -> Counter:
    """The exact law of the counted reports."""
    out: Counter = Counter()
    for reports in itertools.product(range(rows.shape[1]), repeat=len(inputs)):
        out[tuple(sorted(reports))] += math.prod(rows[x, y] for x, y in zip(inputs, reports, strict=True))
    return out


def exact_delta(rows: np.ndarray, epsilon: float, reports: int) -> float:
    """The least delta for one person, over all values of everybody."""
    k = len(rows)
    worst = 0.0
    for others in itertools.combinations_with_replacement(range(k), reports - 1):
        laws = [counts_law(rows, (own, *others)) for own in range(k)]
        for first, second in itertools.permutations(laws, 2):
            worst = max(worst, sum(max(0.0, first[one] - math.exp(epsilon) * second[one]) for one in first))
    return worst


@pytest.mark.parametrize("epsilon_0", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("k", "reports"), [(2, 5), (3, 4), (4, 3), (5, 3)])
def test_the_bound_covers_the_exact_delta_of_randomized_response(epsilon_0: float, k: int, reports: int) -> None:
    rows = response(epsilon_0, k)
    for epsilon in (0.0, 0.2 * epsilon_0, 0.6 * epsilon_0, 0.95 * epsilon_0):
        exact = exact_delta(rows, epsilon, reports)
        own = shuffled_delta(epsilon, epsilon_0, reports, base_mass_of(rows))
        assert exact <= own <= shuffled_delta(epsilon, epsilon_0, reports)


def test_the_base_mass_never_makes_the_bound_larger() -> None:
    """Small epsilons have many clones for any mechanism, large ones many base draws: both bounds hold."""
    smaller = set()
    for epsilon_0, k, reports, share in itertools.product((0.5, 2.0, 4.0), (2, 5, 50, 1000), (10, 1000), (0.05, 0.9)):
        epsilon = share * epsilon_0
        general, both = (shuffled_delta(epsilon, epsilon_0, reports, q) for q in (None, response_mass(epsilon_0, k)))
        assert both <= general
        smaller.add(both < general)
    assert smaller == {True, False}
    report = PureDP(epsilon=0.5)
    assert shuffled(report, 10, 1e-6, response_mass(0.5, 5)).epsilon <= shuffled(report, 10, 1e-6).epsilon


def test_tiny_epsilons_have_a_bound() -> None:
    """One report alone has the exact delta (e^epsilon_0 - 1) / (e^epsilon_0 + 1) at 0."""
    for epsilon_0 in (1e-300, 1e-17, 1e-9):
        for reports, q in ((1, None), (100, None), (100, response_mass(epsilon_0, 4))):
            assert shuffled_delta(0.0, epsilon_0, reports, q) <= epsilon_0 / 2 + 2e-11
        assert shuffled_delta(0.0, epsilon_0, 1) >= math.tanh(epsilon_0 / 2)
        assert math.isfinite(shuffled_delta(epsilon_0 / 2, epsilon_0, 100))


def test_the_bound_is_the_exact_delta_of_two_values_where_others_are_all_clones() -> None:
    """One report alone: nothing is shuffled, and the bound is the least delta of randomized response."""
    for epsilon_0, epsilon in ((1.0, 0.3), (4.0, 2.0)):
        likely = math.exp(epsilon_0) / (1 + math.exp(epsilon_0))
        assert shuffled_delta(epsilon, epsilon_0, 1) == pytest.approx(
            likely - math.exp(epsilon) * (1 - likely), rel=1e-9
        )
        assert shuffled_delta(epsilon_0, epsilon_0, 1) == 0.0


def test_any_channel_is_covered_and_too_many_clones_would_not_be(monkeypatch, rng) -> None:
    """Channels of three values and outputs; the mutant takes twice as many clones as there are."""
    found = []
    for _ in range(12):
        rows = rng.dirichlet(np.ones(3), size=3) * 0.9 + 0.1 / 3
        epsilon_0 = float(np.log(rows.max(axis=0) / rows.min(axis=0)).max())
        for share in (0.1, 0.5):
            exact = exact_delta(rows, share * epsilon_0, 4)
            assert exact <= shuffled_delta(share * epsilon_0, epsilon_0, 4)
            found.append((share * epsilon_0, epsilon_0, exact))
    # A channel with a value that says nothing more than it must: others are clones as rarely as can be.
    ends = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    found += [(one, math.log(8), exact_delta(ends, one, 4)) for one in (0.2, 0.6, 1.0)]
    monkeypatch.setattr(shuffling, "_clones", lambda epsilon_0: min(1.0, 4 * math.exp(-epsilon_0)))
    assert any(exact > shuffled_delta(epsilon, epsilon_0, 4) for epsilon, epsilon_0, exact in found)


def extremal(epsilon_0: float) -> list[np.ndarray]:
    """All channels of three values and at most three outputs, each of two likelihoods, e^epsilon_0 times apart."""
    kinds = list(itertools.product((1.0, math.exp(epsilon_0)), repeat=3))
    found = []
    for chosen in itertools.combinations(kinds, 3):
        likelihoods = np.array(chosen).T
        if abs(np.linalg.det(likelihoods)) > 1e-9:
            base = np.linalg.solve(likelihoods, np.ones(3))
            if (base >= -1e-12).all():
                found.append(likelihoods * np.maximum(base, 0.0))
    return found


@pytest.mark.parametrize("epsilon_0", [0.25, 1.0, 4.0])
def test_no_extremal_channel_exceeds_the_bound_and_two_values_reach_it(epsilon_0: float, monkeypatch) -> None:
    """Dies with a clone's probability that is 1 % larger."""
    channels = extremal(epsilon_0)
    assert len(channels) >= 12
    reached = []
    for reports in (2, 3):
        for epsilon in (0.05 * epsilon_0, 0.6 * epsilon_0):
            exact = max(exact_delta(rows, epsilon, reports) for rows in channels)
            bound = shuffled_delta(epsilon, epsilon_0, reports)
            assert exact <= bound
            reached.append((epsilon, reports, exact))
            if reports == 2:
                assert exact == pytest.approx(bound, rel=1e-9)
    clones = shuffling._clones(epsilon_0)
    monkeypatch.setattr(shuffling, "_clones", lambda _: min(1.0, 1.01 * clones))
    assert all(exact > shuffled_delta(epsilon, epsilon_0, 2) for epsilon, reports, exact in reached if reports == 2)


def _sum_of_steps(share: float, epsilon: float, epsilon_0: float, reports: int) -> float:
    """(p / n) E[(Z_1 + ... + Z_n)+] of the proof, over all numbers of the four values."""
    grown, factor = math.exp(epsilon_0), math.exp(epsilon)
    steps = ((1 - factor / grown, share / (grown + 1)), (1 / grown - factor, share / (grown + 1)))
    steps += ((1 - factor, (1 - share) / grown),)
    law = {0.0: 1.0}
    for _ in range(reports):
        after: dict[float, float] = {}
        for total, likely in law.items():
            for step, chance in (*steps, (0.0, 1 - sum(chance for _, chance in steps))):
                key = round(total + step, 12)
                after[key] = after.get(key, 0.0) + likely * chance
        law = after
    return grown / reports * sum(likely * total for total, likely in law.items() if total > 0)


@pytest.mark.parametrize("reports", [1, 4, 12])
def test_the_step_of_the_proof_is_worst_where_total_variation_is_largest(reports: int) -> None:
    """At the largest total variation it is the bound itself."""
    for epsilon_0, epsilon in ((0.5, 0.1), (2.0, 0.3), (2.0, 1.8), (4.0, 1.0)):
        sums = [_sum_of_steps(share, epsilon, epsilon_0, reports) for share in (0.0, 0.3, 0.7, 0.95, 1.0)]
        assert sums == sorted(sums)
        assert sums[-1] == pytest.approx(shuffled_delta(epsilon, epsilon_0, reports), rel=1e-6, abs=1e-9)


def display(epsilon: float, epsilon_0: float, reports: int, mass: float) -> float:
    """The sum of the proof over all numbers of base draws, one by one."""
    grown, factor = math.exp(epsilon_0), math.exp(epsilon)
    spent = (1 - mass) / (grown - 1)
    each, weight = min(spent, mass - spent), 1.0 if spent <= mass / 2 else grown
    total = 0.0
    for a, b in itertools.product(range(reports + 1), repeat=2):
        for d in range(reports + 1 - a - b):
            ways = math.comb(reports, a) * math.comb(reports - a, b) * math.comb(reports - a - b, d)
            likely = ways * each ** (a + b) * (mass - 2 * each) ** d * (1 - mass) ** (reports - a - b - d)
            gain = (grown - factor) * a - (factor * grown - 1) * b - weight * (factor - 1) * d
            total += likely * max(0.0, gain) / reports
    return total


def neighborhoods(epsilon_0: float, members: int) -> np.ndarray:
    """Rows of five words of which so many next to each other are raised."""
    raised = [[1.0 + (math.exp(epsilon_0) - 1) * ((y - x) % 5 < members) for y in range(5)] for x in range(5)]
    return np.array(raised) / sum(raised[0])


@pytest.mark.parametrize("epsilon_0", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("members", [1, 2, 3, 4])
def test_base_draws_cover_the_exact_delta_of_neighborhoods(epsilon_0: float, members: int, monkeypatch) -> None:
    """Also where cells hold many numbers; and what is summed is the display of the proof, but for cells."""
    rows = neighborhoods(epsilon_0, members)
    mass, exact = base_mass_of(rows), {}
    for epsilon in (0.3 * epsilon_0, 0.8 * epsilon_0):
        exact[epsilon] = exact_delta(rows, epsilon, 3)
        summed = shuffling._base_draws(epsilon_0, 3, mass).delta(epsilon)
        rounding = 1e-11 * math.exp(epsilon_0)
        assert exact[epsilon] <= summed == pytest.approx(display(epsilon, epsilon_0, 3, mass), rel=1e-8, abs=rounding)
    monkeypatch.setattr(shuffling, "_CELLS", 2)
    shuffling._base_draws.cache_clear()
    for epsilon in exact:
        for reports in (3, 12):
            coarse = shuffling._base_draws(epsilon_0, reports, mass).delta(epsilon)
            assert coarse >= display(epsilon, epsilon_0, reports, mass) * (1 - 1e-9)
    shuffling._base_draws.cache_clear()


def test_uneven_gains_over_uneven_base_weights_are_covered_and_more_base_mass_would_not_be(rng) -> None:
    base = np.array([5.0, 3.0, 1.0, 1.0])
    short = []
    for epsilon_0 in (2.0, 5.0):
        most = base * (math.exp(epsilon_0) - 1)
        spent = 0.5 * most.min()
        rows = []
        for _ in range(4):
            shares = rng.dirichlet(np.ones(4)) * spent
            rows.append(base + np.minimum(shares, most) + (spent - np.minimum(shares, most).sum()) * base / base.sum())
        table = np.array(rows) / rows[0].sum()
        mass = base.sum() / rows[0].sum()
        for epsilon in (0.1, 0.5 * epsilon_0):
            exact = exact_delta(table, epsilon, 4)
            assert exact <= shuffling._base_draws(epsilon_0, 4, mass).delta(epsilon)
        tight = response(epsilon_0, 4)
        short.append(exact_delta(tight, 0.1, 3) > shuffled_delta(0.1, epsilon_0, 3, (1 + base_mass_of(tight)) / 2))
    assert all(short)


def test_a_thousand_people_gain_at_epsilon_8() -> None:
    assert 0.4108 < shuffled(PureDP(epsilon=4.0), 10_000, 1e-6).epsilon < 0.4109
    report = PureDP(epsilon=8.0)
    assert shuffled(report, 1000, 1e-6).epsilon == 8.0
    assert 2.6 < shuffled(report, 1000, 1e-6, response_mass(8.0, 10_000)).epsilon < 2.75


@pytest.mark.parametrize(("epsilon_0", "reports"), [(1.0, 10_000), (2.0, 10_000), (4.0, 10**6)])
def test_it_is_smaller_than_the_published_closed_form(epsilon_0: float, reports: int) -> None:
    """Theorem 3.1 of Feldman, McMillan and Talwar 2021."""
    delta = 1e-6
    grown = math.exp(epsilon_0)
    published = math.log1p(
        (grown - 1) / (grown + 1) * (8 * math.sqrt(grown * math.log(4 / delta) / reports) + 8 * grown / reports)
    )
    made = shuffled(PureDP(epsilon=epsilon_0, status=Status.PROVED, source="page"), reports, delta)
    assert made.epsilon < published
    assert shuffled_delta(made.epsilon, epsilon_0, reports) <= delta
    assert shuffled_delta(made.epsilon * 0.999, epsilon_0, reports) > delta


def test_more_reports_cost_less_and_nothing_costs_more_than_one_report() -> None:
    costs = [shuffled(PURE, reports, 1e-6).epsilon for reports in (1, 10, 100, 1000, 10**5)]
    assert costs == sorted(costs, reverse=True) and costs[0] == pytest.approx(2.0, rel=1e-5) and costs[-1] < 0.1
    assert shuffled(PURE, 10**5, 1e-6, response_mass(2.0, 50)).epsilon <= costs[-1]
    made = shuffled(PURE, 1000, 1e-6)
    assert (made.adjacency, made.status, made.source) == (ONE_REPORT, Status.PROVED, shuffling.PROOF)
    claimed = shuffled(PureDP(epsilon=2.0, status=Status.CLAIMED, source="theirs"), 1000, 1e-6)
    assert (claimed.status, claimed.source) == (Status.CLAIMED, "theirs")


def test_bad_input_is_refused() -> None:
    with pytest.raises(UnsupportedGuarantee, match=r"needs a pure guarantee of one report; got .* Take its worst_case"):
        shuffled(MetricDP(epsilon_per_distance=1.0, metric="euclidean", diameter=2.0), 10, 1e-6)
    for arguments, message in (
        ((PURE, 0, 1e-6), "reports must be between 1 and 100,000,000; got 0"),
        ((PURE, 10, 1.0), r"delta must be in \(0, 1\)"),
        ((PURE, 10, 1e-6, 0.1), "base_mass must be None for any mechanism, or between e"),
        ((PURE, 10, 1e-6, 1.5), "base_mass must be None for any mechanism, or between e"),
        ((PureDP(epsilon=0.0), 10, 1e-6), "epsilon_0 must be between 0 and 700"),
    ):
        with pytest.raises(ParameterError, match=message):
            shuffled(*arguments)
    with pytest.raises(ParameterError, match="epsilon must be finite and >= 0"):
        shuffled_delta(-1.0, 1.0, 10)


def third_values(epsilon: float, epsilon_0: float, k: int, reports: int) -> float:
    """The exact delta of k-ary randomized response where all others have one value, which the person never has."""
    grown, factor = math.exp(epsilon_0), math.exp(epsilon)
    rare, total = 1 / (grown + k - 1), 0.0
    raised = np.arange(reports + 1)
    for number, chance in zip(raised, binom.pmf(raised, reports, 2 * rare), strict=True):
        if chance < 1e-18:
            continue
        owned, first = np.arange(reports - number + 1), np.arange(number + 1)
        likely = np.outer(
            binom.pmf(owned, reports - number, grown * rare / (1 - 2 * rare)), binom.pmf(first, number, 0.5)
        )
        rest = (1 - factor) * (reports - number - owned + owned / grown)
        gain = (grown - factor) * first + (1 - factor * grown) * (number - first)
        total += chance * float(np.sum(likely * np.maximum(0.0, rest[:, None] + gain)))
    return total / reports


def test_the_delta_of_one_value_of_all_others_is_exact_and_not_the_worst() -> None:
    """The counterexample of the page: two of six others have the person's own value."""
    rows = response(0.5, 3)

    def delta(others: tuple[int, ...]) -> float:
        first, second = counts_law(rows, (0, *others)), counts_law(rows, (1, *others))
        return sum(max(0.0, first[one] - math.exp(0.3) * second[one]) for one in first)

    third, mixed = delta((2,) * 6), delta((0, 0, 2, 2, 2, 2))
    assert third_values(0.3, 0.5, 3, 7) == pytest.approx(third, rel=1e-9)
    assert 1.06 * third < mixed == pytest.approx(exact_delta(rows, 0.3, 7), rel=1e-9)
    assert 1.1 * mixed < shuffled_delta(0.3, 0.5, 7, base_mass_of(rows)) < 1.15 * mixed


@pytest.mark.parametrize(
    ("epsilon_0", "k"), [(1.0, 3), (1.0, 5), (0.5, 10), (2.0, 50), (4.0, 5), (8.0, 50), (8.0, 10_000)]
)
def test_the_bound_is_within_one_percent_of_the_exact_one(epsilon_0: float, k: int) -> None:
    """Epsilon among 1,000 at delta 1e-6. Dies with cells of D that are not around its mean, or wider ones."""
    epsilon = shuffled(PureDP(epsilon=epsilon_0), 1000, 1e-6, response_mass(epsilon_0, k)).epsilon
    assert third_values(epsilon, epsilon_0, k, 1000) <= 1e-6 * (1 + 1e-9)
    assert third_values(0.99 * epsilon, epsilon_0, k, 1000) > 1e-6


def test_no_event_of_sampled_shuffles_tells_more_than_the_bound() -> None:
    """Alpha 1e-6, Clopper and Pearson on both chances. Dies with half of the reports that are no base draws as such."""
    rng, epsilon_0, epsilon, k, reports, runs = np.random.default_rng(7), 2.0, 0.9, 3, 40, 400_000
    rows = response(epsilon_0, k)
    others = rng.multinomial(reports - 1, rows[2], size=runs)
    seen = []
    for value in (0, 1):
        counts = others + rng.multinomial(1, rows[value], size=runs)
        weights = (rows[0] - math.exp(epsilon) * rows[1]) / rows[
            2
        ]  # of the page: the event with the largest difference
        seen.append(int((counts @ weights > 0).sum()))
    least, most = beta.ppf(5e-7, seen[0], runs - seen[0] + 1), beta.isf(5e-7, seen[1] + 1, runs - seen[1])
    told = least - math.exp(epsilon) * most
    mass = base_mass_of(rows)
    assert 0 < told <= shuffled_delta(epsilon, epsilon_0, reports, mass)
    assert told > shuffling._base_draws(epsilon_0, reports, (1 + mass) / 2).delta(epsilon)
