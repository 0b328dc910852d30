"""Services on loopback with running workers, for tests of what talks to them over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gtopss import Engine
from gtopss.http.app import create_app
from gtopss.http.background_server import serving
from gtopss.http.service import Service
from gtopss.http.settings import ServiceSettings
from support.brokers import TestClock


@contextmanager
def live_service(clock: TestClock | None = None, *, port: int = 0, **settings: Any) -> Iterator[tuple[str, Service]]:
    """Yield the address of a service with the reference matcher, and the service. Its workers run."""
    made = ServiceSettings(**settings)
    options: dict[str, Any] = {} if clock is None else {"clock": clock}
    with Service(made, engine=Engine(matcher="reference"), **options) as service:
        service.start()
        with serving(create_app(service), port=port) as url:
            yield url, service


class Collected:
    """What an iterator yields in a thread, to wait for without a clock."""

    def __init__(self, found: Iterator[Any]) -> None:
        self.items: list[Any] = []
        self.error: BaseException | None = None
        self._grown = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, args=(found,), daemon=True).start()

    def _read(self, found: Iterator[Any]) -> None:
        try:
            for each in found:
                with self._grown:
                    self.items.append(each)
                    self._grown.notify_all()
        except BaseException as error:
            self.error = error
        with self._grown:
            self._ended = True
            self._grown.notify_all()

    def wait_for(self, count: int, seconds: float = 60.0) -> list[Any]:
        """Return the items as soon as there are so many."""
        with self._grown:
            assert self._grown.wait_for(lambda: len(self.items) >= count or self._ended, seconds), self.items
        assert len(self.items) >= count, (self.items, self.error)
        return self.items

    def wait_for_end(self, seconds: float = 60.0) -> list[Any]:
        """Return all items when the iterator has ended."""
        with self._grown:
            assert self._grown.wait_for(lambda: self._ended, seconds), self.items
        assert self.error is None, self.error
        return self.items
