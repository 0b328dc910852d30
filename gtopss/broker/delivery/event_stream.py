"""Notifications as a stream of events to one reader, without a transport.

The events follow the store: an event that is read has the next number, whether it was stored long ago or just now, so
there is no moment between catching up and the live stream at which one could be missed. A signal, or a look into the
store from time to time, only says when to read. The id of an event is the number of its notification, which the reader
sends back to continue (`Last-Event-ID` of server-sent events).
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.delivery.message import Compose, Notification
from gtopss.broker.store.notification_pages import page_after
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import notifications, subscriptions

_PAGE_NOTIFICATIONS = 100  # read from the store at a time
_MAX_ID_DIGITS = 18


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event. `kind` is the kind of a notification, "gap", "ping", or "end" if the subscription is gone."""

    kind: str
    id: int | None = None
    """The number of the notification. A reader that was disconnected continues after it."""
    data: str = ""
    """JSON in one line."""

    def to_bytes(self) -> bytes:
        """Return the event in the format of server-sent events. A ping is a comment, which readers ignore.

        >>> StreamEvent("match", 7, "{}").to_bytes()
        b'event: match\\nid: 7\\ndata: {}\\n\\n'
        """
        if self.kind == "ping":
            return b": ping\n\n"
        id = "" if self.id is None else f"id: {self.id}\n"
        return f"event: {self.kind}\n{id}data: {self.data}\n\n".encode()


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """The intervals of pings and of reads from the store, in seconds."""

    ping_seconds: float = 15.0
    """After this time without an event there is a ping, so that proxies keep the connection and dead ones are found."""
    poll_seconds: float = 10.0
    """Interval at which a reader that is not woken reads the store."""


class EventPage(NamedTuple):
    """Events that were read, the number after which to read on, and whether the subscription is gone."""

    events: list[StreamEvent]
    position: int
    ended: bool


class EventReader:
    """Reads the events of one subscription from the store. Thread-safe."""

    def __init__(self, store: Store, compose: Compose, subscription: str) -> None:
        self._store, self._compose, self._subscription = store, compose, subscription

    def start(self, last_event_id: str | None) -> tuple[int, list[StreamEvent]]:
        """Return the number after which a stream begins, and a gap event if the client's id is unknown."""
        oldest, last = self._store.read(self._extent)
        if last_event_id is None:
            return last, []
        text = last_event_id.strip()
        is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_ID_DIGITS
        if is_number and int(text) <= last:
            return int(text), []  # if that is too old, the first reading finds the gap
        return oldest - 1, [_gap("the id is unknown", oldest - 1, None, None)]

    def _extent(self, connection: Connection) -> tuple[int, int]:
        """Return the numbers of the oldest retained notification and of the newest one ever."""
        last = connection.scalar(select(subscriptions.c.last_sequence).where(subscriptions.c.id == self._subscription))
        oldest = connection.scalar(
            select(func.min(notifications.c.sequence)).where(notifications.c.subscription == self._subscription)
        )
        return (last or 0) + 1 if oldest is None else oldest, last or 0

    def read(self, position: int) -> EventPage:
        """Return the next events after a number."""

        def read(connection: Connection) -> tuple[int | None, list[NotificationRow], Sequence[Notification], bool]:
            last = connection.scalar(
                select(subscriptions.c.last_sequence).where(subscriptions.c.id == self._subscription)
            )
            if last is None or last <= position:
                return last, [], (), True
            rows, is_last = page_after(connection, self._subscription, position, _PAGE_NOTIFICATIONS)
            return last, rows, self._compose(connection, rows), is_last

        last, rows, composed, is_last = self._store.read(read)
        if last is None:
            return EventPage([StreamEvent("end", None, "{}")], position, True)
        known = {each.row.sequence: each for each in composed}
        events: list[StreamEvent] = []
        for row in rows:
            if row.sequence > position + 1:
                events.append(_gap("no longer retained", row.sequence - 1, position + 1, row.sequence - 1))
            position = row.sequence
            if (each := known.get(position)) is not None:
                events.append(StreamEvent(row.kind, position, json.dumps(each.to_json(), ensure_ascii=False)))
            else:
                events.append(_gap("no longer retained", position, position, position))
        if is_last and position < last:
            events.append(_gap("no longer retained", last, position + 1, last))
            position = last
        return EventPage(events, position, False)


class EventStream:
    """The events of one subscription for one reader. Iterate over it, or `async for` over it; only one of them, once.

    Without `last_event_id` it begins with the next notification. With the id of a notification, it continues after
    that. If notifications in between are not retained any more, or the id is unknown, a "gap" event says so at once,
    and the stream continues with the oldest notification that is retained.
    """

    def __init__(
        self,
        store: Store,
        arrivals: Arrivals,
        compose: Compose,
        subscription: str,
        *,
        last_event_id: str | None = None,
        settings: StreamSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._arrivals, self._subscription = arrivals, subscription
        self._reader = EventReader(store, compose, subscription)
        self._settings, self._clock = settings or StreamSettings(), clock
        self._last_event_id = last_event_id
        self._wake: Callable[[], None] | None = None
        self._closed = False

    def close(self) -> None:
        """End the iteration, from any thread."""
        self._closed = True
        if self._wake is not None:
            self._wake()

    def __iter__(self) -> Iterator[StreamEvent]:
        changed = threading.Event()
        self._wake = changed.set
        with self._arrivals.listening(self._subscription, changed.set):
            for step in self._steps():
                if isinstance(step, list):
                    yield from step
                else:
                    changed.wait(step)
                    changed.clear()  # before the next reading: what is added later sets it again

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        self._wake = wake
        with self._arrivals.listening(self._subscription, wake):
            steps = self._steps()
            while (step := await asyncio.to_thread(next, steps, None)) is not None:
                if isinstance(step, list):
                    for event in step:
                        yield event
                else:
                    await _wait(changed, step)
                    changed.clear()

    def _steps(self) -> Iterator[list[StreamEvent] | float]:
        """Yield events, and how many seconds to wait for a signal before the next reading."""
        position, events = self._reader.start(self._last_event_id)
        yield events
        quiet_since = self._clock()
        while not self._closed:
            page = self._reader.read(position)
            position = page.position
            if page.events:
                yield page.events
                if page.ended:
                    return
                quiet_since = self._clock()
            elif self._clock() - quiet_since >= self._settings.ping_seconds:
                yield [StreamEvent("ping")]
                quiet_since = self._clock()
            else:
                until_ping = quiet_since + self._settings.ping_seconds - self._clock()
                yield max(0.0, min(self._settings.poll_seconds, until_ping))


def _gap(reason: str, id: int, first: int | None, last: int | None) -> StreamEvent:
    missing = {} if first is None else {"first_sequence": first, "last_sequence": last}
    return StreamEvent("gap", id, json.dumps({"reason": reason} | missing))


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(changed.wait(), seconds)
    except TimeoutError:
        return
