"""Accept requests to follow the feed of a subscription: this broker is the hub of its own feeds.

Whoever knows the address for reading a subscription's feed may follow it. A request only says what somebody wants:
`distribution.py` asks the callback whether it agrees before anything is sent to it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from gtopss.broker.authorisation import row_of_token
from gtopss.broker.errors import InvalidTicket, RefusedFollower
from gtopss.broker.store import follower_rows
from gtopss.broker.store.follower_rows import Follower
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.net import BlockedAddress, BlockedPort, Connector, FetchError, parse_url

MAX_FOLLOWERS = 50
"""Followers of one subscription's feed."""
MAX_ALL_FOLLOWERS = 10_000
"""Followers of all feeds of a store."""
MAX_REQUESTS = 120
"""Requests about one subscription's feed within `REQUEST_PERIOD_SECONDS`. Each sends a question to an address."""
REQUEST_PERIOD_SECONDS = 3600.0
MAX_CALLBACK_CHARACTERS = 1_500
"""Characters of a callback: with the id of the subscription it is a key."""
MAX_SECRET_BYTES = 199
"""Bytes of a follower's secret; WebSub says that it has less than 200."""
DEFAULT_LEASE_SECONDS = 10 * 86_400.0
"""Lease of a follower that asks for none."""
MIN_LEASE_SECONDS = 300.0
"""Shortest lease; a follower that asks for less gets this."""
MAX_LEASE_SECONDS = 30 * 86_400.0
"""Longest lease; a follower that asks for more gets this."""
_MAX_COUNTED = 10_000  # subscriptions whose requests are counted


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """What somebody asks of the hub."""

    mode: str
    """"subscribe" or "unsubscribe"."""
    callback: str
    topic: str
    lease_seconds: float | None = None
    secret: str | None = None


class Followers:
    """Those who follow the feeds of subscriptions. Thread-safe."""

    def __init__(self, store: Store, connector: Connector, *, clock: Callable[[], float] = time.time) -> None:
        self._store, self._connector, self._clock = store, connector, clock
        self._requests: dict[str, tuple[float, int]] = {}  # subscription -> since when, how many
        self._lock = threading.Lock()

    def request(self, subscription: str, token: str, asked: FollowRequest) -> None:
        """Store a request; the callback is asked later. `token` is the one that may read the subscription's feed.

        Raise InvalidTicket if it is not, and RefusedFollower for a request that cannot be done.
        """
        if asked.mode not in ("subscribe", "unsubscribe"):
            raise RefusedFollower("hub.mode is neither subscribe nor unsubscribe: this hub serves only its own feeds")
        if asked.secret is not None and len(asked.secret.encode("utf-8", "replace")) > MAX_SECRET_BYTES:
            raise RefusedFollower(f"hub.secret has more than {MAX_SECRET_BYTES} bytes")
        now = self._clock()
        self._store.read(lambda connection: _active_row(connection, subscription, token, now, lock=False))
        callback = self._callback(asked.callback)
        self._count(subscription, now)
        self._store.write(lambda connection: _store_request(connection, subscription, token, callback, asked, now))

    def _callback(self, text: str) -> str:
        """Return the normal form of a callback. Only an address that can be judged without a lookup is judged here."""
        try:
            url = parse_url(text)
            if url.address is not None:
                self._connector.check(url, self._connector.deadline(text))
        except (BlockedAddress, BlockedPort) as error:
            raise RefusedFollower("the operator does not permit this callback") from error
        except FetchError as error:
            raise RefusedFollower(f"hub.callback: {error.reason}") from error
        if len(str(url)) > MAX_CALLBACK_CHARACTERS:
            raise RefusedFollower(f"hub.callback has more than {MAX_CALLBACK_CHARACTERS:,} characters")
        return str(url)

    def _count(self, subscription: str, now: float) -> None:
        with self._lock:
            since, done = self._requests.pop(subscription, (now, 0))
            if now >= since + REQUEST_PERIOD_SECONDS:
                since, done = now, 0
            self._requests[subscription] = (since, done + 1)
            if len(self._requests) > _MAX_COUNTED:
                del self._requests[next(iter(self._requests))]  # the one that has waited longest
        if done >= MAX_REQUESTS:
            raise RefusedFollower(f"there were {MAX_REQUESTS} requests about this feed within an hour: try again later")


def _active_row(connection: Connection, subscription: str, token: str, now: float, *, lock: bool) -> SubscriptionRow:
    """Return the active subscription that a token may read. Raises InvalidTicket."""
    row = row_of_token(connection, subscription, token, lock=lock)
    if not row.is_active(now):
        raise InvalidTicket
    return row


def _store_request(
    connection: Connection, subscription: str, token: str, callback: str, asked: FollowRequest, now: float
) -> None:
    row = _active_row(connection, subscription, token, now, lock=True)
    known = follower_rows.follower_of(connection, subscription, callback)
    lease = DEFAULT_LEASE_SECONDS if asked.lease_seconds is None else asked.lease_seconds
    wanted: dict[str, Any] = {
        "wanted": asked.mode,
        "wanted_secret": asked.secret,
        "wanted_lease": min(max(lease, MIN_LEASE_SECONDS), MAX_LEASE_SECONDS),
        "topic": asked.topic,
        "reader_hash": row.reader_hash,
        "due_at": now,
        "failures": 0,
    }
    if known is not None:
        follower_rows.set_values(connection, known.id, wanted)
    elif asked.mode == "subscribe":
        if follower_rows.count(connection, subscription) >= MAX_FOLLOWERS:
            raise RefusedFollower(f"the feed has {MAX_FOLLOWERS} followers")
        if follower_rows.count(connection) >= MAX_ALL_FOLLOWERS:
            raise RefusedFollower(f"the hub has {MAX_ALL_FOLLOWERS:,} followers")
        id = f"follower_{secrets.token_urlsafe(12)}"
        follower_rows.insert_follower(
            connection, Follower(id=id, subscription=subscription, callback=callback, **wanted)
        )
