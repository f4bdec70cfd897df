"""The database of a ledger: its tables, opening and upgrading it, and the statements of every reservation.

A transaction has ten statements and is made for a few requests, so none is built and compiled anew. SQLite and
PostgreSQL read the same text but for the mark of a value and the lock on what is read.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, String, Table, Text
from sqlalchemy.engine import Connection

from textveil.errors import LedgerError, MissingExtra, ParameterError

METADATA = MetaData()

# facts about the whole database: the check value of its key
FACTS = Table(
    "ledger_facts", METADATA, Column("name", String(64), primary_key=True), Column("value", LargeBinary, nullable=False)
)

# of each tenant the last entry: its number, time, digest, and a seal under the key; writers lock it
CHAINS = Table(
    "ledger_chains",
    METADATA,
    Column("tenant", LargeBinary(16), primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("head", LargeBinary(32), nullable=False),
    Column("seal", LargeBinary(32), nullable=False),
)

# never changed: a tenant's entries are numbered from 1, and each has a digest of those before it
ENTRIES = Table(
    "ledger_entries",
    METADATA,
    Column("tenant", LargeBinary(16), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("what", String(16), nullable=False),
    Column("unit", LargeBinary(16)),
    Column("key", LargeBinary(16)),
    Column("data", Text, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
    Index("ledger_entries_unit", "unit", "number"),
    Index("ledger_entries_key", "key", "number"),
)

# of each account the sums of its entries, since ever and in the period of its limit; and its own limit
LEVELS = Table(
    "ledger_levels",
    METADATA,
    Column("level", LargeBinary(16), primary_key=True),
    Column("tenant", LargeBinary(16), nullable=False),
    Column("scope", String(32), nullable=False),
    Column("limit_data", Text),
    Column("releases", BigInteger, nullable=False),
    Column("epsilon", Text, nullable=False),
    Column("delta", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("basis", Text, nullable=False),
    Column("period_start", BigInteger, nullable=False),
    Column("period_epsilon", Text, nullable=False),
    Column("period_delta", Text, nullable=False),
    Column("period_moment", Text, nullable=False),
)

# reservations that nobody has committed yet; they are spent all the same
OPEN = Table(
    "ledger_open",
    METADATA,
    Column("tenant", LargeBinary(16), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("unit", LargeBinary(16)),
    Column("key", LargeBinary(16)),
    Column("epsilon", Text, nullable=False),
    Column("delta", Text, nullable=False),
)


try:
    import sqlalchemy as sa
    from sqlalchemy import event
    from sqlalchemy.engine import URL, Connection, Engine, make_url
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError
except ImportError:
    raise MissingExtra("sqlalchemy", "ledger") from None

VERSION: Final = "3"  # the form of the tables that this code reads and writes: the last step of ``migrations``
BUSY_SECONDS: Final = 30.0  # how long a writer waits for another process
_VERSION_TABLE = "ledger_version"
_UPGRADE_LOCK = 0x7465787476656C  # "textvel", for PostgreSQL's advisory locks
_WRITES = "textveil_writes"
# of connections to PostgreSQL, unless the URL says otherwise: a host that is gone is noticed
_REMOTE: Final = {"connect_timeout": 30, "keepalives_idle": 30, "tcp_user_timeout": 30_000}


def url_of(place: str) -> URL:
    """Return the URL of a database, given a URL or the path of an SQLite file.

    Raises ParameterError: it is neither, or a database of another kind, or one in memory alone.
    """
    try:
        url = make_url(place) if "://" in place else URL.create("sqlite", database=str(Path(place).absolute()))
    except (ArgumentError, ValueError):
        raise ParameterError("url must be a database's URL or a path; got one that cannot be read.") from None
    kind = url.get_backend_name()
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise ParameterError(f"url must name an SQLite or a PostgreSQL database; got {kind}.")
    if url.database in (None, "", ":memory:"):
        raise ParameterError("url must name a file; got a database in memory, which forgets what was spent.")
    return url


def opened(url: URL, *, upgrade: bool = False) -> Engine:
    """Open the database with its tables in today's form; a new one is made.

    Args:
        url: of ``url_of``.
        upgrade: bring tables of an older form into today's; else they are refused.

    Raises LedgerError: it cannot be opened, or its tables are of another form; MissingExtra: a package that it needs is
    not installed.
    """
    with told():
        engine = _engine(url)
        try:
            with writing(engine) as connection:
                _bring_up(connection, upgrade=upgrade)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextlib.contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction that holds the lock for writers from its beginning, if the database has one."""
    with engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction that sees one state of the database, whatever others write meanwhile."""
    isolated = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**isolated) as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell errors of the database in one line without its URL, statements or values.

    Raises LedgerError: in place of any of them.
    """
    try:
        yield
    except SQLAlchemyError as error:
        reason = _reason(error)
    else:
        return
    raise LedgerError(f"the ledger's database could not be used: {reason}. Nothing is released without it.") from None


