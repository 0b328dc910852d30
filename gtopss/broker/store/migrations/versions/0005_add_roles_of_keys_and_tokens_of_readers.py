"""Add roles of keys and tokens of readers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Change the tables."""
    with op.batch_alter_table("owners", schema=None) as batch_op:
        batch_op.add_column(sa.Column("roles", sa.Text(), server_default="publisher subscriber", nullable=False))

    with op.batch_alter_table("subscriptions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reader_hash", sa.LargeBinary(), nullable=True))
