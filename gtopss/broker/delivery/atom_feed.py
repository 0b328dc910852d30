"""The last notifications of a subscription as an Atom feed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from gtopss.broker.delivery.message import Compose, Notification
from gtopss.broker.store import notification_rows
from gtopss.broker.store.notification_pages import MAX_READ_BYTES, within_bytes
from gtopss.broker.store.store import Store
from gtopss.feeds.writing import ATOM_10, FeedHeader

DEFAULT_FEED_NOTIFICATIONS = 100
"""Notifications in a feed, the newest."""


def atom_feed(
    store: Store,
    compose: Compose,
    subscription: str,
    header: FeedHeader,
    *,
    limit: int = DEFAULT_FEED_NOTIFICATIONS,
    now: float,
) -> bytes:
    """Return an Atom feed of the newest notifications, the newest first. `now` is the time of an empty feed.

    They are fewer if they are large. The id of an entry is that of its notification, which stays the same. A notice is
    an entry too.
    """

    def newest(connection: Connection) -> Sequence[Notification]:
        rows = notification_rows.newest_first(connection, subscription, limit, MAX_READ_BYTES)
        return compose(connection, within_bytes(connection, rows, MAX_READ_BYTES)[::-1])

    return atom_document(header, store.read(newest), now)


def atom_document(header: FeedHeader, notifications: Sequence[Notification], now: float) -> bytes:
    """Return an Atom feed of notifications, which are given with the oldest first."""
    found = [(replace(each.entry(), id=each.row.id), _time(each.row.created_at)) for each in reversed(notifications)]
    updated = max((time for _, time in found), default=_time(now))
    return ATOM_10.to_bytes(header, (ATOM_10.item(entry, time) for entry, time in found), updated)


def _time(seconds: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(seconds, dt.UTC)
