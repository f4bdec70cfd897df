"""Gaussian noise: a draw of an entry may state its square of mu, which earlier versions do not read."""

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Leave the tables as they are: entries never change, and those before state no noise."""
