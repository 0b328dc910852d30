"""Create the tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "changes",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "dead_letters",
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("first_sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("target", "first_sequence"),
    )
    with op.batch_alter_table("dead_letters", schema=None) as batch_op:
        batch_op.create_index("dead_letters_subscription", ["subscription"], unique=False)

    op.create_table(
        "feed_items",
        sa.Column("feed", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("listed_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("feed", "item"),
    )
    with op.batch_alter_table("feed_items", schema=None) as batch_op:
        batch_op.create_index("feed_items_listed_at", ["listed_at"], unique=False)

    op.create_table(
        "feeds",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("added_at", sa.Float(), nullable=False),
        sa.Column("due_at", sa.Float(), nullable=True),
        sa.Column("validated_url", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("gone", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("permanent_url", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("last_fetch_at", sa.Float(), nullable=True),
        sa.Column("last_success_at", sa.Float(), nullable=True),
        sa.Column("last_item_at", sa.Float(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("items", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("url"),
    )
    with op.batch_alter_table("feeds", schema=None) as batch_op:
        batch_op.create_index("feeds_due_at", ["due_at"], unique=False)

    op.create_table(
        "notifications",
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("publication", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("bindings", sa.Text(), nullable=True),
        sa.Column("truncated", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("article", sa.LargeBinary(), nullable=True),
        sa.Column("other_publications", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("subscription", "sequence"),
        sa.UniqueConstraint("subscription", "publication"),
    )
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.create_index("notifications_article", ["subscription", "article"], unique=False)
        batch_op.create_index("notifications_created_at", ["created_at"], unique=False)
        batch_op.create_index("notifications_publication", ["publication"], unique=False)

    op.create_table(
        "owners",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=True),
        sa.Column("max_subscriptions", sa.BigInteger(), nullable=False),
        sa.Column("max_steps", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key_hash"),
    )
    op.create_table(
        "publications",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("published_at", sa.Float(), nullable=True),
        sa.Column("received_at", sa.Float(), nullable=False),
        sa.Column("after_change", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.Column("triples", sa.Integer(), nullable=False),
        sa.Column("matched", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id", "digest"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("publications", schema=None) as batch_op:
        batch_op.create_index("publications_received_at", ["received_at"], unique=False)
        batch_op.create_index(
            "publications_waiting",
            ["number"],
            unique=False,
            sqlite_where=sa.text("matched = 0"),
            postgresql_where=sa.text("NOT matched"),
        )

    op.create_table(
        "subscriptions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("ticket_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("validity", sa.Float(), nullable=True),
        sa.Column("expires_at", sa.Float(), nullable=True),
        sa.Column("expiring_at", sa.Float(), nullable=True),
        sa.Column("paused", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("expired", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("since_change", sa.BigInteger(), nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("digest", sa.Float(), nullable=True),
        sa.Column("at_most", sa.Integer(), nullable=True),
        sa.Column("at_most_period", sa.Float(), nullable=True),
        sa.Column("join_articles", sa.Boolean(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("subscriptions", schema=None) as batch_op:
        batch_op.create_index("subscriptions_expires_at", ["expires_at"], unique=False)
        batch_op.create_index("subscriptions_expiring_at", ["expiring_at"], unique=False)
        batch_op.create_index("subscriptions_owner", ["owner"], unique=False)

    op.create_table(
        "targets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secrets", sa.Text(), nullable=True),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("delivered_sequence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.Float(), nullable=True),
        sa.Column("period_start", sa.Float(), nullable=True),
        sa.Column("period_deliveries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("targets", schema=None) as batch_op:
        batch_op.create_index("targets_due_at", ["due_at"], unique=False)
        batch_op.create_index("targets_subscription", ["subscription"], unique=False)

    op.create_table(
        "writers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("last_group", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
