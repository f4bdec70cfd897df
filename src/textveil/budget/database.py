"""The database of a ledger: found by URL or path, made where it is not there, refused where it is of another form."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from textveil.errors import LedgerError, MissingExtra, ParameterError

try:
    import sqlalchemy as sa
    from sqlalchemy import event
    from sqlalchemy.engine import URL, Connection, Engine, make_url
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError
except ImportError:
    raise MissingExtra("sqlalchemy", "ledger") from None

VERSION: Final = "2"
"""The form of the tables that this code reads and writes: the last step of ``migrations``."""

BUSY_SECONDS: Final = 30.0
"""How long a writer waits for another process to be done."""

_VERSION_TABLE = "ledger_version"
_UPGRADE_LOCK = 0x7465787476656C  # "textvel", for PostgreSQL's advisory locks
_WRITES = "textveil_writes"


def url_of(place: str) -> URL:
    """The URL of a database, of a URL or a path of an SQLite file.

    Raises:
        ParameterError: it is neither, or a database of another kind, or one in memory alone.
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
    """The database, with its tables in today's form; a new one is made.

    Args:
        url: of ``url_of``.
        upgrade: bring tables of an older form into today's; else they are refused.

    Raises:
        LedgerError: it cannot be opened, or its tables are of another form.
        MissingExtra: a package that it needs is not installed.
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
    """A transaction that holds the database's lock for writers from its beginning, where the database has one."""
    with engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one state of the database, whatever others write meanwhile."""
    isolated = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**isolated) as connection, connection.begin():
        yield connection


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Errors of the database as one line without its URL, statements or values.

    Raises:
        LedgerError: in the place of any of them.
    """
    try:
        yield
    except SQLAlchemyError as error:
        reason = _reason(error)
    else:
        return
    raise LedgerError(f"the ledger's database could not be used: {reason}. Nothing is released without it.")


def _reason(error: SQLAlchemyError) -> str:
    """What a database says of an error, where that can hold nothing of what is stored in it."""
    said = str(getattr(error, "orig", None) or "").lower()
    reasons = {
        "locked": f"another process holds it for over {BUSY_SECONDS:.0f} s",
        "full": "the disk is full",
        "malformed": "it is damaged; restore it from a copy",
        "not a database": "it is no database",
        "unable to open": "it cannot be opened; its folder must exist and be writable",
        "readonly": "it cannot be written",
        "read-only": "it cannot be written",
        "disk i/o": "the disk does not answer",
        "no space": "the disk is full",
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
            return sa.create_engine(url, pool_pre_ping=True)
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
    """Of a new connection to SQLite: the log is written ahead, and a transaction is on the disk when it ends."""
    connection.isolation_level = None  # transactions begin and end where this code says so
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begun(connection: Connection) -> None:
    """Begin a transaction of SQLite; one that will write takes the lock first, so that it never has to give up."""
    immediate = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _bring_up(connection: Connection, *, upgrade: bool) -> None:
    """Make the tables, or bring them into today's form; two processes do it one after the other."""
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
    _migrate(connection)


def version_of(connection: Connection) -> str | None:
    """The form of the tables; None where there are none."""
    if not sa.inspect(connection).has_table(_VERSION_TABLE):
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()


def _migrate(connection: Connection, to: str = "head") -> None:
    try:
        from alembic import command
        from alembic.config import Config
    except ImportError:
        raise MissingExtra("alembic", "ledger") from None
    config = Config()
    config.set_main_option("script_location", "textveil.budget:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
