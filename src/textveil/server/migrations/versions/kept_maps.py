"""The table of private maps that are kept encrypted."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "server_maps",
        sa.Column("id", sa.LargeBinary(32), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("server_maps_until", "server_maps", ["until"])
