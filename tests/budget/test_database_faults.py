"""A database that is locked, full or away: one line, nothing is taken, and it goes on afterwards."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.budget.test_ledger import ANN, pure

from textveil.budget import database
from textveil.budget.ledger import Ledger
from textveil.errors import LedgerError


def test_a_locked_database_is_waited_for_and_then_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        ledger.reserve(ANN, pure(1.0))
        other = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="another process holds it"):
            ledger.reserve(ANN, pure(1.0))
        other.execute("ROLLBACK")
        other.close()
        assert ledger.reserve(ANN, pure(1.0)).balance.spent.approximate().epsilon == 2.0
        assert ledger.verify().sound


def test_what_was_drawn_is_noted_after_a_transaction_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        made = ledger.reserve(ANN, pure(1.0))
        other = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        ledger.commit(made)
        with pytest.raises(LedgerError, match="another process holds it"):
            ledger.balance(ANN)
        other.execute("ROLLBACK")
        other.close()
        reserved = ledger.balance(ANN).reserved
        assert reserved is not None and reserved.approximate().epsilon == 0
        assert ledger.verify().entries == 2


def test_a_full_disk_is_told_and_nothing_is_taken(tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        ledger.reserve(ANN, pure(1.0))

        def small(connection: sa.Connection) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

        sa.event.listen(ledger._engine, "begin", small)
        with pytest.raises(LedgerError, match="the disk is full"):
            for _ in range(500):
                ledger.reserve_all([(ANN, pure(1.0))] * 20)
        sa.event.remove(ledger._engine, "begin", small)
        with ledger._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        before = ledger.balance(ANN).spent.approximate().epsilon
        assert ledger.reserve(ANN, pure(1.0)).balance.spent.approximate().epsilon == before + 1
        assert ledger.verify().sound
