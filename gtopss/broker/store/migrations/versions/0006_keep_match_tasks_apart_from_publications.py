"""Keep match tasks apart from publications, fewer indexes of notifications, and count verifications."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_ADD_TASKS = "INSERT INTO match_tasks (share, publication, size, received_at, attempts, lease_holder, lease_until) "


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "match_tasks",
        sa.Column("share", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("publication", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("share", "publication"),
        sqlite_with_rowid=False,
    )
    columns = "number, length(lines), received_at, operator_attempts, lease_holder, lease_until FROM publications"
    op.execute(f"{_ADD_TASKS} SELECT 0, {columns} WHERE NOT matched")
    op.execute(f"{_ADD_TASKS} SELECT -1, {columns} WHERE matched AND operators_due")
    for name in ("publications_waiting", "publications_operators_due"):
        op.drop_index(name, "publications")
    for name in ("matched", "operators_due", "operator_attempts", "lease_holder", "lease_until"):
        op.drop_column("publications", name)
    _change_notifications()
    for column in (
        sa.Column("verifications", sa.Integer(), server_default="0", nullable=False),
        sa.Column("verifications_since", sa.Float(), server_default="0", nullable=False),
    ):
        op.add_column("subscriptions", column)


def _change_notifications() -> None:
    for name in ("publication", "article_link", "article_text"):
        op.drop_index(f"notifications_{name}", "notifications")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("notifications_subscription_publication_key", "notifications")
    else:
        _copy_notifications()
    op.create_index("notifications_publication", "notifications", ["publication", "subscription"], unique=True)
    for name in ("article_link", "article_text"):
        present = sa.text(f"{name} IS NOT NULL")
        op.create_index(
            f"notifications_{name}",
            "notifications",
            ["subscription", name],
            sqlite_where=present,
            postgresql_where=present,
        )


def _copy_notifications() -> None:
    """Copy the rows into a table without the constraint: SQLite cannot remove one."""
    op.drop_index("notifications_created_at", "notifications")
    op.create_table(
        "new_notifications",
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("publication", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("bindings", sa.Text(), nullable=True),
        sa.Column("truncated", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("article_link", sa.LargeBinary(), nullable=True),
        sa.Column("article_text", sa.LargeBinary(), nullable=True),
        sa.Column("other_publications", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("subscription", "sequence"),
    )
    columns = (
        "subscription, sequence, id, kind, publication, created_at, bindings, truncated, article_link, article_text, "
        "other_publications"
    )
    op.execute(f"INSERT INTO new_notifications ({columns}) SELECT {columns} FROM notifications ORDER BY created_at")
    op.drop_table("notifications")
    op.rename_table("new_notifications", "notifications")
    op.create_index("notifications_created_at", "notifications", ["created_at"])
