"""Whoever asks what is left writes nothing: not for a stranger, and not for whoever is counted anew."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
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
