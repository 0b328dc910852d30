"""Ask the callbacks of followers whether they agree, and send them what is new in the feed that they follow.

    claim the followers that are due, by lease ──> one thread for each: ask, or send one document ──> record

A document that is not taken is sent again, later and later, together with what is new by then, until the lease of the
follower ends. A callback that answers 410 is removed. All requests go through the hardened client; redirects of a
callback are not followed, because its owner has agreed for its own address only.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Connection

from gtopss.broker.delivery.atom_feed import atom_document
from gtopss.broker.delivery.message import Compose
from gtopss.broker.delivery.retries import DeliveryRetries
from gtopss.broker.due_work import DueWork
from gtopss.broker.host_pool import HostPool
from gtopss.broker.store import follower_rows, notification_rows, subscription_rows
from gtopss.broker.store.follower_rows import Follower
from gtopss.broker.store.notification_pages import MAX_READ_BYTES, within_bytes
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.websub.hub_links import link_header
from gtopss.broker.websub.signatures import SIGNATURE_HEADER, signature
from gtopss.feeds.writing import FeedHeader
from gtopss.net import Connector, FetchError, FetchLimits, Gone, UnsuccessfulStatus, fetch, post

ATOM = "application/atom+xml"
MAX_SENT_NOTIFICATIONS = 100
"""Notifications of one document; further ones are in the next."""
MAX_QUESTIONS = 3
"""Times that a callback that cannot be reached is asked; then the request is dropped."""
MAX_ANSWER_BYTES = 4_096
"""Bytes of the answer to a question: it repeats the challenge, and has nothing else."""
MAX_WAIT_SECONDS = 24 * 3600.0
"""Longest wait before a document that was not taken is sent again."""
_BUSY_HOST_SECONDS = 1.0
_log = logging.getLogger("gtopss.broker.websub")


DescribeFeed = Callable[[SubscriptionRow, str], FeedHeader]
"""Returns what the feed of a subscription says about itself, for a topic: the address that a follower knows it by."""


class Distribution(DueWork[Follower]):
    """Serves the followers of all feeds in a store, beside other brokers. Thread-safe."""

    def __init__(
        self,
        store: Store,
        connector: Connector,
        compose: Compose,
        describe: DescribeFeed,
        *,
        broker_id: str,
        retries: DeliveryRetries | None = None,
        threads: int = 16,
        per_host: int = 8,
        claim_seconds: float = 120.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        pool = HostPool(threads, per_host, "gtopss-follower")
        super().__init__(store, pool, claim_seconds, clock, broker_id, busy_host_seconds=_BUSY_HOST_SECONDS)
        self._connector, self._compose, self._describe = connector, compose, describe
        self._retries = retries or DeliveryRetries()
        limits = connector.limits
        small = min(limits.decoded_bytes, MAX_ANSWER_BYTES)
        self._asking = replace(connector, limits=_without_redirects(limits, small))

    def _claim(self, connection: Connection, *, now: float, until: float, limit: int) -> list[Follower]:
        follower_rows.wake(connection, now)
        return follower_rows.claim_due(connection, self._broker_id, now=now, until=until, limit=limit)

    def _next_due(self, connection: Connection, now: float) -> float | None:
        return follower_rows.next_due(connection, now)

    def _host(self, row: Follower) -> str:
        return row.callback.split("/")[2]

    def _ids(self, row: Follower) -> dict[str, str]:
        return {"follower": row.id, "subscription": row.subscription}

    def _give_back(self, connection: Connection, row: Follower, due_at: float) -> None:
        follower_rows.complete(connection, row, {"due_at": due_at})

    def _run(self, row: Follower) -> None:
        now = self._clock()
        subscription = self._store.read(lambda connection: subscription_rows.get(connection, row.subscription))
        if subscription is None or subscription.reader_hash != row.reader_hash:
            self._deny(row)
        elif row.wanted is not None:
            self._ask(row, row.wanted, subscription, now)
        elif row.lease_end is None or row.lease_end <= now:
            self._store.write(lambda connection: follower_rows.remove(connection, row))
        else:
            self._send(row, row.lease_end, subscription, now)

    def _deny(self, row: Follower) -> None:
        """Tell a follower that there is nothing to follow any more, once, and remove it."""
        reason = "the feed is gone, or its address was revoked"
        try:
            self._get(row, {"hub.mode": "denied", "hub.topic": row.topic, "hub.reason": reason})
        except FetchError as error:
            _log.info("a follower was not told of its end: %s", error, extra=self._ids(row))
        self._store.write(lambda connection: follower_rows.remove(connection, row))

    def _ask(self, row: Follower, wanted: str, subscription: SubscriptionRow, now: float) -> None:
        """Ask a callback whether it agrees: it must repeat a challenge."""
        challenge = secrets.token_urlsafe(32)
        lease = row.wanted_lease or 0.0
        question = {"hub.mode": wanted, "hub.topic": row.topic, "hub.challenge": challenge}
        if wanted == "subscribe":
            question["hub.lease_seconds"] = str(int(lease))
        try:
            answer = self._get(row, question)
        except FetchError as error:
            if isinstance(error, UnsuccessfulStatus) and error.status < 500:
                reason = str(error)
                self._store.write(lambda connection: _disagreed(connection, row, reason))
            else:
                self._record_unasked(row, str(error), now)
            return
        if not hmac.compare_digest(answer.strip(), challenge.encode()):
            wrong = "its answer does not repeat the challenge"
            self._store.write(lambda connection: _disagreed(connection, row, wrong))
        elif wanted == "unsubscribe":
            self._store.write(lambda connection: follower_rows.remove(connection, row))
        else:
            end = now + lease
            values = {"lease_end": end, "secret": row.wanted_secret, "due_at": end, "error": None, **_NOTHING_WANTED}
            if row.lease_end is None:
                values["delivered_sequence"] = subscription.last_sequence
            self._store.write(lambda connection: follower_rows.complete(connection, row, values))

    def _record_unasked(self, row: Follower, error: str, now: float) -> None:
        failures = row.failures + 1
        wait = self._retries.wait(failures, verifying=True)
        if wait is None or failures >= MAX_QUESTIONS:
            self._store.write(lambda connection: _disagreed(connection, row, error))
            return
        values = {"failures": failures, "error": storable_text(error), "due_at": now + wait}
        self._store.write(lambda connection: follower_rows.complete(connection, row, values))

    def _get(self, row: Follower, parameters: Mapping[str, str]) -> bytes:
        separator = "&" if "?" in row.callback else "?"
        url = f"{row.callback}{separator}{urlencode(parameters)}"
        return fetch(url, connector=self._asking, now=self._clock).body

    def _send(self, row: Follower, lease_end: float, subscription: SubscriptionRow, now: float) -> None:
        """Send what is new as one Atom document."""
        header = self._describe(subscription, row.topic)

        def read(connection: Connection) -> tuple[int, bytes]:
            rows = notification_rows.after(connection, row.subscription, row.delivered_sequence, MAX_SENT_NOTIFICATIONS)
            rows = within_bytes(connection, rows, MAX_READ_BYTES) if rows else rows
            last = rows[-1].sequence if rows else subscription.last_sequence  # the others are not retained any more
            return last, atom_document(header, self._compose(connection, rows), now) if rows else b""

        last, document = self._store.read(read)
        try:
            if document:
                self._post(row, document, link_header(header.hub_link or "", row.topic))
        except Gone:
            self._store.write(lambda connection: follower_rows.remove(connection, row))
        except FetchError as error:
            retry_after = error.retry_after if isinstance(error, UnsuccessfulStatus) else None
            wait = self._retries.wait(row.failures + 1, retry_after)
            due_at = min(lease_end, now + (MAX_WAIT_SECONDS if wait is None else wait))
            failed = {"failures": row.failures + 1, "error": storable_text(str(error)), "due_at": due_at}
            self._store.write(lambda connection: follower_rows.complete(connection, row, failed))
        else:
            sent: dict[str, Any] = {
                "delivered_sequence": max(last, row.delivered_sequence),
                "failures": 0,
                "error": None,
            }
            self._store.write(lambda connection: follower_rows.complete(connection, row, sent | {"due_at": lease_end}))

    def _post(self, row: Follower, document: bytes, links: str) -> None:
        headers = [("Link", links)]
        if row.secret is not None:
            headers.append((SIGNATURE_HEADER, signature(row.secret, document)))
        post(
            row.callback,
            document,
            ATOM,
            connector=self._connector,
            headers=headers,
            read_body=False,
            now=self._clock,
        )


_NOTHING_WANTED: dict[str, Any] = {"wanted": None, "wanted_secret": None, "wanted_lease": None, "failures": 0}


def _disagreed(connection: Connection, row: Follower, error: str) -> None:
    """Drop a request that the callback did not agree to; a follower that had agreed before stays as it was."""
    _log.info("a callback did not agree: %s", error, extra={"follower": row.id, "subscription": row.subscription})
    if row.lease_end is None:
        follower_rows.remove(connection, row)
        return
    values = {"due_at": row.lease_end, "error": storable_text(error), **_NOTHING_WANTED}
    follower_rows.complete(connection, row, values)


def _without_redirects(limits: FetchLimits, max_bytes: int) -> FetchLimits:
    return replace(limits, redirects=0, wire_bytes=max_bytes, decoded_bytes=max_bytes)
