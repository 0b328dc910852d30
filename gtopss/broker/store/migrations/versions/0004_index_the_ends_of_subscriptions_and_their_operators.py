"""Index the ends of subscriptions and their operators."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Change the tables."""
    with op.batch_alter_table("subscriptions", schema=None) as batch_op:
        batch_op.create_index(
            "subscriptions_ends",
            ["expires_at"],
            unique=False,
            sqlite_where=sa.text("expired IS 0"),
            postgresql_where=sa.text("expired IS false"),
        )
        batch_op.create_index(
            "subscriptions_operators",
            ["id"],
            unique=False,
            sqlite_where=sa.text("calls_operators IS 1"),
            postgresql_where=sa.text("calls_operators IS true"),
        )
