"""Read and write the rows of `feeds` and `feed_items`: the feeds that are polled, and the items that they list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, select, update

from gtopss.broker.errors import LeaseLost
from gtopss.broker.store import leases
from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.bulk_selects import select_by_keys
from gtopss.broker.store.tables import feed_items, feeds
from gtopss.broker.store.upserts import among, in_parts, insert_or_ignore
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


def lock_feeds(connection: Connection, urls: Iterable[str]) -> None:
    """Let nobody else change these feeds until the transaction ends."""
    for part in in_parts(sorted(urls)):
        query = select(feeds.c.url).where(among(connection, feeds.c.url, part)).order_by(feeds.c.url)
        connection.execute(query.with_for_update())


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
    """Write columns of a feed, whoever holds it; `new_items` is added to its count of items."""
    statement = update(feeds).where(feeds.c.url == url).values(_assignments(values))
    connection.execute(statement, dict(values))


def next_due(connection: Connection, now: float) -> float | None:
    """Return when the next feed is due that nobody holds now; None if there is none."""
    return leases.next_due(connection, feeds, now)


def claim_due(connection: Connection, broker: str, *, now: float, until: float, limit: int) -> list[Feed]:
    """Claim up to `limit` feeds that are due, the longest due first."""
    return [_feed(row) for row in leases.claim_due(connection, feeds, broker, now=now, until=until, limit=limit)]


def complete(connection: Connection, claimed: Feed, values: Mapping[str, Any]) -> None:
    """Write columns of a claimed feed and end its lease. Raise LeaseLost if another has claimed it since.

    `new_items` is added to its count of items, which a push may have changed since the feed was claimed.
    """
    complete_all(connection, [(claimed, values)])


def complete_all(connection: Connection, claimed: Iterable[tuple[Feed, Mapping[str, Any]]]) -> None:
    """Do the same for several feeds. Raise LeaseLost if another has claimed one of them since."""
    by_columns: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for feed, values in claimed:
        row = {**values, **leases.RELEASED}
        by_columns[tuple(sorted(row))].append({**row, "of": feed.url, "holder": feed.lease_holder})
    held = (feeds.c.url == bindparam("of")) & (feeds.c.lease_holder == bindparam("holder"))
    for columns, rows in by_columns.items():
        statement = update(feeds).where(held).values(_assignments(columns))
        completed = connection.execute(statement, rows).rowcount
        if completed != len(rows):
            raise LeaseLost(feeds.name, len(rows) - completed)


def _assignments(columns: Iterable[str]) -> dict[str, ColumnElement[Any]]:
    """Return what an update sets, as parameters of the same names."""
    return {
        **{name: bindparam(name) for name in columns if name != "new_items"},
        **({"items": feeds.c["items"] + bindparam("new_items")} if "new_items" in columns else {}),
    }


def list_items(connection: Connection, listed: Mapping[str, Mapping[str, bytes]], now: float) -> dict[str, list[str]]:
    """Remember what feeds list, digests by feed and id, and return the items of each that are new or have changed.

    Items that a feed has not listed for long are forgotten by retention.
    """
    keys = [(feed, id) for feed, items in listed.items() for id in items]
    columns = ("feed", "item", "digest", "listed_at")
    known = {
        (feed, id): (bytes(digest), listed_at)
        for feed, id, digest, listed_at in select_by_keys(connection, "feed_items", ("feed", "item"), keys, columns)
    }
    found: dict[str, list[str]] = {feed: [] for feed in listed}
    written = []
    for feed, items in listed.items():
        for id, digest in items.items():
            before, listed_at = known.get((feed, id), (None, 0.0))
            if before != digest:
                found[feed].append(id)
            if before != digest or listed_at < now - _TOUCH_SECONDS:
                written.append((feed, id, digest, now))
    newer = " ON CONFLICT (feed, item) DO UPDATE SET digest = excluded.digest, listed_at = excluded.listed_at"
    insert_rows(connection, "feed_items", columns, written, on_conflict=newer)
    return found


def keep_items(connection: Connection, urls: Sequence[str], now: float) -> None:
    """Note that feeds may still list their items: they have not changed, or nobody knows what they list now."""
    for part in in_parts(urls):
        untouched = among(connection, feed_items.c.feed, part) & (feed_items.c.listed_at < now - _TOUCH_SECONDS)
        connection.execute(update(feed_items).where(untouched).values(listed_at=now))


def _values(feed: Feed) -> dict[str, Any]:
    return {name: getattr(feed, name) for name in Feed.__slots__}


def _feed(row: Any) -> Feed:
    return Feed(**{name: getattr(row, name) for name in Feed.__slots__})
