"""Divide subscriptions into shares, which brokers hold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Change the tables."""
    op.add_column("match_tasks", sa.Column("epoch", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "subscription_shares",
        sa.Column("epoch", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("share", sa.SmallInteger(), nullable=False),
        sa.Column("keys", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("epoch", "subscription"),
        sqlite_with_rowid=False,
    )
    op.create_index("subscription_shares_subscription", "subscription_shares", ["subscription"])
    op.create_table(
        "share_holders",
        sa.Column("epoch", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("share", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("broker", sa.Text(), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("epoch", "share", "broker"),
    )
