"""The table of conversations that are kept encrypted."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "server_conversations",
        sa.Column("id", sa.LargeBinary(32), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("server_conversations_until", "server_conversations", ["until"])
