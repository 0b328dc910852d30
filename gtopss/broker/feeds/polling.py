"""Fetch the feeds that are due, and publish their new and changed items.

    claim the feeds that are due, by lease ──> threads: fetch, read in a worker process
        ──> one transaction: publications, the items that were seen, validators, the next time

An item is published when its feed lists it for the first time, and when its content changes. What was published and
what was seen are stored together, so a crash neither loses an item nor publishes it twice. Feeds that are read at the
same time are stored by the same statements.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Poll:
    """A feed that was fetched successfully. `read` is None if it has not changed since the last fetch."""

    feed: Feed
    response: Response
    read: ReadFeed | None
    now: float


@dataclass(frozen=True, slots=True)
class StoredPoll:
    """A poll whose items are stored: how many of them were new, and the seconds until the next poll."""

    poll: Poll
    new: int
    wait: float


AfterPolls = Callable[[Connection, Sequence[StoredPoll]], Sequence[float]]
"""Called in the transaction that stores polls; returns the wait of each, which is longer for a feed that pushes."""


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
        self.after_polls: AfterPolls = lambda connection, polls: [each.wait for each in polls]
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

    def store_items(self, connection: Connection, read: Mapping[str, ReadFeed], now: float) -> dict[str, int]:
        """Publish the items that are new or have changed, in a transaction of the caller. Return how many, by feed."""
        feed_rows.lock_feeds(connection, read)  # the same item may be polled and pushed at the same time
        digests = {url: {id: item.digest for id, item in each.items.items()} for url, each in read.items()}
        unknown = feed_rows.list_items(connection, digests, now)
        items = [read[url].items[id] for url, ids in unknown.items() for id in ids]
        if items:
            self._publisher.insert(connection, items)
        return {url: len(ids) for url, ids in unknown.items()}

    def store_polls(self, connection: Connection, polls: Sequence[Poll]) -> list[tuple[int, dict[str, Any]]]:
        """Store the items of polls, in a transaction of the caller.

        Return for each poll how many items were new, and the columns of its feed: validators, and when it is due again.
        """
        now = max(poll.now for poll in polls)
        read = {poll.feed.url: poll.read for poll in polls if poll.read is not None}
        new = self.store_items(connection, read, now) if read else {}
        if unchanged := [poll.feed.url for poll in polls if poll.read is None]:
            feed_rows.keep_items(connection, unchanged, now)
        periods = [_update_period(poll) for poll in polls]
        stored = [
            StoredPoll(poll, new.get(poll.feed.url, 0), self._wait(poll, period))
            for poll, period in zip(polls, periods, strict=True)
        ]
        waits = self.after_polls(connection, stored)
        return [
            (each.new, {**_success_values(each), "update_period": period, "due_at": each.poll.now + wait})
            for each, period, wait in zip(stored, periods, waits, strict=True)
        ]

    def _wait(self, poll: Poll, period: float) -> float:
        return self.settings.policy.after_success(max(poll.response.fresh_for, period))

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
            new = self._store.write_item(self._complete_polls, Poll(row, response, read, self._clock()))
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

    def _complete_polls(self, connection: Connection, polls: Sequence[Poll]) -> list[int]:
        """Store polls of claimed feeds and end their leases. Return how many items of each were new."""
        stored = self.store_polls(connection, polls)
        feed_rows.complete_all(
            connection, [(poll.feed, values) for poll, (_, values) in zip(polls, stored, strict=True)]
        )
        return [new for new, _ in stored]

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
            feed_rows.keep_items(connection, [feed.url], now)
            feed_rows.complete(connection, feed, values)

        self._store.write(change)

    def _request_url(self, feed: Feed, now: float) -> str:
        """Return the URL to request: the target of a permanent redirect if that has been the same for long."""
        since = feed.permanent_since
        if feed.permanent_url is None or since is None:
            return feed.url
        return feed.permanent_url if now - since >= self.settings.policy.permanent_redirect_seconds else feed.url


def _update_period(poll: Poll) -> float:
    """Return how long the feed asks not to be fetched again."""
    return poll.feed.update_period if poll.response.not_modified else update_period(poll.response.body)


def _success_values(stored: StoredPoll) -> dict[str, Any]:
    """Return the columns of a feed after a successful poll, without those about the next one."""
    poll, new = stored.poll, stored.new
    feed, read, validators = poll.feed, poll.read, poll.response.validators
    values: dict[str, Any] = {
        "validated_url": None if validators is None else validators.url,
        "etag": None if validators is None else validators.etag,
        "last_modified": None if validators is None else validators.last_modified,
        "failures": 0,
        "gone": False,
        "last_fetch_at": poll.now,
        "last_success_at": poll.now,
        "last_error": None if read is None else read.refused,
        **_redirect_values(feed, poll.response, poll.now),
    }
    if read is not None:
        values["title"] = read.title or feed.title
        if new:
            values["last_item_at"] = poll.now
        if feed.last_success_at is not None:  # what the first fetch finds is not new, it was there before
            values["new_items"] = new
    return values


def _redirect_values(feed: Feed, response: Response, now: float) -> dict[str, Any]:
    if response.url != feed.url or response.permanent_url == feed.permanent_url:
        return {}
    since = None if response.permanent_url is None else now
    return {"permanent_url": response.permanent_url, "permanent_since": since}
