"""Clients and databases are killed again and again: no limit is ever exceeded, and nothing is released unpaid."""

import contextlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from tests.helpers.ledger_clients import PERSONS
from tests.helpers.postgres import Postgres, postgres_server

from textveil.budget.account import Account, Limit
from textveil.budget.charge import EPSILON_UNIT
from textveil.budget.ledger import Ledger

KEY = bytes(range(32))
KILLS = int(os.environ.get("TEXTVEIL_KILLS", "5"))
"""Processes that are killed, of clients and of databases together: TEXTVEIL_KILLS=100 is the long form."""

CLIENTS, THREADS = 2, 8


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with postgres_server() as server:
        yield server


@contextlib.contextmanager
def clients(url: str, folder: Path, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that spend, each with several threads."""
    running = [started(url, folder, number) for number in range(count)]
    try:
        yield running
    finally:
        for one in running:
            one.kill()
            one.wait(30)


def started(url: str, folder: Path, number: int) -> subprocess.Popen[bytes]:
    arguments = [url, KEY.hex(), str(folder / "released"), str(THREADS), str(number)]
    return subprocess.Popen([sys.executable, "-m", "tests.helpers.ledger_clients", *arguments])


def released(folder: Path) -> dict[tuple[str, int], float]:
    """What clients released, by person and entry; a line that a kill cut short was not."""
    path = folder / "released"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    found = [line.split() for line in lines]
    counts = Counter(int(number) for _, number, _ in found)
    assert max(counts.values(), default=1) == 1, "two releases for one entry"
    return {(who, int(number)): float(epsilon) for who, number, epsilon in found}


def check(url: str, folder: Path, limit: float) -> None:
    """No limit is exceeded, every release has its entry, and the ledger is sound."""
    with Ledger(url, key=KEY) as ledger:
        assert ledger.verify().problems == ()
        reserved = {
            (person, one.number): one
            for person in PERSONS
            for one in ledger.entries(Account("acme", person))
            if one.what == "reserve"
        }
        for person in PERSONS:
            assert ledger.balance(Account("acme", person)).spent.approximate().epsilon <= limit
    handed = released(folder)
    assert handed.keys() <= reserved.keys()
    for person in PERSONS:
        own = sum((Fraction(epsilon) for (who, _), epsilon in handed.items() if who == person), Fraction(0))
        assert own <= limit
    for where, epsilon in handed.items():
        assert f'"epsilon":"{int(epsilon * EPSILON_UNIT)}"' in reserved[where].data


def spend_under_kills(url: str, folder: Path, database: Postgres | None) -> None:
    limit = 60.0 + 8 * KILLS
    with Ledger(url, key=KEY) as ledger:
        ledger.set_limit(Account("acme"), Limit(epsilon=limit), each="unit")
    choose = random.Random(3)
    with clients(url, folder, CLIENTS) as running:
        give_up = time.monotonic() + 60
        while not released(folder) and time.monotonic() < give_up:
            time.sleep(0.05)
        for number in range(KILLS):
            time.sleep(choose.uniform(0.05, 0.6))
            if database is not None and number % 2:
                database.kill()
                database.start()
                continue
            place = choose.randrange(CLIENTS)
            running[place].kill()
            running[place].wait(30)
            running[place] = started(url, folder, 10 + number)
        for one in running:  # until all budgets are exhausted
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.wait(60 + 2 * KILLS)
    check(url, folder, limit)
    handed = released(folder)
    assert len(handed) > KILLS


@pytest.mark.slow
def test_clients_of_sqlite_are_killed(tmp_path: Path) -> None:
    spend_under_kills(str(tmp_path / "budget.db"), tmp_path, None)


@pytest.mark.slow
def test_clients_and_the_server_of_postgresql_are_killed(postgres: Postgres, tmp_path: Path) -> None:
    spend_under_kills(postgres.url, tmp_path, postgres)


def test_another_process_leaves_the_log_that_this_one_writes_to(tmp_path: Path) -> None:
    """Closing a file gives up a process's locks on it; the other would then delete the log as the last to leave."""
    place = tmp_path / "budget.db"
    with Ledger(str(place)) as ledger, Ledger(str(place)) as second:  # as a server opens it for several uses
        ledger.set_limit(Account("acme"), Limit(epsilon=1.0))
        log = tmp_path / "budget.db-wal"
        before = log.stat().st_ino
        command = [sys.executable, "-m", "textveil", "ledger", "verify", str(place)]
        assert subprocess.run(command, capture_output=True, timeout=120).returncode == 0
        assert log.stat().st_ino == before
        assert second.verify().problems == ()
