"""A ledger with very many persons on PostgreSQL: how long a reservation takes, and how large tables and indexes get.

    python benchmarks/ledger_scale.py [--persons 1000000] [--each 1] [--threads 16] [--json]

Starts a new PostgreSQL of the system's package with its settings as they come, writes the entries of so many persons
into it at once (chained and sealed as the ledger does, in tenants of 10,000), sets a limit for each person, and takes
500 reservations of persons at random: by one thread, and by several. Beside it the same with 1,000 persons.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import sqlalchemy as sa
from measure import machine
from programs import postgresql

from textveil.budget.account import Account, Limit
from textveil.budget.chain import Chain, Names
from textveil.budget.charge import Charge
from textveil.budget.ledger import Ledger
from textveil.budget.standing import Standing
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_VALUE

TENANT = 10_000
PROBES = 500
KEY = bytes(range(32))

COST = Accountant().compose(
    PureDP(epsilon=0.125, status=Status.PROVED, source="privacy/proofs/surrogates.md", adjacency=ONE_VALUE), 3
)


def account(person: int) -> Account:
    """The person of that number."""
    return Account(f"tenant-{person // TENANT}", f"person-{person}")


def filled(url: str, persons: int, each: int) -> float:
    """Write the entries and sums of so many persons at once, as the ledger would have; returns the seconds it took.

    Entries are chained and sealed like any others, so that the ledger goes on behind them and verifies them.
    """
    names, charge = Names(KEY), Charge.of(COST)
    data = charge.to_data()
    start = time.perf_counter()
    with psycopg.connect(url, autocommit=False) as connection, connection.cursor() as cursor:
        for first in range(0, persons, TENANT):
            chain, entries = Chain(names.of(account(first)).tenant), []
            standings = {chain.tenant: Standing(chain.tenant, chain.tenant, "tenant")}
            for person in (one for _ in range(each) for one in range(first, min(persons, first + TENANT))):
                digests, at = names.of(account(person)), time.time_ns() // 1000
                made = chain.append(at, "reserve", digests.unit, None, data)
                entries += [made, chain.append(at, "commit", digests.unit, None, {"of": made.number})]
                for level in digests.levels:
                    standing = standings.setdefault(level.digest, Standing(level.digest, chain.tenant, "person"))
                    standing.add(charge, made.at, None)
            _copy(cursor, "ledger_entries", [one._asdict() for one in entries])
            _copy(cursor, "ledger_levels", [one.as_row() for one in standings.values()])
            _copy(cursor, "ledger_chains", [chain.as_row(names)])
            connection.commit()
    return time.perf_counter() - start


def _copy(cursor: psycopg.Cursor, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    columns = ", ".join(f'"{name}"' for name in rows[0])
    with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as sink:
        for row in rows:
            sink.write_row(tuple(row.values()))


def probed(ledger: Ledger, persons: int, threads: int) -> dict[str, float]:
    """How long a reservation takes for persons at random, in milliseconds, and how many there are in a second."""
    draw = random.Random(threads)
    chosen = [account(draw.randrange(persons)) for _ in range(PROBES)]

    def one(who: Account) -> float:
        start = time.perf_counter()
        ledger.commit(ledger.reserve(who, COST))
        return time.perf_counter() - start

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        taken = 1000 * np.array(list(pool.map(one, chosen)))
    rate = PROBES / (time.perf_counter() - start)
    median, p99 = np.quantile(taken, [0.5, 0.99])
    return {"median, ms": float(median), "p99, ms": float(p99), "a second": rate}


def sizes(url: str) -> dict[str, dict[str, float]]:
    """Rows, megabytes of the table, and of its indexes."""
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    found = {}
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("ANALYZE"))
        for table in ("ledger_entries", "ledger_levels", "ledger_chains", "ledger_open"):
            count = connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one()
            heap, indexes = connection.execute(
                sa.text("SELECT pg_table_size(:name), pg_indexes_size(:name)"), {"name": table}
            ).one()
            found[table] = {"rows": float(count), "table, MB": heap / 2**20, "indexes, MB": indexes / 2**20}
    engine.dispose()
    return found


def main() -> None:
    """Measures, and prints a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--persons", type=int, default=1_000_000)
    parser.add_argument("--each", type=int, default=1, help="releases of each person before it is measured")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for persons in (1_000, given.persons):
        with postgresql() as url:
            Ledger(url, key=KEY).close()
            taken = filled(url, persons, given.each)
            with Ledger(url, key=KEY) as ledger:
                for tenant in range(0, persons, TENANT):
                    ledger.set_limit(Account(f"tenant-{tenant // TENANT}"), Limit(1e4), each="unit")
                for threads in (1, given.threads):
                    found[f"{persons:,} persons, {threads} threads"] = probed(ledger, persons, threads)
            if persons == given.persons:
                found["filled"] = {"entries a second": 2 * persons * given.each / taken}
                found |= sizes(url)
    if given.json:
        print(json.dumps({"machine": machine(), "load": os.getloadavg(), **found}, indent=2))
        return
    for what, rows in found.items():
        for name, value in rows.items():
            print(f"{what:<32} {name:<24} {value:14,.2f}")
    print(f"load averages of the machine: {', '.join(f'{one:.1f}' for one in os.getloadavg())}")


if __name__ == "__main__":
    main()
