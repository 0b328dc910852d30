"""Read and write the rows of `feeds` and `feed_items`: the feeds that are polled, and the items that they list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from gtopss.broker.store import leases
from gtopss.broker.store.tables import feed_items, feeds
from gtopss.broker.store.upserts import insert_or_ignore
from gtopss.net import Validators

_TOUCH_SECONDS = 24 * 3600.0  # the time of an item is written once a day at most, not at each fetch


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that is polled. Times are Unix seconds."""

    url: str
    added_at: float
    due_at: float | None
    """When it is fetched next; None if it is not polled any more."""
    validated_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    failures: int = 0
    """Failures in a row."""
    gone: bool = False
    """The server answered 410."""
    permanent_url: str | None = None
    """Where a permanent redirect leads."""
    permanent_since: float | None = None
    """When that redirect was first seen."""
    update_period: float = 0.0
    """Seconds for which the last document asked not to be fetched again."""
    title: str | None = None
    last_fetch_at: float | None = None
    last_success_at: float | None = None
    last_item_at: float | None = None
    """When an item was new or changed."""
    last_error: str | None = None
    items: int = 0
    """New or changed items after the first fetch."""
    lease_holder: str | None = None
    lease_until: float = 0.0

    @property
    def validators(self) -> Validators | None:
        """The validators of the last document, for a conditional request."""
        if self.validated_url is None:
            return None
        return Validators(self.validated_url, self.etag, self.last_modified)


def insert_feeds(connection: Connection, new: Iterable[Feed]) -> int:
    """Add feeds, except those that are there already. Return how many were added."""
    rows = [_values(feed) for feed in new]
    if not rows:
        return 0
    statement = insert_or_ignore(connection, feeds).returning(feeds.c.url)
    return len(connection.execute(statement, rows).all())


def feed_of(connection: Connection, url: str, *, lock: bool = False) -> Feed | None:
    """Return a feed, or None. With `lock`, nobody else changes it until the transaction ends."""
    query = select(feeds).where(feeds.c.url == url)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _feed(row)


def all_feeds(connection: Connection) -> list[Feed]:
    """Return all feeds, in the order of their URLs."""
    return [_feed(row) for row in connection.execute(select(feeds).order_by(feeds.c.url))]


def remove_feed(connection: Connection, url: str) -> bool:
    """Delete a feed and what is known of its items. Return whether it was there."""
    connection.execute(delete(feed_items).where(feed_items.c.feed == url))
    return connection.execute(delete(feeds).where(feeds.c.url == url)).rowcount == 1


def set_due(connection: Connection, url: str, due_at: float) -> bool:
    """Let a feed be fetched at a time, one that is gone too. Return whether there is such a feed."""
    values = {"due_at": due_at, "gone": False, "failures": 0}
    return connection.execute(update(feeds).where(feeds.c.url == url).values(values)).rowcount == 1


def make_due(connection: Connection, url: str, now: float) -> None:
    """Let a feed be fetched now that would be fetched later, unless it fails or is polled no more."""
    later = (feeds.c.due_at > now) & (feeds.c.failures == 0)
    connection.execute(update(feeds).where(feeds.c.url == url, later).values(due_at=now))


def set_values(connection: Connection, url: str, values: Mapping[str, Any]) -> None:
    """Write columns of a feed, whoever holds it."""
    connection.execute(update(feeds).where(feeds.c.url == url).values(**values))


def next_due(connection: Connection, now: float) -> float | None:
    """Return when the next feed is due that nobody holds now; None if there is none."""
    return leases.next_due(connection, feeds, now)


def claim_due(connection: Connection, broker: str, *, now: float, until: float, limit: int) -> list[Feed]:
    """Claim up to `limit` feeds that are due, the longest due first."""
    return [_feed(row) for row in leases.claim_due(connection, feeds, broker, now=now, until=until, limit=limit)]


def complete(connection: Connection, claimed: Feed, values: Mapping[str, Any]) -> None:
    """Write columns of a claimed feed and end its lease. Raise LeaseLost if another has claimed it since."""
    leases.complete(connection, leases.lease_of(feeds, claimed), [claimed.url], {**values, **leases.RELEASED})


def list_items(connection: Connection, feed: str, listed: Mapping[str, bytes], now: float) -> set[str]:
    """Remember what a feed lists, digests by id, and return the items that are new or have changed.

    Items that it has not listed for long are forgotten by retention.
    """
    columns = (feed_items.c.item, feed_items.c.digest, feed_items.c.listed_at)
    rows = connection.execute(select(*columns).where(feed_items.c.feed == feed)).all()
    known = {row.item: row for row in rows}
    new = [id for id in listed if id not in known]
    changed = [id for id in listed if id in known and bytes(known[id].digest) != listed[id]]
    touched = [id for id in listed if id in known and known[id].listed_at < now - _TOUCH_SECONDS]
    if new:
        made = [{"feed": feed, "item": id, "digest": listed[id], "listed_at": now} for id in new]
        connection.execute(feed_items.insert(), made)
    this = (feed_items.c.feed == feed) & (feed_items.c.item == bindparam("of"))
    if changed or touched:
        written = [{"of": id, "new_digest": listed[id], "at": now} for id in dict.fromkeys((*changed, *touched))]
        change = update(feed_items).where(this).values(digest=bindparam("new_digest"), listed_at=bindparam("at"))
        connection.execute(change, written)
    return {*new, *changed}


def keep_items(connection: Connection, feed: str, now: float) -> None:
    """Note that a feed may still list its items: it has not changed, or nobody knows what it lists now."""
    untouched = (feed_items.c.feed == feed) & (feed_items.c.listed_at < now - _TOUCH_SECONDS)
    connection.execute(update(feed_items).where(untouched).values(listed_at=now))


def _values(feed: Feed) -> dict[str, Any]:
    return {name: getattr(feed, name) for name in Feed.__slots__}


def _feed(row: Any) -> Feed:
    return Feed(**{name: getattr(row, name) for name in Feed.__slots__})
