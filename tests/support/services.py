"""Services in memory with an injected clock, and clients for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from gtopss import Engine
from gtopss.http.app import create_app
from gtopss.http.server import TimedProtocol, bind, server_of
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from gtopss.net import Connector
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
def served(engine: Engine | None = None, *, connector: Connector | None = None, **settings: Any) -> Iterator[Served]:
    """Yield a service in memory with the reference matcher, without workers, and a client."""
    clock = TestClock()
    given = Engine(matcher="reference") if engine is None else engine
    with Service(ServiceSettings(**settings), clock=clock, engine=given, connector=connector) as service:
        app = create_app(service)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
            yield Served(service, client, clock)


@contextmanager
def listening(
    service: Service, protocol: type[TimedProtocol] = TimedProtocol, *, workers: bool = False
) -> Iterator[tuple[str, int]]:
    """Run a server for a service on a free port of loopback, in a thread, and yield its address."""
    listener = bind("127.0.0.1", 0)
    server = server_of(create_app(service), protocol)
    if workers:
        service.start()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    listener.listen()  # clients may connect before the server accepts
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


class NoInternet:
    """Refuses every connection and records the addresses. Names resolve to what a hostile name server says."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers or ("93.184.216.34",)
        self.dialled: list[str] = []

    def connector(self) -> Connector:
        return Connector(resolve=lambda host, port: self.answers, dial=self._dial)

    def _dial(self, address: Any, port: int, timeout: float) -> Any:
        self.dialled.append(str(address))
        raise ConnectionRefusedError("there is no internet in tests")
