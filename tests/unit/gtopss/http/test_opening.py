"""A service that is opened while the matching loops are compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
from support.live_services import Collected
from support.services import FEED, VACCINES

from gtopss.broker.errors import StoreError
from gtopss.client import Client
from gtopss.http import opening
from gtopss.http.background_server import serving
from gtopss.http.opening import Opening
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from gtopss.http.starting import StartingApp

OTHER = FEED.replace(b"urn:example:", b"urn:other:").replace(b"A vaccine is tested", b"Another vaccine")


class Opened:
    """A service on loopback that is opened in a thread without compiled code, and a compiler that waits."""

    def __init__(self, store: str) -> None:
        self.services: list[Service] = []
        self.messages: list[str] = []
        self.ready, self.compiling, self.compiled = threading.Event(), threading.Event(), threading.Event()
        self.stopped = threading.Event()
        self.app = StartingApp(ServiceSettings(), "it opens the store")
        self._opening = Opening(
            ServiceSettings(store=store), self.app, self.stopped.is_set, progress=self.messages.append
        )
        self.thread = threading.Thread(target=lambda: self._opening.open(lambda service, _: self._when_open(service)))

    def _when_open(self, service: Service) -> None:
        self.services.append(service)
        self.ready.set()

    def compile(self, is_stopped: Callable[[], bool]) -> None:
        """Stand in for the compiler."""
        self.compiling.set()
        assert self.compiled.wait(60)

    def finish(self) -> None:
        """Let the compiler finish, and wait until the service is open."""
        self.compiled.set()
        self.thread.join()

    def close(self) -> None:
        self.stopped.set()
        self.finish()
        self._opening.close()


@contextmanager
def opened(monkeypatch: pytest.MonkeyPatch, store: str = "memory:") -> Iterator[tuple[Opened, str]]:
    """Open a service while the compiler waits; yield it and its address."""
    it = Opened(store)
    monkeypatch.setattr(opening, "has_compiled_code", lambda: False)
    monkeypatch.setattr(opening, "compile_kernels_elsewhere", it.compile)
    with serving(it.app) as url:
        it.thread.start()
        try:
            assert it.compiling.wait(60)
            yield it, url
        finally:
            it.close()


def publish(url: str, data: bytes) -> None:
    headers = {"Content-Type": "application/rss+xml"}
    assert httpx.post(f"{url}/publications", content=data, headers=headers).status_code == 202


def test_it_is_ready_before_the_loops_are_compiled_and_nothing_is_lost_when_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(monkeypatch) as (it, url), Client(url) as client:
        assert it.ready.wait(60)
        assert httpx.get(f"{url}/readyz").status_code == 200
        mine = client.subscribe(VACCINES)
        followed = Collected(client.follow(mine.id, mine.ticket, after=0))
        publish(url, FEED)
        followed.wait_for(1)
        (first,) = it.services
        assert first.broker.followers()[0].engine.config.matcher == "reference"
        it.finish()
        assert it.messages == ["the matching loops are compiled"]
        assert first.workers is not None
        assert httpx.get(f"{url}/readyz").status_code == 200
        publish(url, FEED)  # duplicates
        publish(url, OTHER)
        found = followed.wait_for(2)  # the same iterator: the client has connected again
        assert [(each.sequence, each.title) for each in found] == [(1, "A vaccine is tested"), (2, "Another vaccine")]


def test_the_broker_that_takes_over_has_the_default_matcher(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Service] = []

    class Recorded(Service):
        def run_workers(self) -> None:
            made.append(self)
            super().run_workers()

    monkeypatch.setattr(opening, "Service", Recorded)
    with opened(monkeypatch) as (it, _):
        it.finish()
        first, second = made
        assert first.store is second.store
        assert [each.broker.followers()[0].engine.config.matcher for each in made] == ["reference", "gm"]
        assert first.taxonomy is second.taxonomy
        assert len(it.services) == 1  # announced once


def test_with_many_subscriptions_it_waits_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_SMALL_JOB_SUBSCRIPTIONS", -1)
    with opened(monkeypatch) as (it, url):
        assert not it.ready.is_set()
        assert "compiles the matching loops" in httpx.get(f"{url}/readyz").json()["detail"]
        it.finish()
        (service,) = it.services
        assert service.broker.followers()[0].engine.config.matcher == "gm"
        assert httpx.get(f"{url}/readyz").status_code == 200


def test_it_stops_while_the_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(monkeypatch) as (it, url):
        it.stopped.set()
        it.finish()
        assert it.messages == []
        assert httpx.get(f"{url}/readyz").status_code == 200  # closed by `close`


def test_if_the_other_broker_cannot_start_the_first_one_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(monkeypatch) as (it, url), Client(url) as client:
        (first,) = it.services
        mine = client.subscribe(VACCINES)

        def fail(self: object) -> None:
            raise StoreError("memory:", "the database is away")

        monkeypatch.setattr("gtopss.broker.broker.Broker.start", fail)
        it.finish()
        assert "the database is away" in it.messages[-1]
        publish(url, FEED)
        followed = Collected(client.follow(mine.id, mine.ticket, after=0))
        assert followed.wait_for(1)[0].title == "A vaccine is tested"
        assert first.workers is not None
