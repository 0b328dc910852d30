"""What hubs send to the callbacks of feeds, and how often a feed that pushes is polled.

A feed whose hub has agreed to send is polled once a day. A poll that finds what the hub had not sent demotes the feed:
it is polled as usual until the next push. Whoever does not know a callback can neither verify a request nor push; a
push is also signed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from gtopss.broker.errors import CallbackNotFound, RefusedPush
from gtopss.broker.feeds.polling import FeedPoller, StoredPoll
from gtopss.broker.store import feed_hub_rows, feed_rows
from gtopss.broker.store.feed_hub_rows import SUBSCRIBE, UNSUBSCRIBE, FeedHub
from gtopss.broker.store.feed_rows import Feed
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.broker.websub.hub_links import find_hub, header_links
from gtopss.broker.websub.hub_requests import DAY, PushSettings, new_hub, renewal_time
from gtopss.broker.websub.signatures import is_signed
from gtopss.net import Response

MIN_LEASE_SECONDS = 300.0
"""Shortest lease of a hub; one that grants less would be asked all the time, and is refused."""
MAX_LEASE_SECONDS = 60 * DAY
"""Longest lease; a hub that grants more is asked again after this."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What a hub asks of a callback, before it sends."""

    mode: str
    topic: str
    lease_seconds: float | None = None
    reason: str | None = None
    """Why the hub denies the request, if that is its mode."""


@dataclass(frozen=True, slots=True)
class Push:
    """What a hub has sent. The names of headers are in lower case."""

    body: bytes
    signature: str | None
    headers: Sequence[tuple[str, str]] = ()


