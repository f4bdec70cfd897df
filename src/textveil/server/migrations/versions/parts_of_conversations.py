"""The table of what was added to a conversation, in order: of each turn what is new in it."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "server_conversation_parts",
        sa.Column("id", sa.LargeBinary(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
