"""The table of the first keys."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "server_keys",
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