class Pushes:
    """The callbacks of feeds whose hubs push. Thread-safe."""

    def __init__(
        self,
        store: Store,
        poller: FeedPoller,
        settings: PushSettings,
        *,
        clock: Callable[[], float] = time.time,
        published: Callable[[], None] = lambda: None,
    ) -> None:
        """`published` is called after publications were stored, to wake the matching step."""
        self._store, self._poller, self._settings = store, poller, settings
        self._clock, self._published = clock, published

    # --- the callback -------------------------------------------------------------------------------------------

    def verify(self, callback: str, asked: Verification) -> None:
        """Agree to what a hub asks, if this broker has requested it. Raise CallbackNotFound otherwise.

        A request is verified once: the same question again is refused.
        """
        now = self._clock()
        self._store.write(lambda connection: self._verify(connection, callback, asked, now))

    def _verify(self, connection: Connection, callback: str, asked: Verification, now: float) -> None:
        hub = feed_hub_rows.hub_of_callback(connection, callback, lock=True)
        if hub is None or asked.topic != hub.topic:
            raise CallbackNotFound
        if asked.mode == "denied" and hub.mode == SUBSCRIBE:
            self._deny(connection, hub, asked.reason, now)
            return
        requested_at = hub.requested_at
        if asked.mode != hub.mode or requested_at is None or now > requested_at + self._settings.verification_seconds:
            raise CallbackNotFound
        if asked.mode == UNSUBSCRIBE:
            feed_hub_rows.remove_hub(connection, hub.feed)
            return
        lease = self._settings.lease_seconds if asked.lease_seconds is None else asked.lease_seconds
        if not math.isfinite(lease) or lease < MIN_LEASE_SECONDS:
            raise CallbackNotFound
        lease = min(lease, MAX_LEASE_SECONDS)
        values: dict[str, Any] = {
            "requested_at": None,
            "lease_end": now + lease,
            "failures": 0,
            "error": None,
            "due_at": renewal_time(now, lease),
        }
        if not hub.is_subscribed(now):  # what was published before the hub began to send is found by a poll
            values |= {"settled": False, "demoted": False}
            feed_rows.make_due(connection, hub.feed, now)
        feed_hub_rows.set_values(connection, hub.feed, values)

    def _deny(self, connection: Connection, hub: FeedHub, reason: str | None, now: float) -> None:
        error = storable_text(f"the hub denies the subscription: {reason or 'it gives no reason'}")
        values = {"requested_at": None, "lease_end": None, "error": error, "due_at": now + DAY}
        feed_hub_rows.set_values(connection, hub.feed, values | {"failures": hub.failures + 1})
        feed_rows.make_due(connection, hub.feed, now)

    def receive(self, callback: str, push: Push) -> int:
        """Publish what is new in a push, and return how many items were. They are durable when this returns.

        Raise CallbackNotFound, RefusedPush if the signature or the topic is wrong, or MalformedPublication.
        """
        hub = self._store.read(lambda connection: feed_hub_rows.hub_of_callback(connection, callback))
        if hub is None or hub.mode != SUBSCRIBE or hub.lease_end is None:
            raise CallbackNotFound
        if not is_signed(hub.secret, push.body, push.signature):
            self._refuse(hub, "its signature is missing or wrong")
        topics = [address for relations, address in header_links(push.headers) if "self" in relations.lower().split()]
        if topics and hub.topic not in topics:
            self._refuse(hub, "it is about another topic")
        read = self._poller.read_document(push.body, hub.topic)
        now = self._clock()

        def change(connection: Connection) -> int:
            feed = feed_rows.feed_of(connection, hub.feed, lock=True)
            current = feed_hub_rows.hub_of_callback(connection, callback, lock=True)
            if feed is None or current is None:
                raise CallbackNotFound
            new = self._poller.store_items(connection, {feed.url: read}, now)[feed.url]
            pushed = {"pushes": current.pushes + 1, "pushed_at": now, "demoted": False}
            feed_hub_rows.set_values(connection, hub.feed, pushed)
            values: dict[str, Any] = {"new_items": new, "last_item_at": now if new else feed.last_item_at}
            if current.demoted and feed.due_at is not None:  # once a day again, counted from the last poll
                last = now if feed.last_fetch_at is None else feed.last_fetch_at
                values["due_at"] = max(feed.due_at, last + self._poller.settings.policy.while_pushing())
            feed_rows.set_values(connection, feed.url, values)
            return new

        new = self._store.write(change)
        if new:
            self._published()
        return new

    def _refuse(self, hub: FeedHub, reason: str) -> None:
        count = {"refused_pushes": hub.refused_pushes + 1}
        self._store.write(lambda connection: feed_hub_rows.set_values(connection, hub.feed, count))
        raise RefusedPush(reason)

    # --- polling ------------------------------------------------------------------------------------------------

    def after_polls(self, connection: Connection, polls: Sequence[StoredPoll]) -> list[float]:
        """Note what polls have found, in their transaction, and return the seconds until the next poll of each feed."""
        hubs = feed_hub_rows.hubs_of(connection, [each.poll.feed.url for each in polls])
        return [self._after_poll(connection, each, hubs.get(each.poll.feed.url)) for each in polls]

    def _after_poll(self, connection: Connection, stored: StoredPoll, hub: FeedHub | None) -> float:
        feed, response, now = stored.poll.feed, stored.poll.response, stored.poll.now
        if not response.not_modified:
            hub = self._follow_links(connection, feed, response, hub, now)
        if hub is None or not hub.is_subscribed(now):
            return stored.wait
        since = now if feed.last_fetch_at is None else feed.last_fetch_at
        saved = 0.0 if hub.demoted or not hub.settled else max(0.0, (now - since) / stored.wait - 1)
        demoted = hub.demoted or (hub.settled and stored.new > 0)
        values = {"settled": True, "demoted": demoted, "polls_saved": hub.polls_saved + saved}
        feed_hub_rows.set_values(connection, feed.url, values)
        return stored.wait if demoted else max(stored.wait, self._poller.settings.policy.while_pushing())

    def _follow_links(
        self, connection: Connection, feed: Feed, response: Response, hub: FeedHub | None, now: float
    ) -> FeedHub | None:
        """Return the hub of a feed after a document was read; the hub is asked, or asked to end, if that is new."""
        links = find_hub(response.headers, response.body, response.final_url)
        if links is None:
            if hub is not None:
                self.end(connection, feed.url, now)
            return None
        if hub is None or hub.mode != SUBSCRIBE or (hub.hub, hub.topic) != (links.hub, links.topic):
            hub = new_hub(feed.url, links, now)
            feed_hub_rows.insert_hub(connection, hub)
        return hub

    def end(self, connection: Connection, feed: str, now: float) -> None:
        """Ask the hub of a feed to send no more: the feed is removed, or names no hub any more."""
        values = {"mode": UNSUBSCRIBE, "requested_at": None, "lease_end": None, "failures": 0, "due_at": now}
        hub = feed_hub_rows.hub_of(connection, feed, lock=True)
        if hub is not None and hub.mode == SUBSCRIBE:
            if hub.lease_end is None and hub.requested_at is None:
                feed_hub_rows.remove_hub(connection, feed)
            else:
                feed_hub_rows.set_values(connection, feed, values)
