"""The service of a store in this process, without a server: the commands use it while no other process does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from fastapi import FastAPI

from gtopss.broker.config import BrokerConfig
from gtopss.cli.serve import DEFAULT_ONTOLOGY, snapshot_folder
from gtopss.client import Client
from gtopss.http.app import create_app
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from gtopss.sample_data import sample_data
from ontology import Reasoner


class AppTransport(httpx.BaseTransport):
    """Passes requests to an application in this process. Responses are read whole, so event streams do not work."""

    def __init__(self, app: FastAPI) -> None:
        self._inner = httpx.ASGITransport(app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response of the application."""
        return asyncio.run(self._handle(request.method, request.url, request.headers, request.read()))

    async def _handle(self, method: str, url: httpx.URL, headers: httpx.Headers, content: bytes) -> httpx.Response:
        asked = httpx.Request(method, url, headers=headers, content=content)
        response = await self._inner.handle_async_request(asked)
        whole = await response.aread()
        return httpx.Response(response.status_code, headers=response.headers, content=whole)


@contextmanager
def embedded_client(
    store: str, key: str | None, ontology: Path | None, reasoner: Reasoner | None = None
) -> Iterator[Client]:
    """Yield a client of a store. Afterwards, what was published is matched, and what is due is delivered once.

    Raises a StoreError if another process uses the store.
    """
    settings = ServiceSettings(
        store=store,
        ontology=ontology or sample_data("ontologies", DEFAULT_ONTOLOGY),
        reasoner=reasoner,
        broker=BrokerConfig(snapshot_folder=snapshot_folder(store)),
    )
    with (
        Service(settings) as service,
        Client("http://localhost", key=key, transport=AppTransport(create_app(service))) as client,
    ):
        yield client
        if service.broker.run_pending():
            service.deliveries.schedule.run_due()
