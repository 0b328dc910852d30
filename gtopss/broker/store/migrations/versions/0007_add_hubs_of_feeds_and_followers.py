"""Add hubs of feeds and followers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "feed_hubs",
        sa.Column("feed", sa.Text(), nullable=False),
        sa.Column("hub", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("callback", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("requested_at", sa.Float(), nullable=True),
        sa.Column("lease_end", sa.Float(), nullable=True),
        sa.Column("settled", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("demoted", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("pushed_at", sa.Float(), nullable=True),
        sa.Column("pushes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("refused_pushes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("polls_saved", sa.Float(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("due_at", sa.Float(), nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("feed"),
        sa.UniqueConstraint("callback"),
    )
    with op.batch_alter_table("feed_hubs", schema=None) as batch_op:
        batch_op.create_index("feed_hubs_due_at", ["due_at"], unique=False)

    op.create_table(
        "followers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("callback", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("reader_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("lease_end", sa.Float(), nullable=True),
        sa.Column("wanted", sa.Text(), nullable=True),
        sa.Column("wanted_secret", sa.Text(), nullable=True),
        sa.Column("wanted_lease", sa.Float(), nullable=True),
        sa.Column("delivered_sequence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("due_at", sa.Float(), nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("subscription", "callback"),
    )
    with op.batch_alter_table("followers", schema=None) as batch_op:
        batch_op.create_index("followers_due_at", ["due_at"], unique=False)
