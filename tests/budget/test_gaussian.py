"""Gaussian composition as a stopping rule: squares of mu add up, however later releases are chosen by earlier ones."""

import json
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import fftconvolve
from scipy.stats import norm

from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.report import joint_epsilon
from textveil.budget.account import Account, Limit
from textveil.budget.charge import EPSILON_UNIT, Charge, gaussian_allowance
from textveil.budget.ledger import Ledger
from textveil.budget.standing import Standing
from textveil.budget.verification import verified_export
from textveil.errors import BudgetExhausted, ParameterError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP
from textveil.privacy.units import ONE_PERSON_MORE
from textveil.types import Reals

ANN = Account("acme", unit="ann")


def noisy(epsilon: float = 1.0, delta: float = 1e-7, selections: Fraction = Fraction(0), times: int = 1) -> Accountant:
    budget = GaussianBudget(epsilon, delta, selections)
    return Accountant(ONE_PERSON_MORE).compose(budget.guarantee(ONE_PERSON_MORE), times, gaussian=budget.part)


def pure(epsilon: float) -> Accountant:
    return Accountant(ONE_PERSON_MORE).compose(PureDP(epsilon=epsilon, adjacency=ONE_PERSON_MORE))


def standing(limit: Limit) -> Standing:
    made = Standing(b"", b"", "person")
    made.begin(limit, 0)
    return made


def test_it_admits_as_many_releases_as_fixed_budgets_allow_where_the_sum_admits_five() -> None:
    one, delta = GaussianBudget(1.0, 1e-7), 24 * 1e-7
    most = {
        composition: standing(limit).affords(limit, Charge.of(noisy()))
        for composition, part in (("sum", None), ("optimal", None), ("gaussian", 0.0))
        if (limit := Limit(5.0, delta, composition, draw_delta=part))  # type: ignore[arg-type]
    }
    assert most == {"sum": 5, "optimal": 5, "gaussian": 24}
    assert joint_epsilon([one] * 24, delta) <= 5.0 < joint_epsilon([one] * 25, delta)
    limit = Limit(5.0, 1e-5, "gaussian")
    assert standing(limit).affords(limit, Charge.of(noisy(selections=Fraction(1, 5)))) == 26


def exact_delta(epsilon: float, pure_epsilon: float, squared_mu: float) -> float:
    """The delta of Gaussian noise beside one randomized response, by another library and 40 digits."""
    with mpmath.workdps(40):
        mu = mpmath.sqrt(squared_mu)

        def delta(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.ncdf(mu / 2 - x / mu) - mpmath.exp(x) * mpmath.ncdf(-mu / 2 - x / mu)

        share = 1 / (1 + mpmath.exp(-mpmath.mpf(pure_epsilon)))
        end, far = mpmath.mpf(epsilon) - pure_epsilon, mpmath.mpf(epsilon) + pure_epsilon
        return float(share * delta(end) + (1 - share) * delta(far))


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0, 40.0, 2000.0])
@pytest.mark.parametrize("part", [0.0, 0.25, 0.999])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.4])
def test_what_noise_may_use_is_rounded_down_by_little(epsilon: float, part: float, delta: float) -> None:
    squared_mu = gaussian_allowance(epsilon, part * epsilon, delta) / EPSILON_UNIT
    assert exact_delta(epsilon, part * epsilon, squared_mu) <= delta
    assert exact_delta(epsilon, part * epsilon, squared_mu * (1 + 1e-6) + 2**-33) > delta


STEP, REACH = 0.02, 700
LOSSES = STEP * np.arange(-REACH, REACH + 1)


def _after(values: Reals, squared_mu: float) -> Reals:
    """Expectations of a function of the log ratio after Gaussian noise; beyond the grid, the function at its ends."""
    weights = norm.pdf(LOSSES, squared_mu / 2, math.sqrt(squared_mu))
    padded = np.pad(values, REACH, mode="edge")
    return np.asarray(fftconvolve(padded, (weights / weights.sum())[::-1], mode="valid"))


