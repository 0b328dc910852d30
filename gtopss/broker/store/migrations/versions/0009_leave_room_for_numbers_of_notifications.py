"""Leave room in the pages of subscriptions, whose last number changes with each notification."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Change the tables. Pages that are full already get room when PostgreSQL next writes their rows elsewhere."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE subscriptions SET (fillfactor = 80)")
