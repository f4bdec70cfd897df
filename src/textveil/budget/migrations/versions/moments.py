"""Optimal composition: what a period's draws cost by the rule of moments."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Add the column; no limit of the first form counted it."""
    op.add_column("ledger_levels", sa.Column("period_moment", sa.Text, nullable=False, server_default="0"))
