"""Whoever asks what is left writes nothing; what a budget still affords."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.budget.account import Account, Limit
from textveil.budget.charge import Charge
from textveil.budget.ledger import Ledger
from textveil.budget.standing import CountedSums, Standing
from textveil.errors import BudgetExhausted
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP

ONE = Accountant().compose(PureDP(epsilon=1.0))


def _rows(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as database:
        return list(database.iterdump())


def test_a_balance_of_nobody_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "budgets.db"
    with Ledger(str(file)) as ledger:
        before = _rows(file)
        for account in (Account("nobody"), Account("nobody", "p1", "k1")):
            found = ledger.balance(account)
            assert (found.releases, found.limit, found.spent.epsilon) == (0, None, 0.0)
            assert ledger.affords(account, ONE) is None
        assert _rows(file) == before


def test_a_balance_of_a_stranger_to_a_limit_of_each_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "budgets.db"
    with Ledger(str(file)) as ledger:
        ledger.set_limit(Account("ward"), Limit(3.0, period="day"), each="unit")
        before = _rows(file)
        for person in ("p1", "p2"):
            assert ledger.balance(Account("ward", person)).remaining == (3.0, 0.0)
            assert ledger.affords(Account("ward", person), ONE) == 3
        assert _rows(file) == before


def test_sums_that_are_counted_anew_are_told_by_reading_and_written_by_spending(tmp_path: Path) -> None:
    file, account = tmp_path / "budgets.db", Account("ward", "p1")
    with Ledger(str(file)) as ledger:
        ledger.commit(ledger.reserve(account, ONE))
        ledger.set_limit(Account("ward"), Limit(3.0), each="unit")
        before = _rows(file)
        assert [ledger.balance(account).remaining for _ in range(2)] == [(2.0, 0.0)] * 2
        assert _rows(file) == before
        for _ in range(2):
            ledger.reserve(account, ONE)
        with pytest.raises(BudgetExhausted):
            ledger.reserve(account, ONE)
        assert ledger.balance(account).remaining == (0.0, 0.0) and ledger.verify().sound


def test_a_tenant_that_was_asked_for_first_spends_as_any_other(tmp_path: Path) -> None:
    account = Account("ward", "p1")
    with Ledger(str(tmp_path / "budgets.db")) as ledger:
        assert ledger.balance(account).releases == 0
        ledger.reserve(account, ONE)
        assert ledger.balance(account).releases == 1 and ledger.verify().entries == 1


LIMITS = [Limit(5.0), Limit(5.0, 1e-3), Limit(5.0, 1e-3, "optimal"), Limit(0.01, 1e-9, "optimal")]
LIMITS += [Limit(5.0, 1e-3, "optimal", draw_delta=part) for part in (0.0, 5e-4)]


@given(
    st.sampled_from(LIMITS),
    st.sampled_from([0.0, 1e-3, 0.07, 0.5, 2.0, 5.0, 7.0]),
    st.sampled_from([None, -9.0, -7.0, -1.0]),
    st.integers(0, 3),
)
def test_the_count_is_that_of_one_after_another(
    limit: Limit, epsilon: float, log_delta: float | None, before: int
) -> None:
    charge = Charge.of_draws([(epsilon, log_delta, 1, "proved")])
    spent = Charge.of_draws([(0.3, -8.0, before, "proved")])
    standing = Standing(b"", b"", "person", limit)
    standing.count(limit, spent)
    most = standing.affords(limit, charge)
    if most is None:
        assert charge.epsilon == charge.delta == 0
        return
    for count in range(min(most, 200) + 1):
        if count >= most - 1 or count < 200:
            assert standing.counted(limit).fits(charge) == (count < most)
        standing.count(limit, charge)


def test_sums_beyond_a_limit_pay_for_nothing() -> None:
    over = CountedSums(Limit(1.0), 2 * 2**80, 0, 0)
    assert over.affords(Charge.of_draws([(0.5, None, 1, "proved")])) == 0


def test_a_balance_tells_what_could_be_paid_when_it_was_taken(tmp_path: Path) -> None:
    account, one = Account("ward", "p1", "k1"), Accountant().compose(PureDP(epsilon=0.5))
    with Ledger(str(tmp_path / "budgets.db")) as ledger:
        assert ledger.balance(account).affords(one) is None, "nothing limits it"
        ledger.set_limit(Account("ward", "p1"), Limit(40.0, 1e-6, "optimal"))
        ledger.set_limit(Account("ward"), Limit(100.0))
        first = ledger.reserve(account, one).balance
        many = first.affords(one)
        assert many is not None and many == ledger.affords(account, one) > int(39.5 / 0.5)
        assert ledger.reserve(account, one).balance.affords(one) == many - 1 and first.affords(one) == many
        ledger.set_limit(Account("ward", key="k1"), Limit(3.0))
        assert ledger.balance(account).affords(one) == ledger.affords(account, one) == 4, "the level that pays least"
