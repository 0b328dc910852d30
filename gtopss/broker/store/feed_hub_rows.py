"""Read and write the rows of `feed_hubs`: what this broker has asked of the WebSub hubs of its feeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, update

from gtopss.broker.store import leases
from gtopss.broker.store.tables import feed_hubs
from gtopss.broker.store.upserts import among, in_parts

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"


@dataclass(frozen=True, slots=True)
class FeedHub:
    """The hub of a feed. Times are Unix seconds."""

    feed: str
    hub: str
    topic: str
    callback: str
    """The secret part of the address that the hub calls."""
    secret: str
    due_at: float
    mode: str = SUBSCRIBE
    """What is wanted: "subscribe" or "unsubscribe"."""
    requested_at: float | None = None
    """When the request was sent that the hub has not verified yet; None if there is none."""
    lease_end: float | None = None
    """Until when the hub sends; None if it does not."""
    settled: bool = False
    """The feed was polled after the hub began to send: from now on a poll finds nothing, if the hub is reliable."""
    demoted: bool = False
    """A poll found what the hub had not sent. The feed is polled as usual until the next push."""
    pushed_at: float | None = None
    pushes: int = 0
    refused_pushes: int = 0
    polls_saved: float = 0.0
    failures: int = 0
    """Requests in a row that failed or were not verified."""
    error: str | None = None
    lease_holder: str | None = None
    lease_until: float = 0.0

    def is_subscribed(self, now: float) -> bool:
        """Return whether the hub has agreed to send, and its lease lasts."""
        return self.mode == SUBSCRIBE and self.lease_end is not None and now < self.lease_end

    def is_pushing(self, now: float) -> bool:
        """Return whether the feed need not be polled, but for once a day."""
        return self.is_subscribed(now) and not self.demoted


def insert_hub(connection: Connection, hub: FeedHub) -> None:
    """Add the hub of a feed, instead of the one before."""
    connection.execute(delete(feed_hubs).where(feed_hubs.c.feed == hub.feed))
    connection.execute(feed_hubs.insert().values({name: getattr(hub, name) for name in FeedHub.__slots__}))


def hub_of(connection: Connection, feed: str, *, lock: bool = False) -> FeedHub | None:
    """Return the hub of a feed, or None. With `lock`, nobody else changes it until the transaction ends."""
    return _one(connection, select(feed_hubs).where(feed_hubs.c.feed == feed), lock)


def hubs_of(connection: Connection, urls: Sequence[str]) -> dict[str, FeedHub]:
    """Return the hubs of feeds by feed. Nobody else changes them until the transaction ends."""
    return {
        row.feed: _hub(row)
        for part in in_parts(urls)
        for row in connection.execute(
            select(feed_hubs)
            .where(among(connection, feed_hubs.c.feed, part))
            .order_by(feed_hubs.c.feed)
            .with_for_update()
        )
    }


def hub_of_callback(connection: Connection, callback: str, *, lock: bool = False) -> FeedHub | None:
    """Return the hub that was given this callback, or None."""
    return _one(connection, select(feed_hubs).where(feed_hubs.c.callback == callback), lock)


def all_hubs(connection: Connection) -> dict[str, FeedHub]:
    """Return the hubs of all feeds by feed."""
    return {row.feed: _hub(row) for row in connection.execute(select(feed_hubs))}


def set_values(connection: Connection, feed: str, values: Mapping[str, Any]) -> None:
    """Write columns of the hub of a feed, whoever holds it."""
    connection.execute(update(feed_hubs).where(feed_hubs.c.feed == feed).values(**values))


def has_error(connection: Connection, error: str) -> bool:
    """Return whether the hub of some feed has this error."""
    return connection.execute(select(feed_hubs.c.feed).where(feed_hubs.c.error == error).limit(1)).first() is not None


def remove_hub(connection: Connection, feed: str) -> None:
    """Delete the hub of a feed."""
    connection.execute(delete(feed_hubs).where(feed_hubs.c.feed == feed))


def next_due(connection: Connection, now: float) -> float | None:
    """Return when the next hub is due that nobody holds now; None if there is none."""
    return leases.next_due(connection, feed_hubs, now)


def claim_due(connection: Connection, broker: str, *, now: float, until: float, limit: int) -> list[FeedHub]:
    """Claim up to `limit` hubs that are due, the longest due first."""
    return [_hub(row) for row in leases.claim_due(connection, feed_hubs, broker, now=now, until=until, limit=limit)]


def hold(connection: Connection, claimed: FeedHub, values: Mapping[str, Any]) -> None:
    """Write columns of a claimed hub, and keep it. Raise LeaseLost if another has claimed it since."""
    leases.complete(connection, leases.lease_of(feed_hubs, claimed), [claimed.feed], dict(values))


def complete(connection: Connection, claimed: FeedHub, values: Mapping[str, Any]) -> None:
    """Write columns of a claimed hub and end its lease. Raise LeaseLost if another has claimed it since."""
    hold(connection, claimed, {**values, **leases.RELEASED})


def _one(connection: Connection, query: Any, lock: bool) -> FeedHub | None:
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _hub(row)


def _hub(row: Any) -> FeedHub:
    return FeedHub(**{name: getattr(row, name) for name in FeedHub.__slots__})
