"""The accountant: sums, optimal composition against products of the worst pairs, and what is left of a budget."""

import itertools
import math
import sys
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.accountant import DELTA, EXACT_DRAWS, Accountant, saved_by_moments, shown_optimal
from textveil.privacy.composition import compose, repeat
from textveil.privacy.guarantees import ApproximateDP, Guarantee, MetricDP, NoGuarantee, PureDP, Status
from textveil.privacy.units import ALL_DOCUMENTS, ANY_DOCUMENT, ONE_DOCUMENT, ONE_TOKEN

epsilons = st.floats(0, 12)


def true_delta(parts: list[tuple[float, float, int]], epsilon: float) -> mpmath.mpf:
    """Delta at ``epsilon`` of the product of the worst pairs of (epsilon, delta, times), all outcomes listed."""
    with mpmath.workdps(40):
        outcomes = [(mpmath.mpf(1), mpmath.mpf(1))]
        for e, d, times in parts:
            high = (1 - mpmath.mpf(d)) / (1 + mpmath.exp(-mpmath.mpf(e)))
            low = (1 - mpmath.mpf(d)) / (1 + mpmath.exp(mpmath.mpf(e)))
            for _ in range(times):
                pairs = [(mpmath.mpf(d), mpmath.mpf(0)), (high, low), (low, high), (mpmath.mpf(0), mpmath.mpf(d))]
                outcomes = [(p * a, q * b) for (p, q), (a, b) in itertools.product(outcomes, pairs) if p * a or q * b]
        factor = mpmath.exp(mpmath.mpf(epsilon))
        return mpmath.fsum(max(p - factor * q, mpmath.mpf(0)) for p, q in outcomes)


@given(
    st.lists(st.tuples(st.floats(0, 6), st.sampled_from([0.0, 1e-4, 0.01]), st.integers(0, 2)), min_size=1, max_size=3),
    st.sampled_from([1e-9, 1e-6, 1e-2, 0.3]),
)
@settings(deadline=None, max_examples=60)
def test_optimal_composition_holds_for_the_worst(parts: list[tuple[float, float, int]], delta: float) -> None:
    total = Accountant()
    for epsilon, part_delta, times in parts:
        log_delta = math.log(part_delta) if part_delta else -math.inf
        total = total.compose(ApproximateDP(epsilon=epsilon, log_delta=log_delta), times)
    found, basic = total.optimal(delta).approximate(), total.spent.approximate()
    assert found.epsilon <= basic.epsilon
    assert found.delta <= (basic.delta + delta) * (1 + 1e-9)
    assert true_delta(parts, found.epsilon) <= found.delta


@pytest.mark.parametrize(("epsilon", "times"), [(0.1, 50), (1.0, 10), (3.0, 4), (8.0, 2)])
def test_optimal_composition_of_one_epsilon_is_the_optimum(epsilon: float, times: int) -> None:
    total = Accountant().compose(PureDP(epsilon=epsilon), times)
    assert total.exact
    found = total.optimal(1e-4).epsilon  # type: ignore[union-attr]
    with mpmath.workdps(40):
        e = mpmath.mpf(epsilon)

        def delta(at: float) -> mpmath.mpf:
            return mpmath.fsum(
                mpmath.binomial(times, i)
                * max(mpmath.exp(i * e) - mpmath.exp(mpmath.mpf(at) + (times - i) * e), 0)
                / (1 + mpmath.exp(e)) ** times
                for i in range(times + 1)
            )

        assert delta(found) <= mpmath.mpf(1e-4) < delta(found * (1 - 1e-9))


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 8.0])
@pytest.mark.parametrize("times", [1, 30, 2000, EXACT_DRAWS])
def test_the_closed_form_is_above_the_optimum_and_not_far(epsilon: float, times: int) -> None:
    optimum = Accountant().compose(PureDP(epsilon=epsilon), times).optimal().epsilon  # type: ignore[union-attr]
    bound = epsilon * times - saved_by_moments([(epsilon, times)], math.log(DELTA))
    assert optimum * (1 - 1e-9) <= bound <= optimum * 1.1


def test_ten_million_draws_take_the_closed_form() -> None:
    total = Accountant().compose(PureDP(epsilon=1.0), 10**7)
    assert not total.exact
    mean = 10**7 * math.tanh(0.5)
    found = total.optimal().epsilon  # type: ignore[union-attr]
    assert mean < found < mean + 20_000
    more = total.compose(PureDP(epsilon=0.5), 3)
    assert not more.exact
    assert found < more.optimal().epsilon < found + 1.5  # type: ignore[union-attr]


