"""Services in memory with an injected clock, and clients for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from gtopss import Engine
from gtopss.http.app import create_app
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from support.brokers import TestClock

FEED = b"""<rss version="2.0"><channel><title>Health news</title>
<item><guid>urn:example:1</guid><title>A vaccine is tested</title><link>https://news.example/1</link></item>
<item><guid>urn:example:2</guid><title>Football</title></item></channel></rss>"""
VACCINES = 'SELECT ?title { ?item rss:title ?title FILTER words(?title, "vaccine*") }'


@dataclass(frozen=True)
class Served:
    """A service, a client of it, and its clock."""

    service: Service
    client: TestClient
    clock: TestClock

    def subscribe(self, query: str = VACCINES, **options: Any) -> dict[str, Any]:
        """Register a subscription and return the acknowledgement."""
        response = self.client.post("/subscriptions", json={"query": query, **options})
        assert response.status_code == 201, response.text
        made: dict[str, Any] = response.json()
        return made

    def publish(self, data: bytes = FEED, media_type: str = "application/rss+xml") -> None:
        """Publish a document and match it."""
        response = self.client.post("/publications", content=data, headers={"Content-Type": media_type})
        assert response.status_code == 202, response.text
        self.service.broker.run_pending()


def ticket_of(acknowledged: dict[str, Any]) -> dict[str, str]:
    """Return the headers that present the ticket of a subscription."""
    return {"Authorization": f"Bearer {acknowledged['ticket']}"}


@contextmanager
def served(engine: Engine | None = None, **settings: Any) -> Iterator[Served]:
    """Yield a service in memory with the reference matcher, without workers, and a client."""
    clock = TestClock()
    given = Engine(matcher="reference") if engine is None else engine
    with Service(ServiceSettings(**settings), clock=clock, engine=given) as service:
        app = create_app(service)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            yield Served(service, client, clock)
