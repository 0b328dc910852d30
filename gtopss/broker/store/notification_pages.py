"""Read notifications in pages that are bounded in bytes, with the publications that they are about."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from gtopss.broker.store import notification_rows, publication_rows
from gtopss.broker.store.notification_rows import NotificationRow

MAX_READ_BYTES = 32 * 2**20
"""Notifications and publications that one read loads; a single notification may have more."""


def page_after(
    connection: Connection, subscription: str, sequence: int, limit: int
) -> tuple[list[NotificationRow], bool]:
    """Return the notifications of a subscription after a number, in their order, and whether there are no others.

    They are at most `limit`, and fewer if they take more than `MAX_READ_BYTES`, but at least one.
    """
    found = notification_rows.after(connection, subscription, sequence, limit, MAX_READ_BYTES)
    rows = within_bytes(connection, found, MAX_READ_BYTES)
    is_last = not rows or not notification_rows.after(connection, subscription, rows[-1].sequence, 1)
    return rows, is_last


def within_bytes(connection: Connection, rows: Sequence[NotificationRow], limit: int) -> list[NotificationRow]:
    """Return as many of the first rows as have so many bytes with their publications, at least one."""
    sizes = publication_rows.sizes(connection, {number for row in rows for number in row.publications()})
    for count, row in enumerate(rows):
        limit -= len(row.bindings or "") + sum(sizes.get(number, 0) for number in row.publications())
        if limit < 0:
            return list(rows[: max(1, count)])
    return list(rows)
