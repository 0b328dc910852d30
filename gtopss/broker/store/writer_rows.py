"""Rows of the brokers that write to a PostgreSQL database (postgresql.py)."""

from __future__ import annotations

from sqlalchemy import Connection, select

from gtopss.broker.store.tables import writers


def oldest_open_group(connection: Connection) -> float | None:
    """Return a time before which no other broker has begun the group of changes that it has not committed yet.

    That is the start of its last group, by the server's clock. None if no other broker has an open group. A broker
    locks its row at the start of a group, and so its row is one that cannot be locked.
    """
    rows = select(writers.c.id, writers.c.seen_at)
    with connection.begin_nested() as looking:
        free = {row.id for row in connection.execute(rows.with_for_update(read=True, skip_locked=True))}
        looking.rollback()  # which ends the locks: the others need not wait for this group
    known = connection.execute(rows).all()
    return min((row.seen_at for row in known if row.id not in free), default=None)
