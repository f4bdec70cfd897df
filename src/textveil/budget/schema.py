"""The tables of a ledger, as they are now; ``migrations`` makes them and brings older ones here."""

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()

FACTS = Table(
    "ledger_facts",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
"""What is true of the whole database: the check value of its key."""

CHAINS = Table(
    "ledger_chains",
    METADATA,
    Column("tenant", LargeBinary(16), primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("head", LargeBinary(32), nullable=False),
    Column("seal", LargeBinary(32), nullable=False),
)
"""Of each tenant the last entry: its number, time, digest, and a seal under the key. Whoever writes locks it."""

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
"""What happened, never changed: a tenant's entries are numbered from 1, and each has a digest of those before it."""

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
"""Of each account what its entries come to, since ever and in the period that its limit counts; and its own limit."""

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
"""Reservations that nobody has committed yet; they are spent all the same."""