def _reason(error: SQLAlchemyError) -> str:
    """Tell a database's error by its known reasons: its own words may hold stored data."""
    said = str(getattr(error, "orig", None) or "").lower()
    reasons = {
        "lock timeout": f"another process holds it for over {BUSY_SECONDS:.0f} s",
        "locked": f"another process holds it for over {BUSY_SECONDS:.0f} s",
        "full": "the disk is full",
        "malformed": "it is damaged; restore it from a copy",
        "not a database": "it is no database",
        "unable to open": "it cannot be opened; its folder must exist and be writable",
        "readonly": "it cannot be written",
        "read-only": "it cannot be written",
        "disk i/o": "the disk does not answer",
        "no space": "the disk is full",
        "timeout expired": "nothing answers at its address",
        "refused": "nothing answers at its address",
        "authentication": "it refuses the name or the password",
        "does not exist": "there is no such database",
        "closed": "the connection broke",
        "terminat": "the connection broke",
    }
    reason = next((reason for part, reason in reasons.items() if part in said), "")
    return reason or f"{type(getattr(error, 'orig', None) or error).__name__}"


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() != "sqlite":
            arguments = {name: value for name, value in _REMOTE.items() if name not in url.query}
            remote = sa.create_engine(url, pool_pre_ping=True, isolation_level="READ COMMITTED", connect_args=arguments)
            event.listen(remote, "begin", _begun_remotely)
            return remote
        _make_private(Path(str(url.database)))
        engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    except ImportError:
        raise MissingExtra("psycopg", "postgresql") from None
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begun)
    return engine


def _make_private(path: Path) -> None:
    """Make a new file that only its owner can open; SQLite gives its other files the same mode."""
    with contextlib.suppress(OSError):  # what is wrong is told when it is opened
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _set_up(connection: Any, record: object) -> None:
    """Set a new connection to SQLite up: the log is written ahead, and a transaction is on the disk when it ends."""
    connection.isolation_level = None  # transactions begin and end where this code says so
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begun(connection: Connection) -> None:
    """Begin a transaction of SQLite; one that will write takes the lock first, so that it never has to give up."""
    immediate = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _begun_remotely(connection: Connection) -> None:
    """Begin a transaction of PostgreSQL: no setting of a server or a user may lose what was paid, or wait for ever."""
    connection.exec_driver_sql(f"SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")


def _bring_up(connection: Connection, *, upgrade: bool) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _UPGRADE_LOCK})
    version = version_of(connection)
    if version == VERSION:
        return
    if (version is not None and not version.isdigit()) or int(version or 0) > int(VERSION):
        raise LedgerError("the ledger's database was made by a newer version of textveil. Install that one.")
    if version is not None and not upgrade:
        raise LedgerError(
            f"the ledger's database must have form {VERSION}; got the older form {version}. Make a copy of it, then "
            "run `textveil ledger upgrade`."
        )
    migrate(connection, "textveil.budget", _VERSION_TABLE)


def version_of(connection: Connection) -> str | None:
    """Return the form of the tables; None if there are none."""
    if not sa.inspect(connection).has_table(_VERSION_TABLE):
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()


def migrate(connection: Connection, package: str, version_table: str, to: str = "head") -> None:
    """Bring a package's tables into the form of its last step, or of ``to``."""
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError:
        raise MissingExtra("alembic", "ledger") from None
    config = Config()
    config.set_main_option("script_location", "textveil.budget:migrations")
    config.set_main_option("version_locations", f"{package}:migrations/versions")
    config.set_main_option("path_separator", "newline")
    config.attributes.update(connection=connection, version_table=version_table)
    command.upgrade(config, to)


Row: TypeAlias = Mapping[str, Any]

_MOST_NAMES: Final = 500  # in one statement


def chain_rows(connection: Connection, tenants: Sequence[bytes], *, locked: bool = True) -> Iterator[Row]:
    """Find the ends of tenants' chains, locked in order until the transaction ends: no two wait for each other."""
    lock = " FOR UPDATE" if locked and connection.dialect.name != "sqlite" else ""
    return _found(
        connection, CHAINS, ["tenant"], [(tenant,) for tenant in sorted(tenants)], f' ORDER BY "tenant"{lock}'
    )


def level_rows(connection: Connection, levels: Iterable[bytes]) -> Iterator[Row]:
    """Find where accounts stand."""
    return _found(connection, LEVELS, ["level"], [(level,) for level in sorted(levels)])


def open_rows(connection: Connection, reservations: Iterable[tuple[bytes, int]]) -> Iterator[Row]:
    """Find those of some reservations, by tenant and number, that nobody has committed."""
    return _found(connection, OPEN, ["tenant", "number"], sorted(reservations))


def add_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write new rows."""
    _write(connection, _insert, table, rows)


def begin_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write rows if there are none of their key; those that another process wrote meanwhile stay."""
    _write(connection, _begin, table, rows)


def set_rows(connection: Connection, table: sa.Table, rows: Sequence[Row]) -> None:
    """Write rows, in place of those of their key."""
    _write(connection, _upsert, table, rows)


def rows_of(connection: Connection, table: sa.Table, by: str, value: object, *, locked: bool = False) -> list[Row]:
    """Find rows by the value of a column, locked until the transaction ends if they will be written."""
    lock = " FOR UPDATE" if locked and connection.dialect.name != "sqlite" else ""
    return list(_found(connection, table, [by], [(value,)], lock))


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
