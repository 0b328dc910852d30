"""Read and write the rows of `followers`: those who follow the feed of a subscription by WebSub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, exists, func, select, update

from gtopss.broker.store import leases
from gtopss.broker.store.tables import followers, subscriptions


@dataclass(frozen=True, slots=True)
class Follower:
    """One who follows the feed of a subscription. Times are Unix seconds."""

    id: str
    subscription: str
    callback: str
    topic: str
    """The address of the feed, as the follower gave it."""
    reader_hash: bytes
    """The hash of the token in that address. Another token ends the following."""
    due_at: float
    """When there is something to do: to ask the callback, to send, or to end."""
    secret: str | None = None
    lease_end: float | None = None
    """None until the callback has agreed."""
    wanted: str | None = None
    """What the callback has not agreed to yet: "subscribe" or "unsubscribe"."""
    wanted_secret: str | None = None
    wanted_lease: float | None = None
    delivered_sequence: int = 0
    failures: int = 0
    """Failures in a row."""
    error: str | None = None
    lease_holder: str | None = None
    lease_until: float = 0.0


def insert_follower(connection: Connection, follower: Follower) -> None:
    """Add a follower."""
    connection.execute(followers.insert().values({name: getattr(follower, name) for name in Follower.__slots__}))


def follower_of(connection: Connection, subscription: str, callback: str) -> Follower | None:
    """Return the follower of a subscription's feed with this callback, or None; nobody else changes it meanwhile."""
    query = select(followers).where(followers.c.subscription == subscription, followers.c.callback == callback)
    row = connection.execute(query.with_for_update()).one_or_none()
    return None if row is None else _follower(row)


def get(connection: Connection, id: str) -> Follower | None:
    """Return a follower, or None."""
    row = connection.execute(select(followers).where(followers.c.id == id)).one_or_none()
    return None if row is None else _follower(row)


def count(connection: Connection, subscription: str | None = None) -> int:
    """Return how many follow the feed of a subscription, or of any."""
    query = select(func.count()).select_from(followers)
    if subscription is not None:
        query = query.where(followers.c.subscription == subscription)
    return int(connection.scalar(query) or 0)


def set_values(connection: Connection, id: str, values: Mapping[str, Any]) -> None:
    """Write columns of a follower and end its lease, so that what runs now is not recorded."""
    connection.execute(update(followers).where(followers.c.id == id).values(**values, **leases.RELEASED))


def remove(connection: Connection, claimed: Follower) -> None:
    """Delete a claimed follower, unless another has claimed it since."""
    held = (followers.c.id == claimed.id) & (followers.c.lease_holder == claimed.lease_holder)
    connection.execute(delete(followers).where(held))


def wake(connection: Connection, now: float) -> None:
    """Let the followers be due for whom there is something new, or whose subscription or token is gone.

    One that failed keeps its time. It is looked for here, and not where notifications are written, because few
    subscriptions have followers.
    """
    is_current = (subscriptions.c.id == followers.c.subscription) & (
        subscriptions.c.reader_hash == followers.c.reader_hash
    )
    is_sent = subscriptions.c.last_sequence <= followers.c.delivered_sequence
    waits = (followers.c.due_at > now) & (followers.c.failures == 0) & (followers.c.wanted.is_(None))
    connection.execute(update(followers).where(waits, ~exists().where(is_current, is_sent)).values(due_at=now))


def next_due(connection: Connection, now: float) -> float | None:
    """Return when the next follower is due that nobody holds now; None if there is none."""
    return leases.next_due(connection, followers, now)


def claim_due(connection: Connection, broker: str, *, now: float, until: float, limit: int) -> list[Follower]:
    """Claim up to `limit` followers that are due, the longest due first."""
    claimed = leases.claim_due(connection, followers, broker, now=now, until=until, limit=limit)
    return [_follower(row) for row in claimed]


def complete(connection: Connection, claimed: Follower, values: Mapping[str, Any]) -> None:
    """Write columns of a claimed follower and end its lease. Raise LeaseLost if another has claimed it since."""
    leases.complete(connection, leases.lease_of(followers, claimed), [claimed.id], {**values, **leases.RELEASED})


def _follower(row: Any) -> Follower:
    values = {name: getattr(row, name) for name in Follower.__slots__}
    return Follower(**values | {"reader_hash": bytes(row.reader_hash)})
