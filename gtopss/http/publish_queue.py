"""Publish what several requests send at the same time by one call.

A small document costs less to read than to hand over between threads, and a commit costs the same for one document as
for a hundred. So requests with plain documents wait in a queue, and a thread takes all that wait at once. A request
that comes alone does not wait. Other documents, which another process reads, have threads of their own.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from gtopss.broker.broker import Broker
from gtopss.broker.publishing import Document, Outcome, PublishResult, may_be_plain
from gtopss.errors import GtopssError
from gtopss.http.route_threads import ROUTE_THREADS, RouteThreads

MAX_QUEUED_BYTES = 64 * 2**10
"""Size of the documents of a request that is published together with others."""
MAX_CALL_REQUESTS = 256
"""Requests whose documents are published by one call."""


@dataclass(frozen=True, slots=True)
class _Call:
    documents: Sequence[Document]
    key: str | None
    outcome: asyncio.Future[Outcome]


class PublishQueue:
    """Publishes the documents of requests. All methods run on the event loop of the server."""

    def __init__(self, broker: Broker, threads: RouteThreads) -> None:
        self._broker, self._threads = broker, threads
        self._waiting: deque[_Call] = deque()
        self._runners = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def publish(self, documents: Sequence[Document], key: str | None) -> Sequence[PublishResult]:
        """Publish documents as `Broker.publish` does; what is acknowledged is durable. Raises InvalidKey and others."""
        if may_be_plain(documents) and sum(len(each.data) for each in documents) <= MAX_QUEUED_BYTES:
            outcome = await self._enqueue(documents, key)
            if isinstance(outcome, Exception):
                raise outcome
            if outcome is not None:
                return outcome
        return await self._threads.run("publish", partial(self._broker.publish, documents, key=key))

    async def _enqueue(self, documents: Sequence[Document], key: str | None) -> Outcome:
        loop = asyncio.get_running_loop()
        call = _Call(documents, key, loop.create_future())
        self._waiting.append(call)
        if self._runners < ROUTE_THREADS["plain"]:
            self._runners += 1
            task = loop.create_task(self._run())
            self._tasks.add(task)  # the loop has only a weak reference
            task.add_done_callback(self._tasks.discard)
        return await call.outcome

    async def _run(self) -> None:
        """Publish what waits, until nothing waits. No request can come between the last look and the end."""
        try:
            while self._waiting:
                await self._publish_waiting()
        finally:
            self._runners -= 1

    async def _publish_waiting(self) -> None:
        calls = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_CALL_REQUESTS))]
        try:
            outcomes = await self._threads.run("plain", partial(_publish_together, self._broker, calls))
        except Exception as error:  # such as a store that is closed: it concerns all of them
            outcomes = [error] * len(calls)
        for call, outcome in zip(calls, outcomes, strict=True):
            if not call.outcome.done():  # the server has ended a request that waits too long
                call.outcome.set_result(outcome)


def _publish_together(broker: Broker, calls: Sequence[_Call]) -> Sequence[Outcome]:
    """Publish the documents of several requests; each has the outcome that it would have alone."""
    refused = {key: _refusal(broker, key) for key in {each.key for each in calls}}
    outcomes = iter(broker.publishing.publish_plain([each.documents for each in calls if refused[each.key] is None]))
    broker.published()
    return [refused[each.key] or next(outcomes) for each in calls]


def _refusal(broker: Broker, key: str | None) -> GtopssError | None:
    """Return why nothing may be published with a key, if so."""
    try:
        broker.owners.check_publisher(key)
    except GtopssError as error:
        return error
    return None
