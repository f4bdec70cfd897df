"""The tables of the first ledgers."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "ledger_facts",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "ledger_chains",
        sa.Column("tenant", sa.LargeBinary(16), primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("head", sa.LargeBinary(32), nullable=False),
        sa.Column("seal", sa.LargeBinary(32), nullable=False),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("tenant", sa.LargeBinary(16), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("unit", sa.LargeBinary(16)),
        sa.Column("key", sa.LargeBinary(16)),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
    )
    op.create_index("ledger_entries_unit", "ledger_entries", ["unit", "number"])
    op.create_index("ledger_entries_key", "ledger_entries", ["key", "number"])
    op.create_table(
        "ledger_levels",
        sa.Column("level", sa.LargeBinary(16), primary_key=True),
        sa.Column("tenant", sa.LargeBinary(16), nullable=False),
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("limit_data", sa.Text),
        sa.Column("releases", sa.BigInteger, nullable=False),
        sa.Column("epsilon", sa.Text, nullable=False),
        sa.Column("delta", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("last_at", sa.BigInteger, nullable=False),
        sa.Column("basis", sa.Text, nullable=False),
        sa.Column("period_start", sa.BigInteger, nullable=False),
        sa.Column("period_epsilon", sa.Text, nullable=False),
        sa.Column("period_delta", sa.Text, nullable=False),
    )
    op.create_table(
        "ledger_open",
        sa.Column("tenant", sa.LargeBinary(16), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("unit", sa.LargeBinary(16)),
        sa.Column("key", sa.LargeBinary(16)),
        sa.Column("epsilon", sa.Text, nullable=False),
        sa.Column("delta", sa.Text, nullable=False),
    )
