"""Tasks to route publications to shares, and what they become: one task for each share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, select

from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.publication_rows import UNROUTED, delete_held, sizes
from gtopss.broker.store.tables import match_tasks, publications
from gtopss.broker.store.upserts import among, in_parts

_COLUMNS = ("share", "publication", "size", "received_at", "epoch")
_OF_ANOTHER_EPOCH = (
    " ON CONFLICT (share, publication) DO UPDATE SET epoch = excluded.epoch, lease_holder = NULL, lease_until = 0 "
    "WHERE match_tasks.epoch <> excluded.epoch AND match_tasks.share >= 0"
)
"""A task of an older epoch whose broker is still at work is taken from it: what it finds is not written."""


def finish_routing(connection: Connection, holder: str, routed: Mapping[int, Sequence[int]], epoch: int) -> set[int]:
    """Replace the tasks of routing by tasks for shares of an epoch; return the publications whose lease was held.

    `routed` has the shares of each publication, `OPERATORS` among them. One without shares is matched: nothing fires.
    """
    held = delete_held(connection, UNROUTED, holder, list(routed))
    received = _received(connection, held)
    of_size = sizes(connection, held)
    rows = [
        (share, number, of_size[number], received[number], epoch)
        for number in sorted(received)
        for share in routed[number]
    ]
    insert_rows(connection, "match_tasks", _COLUMNS, rows, on_conflict=_OF_ANOTHER_EPOCH)
    return held


def _received(connection: Connection, numbers: set[int]) -> dict[int, float]:
    query = select(publications.c.number, publications.c.received_at)
    return {
        number: at
        for part in in_parts(sorted(numbers))
        for number, at in connection.execute(query.where(among(connection, publications.c.number, part)))
    }


def reroute_stale(connection: Connection, epoch: int, now: float) -> int:
    """Let publications be routed again whose tasks are of another epoch, and that nobody matches now."""
    tasks = match_tasks.c
    stale = (tasks.share >= 0) & (tasks.epoch != epoch) & (tasks.lease_until <= now)
    found = connection.execute(
        delete(match_tasks).where(stale).returning(tasks.publication, tasks.size, tasks.received_at)
    ).all()
    rows = [(UNROUTED, *row, epoch) for row in sorted(set(map(tuple, found)))]
    insert_rows(connection, "match_tasks", _COLUMNS, rows, ignore=True)
    return len(rows)
