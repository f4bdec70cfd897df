"""The statements of every reservation, as text that a database's driver takes as it is.

A transaction has ten of them and is made for a few requests, so none is built and compiled anew. SQLite and
PostgreSQL read the same text but for the mark of a value and the lock on what is read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from textveil.budget.schema import CHAINS, LEVELS, OPEN

Row: TypeAlias = Mapping[str, Any]

_MOST_NAMES: Final = 500  # in one statement


def chain_rows(connection: Connection, tenants: Sequence[bytes], *, locked: bool = True) -> Iterator[Row]:
    """The ends of tenants' chains, locked until the transaction ends: in order, so that no two wait for each other."""
    lock = " FOR UPDATE" if locked and connection.dialect.name != "sqlite" else ""
    return _found(
        connection, CHAINS, ["tenant"], [(tenant,) for tenant in sorted(tenants)], f' ORDER BY "tenant"{lock}'
    )


def level_rows(connection: Connection, levels: Iterable[bytes]) -> Iterator[Row]:
    """Where accounts stand."""
    return _found(connection, LEVELS, ["level"], [(level,) for level in sorted(levels)])


def open_rows(connection: Connection, reservations: Iterable[tuple[bytes, int]]) -> Iterator[Row]:
    """Those of some reservations, by tenant and number, that nobody has committed."""
    return _found(connection, OPEN, ["tenant", "number"], sorted(reservations))


def add_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write new rows."""
    _write(connection, _insert, table, rows)


def begin_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write rows where there are none of their key; those that another process wrote meanwhile stay."""
    _write(connection, _begin, table, rows)


def set_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write rows, in place of those of their key."""
    _write(connection, _upsert, table, rows)


def close_open(connection: Connection, reservations: Sequence[tuple[bytes, int]]) -> None:
    """Note that reservations were committed."""
    if reservations:
        mark = _mark(connection)
        text = f'DELETE FROM {OPEN.name} WHERE "tenant" = {mark} AND "number" = {mark}'
        connection.exec_driver_sql(text, list(reservations))


def _found(
    connection: Connection, table: sa.Table, by: Sequence[str], wanted: Sequence[tuple[Any, ...]], then: str = ""
) -> Iterator[Row]:
    names = [column.name for column in table.c]
    for start in range(0, len(wanted), _MOST_NAMES):
        some = wanted[start : start + _MOST_NAMES]
        text = _select(table, _mark(connection), tuple(by), len(some)) + then
        for row in connection.exec_driver_sql(text, tuple(value for values in some for value in values)):
            yield dict(zip(names, row, strict=True))


def _write(
    connection: Connection, statement_of: Callable[[sa.Table, str], str], table: sa.Table, rows: Sequence[Row]
) -> None:
    if rows:
        names = [column.name for column in table.c]
        values = [tuple(row[name] for name in names) for row in rows]
        connection.exec_driver_sql(statement_of(table, _mark(connection)), values)


def _mark(connection: Connection) -> str:
    return "?" if connection.dialect.name == "sqlite" else "%s"


@lru_cache(maxsize=1024)
def _select(table: sa.Table, mark: str, by: tuple[str, ...], count: int) -> str:
    columns = ", ".join(f'"{column.name}"' for column in table.c)
    where = ", ".join(f'"{name}"' for name in by)
    marks = ", ".join([mark] * len(by))
    listed = ", ".join([marks] * count)
    if len(by) > 1:
        where, listed = f"({where})", ", ".join([f"({marks})"] * count)
        if mark == "?":  # SQLite reads a list of rows as a table alone
            listed = f"VALUES {listed}"
    return f"SELECT {columns} FROM {table.name} WHERE {where} IN ({listed})"


@lru_cache
def _insert(table: sa.Table, mark: str) -> str:
    columns = ", ".join(f'"{column.name}"' for column in table.c)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join([mark] * len(table.c))})"


@lru_cache
def _begin(table: sa.Table, mark: str) -> str:
    return f"{_insert(table, mark)} ON CONFLICT ({_key(table)}) DO NOTHING"


@lru_cache
def _upsert(table: sa.Table, mark: str) -> str:
    changed = ", ".join(f'"{column.name}" = excluded."{column.name}"' for column in table.c if not column.primary_key)
    return f"{_insert(table, mark)} ON CONFLICT ({_key(table)}) DO UPDATE SET {changed}"


def _key(table: sa.Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.primary_key)
