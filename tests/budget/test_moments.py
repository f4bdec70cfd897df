"""Optimal composition as a stopping rule: no choice of later draws by earlier outputs exceeds the limit."""

import itertools
import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.budget import charge as budget_charge
from textveil.budget.account import Limit
from textveil.budget.charge import DELTA_UNIT, EPSILON_UNIT, Charge, units_within
from textveil.budget.standing import Standing
from textveil.errors import ParameterError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import ApproximateDP, PureDP, Status


def charge(epsilon: float, times: int = 1, log_delta: float = -math.inf) -> Charge:
    one = ApproximateDP(epsilon=epsilon, log_delta=log_delta, status=Status.PROVED)
    return Charge.of(Accountant().compose(one, times))


def standing(limit: Limit) -> Standing:
    made = Standing(b"", b"", "person")
    made.begin(limit, 0)
    return made


def worst_delta(limit: Limit, epsilons: tuple[float, ...], depth: int, disclosed: tuple[float, ...] = ()) -> float:
    """The largest delta at the limit's epsilon over all ways to choose randomized responses by what came out before.

    Each discloses all with the probability that ``disclosed`` has for it, 0 where it has none. A way that the rule
    stops can do no more, so the largest sum of (P - e^E Q)+ over its ends is found backwards.
    """
    kinds = list(itertools.zip_longest(epsilons, disclosed, fillvalue=0.0))
    charges = {kind: charge(kind[0], log_delta=math.log(kind[1]) if kind[1] else -math.inf) for kind in kinds}

    @cache
    def value(log_ratio: float, counts: tuple[int, ...], left: int) -> float:
        """Per unit of P's mass, at this ratio of P to Q and with so many draws of each epsilon behind."""
        best = max(0.0, 1 - math.exp(limit.epsilon - log_ratio))
        here = standing(limit)
        for kind, count in zip(kinds, counts, strict=True):
            for _ in range(count):
                here.count(limit, charges[kind])
        for place, (one, shown) in enumerate(kinds):
            if left and here.admits(limit, charges[one, shown]):
                after = tuple(count + (index == place) for index, count in enumerate(counts))
                likely = 1 / (1 + math.exp(-one))
                found = likely * value(round(log_ratio + one, 9), after, left - 1)
                found += (1 - likely) * value(round(log_ratio - one, 9), after, left - 1)
                best = max(best, shown + (1 - shown) * found)
        return best

    return value(0.0, (0,) * len(epsilons), depth)


LIMIT = Limit(epsilon=1.0, delta=0.4, composition="optimal")


def test_no_way_of_choosing_later_draws_exceeds_the_limit() -> None:
    found = worst_delta(LIMIT, (0.25, 0.5, 1.0), 14)
    assert 0.005 < found <= LIMIT.delta
    assert worst_delta(Limit(epsilon=1.0), (0.25, 0.5, 1.0), 8) == 0.0


def test_all_of_delta_is_for_moments_where_no_draw_has_one() -> None:
    pure = Limit(epsilon=1.0, delta=0.4, composition="optimal", draw_delta=0.0)
    assert worst_delta(LIMIT, (0.25,), 14) < worst_delta(pure, (0.25, 0.5, 1.0), 14) <= pure.delta
    assert not standing(pure).admits(pure, charge(0.1, log_delta=-30.0))
    limits = [Limit(10.0, 1e-6, "optimal", draw_delta=part) for part in (None, 1e-6 / 16, 0.0)]
    assert [standing(limit).affords(limit, charge(0.1)) for limit in limits] == [301, 312, 313]
    fixed = [Accountant().compose(PureDP(epsilon=0.1), often).optimal(1e-6).approximate() for often in (346, 347)]
    assert fixed[0].epsilon <= 10.0 < fixed[1].epsilon


@pytest.mark.parametrize("limit", [(1.0, 1e-6), (5.0, 1e-5), (10.0, 1e-6), (16.0, 1e-6), (50.0, 1e-6)])
def test_no_other_order_admits_much_more_than_the_limits_own(limit: tuple[float, float]) -> None:
    """The order follows from the limit alone; 601 orders for each epsilon of equal draws admit at most 6 % more."""
    epsilon, delta = limit
    own, log_kept = Limit(epsilon, delta, "optimal"), math.log(delta / 2)
    for one in (0.01, 0.1, 0.5, 1.0):
        best = 0.0
        for order in (10.0 ** (place / 100) for place in range(-300, 301)):
            gain = (1 + order) * math.log1p(order) - order * math.log(order)
            cost = budget_charge.moment_cost(one, order) / EPSILON_UNIT
            best = max(best, (epsilon + (log_kept + gain) / order) / cost)
        admitted = standing(own).affords(own, charge(one))
        assert admitted is not None and 0.94 * math.floor(best + 1e-9) <= admitted, (one, admitted, best)


