"""The server's own tables, in the ledger's database: made where they are not there, else brought into today's form."""

from typing import Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig
from sqlalchemy.engine import Connection, Engine

from textveil.budget.database import told, writing

METADATA = sa.MetaData()

KEYS: Final = sa.Table(
    "server_keys",
    METADATA,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.LargeBinary, nullable=False),
    sa.Column("check", sa.LargeBinary(16), nullable=False),
    sa.Column("hash", sa.String(200), nullable=False),
    sa.Column("admin", sa.Boolean, nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("expires", sa.BigInteger),
    sa.Column("revoked", sa.BigInteger),
    sa.Column("old_check", sa.LargeBinary(16)),
    sa.Column("old_hash", sa.String(200)),
    sa.Column("old_until", sa.BigInteger),
)
"""A key: whose it is, encrypted; a keyed check and an argon2 hash of its secret, and of the one before for a while.

Times are microseconds since 1970. Rows are never deleted, so that the id of a key is never that of another.
"""

MAPS: Final = sa.Table(
    "server_maps",
    METADATA,
    sa.Column("id", sa.LargeBinary(32), primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Index("server_maps_until", "until"),
)
"""Private maps, encrypted, under a digest of their id."""

CONVERSATIONS: Final = sa.Table(
    "server_conversations",
    METADATA,
    sa.Column("id", sa.LargeBinary(32), primary_key=True),
    sa.Column("until", sa.BigInteger, nullable=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    sa.Index("server_conversations_until", "until"),
)
"""Conversations, and the answers that lead to one, encrypted, under digests of their names."""

VERSION_TABLE: Final = "server_version"

_LOCK = 0x74767372766B6579  # for PostgreSQL's advisory locks


def make_tables(engine: Engine) -> None:
    """Make the tables, or bring them into today's form.

    Raises:
        LedgerError: the database fails.
    """
    with told(), writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config = AlembicConfig()
        config.set_main_option("script_location", "textveil.server:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def delete_expired(connection: Connection, table: sa.Table, now: int) -> None:
    """Delete rows whose time is over, but for those that another transaction holds: it deletes or renews them.

    Args:
        connection: in a transaction that will write.
        table: with a time ``until`` and an ``id``.
        now: microseconds since 1970.
    """
    over = sa.select(table.c.id).where(table.c.until <= now).with_for_update(skip_locked=True)  # none waits for another
    connection.execute(table.delete().where(table.c.id.in_(over)))