def worst_delta(limit: Limit, ends: Sequence[tuple[float, float]], parts: int) -> float:
    """The largest delta at a limit's epsilon over all ways to choose Gaussian noise and responses by earlier outputs.

    Args:
        limit: gives epsilon.
        ends: sums of squares of mu and of pure epsilons, of which a way may reach at most one in both.
        parts: a release uses one or more of so many parts of the largest of either sum.

    A way that the rule stops can do no more, so the largest sum of (P - e^E Q)+ over its ends is found backwards: per
    unit of P's mass it is a function of the log ratio, on a grid.
    """
    square, epsilon = max(end[0] for end in ends) / parts, max(end[1] for end in ends) / parts
    stop = np.maximum(0.0, -np.expm1(np.minimum(limit.epsilon - LOSSES, 0.0)))

    def admits(noises: int, responses: int) -> bool:
        tiny = 1 + 1e-9
        return any(noises * square <= end[0] * tiny and responses * epsilon <= end[1] * tiny for end in ends)

    @cache
    def value(noises: int, responses: int) -> Reals:
        best = stop
        for more in range(1, parts + 1):
            if admits(noises + more, responses):
                best = np.maximum(best, _after(value(noises + more, responses), more * square))
            if epsilon and admits(noises, responses + more):
                after = value(noises, responses + more)
                shift, likely = round(more * epsilon / STEP), 1 / (1 + math.exp(-more * epsilon))
                assert math.isclose(shift * STEP, more * epsilon)
                up, down = np.roll(after, -shift), np.roll(after, shift)
                up[-shift:], down[:shift] = after[-1], after[0]
                best = np.maximum(best, likely * up + (1 - likely) * down)
        return best

    return float(value(0, 0)[REACH])


def allowed(limit: Limit, pure_epsilon: float) -> tuple[float, float]:
    return gaussian_allowance(limit.epsilon, pure_epsilon, limit.delta / 2) / EPSILON_UNIT, pure_epsilon


@pytest.mark.parametrize("pure_epsilon", [0.0, 0.4])
def test_no_way_of_choosing_later_releases_exceeds_the_limit(pure_epsilon: float) -> None:
    """Dies with a rule that admits a tenth more noise; the grid is good to 1e-4 of delta."""
    limit = Limit(1.0, 0.2, "gaussian", pure_epsilon=pure_epsilon)
    end = allowed(limit, pure_epsilon)
    found = worst_delta(limit, [end], 4)
    assert 0.09 < found <= 0.1 * 1.0001
    assert worst_delta(limit, [(1.1 * end[0], end[1])], 4) > 0.1 * 1.01


def test_the_part_for_pure_releases_must_be_fixed_before() -> None:
    """A rule that asks of what was run so far whether it would fit under some part exceeds the limit."""
    limit = Limit(1.0, 0.2, "gaussian")
    ends = [allowed(limit, part) for part in (0.0, 0.64)]
    assert all(worst_delta(limit, [end], 8) <= 0.1 * 1.0001 for end in ends)
    assert worst_delta(limit, ends, 8) > 0.1 * 1.09


kinds = st.tuples(st.sampled_from([0.25, 1.0, 2.0]), st.sampled_from([1e-9, 1e-7]), st.sampled_from([0, 1, 4]))


@settings(max_examples=25, deadline=None)
@given(st.lists(kinds, min_size=1, max_size=3), st.sampled_from([0.0, 1.0]), st.sampled_from([None, 1e-8]))
def test_sums_are_exact_and_what_is_admitted_is_within_the_limit(
    found: list[tuple[float, float, int]], pure_epsilon: float, part: float | None
) -> None:
    limit = Limit(4.0, 1e-6, "gaussian", draw_delta=part, pure_epsilon=pure_epsilon)
    here, failures, squares = standing(limit), Fraction(0), Fraction(0)
    for epsilon, delta, fifths in found:
        budget = GaussianBudget(epsilon, delta, Fraction(fifths, 5))
        one = Charge.of(noisy(epsilon, delta, Fraction(fifths, 5)))
        often = here.affords(limit, one) or 0
        for times in (often, often + 1):
            several = Charge.of(noisy(epsilon, delta, Fraction(fifths, 5), times))
            assert here.admits(limit, several) == (times == often)
        half = (often + 1) // 2
        here.count(limit, Charge.of(noisy(epsilon, delta, Fraction(fifths, 5), half)))
        squares += half * budget.squared_mu
        failures += half * budget.selections * Fraction(delta)
        assert squares <= Fraction(here.period_moment, EPSILON_UNIT) <= squares * Fraction(1 + 1e-15)
        assert failures <= Fraction(here.period_delta, 2**130) <= failures * Fraction(1 + 1e-12)
    spent = here.spent(limit).approximate()
    assert spent.epsilon <= limit.epsilon and spent.delta <= limit.delta
    assert here.period_epsilon == 0 and here.remaining(limit).epsilon >= pure_epsilon


