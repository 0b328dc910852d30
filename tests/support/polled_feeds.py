"""Feeds on a local server under any host names, and a broker's poller for them, without matching."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, select

from gtopss.broker.feeds.feed_list import FeedHealth, FeedList
from gtopss.broker.feeds.poll_policy import PollPolicy
from gtopss.broker.feeds.polling import FeedPoller, PollingSettings, Publisher
from gtopss.broker.publishing import new_publication
from gtopss.broker.store import publication_rows
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import publications
from gtopss.reading.documents import read_document
from support.hostile_internet import Clock, Internet, Server, http_response


def rss(*items: tuple[str, str], link: str = "http://site.example/", head: str = "") -> bytes:
    """Return a feed with items of these ids and titles."""
    made = "".join(f"<item><guid>urn:item:{id}</guid><title>{title}</title></item>" for id, title in items)
    channel = f"<title>Site</title><link>{link}</link><description/>{head}{made}"
    return f"<rss version='2.0'><channel>{channel}</channel></rss>".encode()


class FeedWorld:
    """A store, an internet with feeds, and what polls them."""

    def __init__(self, store: Store, internet: Internet, **settings: Any) -> None:
        self.store, self.internet, self.clock = store, internet, Clock()
        self.published = 0
        self.poller = self.new_poller(**settings)
        self.feeds = FeedList(store, self.poller, clock=self.clock)

    def new_poller(self, **settings: Any) -> FeedPoller:
        policy = PollPolicy(interval_seconds=1_800, jitter=0.0)
        return FeedPoller(
            self.store,
            self.internet.connector(),
            Publisher(lambda data, source: read_document(data, source=source), new_publication, self.insert),
            broker_id="broker",
            settings=PollingSettings(**({"threads": 8, "policy": policy} | settings)),
            clock=self.clock,
            published=self.count,
        )

    def insert(self, connection: Connection, new: Any) -> Any:
        return publication_rows.insert_new(connection, new, received_at=self.clock.now, after_change=0)

    def count(self) -> None:
        self.published += 1

    def serve(self, url: str, answer: bytes | Callable[[socket.socket], None]) -> None:
        """Serve a response under a URL. All hosts share one server, so paths must differ."""
        host, path = re.fullmatch(r"http://([^/]+)(/.*)", url).groups()  # type: ignore[union-attr]
        self.internet.name(host)
        self.internet.server.routes[path] = answer

    def serve_conditional(self, url: str, body: bytes, etag: str, *headers: str) -> None:
        """Serve a document, or 304 for a request that has its ETag."""

        def answer(connection: socket.socket) -> None:
            known = f"If-None-Match: {etag}" in self.internet.server.requests[-1]
            status = "304 Not Modified" if known else "200 OK"
            tag = f"ETag: {etag}"
            connection.sendall(http_response(b"" if known else body, tag, *headers, status=status, length=not known))

        self.serve(url, answer)

    def requests(self, path: str) -> int:
        """How often a path was requested."""
        return sum(1 for each in self.internet.server.requests if each.startswith(f"GET {path} "))

    def titles(self) -> list[str]:
        """The titles of all publications, in the order in which they were accepted."""
        query = select(publications.c.lines).order_by(publications.c.number)
        rows = self.store.read(lambda connection: list(connection.scalars(query)))
        title = re.compile(rb'>\n<http://purl.org/rss/1.0/title>\n"([^"]*)"')
        return [title.findall(lines)[0].decode() for lines in rows]

    def health(self, url: str) -> FeedHealth:
        return next(each for each in self.feeds.health() if each.url == url)

    def wait_until_due(self, url: str) -> float:
        """Set the clock to the time when a feed is due, poll, and return for how long it waited."""
        due = self.health(url).next_due_at
        assert due is not None
        waited, self.clock.now = due - self.clock.now, max(due, self.clock.now)
        self.poller.run_due()
        return waited


@contextlib.contextmanager
def feed_world(store: Store, **settings: Any) -> Iterator[FeedWorld]:
    server = Server()
    world = FeedWorld(store, Internet(server), **settings)
    try:
        yield world
    finally:
        world.poller.close()
        server.stop()