def test_draws_with_deltas_stay_within_the_limit_however_they_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of delta for them, or most; where they may have all of it beside moments, the limit is exceeded."""
    mixed = ((0.25, 0.5, 1.0), 9, (0.0, 0.1, 0.19))
    for part in (None, 0.05, 0.3, 0.39):
        limit = Limit(epsilon=1.0, delta=0.4, composition="optimal", draw_delta=part)
        assert worst_delta(limit, *mixed) <= limit.delta
    real = budget_charge.order_of
    monkeypatch.setattr("textveil.budget.standing._delta_limit", lambda limit: units_within(limit.delta, DELTA_UNIT))
    monkeypatch.setattr(
        "textveil.budget.standing.order_of", lambda *limit: real(*limit)._replace(allowance=2 * EPSILON_UNIT)
    )
    assert worst_delta(LIMIT, *mixed) > LIMIT.delta


@pytest.mark.parametrize(
    ("composition", "delta", "part"), [("sum", 1e-6, 0.0), ("optimal", 1e-6, 1e-6), ("optimal", 1e-6, -1e-9)]
)
def test_a_part_of_delta_that_is_no_part_is_refused(composition: str, delta: float, part: float) -> None:
    with pytest.raises(ParameterError, match="draw_delta must be >= 0 and below delta, with optimal or gaussian"):
        Limit(1.0, delta, composition, draw_delta=part)  # type: ignore[arg-type]


def test_limits_that_were_stored_before_are_read_as_they_were_and_written_the_same() -> None:
    stored = {"composition": "optimal", "delta": 1e-6, "epsilon": 16.0, "period": None}
    assert Limit.of_data(stored).to_data() == stored
    new = Limit(16.0, 1e-6, "optimal", draw_delta=0.0)
    assert new.to_data() == {**stored, "draw_delta": 0.0} and Limit.of_data(new.to_data()) == new


def test_a_rule_that_admits_more_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = budget_charge.order_of

    def lavish(epsilon: float, delta: float, draw_delta: float | None) -> budget_charge.Order:
        order = real(epsilon, delta, draw_delta)
        return order._replace(allowance=order.allowance + 4 * EPSILON_UNIT)

    monkeypatch.setattr("textveil.budget.standing.order_of", lavish)
    assert worst_delta(LIMIT, (0.5,), 14) > LIMIT.delta


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([1.0, 4.0, 16.0, 64.0]),
    st.sampled_from([1e-9, 1e-6, 1e-3]),
    st.lists(st.sampled_from([0.01, 0.1, 0.3, 1.0, 3.0]), min_size=1, max_size=3),
)
def test_draws_that_are_admitted_stay_within_the_optimum(epsilon: float, delta: float, kinds: list[float]) -> None:
    limit = Limit(epsilon=epsilon, delta=delta, composition="optimal")
    here, accountant = standing(limit), Accountant()
    for one in kinds:
        often = here.affords(limit, charge(one)) or 0
        assert not here.admits(limit, charge(one, often + 1)) and (not often or here.admits(limit, charge(one, often)))
        half = (often + 1) // 2
        here.count(limit, charge(one, half))
        accountant = accountant.compose(PureDP(epsilon=one), half)
        assert accountant.optimal(delta).approximate().epsilon <= epsilon * (1 + 1e-12)
        spent = here.spent(limit).approximate()
        assert spent.epsilon <= epsilon and spent.delta <= delta * (1 + 1e-12)


def test_it_admits_more_draws_than_the_sum_and_never_fewer() -> None:
    limit = Limit(epsilon=16.0, delta=1e-6, composition="optimal")
    assert {one: standing(limit).affords(limit, charge(one)) for one in (0.01, 0.1, 1.0, 8.0)} == {
        0.01: 64_676,
        0.1: 653,
        1.0: 16,
        8.0: 2,
    }


def test_deltas_of_draws_have_the_other_half() -> None:
    limit = Limit(epsilon=16.0, delta=1e-6, composition="optimal")
    log_delta = math.log(1e-7)
    assert standing(limit).affords(limit, charge(0.01, log_delta=log_delta)) == 4  # rounded up, five are a trace more
    with pytest.raises(ParameterError, match="delta must be > 0 for optimal composition; got 0"):
        Limit(epsilon=16.0, composition="optimal")


def test_one_more_draw_may_cost_what_remains() -> None:
    limit = Limit(epsilon=16.0, delta=1e-6, composition="optimal")
    here = standing(limit)
    here.count(limit, charge(0.1, 500))
    left = here.remaining(limit)
    assert 0 < left.epsilon < 16 and left.delta == 5e-7
    assert here.admits(limit, charge(left.epsilon)) and not here.admits(limit, charge(left.epsilon * 1.001))


def test_costs_by_moments_are_between_their_limits() -> None:
    order = budget_charge.order_of(16.0, 1e-6)
    for epsilon in (1e-6, 1e-3, 0.1, 1.0, 8.0, 700.0, 1e5):
        cost = budget_charge.moment_cost(epsilon, order.value) / EPSILON_UNIT
        assert cost <= epsilon + 2**-33
        assert cost >= epsilon - math.log(2) / order.value
    small = budget_charge.moment_cost(1e-3, order.value) / EPSILON_UNIT
    assert small == pytest.approx((1 + order.value) * 1e-6 / 2, rel=1e-3)
    assert budget_charge.order_of(0.0, 1e-12).allowance < 0
