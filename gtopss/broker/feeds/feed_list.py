"""Add, remove and list the feeds that the broker polls; read and write lists of them as OPML."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from gtopss.broker.errors import FeedNotFound, NoFeedFound
from gtopss.broker.feeds.page_links import feed_links
from gtopss.broker.feeds.polling import FeedPoller, Poll, ReadFeed
from gtopss.broker.store import feed_hub_rows, feed_rows
from gtopss.broker.store.feed_hub_rows import FeedHub
from gtopss.broker.store.feed_rows import Feed
from gtopss.broker.store.store import Store
from gtopss.errors import MalformedPublication
from gtopss.feeds.opml import FeedEntry, read_opml, write_opml
from gtopss.net import InvalidURL, Response, parse_url
from gtopss.reading.detect import DocumentKind, detect

MAX_FEED_URL_CHARACTERS = 1_500
"""Characters of a feed's URL: with an item's id it is a key, which has 2,704 bytes at most in PostgreSQL."""
_DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class PushHealth:
    """What the hub of a feed does. Times are Unix seconds."""

    hub: str
    state: str
    """"pushing", "demoted" (polled as usual, because a poll found what was not pushed), "requested" or "failing"."""
    lease_end: float | None
    pushed_at: float | None
    pushes: int
    refused_pushes: int
    """With a wrong signature or topic."""
    polls_saved: float
    """Fetches that were not needed because the hub pushes."""
    error: str | None


@dataclass(frozen=True, slots=True)
class FeedHealth:
    """How a feed is doing. Times are Unix seconds."""

    url: str
    title: str | None
    added_at: float
    last_success_at: float | None
    last_error: str | None
    """What went wrong last; None after a success."""
    failures: int
    """Failures in a row."""
    gone: bool
    """The server answered 410, and the feed is not fetched any more."""
    items_per_day: float
    """New or changed items since it was added, without those that were there already."""
    last_item_at: float | None
    next_due_at: float | None
    moved_to: str | None
    """Where a permanent redirect leads."""
    push: PushHealth | None = None
    """The hub that pushes the feed, or is asked to; None if the feed names none, or pushes are off."""


@dataclass(frozen=True, slots=True)
class AddedFeed:
    """A feed that is polled now, and how many of its items were published. `is_new` is false if it was there before."""

    url: str
    title: str | None
    items: int
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class ImportedFeeds:
    """What came of a list of feeds: how many are new, and the entries that were refused, with the reason."""

    added: int
    known: int
    refused: tuple[tuple[str, str], ...]


class FeedList:
    """The feeds that the broker polls. Thread-safe."""

    def __init__(self, store: Store, poller: FeedPoller, *, clock: Callable[[], float] = time.time) -> None:
        self._store, self._poller, self._clock = store, poller, clock
        self.after_removal: Callable[[Connection, str, float], None] = lambda connection, url, now: None
        """Called in the transaction that removes a feed. Set by what keeps something else of a feed."""

    def add(self, url: str) -> AddedFeed:
        """Add a feed, and publish its items from the same request.

        `url` may be a page that names its feed with `<link rel="alternate">`; then the feed is requested too. Raise a
        FetchError if it cannot be fetched, and NoFeedFound if there is no feed.
        """
        asked = _feed_url(url)
        known = self._store.read(lambda connection: feed_rows.feed_of(connection, asked))
        if known is not None:
            return AddedFeed(known.url, known.title, 0, is_new=False)
        response = self._poller.fetch(asked)
        if detect(response.body, name=response.final_url) is DocumentKind.HTML:
            links = feed_links(response.body, response.final_url)
            if not links:
                raise NoFeedFound(url, "this page names no feed")
            response = self._poller.fetch(_feed_url(links[0]))
        try:
            read = self._poller.read(response)
        except MalformedPublication as error:
            raise NoFeedFound(url, error.reason) from error
        now = self._clock()
        return self._store.write(lambda connection: self._store_feed(connection, response, read, now))

    def _store_feed(self, connection: Connection, response: Response, read: ReadFeed, now: float) -> AddedFeed:
        url = response.url
        feed = Feed(url, added_at=now, due_at=now, title=read.title)
        if not feed_rows.insert_feeds(connection, [feed]):
            return AddedFeed(url, read.title, 0, is_new=False)
        ((items, values),) = self._poller.store_polls(connection, [Poll(feed, response, read, now)])
        feed_rows.set_values(connection, url, values)
        return AddedFeed(url, read.title, items)

    def remove(self, url: str) -> None:
        """Remove a feed. What it published stays."""
        now = self._clock()

        def change(connection: Connection) -> bool:
            self.after_removal(connection, url, now)
            return feed_rows.remove_feed(connection, url)

        if not self._store.write(change):
            raise FeedNotFound(url)

    def fetch_soon(self, url: str) -> None:
        """Let a feed be fetched at once, also one that is gone."""
        now = self._clock()
        if not self._store.write(lambda connection: feed_rows.set_due(connection, url, now)):
            raise FeedNotFound(url)

    def health(self) -> list[FeedHealth]:
        """Return how each feed is doing, in the order of their URLs."""
        now = self._clock()
        feeds, hubs = self._store.read(
            lambda connection: (feed_rows.all_feeds(connection), feed_hub_rows.all_hubs(connection))
        )
        return [_health(feed, hubs.get(feed.url), now) for feed in feeds]

    def import_opml(self, data: bytes) -> ImportedFeeds:
        """Add the feeds of an OPML list. Nothing is requested now: they are due within the usual interval, spread out.

        Raise MalformedPublication if it is no OPML.
        """
        now = self._clock()
        refused: list[tuple[str, str]] = []
        new: dict[str, Feed] = {}
        entries = read_opml(data)
        spread = self._poller.settings.policy.interval_seconds / max(1, len(entries))
        for number, entry in enumerate(entries):
            try:
                url = _feed_url(entry.feed_url)
            except InvalidURL as error:
                refused.append((entry.feed_url, error.reason))
                continue
            new.setdefault(url, Feed(url, added_at=now, due_at=now + number * spread, title=entry.title))
        added = self._store.write(lambda connection: feed_rows.insert_feeds(connection, new.values()))
        return ImportedFeeds(added, len(new) - added, tuple(refused))

    def export_opml(self, title: str) -> bytes:
        """Return the feeds as an OPML list."""
        feeds = self._store.read(feed_rows.all_feeds)
        return write_opml((FeedEntry(feed.title or feed.url, feed.url) for feed in feeds), title)


def _feed_url(text: str) -> str:
    url = str(parse_url(text))
    if len(url) > MAX_FEED_URL_CHARACTERS:
        raise InvalidURL(f"{url[:200]}...", f"the URL of a feed has at most {MAX_FEED_URL_CHARACTERS:,} characters")
    return url


def _push_health(hub: FeedHub, now: float) -> PushHealth:
    state = "failing" if hub.error is not None else "requested"
    if hub.is_subscribed(now):
        state = "demoted" if hub.demoted else "pushing"
    return PushHealth(
        hub=hub.hub,
        state=state,
        lease_end=hub.lease_end,
        pushed_at=hub.pushed_at,
        pushes=hub.pushes,
        refused_pushes=hub.refused_pushes,
        polls_saved=hub.polls_saved,
        error=hub.error,
    )


def _health(feed: Feed, hub: FeedHub | None, now: float) -> FeedHealth:
    return FeedHealth(
        url=feed.url,
        title=feed.title,
        added_at=feed.added_at,
        last_success_at=feed.last_success_at,
        last_error=feed.last_error,
        failures=feed.failures,
        gone=feed.gone,
        items_per_day=feed.items / max(1.0, (now - feed.added_at) / _DAY),
        last_item_at=feed.last_item_at,
        next_due_at=feed.due_at,
        moved_to=feed.permanent_url,
        push=None if hub is None else _push_health(hub, now),
    )
