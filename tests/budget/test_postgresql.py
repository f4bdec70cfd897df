"""The ledger on PostgreSQL: what it does on SQLite, several processes' threads at once, and faults in one line."""

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.budget.test_ledger import ANN, many_in_one_transaction, pure
from tests.budget.test_verify import exercised
from tests.helpers.postgres import Postgres, postgres_server

from textveil.budget.account import Account, Limit
from textveil.budget.database import METADATA, VERSION, migrate, url_of, writing
from textveil.budget.ledger import Ledger
from textveil.errors import BudgetExhausted, LedgerError, ParameterError

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def url(server: Postgres) -> str:
    """An empty database."""
    engine = sa.create_engine(url_of(server.url))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
    engine.dispose()
    return server.url


def test_a_budget_is_kept_and_verified(url: str, tmp_path: Path) -> None:
    with Ledger(url, key=KEY) as ledger:
        ledger.set_limit(ANN, Limit(epsilon=10.0))
        ledger.commit(ledger.reserve(ANN, pure(8.0)))
        with pytest.raises(BudgetExhausted):
            ledger.reserve(ANN, pure(4.0))
        with (tmp_path / "out.jsonl").open("wb") as stream:
            assert ledger.export(stream) == 3
    with Ledger(url, key=KEY) as again:
        assert again.balance(ANN).remaining == (2.0, 0.0)
        assert again.verify().sound
    with pytest.raises(LedgerError, match="has another key"):
        Ledger(url, key=bytes(32))
    with pytest.raises(ParameterError, match="key must be given for a database that is no file"):
        Ledger(url)


@pytest.mark.slow
def test_any_order_of_limits_releases_and_periods_is_sound(url: str) -> None:
    with Ledger(url, key=KEY) as ledger:
        exercised(ledger, 5, 80)
        assert ledger.verify().problems == ()


def test_more_accounts_than_one_statement_names_are_one_transaction(url: str) -> None:
    with Ledger(url, key=KEY) as ledger:
        many_in_one_transaction(ledger)


@pytest.mark.slow
def test_tenants_that_begin_together_never_wait_for_each_other(url: str) -> None:
    with contextlib.ExitStack() as opened:
        ledgers = [opened.enter_context(Ledger(url, key=KEY)) for _ in range(10)]
        together = threading.Barrier(len(ledgers))

        def ask(ledger: Ledger) -> None:
            for number in range(150):  # some of the new ones are locked before the old ones, others after them
                names = ["old", f"new {number}", "older", f"newer {number}"]
                together.wait(timeout=600)
                try:
                    ledger.reserve_all([(Account(name), pure(1.0)) for name in names])
                except LedgerError:
                    together.abort()
                    raise

        with ThreadPoolExecutor(len(ledgers)) as pool:
            list(pool.map(ask, ledgers))
        assert ledgers[0].verify().problems == ()


def test_two_ledgers_of_many_threads_never_overdraw_and_never_wait_for_each_other(url: str) -> None:
    accounts = [Account(tenant, "ann") for tenant in ("a", "b", "c")]
    with Ledger(url, key=KEY) as first, Ledger(url, key=KEY) as second:
        for account in accounts:
            first.set_limit(account, Limit(epsilon=20.0))

        def ask(number: int) -> int:
            ledger = (first, second)[number % 2]
            wanted = [(account, pure(0.75)) for account in accounts[:: 1 if number % 4 else -1]]
            found = ledger.reserve_all(wanted)
            return sum(not isinstance(one, BudgetExhausted) for one in found)

        with ThreadPoolExecutor(16) as pool:
            assert sum(pool.map(ask, range(60))) == 3 * 26
        assert first.verify().sound


@pytest.mark.slow
def test_two_processes_that_open_a_new_database_at_once_make_it_once(url: str) -> None:
    code = f"from textveil.budget.ledger import Ledger; Ledger({url!r}, key=bytes(32)).close()"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [one.wait(60) for one in running] == [0, 0, 0]


