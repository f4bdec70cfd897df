"""A database of the version before is refused with what to run, and brought into today's form with all it holds."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.budget.test_gaussian import noisy
from tests.budget.test_ledger import ANN, pure

from textveil.budget import database
from textveil.budget.account import Account, Limit
from textveil.budget.database import METADATA, VERSION, url_of
from textveil.budget.ledger import Ledger
from textveil.errors import BudgetExhausted, LedgerError

FIRST = Path(__file__).parent / "data" / "first_form.sql"
"""What the first version wrote: limits of a person, a key and a tenant, four reservations, two of them committed."""

KEY = bytes(range(32))
HOLDER = Account("acme", unit="ann")


SECOND = FIRST.with_name("second_form.sql")
"""What the second version wrote: an optimal limit of a person, who paid twice (1, 1e-7) and once 1; one of a tenant."""


def made(place: Path, script: Path) -> str:
    with sqlite3.connect(place) as connection:
        connection.executescript(script.read_text(encoding="ascii"))
    connection.close()
    return str(place)


@pytest.fixture
def old(tmp_path: Path) -> str:
    return made(tmp_path / "budget.db", FIRST)


def dumped(place: str) -> list[str]:
    connection = sqlite3.connect(place)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def test_an_older_form_is_refused_with_what_to_run(old: str) -> None:
    before = dumped(old)
    with pytest.raises(LedgerError, match=r"got the older form 1.*`textveil ledger upgrade`"):
        Ledger(old, key=KEY)
    assert dumped(old) == before


def test_an_older_form_is_upgraded_with_all_it_holds(old: str) -> None:
    Ledger.upgrade(old)
    Ledger.upgrade(old)  # again does nothing
    with Ledger(old, key=KEY) as ledger:
        assert ledger.verify().problems == ()
        balance = ledger.balance(HOLDER)
        assert (balance.remaining, balance.releases) == ((2.0, 0.0), 2)
        assert balance.reserved is not None and balance.reserved.approximate().epsilon == 1.5
        with pytest.raises(BudgetExhausted):
            ledger.reserve(HOLDER, pure(2.5))
        key = ledger.balance(Account("acme", unit="bob", key="k1"))
        assert (key.scope, key.lifetime.approximate().epsilon) == ("key", 2.5)
        ledger.set_limit(HOLDER, Limit(epsilon=4.0, delta=1e-6, composition="optimal"))
        ledger.reserve(HOLDER, pure(0.5))
        assert ledger.verify().problems == ()


def test_what_was_spent_before_noise_was_stated_stays_spent(tmp_path: Path) -> None:
    """Under Gaussian composition too: what says nothing of its noise counts as a release without."""
    place = made(tmp_path / "budget.db", SECOND)
    with pytest.raises(LedgerError, match="got the older form 2"):
        Ledger(place, key=KEY)
    Ledger.upgrade(place)
    with Ledger(place, key=KEY) as ledger:
        assert ledger.verify().problems == ()
        balance = ledger.balance(HOLDER)
        assert balance.spent.approximate().epsilon == 3.0 and balance.releases == 3
        assert 2e-7 <= balance.lifetime.approximate().delta < 2.001e-7
        ledger.reserve(HOLDER, noisy())
        assert ledger.balance(HOLDER).spent.approximate().epsilon == 4.0  # optimal composition reads no noise
        for part, left in ((3.5, 0.5), (2.0, -1.0)):
            ledger.set_limit(HOLDER, Limit(5.0, 1e-5, "gaussian", pure_epsilon=part))
            with pytest.raises(BudgetExhausted, match=f"epsilon {max(left, 0):g}.* left for releases without Gaussian"):
                ledger.reserve(HOLDER, pure(1.5))
            assert (ledger.affords(HOLDER, noisy()) or 0) == (2 if left > 0 else 0)
        assert ledger.verify().problems == ()


def test_a_new_database_has_the_tables_that_the_code_reads(tmp_path: Path, old: str) -> None:
    Ledger(str(tmp_path / "new.db"), key=KEY).close()
    Ledger.upgrade(old)
    for place in (str(tmp_path / "new.db"), old):
        engine = sa.create_engine(url_of(place))
        found = sa.inspect(engine)
        for table in METADATA.sorted_tables:
            columns = {
                column["name"]: (column["nullable"], str(column["type"])) for column in found.get_columns(table.name)
            }
            wanted = {one.name: (one.nullable, str(one.type.compile(engine.dialect))) for one in table.columns}
            assert columns == wanted
            assert found.get_pk_constraint(table.name)["constrained_columns"] == [one.name for one in table.primary_key]
            assert {one["name"] for one in found.get_indexes(table.name)} == {one.name for one in table.indexes}
        engine.dispose()


def test_a_newer_form_is_refused(tmp_path: Path) -> None:
    place = str(tmp_path / "budget.db")
    Ledger(place, key=KEY).close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE ledger_version SET version_num = ?", [str(int(VERSION) + 1)])
    connection.close()
    with pytest.raises(LedgerError, match="made by a newer version"):
        Ledger(place, key=KEY)


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