def test_other_releases_have_a_part_of_their_own(tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        ledger.set_limit(ANN, Limit(5.0, 1e-5, "gaussian"))
        with pytest.raises(BudgetExhausted, match=r"epsilon 0 left for releases without Gaussian noise; this .* 0\.5"):
            ledger.reserve(ANN, pure(0.5))
        ledger.set_limit(ANN, Limit(5.0, 1e-5, "gaussian", pure_epsilon=1.0))
        for cost in (pure(0.5), noisy(selections=Fraction(1, 5)), pure(0.5)):
            ledger.reserve(ANN, cost)
        with pytest.raises(BudgetExhausted, match="has epsilon 0 left for releases without"):
            ledger.reserve(ANN, pure(2**-30))
        assert ledger.affords(ANN, noisy(selections=Fraction(1, 5))) == 17
        ledger.reserve(ANN, noisy(times=17))
        with pytest.raises(
            BudgetExhausted, match=r"has epsilon 0\.\d+, delta 4.98e-06 left; this release needs epsilon 1"
        ):
            ledger.reserve(ANN, noisy(selections=Fraction(1, 5)))
        balance = ledger.balance(ANN)
        assert balance.spent.approximate().epsilon <= 5.0 and balance.lifetime.approximate().epsilon == 19.0
        assert ledger.verify().problems == ()
        entry = [json.loads(entry.data) for entry in ledger.entries(ANN) if entry.what == "reserve"][1]
        draw = entry["draws"][0]
        assert len(draw) == 6 and draw[4] == pytest.approx(0.0449, abs=1e-4) and math.exp(draw[5]) >= 2e-8
        assert Charge.of_data(entry).to_data() == entry


@pytest.mark.parametrize("forged", ["-1.0", "0.0", "1e999", '"x"', "null", "NaN", "0.05,1.0", "0.05,-9.0,1"])
def test_forged_noise_in_an_export_is_a_problem_and_no_crash(tmp_path: Path, forged: str) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(str(tmp_path / "budget.db")) as ledger, path.open("wb") as stream:
        ledger.set_limit(ANN, Limit(5.0, 1e-5, "gaussian"))
        ledger.reserve(ANN, noisy())
        ledger.export(stream)
    assert verified_export(path).sound
    text = path.read_text()
    stated = re.search(r'\\"proved\\",(0\.04\d+),null\]|\\"claimed\\",(0\.04\d+),null\]', text)
    assert stated is not None
    value = stated.group(1) or stated.group(2)
    path.write_text(text.replace(value + ",null]", forged.replace('"', '\\"') + ",null]", 1))
    assert any("cannot be read" in line or "was changed" in line for line in verified_export(path).problems)


def test_releases_of_a_corpus_tell_the_ledger_their_noise(tmp_path: Path) -> None:
    from textveil.aggregates.count_run import count
    from textveil.aggregates.request import CorpusRequest, PersonalRecords
    from textveil.corpora.payment import Payer

    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps({"who": f"p{n}", "text": "red green"}) + "\n" for n in range(3)))
    place = str(tmp_path / "budget.db")
    person = Account("local", unit="p1")
    with Ledger(place) as ledger:
        ledger.set_limit(Account("local"), Limit(5.0, 1e-5, "gaussian"), each="unit")
    for _ in range(7):  # two more than the sum has
        personal = PersonalRecords(inputs=(str(records),), unit="who")
        count(CorpusRequest(personal, epsilon=1.0, delta=1e-7, payer=Payer(place)), words="none")
    with Ledger(place) as ledger:
        balance = ledger.balance(person)
        assert 2 < balance.spent.approximate().epsilon < 3 and balance.lifetime.approximate().epsilon == 7.0
        assert ledger.affords(person, noisy(selections=Fraction(1, 5))) == 19 and ledger.verify().sound


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"delta": 0.0, "composition": "gaussian"}, "delta must be > 0 for gaussian composition"),
        ({"composition": "gaussian", "pure_epsilon": 1.0}, "pure_epsilon must be >= 0 and below epsilon"),
        ({"composition": "gaussian", "pure_epsilon": -0.1}, "pure_epsilon must be >= 0 and below epsilon"),
        ({"composition": "gaussian", "pure_epsilon": math.nan}, "pure_epsilon must be >= 0 and below epsilon"),
        ({"composition": "optimal", "pure_epsilon": 0.5}, "with gaussian composition; got 0.5"),
        ({"composition": "normal"}, '"sum", "optimal" or "gaussian"'),
    ],
)
def test_limits_that_make_no_sense_are_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Limit(**{"epsilon": 1.0, "delta": 1e-6, **options})  # type: ignore[arg-type]


def test_a_limit_of_nothing_admits_what_costs_nothing() -> None:
    limit = Limit(0.0, 1e-6, "gaussian")
    for cost, admitted in ((pure(0.0), True), (noisy(), False), (pure(1e-12), False)):
        assert standing(limit).admits(limit, Charge.of(cost)) is admitted
    assert standing(limit).remaining(limit) == (0.0, 5e-7)
