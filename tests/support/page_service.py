"""A service on loopback with a few items and a small ontology, for tests of its page in a browser."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import uvicorn

from gtopss.broker.publishing import Document
from gtopss.http.app import create_app
from gtopss.http.server import bind
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings

HOUR = 3_600.0
ONTOLOGY = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix t: <urn:topic:> .
t:health a skos:Concept ; skos:prefLabel "health"@en .
t:medicine a skos:Concept ; skos:prefLabel "medicine"@en ; skos:broader t:health .
t:vaccine a skos:Concept ; skos:prefLabel "vaccine"@en ; skos:broader t:medicine .
t:healing a skos:Concept ; skos:prefLabel "healing herbs"@en ; skos:broader t:medicine .
t:sport a skos:Concept ; skos:prefLabel "sport"@en .
"""
ITEMS = (
    ("A vaccine is tested", "vaccine", "Jane Doe", "Researchers test a vaccine against a virus."),
    ("An open source release", "software", "Arno Jacobsen", "A new version of an open source matcher."),
    ("The final of the cup", "sport", "John Smith", "A close match."),
    ("Wheat rises", "economy", "Jane Doe", "Prices of wheat and maize."),
)


def feed_of(items: tuple[tuple[str, str, str, str], ...], *, link: str = "https://news.example/") -> bytes:
    """Return an RSS 2.0 feed of items: title, category, author and description, each escaped once."""
    written = "".join(
        f"<item><title>{escape(title)}</title><link>{escape(link)}{number}</link>"
        f"<guid isPermaLink='false'>{hash_of(title)}</guid><category>{escape(category)}</category>"
        f"<dc:creator>{escape(author)}</dc:creator><description>{escape(text)}</description></item>"
        for number, (title, category, author, text) in enumerate(items, start=1)
    )
    head = "<title>Example News</title><link>https://news.example/</link><description>News</description>"
    namespace = "xmlns:dc='http://purl.org/dc/elements/1.1/'"
    return f"<rss version='2.0' {namespace}><channel>{head}{written}</channel></rss>".encode()


def hash_of(title: str) -> str:
    """Return an id for an item that has only a title."""
    return f"urn:item:{title.encode().hex()[:40]}"


@dataclass
class PageService:
    """A running service and its address."""

    service: Service
    url: str
    offset: float = 0.0
    """Seconds by which its clock is ahead of the machine's."""

    def publish(self, *items: tuple[str, str, str, str], link: str = "https://news.example/") -> None:
        """Publish items as a feed."""
        results = self.service.broker.publish([Document(feed_of(items, link=link))])
        assert all(each.error is None for each in results), results


class _ThreadServer(uvicorn.Server):
    """A server that leaves signals alone, because it does not run in the main thread."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()


@contextlib.contextmanager
def page_service(folder: Path) -> Iterator[PageService]:
    """Run a service whose items arrived two hours ago, so that it has a forecast."""
    ontology = folder / "topics.ttl"
    ontology.write_text(ONTOLOGY)
    settings = ServiceSettings(ontology=ontology, allow=("127.0.0.1",))
    it = PageService(None, "")  # type: ignore[arg-type]
    with bind("127.0.0.1", 0) as listener, Service(settings, clock=lambda: time.time() + it.offset) as service:
        it.service, it.url = service, f"http://127.0.0.1:{listener.getsockname()[1]}/"
        it.offset = -2 * HOUR
        it.publish(*ITEMS)
        service.broker.run_pending()
        it.offset = 0.0
        service.start()
        config = uvicorn.Config(create_app(service), http="h11", ws="none", lifespan="off", log_config=None)
        server = _ThreadServer(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield it
        server.force_exit = server.should_exit = True  # event streams of open pages are cut
        thread.join(20)
