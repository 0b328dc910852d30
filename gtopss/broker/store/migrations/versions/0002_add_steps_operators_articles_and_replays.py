"""Add steps, operators, articles and replays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Change the tables."""
    with op.batch_alter_table("dead_letters", schema=None) as batch_op:
        batch_op.add_column(sa.Column("replay", sa.Boolean(), server_default="0", nullable=False))

    with op.batch_alter_table("feeds", schema=None) as batch_op:
        batch_op.add_column(sa.Column("permanent_since", sa.Float(), nullable=True))

    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.add_column(sa.Column("id", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("article_link", sa.LargeBinary(), nullable=True))
        batch_op.add_column(sa.Column("article_text", sa.LargeBinary(), nullable=True))
        batch_op.drop_index(batch_op.f("notifications_article"))
        batch_op.create_index("notifications_article_link", ["subscription", "article_link"], unique=False)
        batch_op.create_index("notifications_article_text", ["subscription", "article_text"], unique=False)
        batch_op.drop_column("article")
    op.execute("UPDATE notifications SET id = subscription || '-' || sequence")
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.alter_column("id", existing_type=sa.Text(), nullable=False)

    with op.batch_alter_table("owners", schema=None) as batch_op:
        batch_op.add_column(sa.Column("subscriptions", sa.BigInteger(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("steps", sa.Float(), server_default="0", nullable=False))
        batch_op.alter_column("max_steps", existing_type=sa.BIGINT(), type_=sa.Float(), existing_nullable=True)

    with op.batch_alter_table("publications", schema=None) as batch_op:
        batch_op.add_column(sa.Column("operators_due", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("operator_attempts", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("error", sa.Text(), nullable=True))
        batch_op.drop_index("publications_waiting")
        batch_op.create_index(
            "publications_waiting",
            ["number"],
            unique=False,
            sqlite_where=sa.text("matched IS 0"),
            postgresql_where=sa.text("matched IS false"),
        )
        batch_op.create_index(
            "publications_operators_due",
            ["number"],
            unique=False,
            sqlite_where=sa.text("operators_due IS 1"),
            postgresql_where=sa.text("operators_due IS true"),
        )

    with op.batch_alter_table("subscriptions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("calls_operators", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("steps", sa.Float(), server_default="0", nullable=False))

    op.execute("UPDATE targets SET secrets = '[]' WHERE secrets IS NULL")
    with op.batch_alter_table("targets", schema=None) as batch_op:
        batch_op.add_column(sa.Column("attempted_sequence", sa.BigInteger(), nullable=True))
        batch_op.alter_column("secrets", existing_type=sa.TEXT(), nullable=False)