@example([(4.0, 837), (0.25, 497), (sys.float_info.min / 2, 837)])  # products of masses underflow
@given(st.lists(st.tuples(epsilons, st.integers(0, 10**5)), max_size=4))
@settings(deadline=None)
def test_the_sum_is_that_of_composition_and_bounds_the_optimum(parts: list[tuple[float, int]]) -> None:
    total = Accountant()
    for epsilon, times in parts:
        total = total.compose(PureDP(epsilon=epsilon), times)
    assert total.spent == compose([repeat(PureDP(epsilon=e), times) for e, times in parts])
    assert total.optimal().approximate().epsilon <= total.spent.approximate().epsilon


def test_an_accountant_is_a_value() -> None:
    empty = Accountant()
    more = empty.compose(PureDP(epsilon=1.0), 2)
    assert empty.draws == () and empty.spent.epsilon == 0.0  # type: ignore[union-attr]
    assert more == Accountant().compose(PureDP(epsilon=1.0), 2)
    assert more.spent.adjacency is ONE_DOCUMENT is more.optimal().adjacency
    with pytest.raises(AttributeError):
        more.draws = ()  # type: ignore[misc]


def test_no_draw_costs_nothing_and_has_no_delta() -> None:
    for nothing in (Accountant(), Accountant().compose(PureDP(epsilon=3.0), 0)):
        assert nothing.optimal() == nothing.spent
        assert nothing.exact


def test_statuses_and_units_are_kept() -> None:
    total = Accountant(ALL_DOCUMENTS).compose(PureDP(epsilon=1.0, status=Status.PROVED), 9)
    total = total.compose(PureDP(epsilon=2.0, status=Status.CLAIMED, adjacency=ANY_DOCUMENT))
    for found in (total.spent, total.optimal()):
        assert (found.status, found.adjacency) == (Status.CLAIMED, ALL_DOCUMENTS)
    with pytest.raises(UnsupportedGuarantee, match="person"):
        Accountant().compose(PureDP(epsilon=1.0, adjacency=ALL_DOCUMENTS))
    with pytest.raises(UnsupportedGuarantee, match="no rule"):
        Accountant().compose("8-DP")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="times"):
        Accountant().compose(PureDP(epsilon=1.0), -1)


def test_what_promises_nothing_costs_what_nobody_knows() -> None:
    total = Accountant().compose(PureDP(epsilon=1.0), 3).compose(NoGuarantee(reason="refuted"))
    assert not total.spent.promises and not total.optimal().promises
    assert total.exact
    with pytest.raises(UnsupportedGuarantee, match="nothing follows"):
        total.remaining(PureDP(epsilon=100.0, adjacency=ONE_DOCUMENT))


@given(st.floats(0, 100), st.floats(0, 100))
@settings(deadline=None)
def test_what_is_left_is_rounded_down(budget: float, spent: float) -> None:
    left = Accountant().compose(PureDP(epsilon=spent)).remaining(PureDP(epsilon=budget, adjacency=ONE_DOCUMENT))
    assert Fraction(left.epsilon) <= Fraction(budget) - Fraction(spent)
    assert left.epsilon == pytest.approx(budget - spent)
    assert left.exceeded == (spent > budget)


def test_delta_is_left_too_and_a_pure_budget_has_none() -> None:
    loose: Guarantee = ApproximateDP(epsilon=1.0, log_delta=math.log(1e-5))
    total = Accountant().compose(loose, 3)
    left = total.remaining(ApproximateDP(epsilon=5.0, log_delta=math.log(1e-4), adjacency=ONE_DOCUMENT))
    assert left.epsilon == 2.0 and 6.99e-5 < left.delta <= 7e-5 and not left.exceeded
    assert total.remaining(PureDP(epsilon=5.0, adjacency=ONE_DOCUMENT)).exceeded
    metric = Accountant().compose(MetricDP(epsilon_per_distance=1.0, metric="euclidean", diameter=2.0))
    assert metric.remaining(PureDP(epsilon=5.0, adjacency=ONE_DOCUMENT)).epsilon <= 3.0


def test_a_budget_for_a_token_does_not_pay_for_a_document() -> None:
    total = Accountant().compose(PureDP(epsilon=1.0))
    with pytest.raises(UnsupportedGuarantee, match="token"):
        total.remaining(PureDP(epsilon=5.0, adjacency=ONE_TOKEN))


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan, -1e-6])
def test_delta_of_optimal_composition_is_between_0_and_1(delta: float) -> None:
    with pytest.raises(ParameterError, match="delta"):
        Accountant().compose(PureDP(epsilon=1.0)).optimal(delta)


def test_readers_are_told_which_number_is_a_bound() -> None:
    total = Accountant().compose(PureDP(epsilon=1.0), 100)
    assert shown_optimal(total.optimal(), exact=True) == "epsilon 83.5308 at delta 1e-06 (optimal composition)"
    assert shown_optimal(total.optimal(), exact=False).endswith("(optimal composition, bounded)")
