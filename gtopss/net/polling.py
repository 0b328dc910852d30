"""Poll feeds: conditional fetches that use the stored state, and many fetches in parallel."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gtopss.net.connector import Connector
from gtopss.net.errors import BlockedAddress, BlockedPort, FetchError, InsecureRedirect, InvalidURL
from gtopss.net.retrieval import Response, fetch
from gtopss.net.state import FetchState
from gtopss.net.url import parse_url

# Our own rules, not failures of the server: once the operator changes them, the next poll should run at once.
_OWN_REFUSALS = (BlockedAddress, BlockedPort, InsecureRedirect, InvalidURL)


@dataclass(frozen=True, slots=True)
class PollResult:
    """The result for one URL: a response or an error."""

    url: str
    response: Response | None = None
    error: Exception | None = None
    """A FetchError, unless there is a fault in this program or its machine."""


def poll(url: str, *, connector: Connector, state: FetchState) -> Response:
    """Fetch `url` if it is due, with a conditional request. Handle the items, then call `state.commit(response)`.

    A failure is recorded in `state` and raised.
    """
    parse_url(url)
    record = state.check_due(url)
    try:
        return fetch(url, connector=connector, validators=record.validators, now=state.clock)
    except _OWN_REFUSALS:
        raise
    except FetchError as error:
        state.fail(url, error)
        raise


def fetch_all(
    urls: Iterable[str], *, connector: Connector, state: FetchState | None = None, workers: int = 16, per_host: int = 2
) -> Iterator[PollResult]:
    """Fetch many URLs in parallel and yield one result per URL, in order of completion.

    At most `per_host` requests to one host run at once. A slow consumer slows the fetching down, so at most `workers`
    bodies are in memory. If the consumer stops early, only the running fetches continue, in daemon threads that end
    at their deadline.
    """
    if workers < 1 or per_host < 1:
        raise ValueError("workers and per_host must be at least 1")
    return _ParallelFetch(urls, connector, state, min(workers, 256), per_host).run()


class _ParallelFetch:
    """Worker threads, the URLs waiting for them by host, and the queue of results."""

    def __init__(
        self, urls: Iterable[str], connector: Connector, state: FetchState | None, workers: int, per_host: int
    ) -> None:
        self._connector, self._state, self._workers, self._per_host = connector, state, workers, per_host
        self._tasks: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[PollResult] = queue.SimpleQueue()
        self._waiting: dict[str, deque[str]] = {}
        for url in urls:
            self._waiting.setdefault(_host(url), deque()).append(url)
        self._active: dict[str, int] = {}

    def run(self) -> Iterator[PollResult]:
        started = running = 0
        try:
            while self._waiting or running:
                for url in self._startable(self._workers - running):
                    running += 1
                    if running > started:
                        threading.Thread(target=self._run_worker, name=f"gtopss-fetch-{started}", daemon=True).start()
                        started += 1
                    self._tasks.put(url)
                result = self._results.get()
                running -= 1
                self._active[_host(result.url)] -= 1
                yield result
        finally:
            for _ in range(started):
                self._tasks.put(None)

    def _startable(self, slots: int) -> list[str]:
        """Return up to `slots` URLs that may start now: hosts take turns, and busy hosts are skipped."""
        chosen: list[str] = []
        while len(chosen) < slots:
            host = next((host for host in self._waiting if self._active.get(host, 0) < self._per_host), None)
            if host is None:
                break
            urls = self._waiting.pop(host)
            chosen.append(urls.popleft())
            self._active[host] = self._active.get(host, 0) + 1
            if urls:
                self._waiting[host] = urls  # to the end of the queue
        return chosen

    def _run_worker(self) -> None:
        while (url := self._tasks.get()) is not None:
            try:
                if self._state is None:
                    response = fetch(url, connector=self._connector)
                else:
                    response = poll(url, connector=self._connector, state=self._state)
                result = PollResult(url, response)
            except Exception as error:
                result = PollResult(url, error=error)
            self._results.put(result)


def _host(url: str) -> str:
    try:
        return parse_url(url).host
    except InvalidURL:
        return ""