def test_the_key_of_a_new_database_is_written_once_by_several_at_once(url: str) -> None:
    """Between the tables and the key another process may come."""
    for _ in range(5):
        with Ledger(url, key=KEY) as ledger:
            with writing(ledger._engine) as connection:
                connection.execute(sa.text("DELETE FROM ledger_facts"))
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: ledger._check_key(), range(8)))
    with pytest.raises(LedgerError, match="another key"):
        Ledger(url, key=bytes(32))


def test_an_older_form_is_upgraded(url: str) -> None:
    engine = sa.create_engine(url_of(url))
    with writing(engine) as connection:
        migrate(connection, "textveil.budget", "ledger_version", "1")
    with pytest.raises(LedgerError, match="got the older form 1"):
        Ledger(url, key=KEY)
    Ledger.upgrade(url)
    with engine.connect() as connection:
        found = sa.inspect(connection)
        for table in METADATA.sorted_tables:
            assert {one["name"] for one in found.get_columns(table.name)} == {one.name for one in table.columns}
        assert connection.execute(sa.text("SELECT version_num FROM ledger_version")).scalar() == VERSION
    engine.dispose()
    Ledger(url, key=KEY).close()


def test_a_server_that_goes_away_is_an_error_and_comes_back(server: Postgres, url: str) -> None:
    with Ledger(url, key=KEY) as ledger:
        ledger.reserve(ANN, pure(1.0))
        server.kill()
        with pytest.raises(LedgerError, match="Nothing is released without it") as caught:
            ledger.reserve(ANN, pure(1.0))
        assert "tests@" not in str(caught.value) and "\n" not in str(caught.value)
        server.start()
        ledger.reserve(ANN, pure(1.0))
        assert ledger.balance(ANN).spent.approximate().epsilon == 2.0
    assert threading.active_count() < 50
    with pytest.raises(LedgerError, match="nothing answers at its address"):
        Ledger("postgresql://tests@127.0.0.1:1/postgres", key=KEY)


@contextlib.contextmanager
def set_for_all(server: Postgres, name: str, value: str) -> Iterator[None]:
    """A setting of the whole database, as its administrator may choose it."""
    engine = sa.create_engine(url_of(server.url), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.execute(sa.text(f"ALTER DATABASE postgres SET {name} = '{value}'"))
        try:
            yield
        finally:
            connection.execute(sa.text(f"ALTER DATABASE postgres RESET {name}"))


@pytest.mark.parametrize(
    ("name", "value"), [("synchronous_commit", "off"), ("default_transaction_isolation", "serializable")]
)
def test_no_setting_of_the_server_loses_what_was_paid(server: Postgres, url: str, name: str, value: str) -> None:
    with set_for_all(server, name, value), Ledger(url, key=KEY) as ledger, ledger._engine.connect() as connection:
        found = [connection.execute(sa.text(f"SHOW {one}")).scalar() for one in (name, "transaction_isolation")]
        assert (found[0] == "on" or name != "synchronous_commit") and found[1] == "read committed"


def test_a_lock_that_nobody_gives_up_is_an_error(server: Postgres, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textveil.budget.database.BUSY_SECONDS", 0.1)
    engine = sa.create_engine(url_of(url), poolclass=sa.NullPool)
    with Ledger(url, key=KEY) as ledger:
        ledger.reserve(ANN, pure(1.0))
        with engine.connect() as connection, connection.begin():  # a process that was stopped here
            connection.execute(sa.text("SELECT * FROM ledger_chains FOR UPDATE")).all()
            with pytest.raises(LedgerError, match="another process holds it"):
                ledger.reserve(ANN, pure(1.0))
        assert ledger.balance(ANN).releases == 1


def test_an_address_that_says_nothing_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"postgresql://tests@127.0.0.1:{silent.getsockname()[1]}/postgres?connect_timeout=2"
        with pytest.raises(LedgerError, match="nothing answers at its address"):
            Ledger(place, key=KEY)
