"""Visits that remember the one before, and many of them at once."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gtopss.net.connector import Door
from gtopss.net.errors import BlockedAddress, BlockedPort, FetchError, InsecureRedirect, InvalidURL
from gtopss.net.retrieval import Response, fetch
from gtopss.net.state import FetchState
from gtopss.net.url import parse_url

# Our rules, not the server's failure: when the operator changes them, the next visit should go ahead at once.
_OWN_REFUSALS = (BlockedAddress, BlockedPort, InsecureRedirect, InvalidURL)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one URL: a response or an error."""

    url: str
    response: Response | None = None
    error: Exception | None = None
    """A FetchError, unless something is wrong with this program or its machine."""


def poll(url: str, *, door: Door, state: FetchState) -> Response:
    """Fetch `url` if it is due, asking only for what is new. Then handle the items, then `state.commit(response)`.

    Failures are noted in `state`, and raised.
    """
    parse_url(url)
    visit = state.check_due(url)
    try:
        return fetch(url, door=door, validators=visit.validators, now=state.clock)
    except _OWN_REFUSALS:
        raise
    except FetchError as error:
        state.fail(url, error)
        raise


def fetch_all(
    urls: Iterable[str], *, door: Door, state: FetchState | None = None, workers: int = 16, per_host: int = 2
) -> Iterator[Outcome]:
    """One outcome for each URL, as they come in; `per_host` at most are asked of one host at once.

    A consumer that is slow holds the fetching back, so that at most `workers` bodies wait in memory. One that stops
    early leaves no more than the fetches under way, in daemon threads that end by their deadline.
    """
    if workers < 1 or per_host < 1:
        raise ValueError("workers and per_host are at least 1")
    return _Fetching(urls, door, state, min(workers, 256), per_host).run()


class _Fetching:
    def __init__(self, urls: Iterable[str], door: Door, state: FetchState | None, workers: int, per_host: int) -> None:
        self._door, self._state, self._workers, self._per_host = door, state, workers, per_host
        self._tasks: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._waiting: dict[str, deque[str]] = {}
        for url in urls:
            self._waiting.setdefault(_host(url), deque()).append(url)
        self._active: dict[str, int] = {}

    def run(self) -> Iterator[Outcome]:
        started = running = 0
        try:
            while self._waiting or running:
                for url in self._next(self._workers - running):
                    running += 1
                    if running > started:
                        threading.Thread(target=self._work, name=f"gtopss-fetch-{started}", daemon=True).start()
                        started += 1
                    self._tasks.put(url)
                outcome = self._outcomes.get()
                running -= 1
                self._active[_host(outcome.url)] -= 1
                yield outcome
        finally:
            for _ in range(started):
                self._tasks.put(None)

    def _next(self, room: int) -> list[str]:
        """Up to `room` URLs that may start now: one of each host in turn, none of a host that is busy."""
        chosen: list[str] = []
        while len(chosen) < room:
            host = next((host for host in self._waiting if self._active.get(host, 0) < self._per_host), None)
            if host is None:
                break
            line = self._waiting.pop(host)
            chosen.append(line.popleft())
            self._active[host] = self._active.get(host, 0) + 1
            if line:
                self._waiting[host] = line  # to the end of the queue
        return chosen

    def _work(self) -> None:
        while (url := self._tasks.get()) is not None:
            try:
                if self._state is None:
                    response = fetch(url, door=self._door)
                else:
                    response = poll(url, door=self._door, state=self._state)
                outcome = Outcome(url, response)
            except Exception as error:
                outcome = Outcome(url, error=error)
            self._outcomes.put(outcome)


def _host(url: str) -> str:
    try:
        return parse_url(url).host
    except InvalidURL:
        return ""
