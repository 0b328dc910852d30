"""Ask the hubs of feeds to send: first requests, renewals before a lease ends, and the end of it.

    claim the hubs that are due, by lease ──> note the request ──> POST to the hub ──> note when to look again
                                                   the hub calls the callback: `pushes.py`

A hub may call the callback before it answers the request, so the request is stored before it is sent. A request that
the hub does not verify in time counts as failed: the hub cannot reach the callback, or does not want to.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Connection

from gtopss.broker.due_work import DueWork
from gtopss.broker.host_pool import HostPool
from gtopss.broker.store import feed_hub_rows, feed_rows
from gtopss.broker.store.feed_hub_rows import UNSUBSCRIBE, FeedHub
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.broker.websub.hub_links import HubLinks
from gtopss.net import Connector, FetchError, InvalidURL, RetryPolicy, parse_url, post

DAY = 24 * 3600.0
"""Seconds."""
FORM = "application/x-www-form-urlencoded"
MAX_HUB_REDIRECTS = 3
"""Redirects of a hub that are followed, each to an address that may be reached."""
MAX_UNSUBSCRIBE_FAILURES = 3
"""Requests to a hub to send no more; then it is left to the end of its lease."""
_SECRET_BYTES = 32
_BUSY_HOST_SECONDS = 5.0
_log = logging.getLogger("gtopss.broker.websub")


@dataclass(frozen=True, slots=True)
class PushSettings:
    """How hubs are asked. Times are in seconds."""

    callback_base: str
    """The address that hubs call, without the secret part at its end. It must be reachable for them."""
    lease_seconds: float = 10 * DAY
    """The lease that is asked for; the hub decides."""
    verification_seconds: float = 600.0
    """The time that a hub has to call the callback after a request."""
    retry: RetryPolicy = field(
        default_factory=lambda: RetryPolicy(first_backoff_seconds=300.0, max_backoff_seconds=DAY, max_wait_seconds=DAY)
    )
    """The waits after requests that failed."""
    threads: int = 8
    per_host: int = 4
    claim_seconds: float = 120.0
    """Time after which another broker may claim a hub. Longer than a request can take."""

    def callback(self, hub: FeedHub) -> str:
        """Return the address that the hub of a feed calls."""
        return f"{self.callback_base.rstrip('/')}/{hub.callback}"


def new_hub(feed: str, links: HubLinks, now: float) -> FeedHub:
    """Return the hub of a feed that nothing was asked of yet, with a new callback and a new secret."""
    callback, secret = secrets.token_urlsafe(_SECRET_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    return FeedHub(feed, links.hub, links.topic, callback, secret, due_at=now)


def renewal_time(now: float, lease_seconds: float) -> float:
    """Return when to renew: when a tenth of the lease is left, but not more than a day before its end."""
    return now + lease_seconds - min(lease_seconds / 10, DAY)


class HubRequests(DueWork[FeedHub]):
    """Sends the requests that are due, beside other brokers. Thread-safe."""

    def __init__(
        self,
        store: Store,
        connector: Connector,
        settings: PushSettings,
        *,
        broker_id: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        pool = HostPool(settings.threads, settings.per_host, "gtopss-hub")
        super().__init__(store, pool, settings.claim_seconds, clock, broker_id, busy_host_seconds=_BUSY_HOST_SECONDS)
        self.settings, self._connector = settings, connector
        self.unverified = (
            f"the hub did not verify the request: it cannot reach {settings.callback_base}, or does not want to; "
            "check --public-url"
        )
        """The error of a hub that did not call the callback."""

    def _claim(self, connection: Connection, *, now: float, until: float, limit: int) -> list[FeedHub]:
        return feed_hub_rows.claim_due(connection, self._broker_id, now=now, until=until, limit=limit)

    def _next_due(self, connection: Connection, now: float) -> float | None:
        return feed_hub_rows.next_due(connection, now)

    def _host(self, row: FeedHub) -> str:
        try:
            return parse_url(row.hub).host
        except InvalidURL:
            return ""

    def _ids(self, row: FeedHub) -> dict[str, str]:
        return {"feed": row.feed, "hub": row.hub}

    def _give_back(self, connection: Connection, row: FeedHub, due_at: float) -> None:
        feed_hub_rows.complete(connection, row, {"due_at": due_at})

    def _run(self, row: FeedHub) -> None:
        now = self._clock()
        if row.mode == UNSUBSCRIBE and (row.requested_at is not None or row.failures >= MAX_UNSUBSCRIBE_FAILURES):
            self._store.write(lambda connection: feed_hub_rows.remove_hub(connection, row.feed))
        elif row.requested_at is not None:
            self._record_failure(row, self.unverified, now)
        else:
            self._request(row, now)

    def _request(self, row: FeedHub, now: float) -> None:
        self._store.write(lambda connection: feed_hub_rows.hold(connection, row, {"requested_at": now}))
        form = {
            "hub.callback": self.settings.callback(row),
            "hub.mode": row.mode,
            "hub.topic": row.topic,
            "hub.lease_seconds": str(int(self.settings.lease_seconds)),
            "hub.secret": row.secret,
        }
        try:
            post(
                row.hub,
                urlencode(form).encode(),
                FORM,
                connector=self._connector,
                read_body=False,
                max_redirects=MAX_HUB_REDIRECTS,
                now=self._clock,
            )
        except FetchError as error:
            wait = self.settings.retry.after_failure(error, row.failures + 1)
            self._record_failure(row, f"the hub refused the request, or cannot be reached: {error}", now, wait)
            return
        due_at = now + self.settings.verification_seconds
        self._store.write(lambda connection: self._complete(connection, row, now, {"due_at": due_at}))

    def _record_failure(self, row: FeedHub, error: str, now: float, wait: float | None = None) -> None:
        """Note that a request failed; the feed is polled as usual if its lease has ended."""
        failures = row.failures + 1
        due_at = now + (self.settings.retry.backoff(failures) if wait is None else wait)
        values: dict[str, Any] = {"requested_at": None, "failures": failures, "error": storable_text(error)}
        if row.lease_end is not None and now < row.lease_end:
            due_at = min(due_at, row.lease_end)

        def change(connection: Connection) -> bool:
            is_known = feed_hub_rows.has_error(connection, values["error"])
            if row.lease_end is not None and row.lease_end <= now:
                values["lease_end"] = None
                feed_rows.make_due(connection, row.feed, now)
            recorded = self._complete(connection, row, row.requested_at or now, values | {"due_at": due_at})
            return recorded and not is_known

        if self._store.write(change):
            level = logging.WARNING if error == self.unverified else logging.INFO
            _log.log(level, "the feed %s is polled as before: %s", row.feed, error, extra=self._ids(row))

    def _complete(self, connection: Connection, row: FeedHub, sent_at: float, values: Mapping[str, Any]) -> bool:
        """Write what came of a request, unless the hub has verified it, or another was made, in the meantime."""
        current = feed_hub_rows.hub_of(connection, row.feed, lock=True)
        if current is None or current.callback != row.callback:
            return False
        is_open = current.requested_at == sent_at and current.mode == row.mode
        feed_hub_rows.complete(connection, row, values if is_open else {})
        return is_open
