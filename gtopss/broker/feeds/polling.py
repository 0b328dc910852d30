"""Fetch the feeds that are due, and publish their new and changed items.

    claim the feeds that are due, by lease ──> threads: fetch, read in a worker process
        ──> one transaction: publications, the items that were seen, validators, the next time

An item is published when its feed lists it for the first time, and when its content changes. What was published and
what was seen are stored together, so a crash neither loses an item nor publishes it twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from gtopss.broker.due_work import DueWork
from gtopss.broker.errors import StoreError
from gtopss.broker.feeds.poll_policy import PollPolicy
from gtopss.broker.feeds.update_period import update_period
from gtopss.broker.host_pool import HostPool
from gtopss.broker.store import feed_rows
from gtopss.broker.store.feed_rows import Feed
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.errors import GtopssError, MalformedPublication
from gtopss.feeds.entries import entry_of
from gtopss.model import Publication
from gtopss.net import Connector, Gone, HostBusy, HostSlots, InvalidURL, Response, fetch, parse_url
from gtopss.reading.documents import ParsedDocument

_log = logging.getLogger("gtopss.broker.feeds")

AfterPoll = Callable[[Connection, Feed, Response, int, float, float], float]
"""Called in the transaction of a successful poll with the feed, the response, the number of new items, the wait until
the next poll and the time; returns that wait, which is longer for a feed that pushes."""
ReadDocument = Callable[[bytes, str], ParsedDocument]
"""Reads the bytes of a document that is from a URL. Raises MalformedPublication."""
ToNewPublication = Callable[[Publication], NewPublication]
"""Returns a publication as it is stored. Raises MalformedPublication for one that cannot be."""
InsertPublications = Callable[[Connection, Sequence[NewPublication]], Sequence[int | None]]
"""Accepts publications, in a transaction of the caller; returns None for each that is there already."""


@dataclass(frozen=True, slots=True)
class PollingSettings:
    """How many feeds are fetched at once, and for how long a broker holds a feed."""

    threads: int = 64
    """Feeds that are fetched at once; as many are claimed at once."""
    per_host: int = 2
    """Requests at once to one host, the targets of redirects included."""
    lease_seconds: float = 300.0
    """Time after which another broker may fetch a feed that was claimed. Longer than fetching and reading can take."""
    policy: PollPolicy = field(default_factory=PollPolicy)


@dataclass(frozen=True, slots=True)
class Publisher:
    """How a feed becomes publications."""

    read_document: ReadDocument
    new_publication: ToNewPublication
    insert: InsertPublications


@dataclass(frozen=True, slots=True)
class ReadFeed:
    """A feed that was fetched and read: its title, its items, and why some of them were refused."""

    title: str | None
    items: dict[str, NewPublication]
    refused: str | None = None


class FeedPoller(DueWork[Feed]):
    """Fetches the feeds in a store, beside other brokers. Thread-safe."""

    def __init__(
        self,
        store: Store,
        connector: Connector,
        publisher: Publisher,
        *,
        broker_id: str,
        settings: PollingSettings | None = None,
        clock: Callable[[], float] = time.time,
        published: Callable[[], None] = lambda: None,
    ) -> None:
        """`published` is called after publications were stored, to wake the matching step."""
        self.settings = settings or PollingSettings()
        pool = HostPool(self.settings.threads, self.settings.per_host, "gtopss-feed")
        wait = self.settings.policy.busy_host_seconds
        super().__init__(store, pool, self.settings.lease_seconds, clock, broker_id, busy_host_seconds=wait)
        self._connector = replace(connector, host_slots=HostSlots(self.settings.per_host))
        self._publisher, self._published = publisher, published
        self.after_poll: AfterPoll = lambda connection, feed, response, new, wait, now: wait
        """Set by what may make polls rarer."""

    def fetch(self, url: str) -> Response:
        """Download a document, within the limits of all fetches."""
        return fetch(url, connector=self._connector, now=self._clock)

    def read(self, response: Response) -> ReadFeed:
        """Read the items of a feed. Raise MalformedPublication if it is none."""
        return self.read_document(response.body, response.final_url)

    def read_document(self, body: bytes, url: str) -> ReadFeed:
        """Do the same for a document that was not fetched from `url`, but received."""
        read = self._publisher.read_document(body, url)
        items: dict[str, NewPublication] = {}
        refused = None
        for publication in read.publications:
            try:
                items[publication.id] = self._publisher.new_publication(publication)
            except MalformedPublication as error:  # one item costs the others nothing
                refused = str(error)
        title = (entry_of(read.publications[0]).source if read.publications else None) or ""
        return ReadFeed(storable_text(title) or None, items, refused and storable_text(refused))

    def store_items(self, connection: Connection, feed: Feed, read: ReadFeed, now: float) -> int:
        """Publish the items that are new or have changed, in a transaction of the caller. Return how many."""
        digests = {id: item.digest for id, item in read.items.items()}
        feed_rows.feed_of(connection, feed.url, lock=True)  # the same item may be polled and pushed at the same time
        unknown = feed_rows.list_items(connection, feed.url, digests, now)
        if unknown:
            self._publisher.insert(connection, [item for id, item in read.items.items() if id in unknown])
        return len(unknown)

    def success_values(
        self, connection: Connection, feed: Feed, response: Response, new: int, now: float
    ) -> dict[str, Any]:
        """Return the columns of a feed after a fetch with `new` items: validators, and when it is due again."""
        validators = response.validators
        period = feed.update_period if response.not_modified else update_period(response.body)
        wait = self.settings.policy.after_success(max(response.fresh_for, period))
        return {
            "validated_url": None if validators is None else validators.url,
            "etag": None if validators is None else validators.etag,
            "last_modified": None if validators is None else validators.last_modified,
            "failures": 0,
            "gone": False,
            "last_fetch_at": now,
            "last_success_at": now,
            "last_error": None,
            "update_period": period,
            "due_at": now + self.after_poll(connection, feed, response, new, wait, now),
            **_redirect_values(feed, response, now),
        }

    # --- in the threads -----------------------------------------------------------------------------------------

    def _claim(self, connection: Connection, *, now: float, until: float, limit: int) -> list[Feed]:
        return feed_rows.claim_due(connection, self._broker_id, now=now, until=until, limit=limit)

    def _next_due(self, connection: Connection, now: float) -> float | None:
        return feed_rows.next_due(connection, now)

    def _host(self, row: Feed) -> str:
        try:
            return parse_url(self._request_url(row, self._clock())).host
        except InvalidURL:
            return ""

    def _ids(self, row: Feed) -> dict[str, str]:
        return {"feed": row.url}

    def _give_back(self, connection: Connection, row: Feed, due_at: float) -> None:
        feed_rows.complete(connection, row, {"due_at": due_at})

    def _run(self, row: Feed) -> None:
        try:
            url = self._request_url(row, self._clock())
            response = fetch(url, connector=self._connector, validators=row.validators, now=self._clock)
            read = None if response.not_modified else self.read(response)
            now = self._clock()
            new = self._store.write(lambda connection: self._store_success(connection, row, response, read, now))
        except StoreError:  # the store is away, or the lease is another's: nothing is wrong with the feed
            raise
        except GtopssError as error:
            self._store_failure(row, error)
            return
        except Exception as error:
            _log.exception("a feed could not be read or stored", extra=self._ids(row))
            self._store_failure(row, error)
            return
        _log.debug("fetched a feed", extra={"feed": row.url, "items": new})
        if new:
            self._published()

    def _store_success(
        self, connection: Connection, feed: Feed, response: Response, read: ReadFeed | None, now: float
    ) -> int:
        new = 0 if read is None else self.store_items(connection, feed, read, now)
        values = self.success_values(connection, feed, response, new, now)
        if read is None:
            feed_rows.keep_items(connection, feed.url, now)
        else:
            values |= {"title": read.title or feed.title, "last_error": read.refused}
            if new:
                values["last_item_at"] = now
            if feed.last_success_at is not None:  # what the first fetch finds is not new, it was there before
                values["items"] = feed.items + new
        feed_rows.complete(connection, feed, values)
        return new

    def _store_failure(self, feed: Feed, error: Exception) -> None:
        now = self._clock()
        values: dict[str, Any] = {"last_fetch_at": now}
        if self._request_url(feed, now) != feed.url:
            # The target of a permanent redirect fails: ask the feed's own address again, whatever the target says.
            values |= {"permanent_url": None, "permanent_since": None, "failures": feed.failures + 1}
            values["due_at"] = now + self.settings.policy.retry.backoff(1)
        elif isinstance(error, Gone):
            values |= {"gone": True, "due_at": None, "failures": feed.failures + 1}
        else:
            failures = feed.failures + (0 if isinstance(error, HostBusy) else 1)
            values |= {"failures": failures, "due_at": now + self.settings.policy.after_failure(error, failures)}
        if not isinstance(error, HostBusy):
            values["last_error"] = storable_text(str(error))
        _log.info("a feed could not be fetched: %s", error, extra={"feed": feed.url})

        def change(connection: Connection) -> None:
            feed_rows.keep_items(connection, feed.url, now)
            feed_rows.complete(connection, feed, values)

        self._store.write(change)

    def _request_url(self, feed: Feed, now: float) -> str:
        """Return the URL to request: the target of a permanent redirect if that has been the same for long."""
        since = feed.permanent_since
        if feed.permanent_url is None or since is None:
            return feed.url
        return feed.permanent_url if now - since >= self.settings.policy.permanent_redirect_seconds else feed.url


def _redirect_values(feed: Feed, response: Response, now: float) -> dict[str, Any]:
    if response.url != feed.url or response.permanent_url == feed.permanent_url:
        return {}
    since = None if response.permanent_url is None else now
    return {"permanent_url": response.permanent_url, "permanent_since": since}
