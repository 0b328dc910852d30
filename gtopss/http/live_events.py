"""Event streams of many clients: the notifications of a subscription are read once for all of its clients.

A channel belongs to one subscription. It reads the store when the broker signals new notifications, keeps the newest
events as encoded bytes, and writes them to the connections of the clients that wait. A client has only the number of
the last event that it has sent. One that reads slowly is woken, and sends what the channel remembers; one that is
further behind reads the store itself, so a slow client costs no memory. Everything here runs on one event loop, except
for reading the store.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum

from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.delivery.event_stream import EventPage, EventReader, StreamEvent
from gtopss.http.direct_writes import DirectWrite, encode_chunk
from gtopss.http.problems import RequestProblem

DEFAULT_PING_SECONDS = 15.0
MAX_REMEMBERED_CHUNKS = 32
"""Chunks of events that a channel keeps in memory. A client that is further behind reads the store."""
READING_THREADS = 4
"""Threads that read the store for event streams."""
_PING = StreamEvent("ping").to_bytes()
_ENCODED_PING = encode_chunk(_PING)
_CLIENTS_PER_TURN = 500  # written to or woken before other work of the loop has its turn


class _Wake(Enum):
    CHANGED = 1
    PING = 2


@dataclass(slots=True, eq=False)
class _Waiter:
    """A client that has all events up to a number, and waits."""

    position: int
    write: DirectWrite | None
    woken: asyncio.Future[_Wake]

    def wake(self, kind: _Wake) -> None:
        if not self.woken.done():
            self.woken.set_result(kind)

    def try_write(self, encoded: bytes) -> bool:
        """Write to the connection of the client while it goes on waiting. False if it must be woken instead."""
        return self.write is not None and not self.woken.done() and self.write(encoded)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Encoded events after one number, up to another."""

    start: int
    position: int
    data: bytes
    ended: bool


class _Channel:
    """The clients and the newest events of one subscription."""

    def __init__(self, reader: EventReader, position: int) -> None:
        self.reader, self.position = reader, position
        self.chunks: deque[_Chunk] = deque(maxlen=MAX_REMEMBERED_CHUNKS)
        self.waiters: set[_Waiter] = set()
        self.clients = 0
        self.listening = ExitStack()
        self.refreshing: asyncio.Task[None] | None = None
        self.is_stale = False

    def after(self, position: int) -> _Chunk | None:
        """Return the next chunk for a client; None if it has all, or is too far behind."""
        for each in self.chunks:
            if each.start == position and (each.ended or each.position > position):
                return each
        return None

    def wake_all(self) -> None:
        for each in self.waiters:
            each.wake(_Wake.CHANGED)

    async def broadcast(self, chunk: _Chunk) -> None:
        """Give a new chunk to all clients that wait for it, some at a time."""
        encoded = encode_chunk(chunk.data)
        async for each in _in_turns(self.waiters):
            if each.position == chunk.start and not chunk.ended and each.try_write(encoded):
                each.position = chunk.position
            else:
                each.wake(_Wake.CHANGED)

    async def ping(self) -> None:
        """Send a ping to all clients that wait, some at a time."""
        async for each in _in_turns(self.waiters):
            if not each.try_write(_ENCODED_PING):
                each.wake(_Wake.PING)


async def _in_turns(waiters: Iterable[_Waiter]) -> AsyncIterator[_Waiter]:
    for number, each in enumerate(list(waiters), 1):
        yield each
        if number % _CLIENTS_PER_TURN == 0:
            await asyncio.sleep(0)


class LiveEvents:
    """The channels of a service. All methods but `close` run on the event loop of the server."""

    def __init__(self, arrivals: Arrivals, *, most_clients: int, ping_seconds: float = DEFAULT_PING_SECONDS) -> None:
        self._arrivals, self._most, self._ping_seconds = arrivals, most_clients, ping_seconds
        self._channels: dict[str, _Channel] = {}
        self._threads = ThreadPoolExecutor(READING_THREADS, thread_name_prefix="gtopss-events")
        self._pinging: asyncio.Task[None] | None = None
        self._closed = False
        self.clients = 0
        """How many clients there are now."""

    def close(self) -> None:
        """End all streams. Called on the event loop, or after it has ended."""
        self._closed = True
        for channel in self._channels.values():
            channel.wake_all()
        if self._pinging is not None:
            self._pinging.cancel()

    def close_threads(self) -> None:
        """End the threads that read, after the server has ended."""
        self._threads.shutdown(cancel_futures=True)

    def check_room(self) -> None:
        """Raise a problem if there are too many clients."""
        if self.clients >= self._most or self._closed:
            reason = f"{self.clients:,} clients read event streams, and no more are served: try again later"
            raise RequestProblem(503, "too-many-streams", "Too many event streams", reason)

    async def stream(
        self, id: str, reader: EventReader, last_event_id: str | None, write: DirectWrite | None = None
    ) -> AsyncIterator[bytes]:
        """Yield the encoded events of a subscription for one client, and pings.

        With `write`, most of them are written to the connection of the client instead, while it waits for the next one.
        """
        loop = asyncio.get_running_loop()
        position, events = await loop.run_in_executor(self._threads, reader.start, last_event_id)
        yield b"retry: 3000\n\n" + b"".join(each.to_bytes() for each in events)
        channel = self._join(id, reader, position)
        try:
            while not self._closed:
                if (chunk := channel.after(position)) is not None:
                    position = chunk.position
                    yield chunk.data
                    if chunk.ended:
                        return
                elif position < channel.position:
                    page = await loop.run_in_executor(self._threads, reader.read, position)
                    position = page.position
                    yield _encoded(page)
                    if page.ended:
                        return
                else:
                    waiter = _Waiter(position, write, loop.create_future())
                    kind = await _wait(channel, waiter)
                    position = waiter.position
                    if kind is _Wake.PING:
                        yield _PING
        finally:
            self._leave(id, channel)

    def _join(self, id: str, reader: EventReader, position: int) -> _Channel:
        channel = self._channels.get(id)
        if channel is None:
            channel = self._channels[id] = _Channel(reader, position)
            loop, joined = asyncio.get_running_loop(), channel

            def signal() -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self._refresh, joined)

            channel.listening.enter_context(self._arrivals.listening(id, signal))
            self._refresh(channel)  # what was stored between reading the position and listening
        channel.clients += 1
        self.clients += 1
        if self._pinging is None:
            self._pinging = asyncio.get_running_loop().create_task(self._ping())
        return channel

    def _leave(self, id: str, channel: _Channel) -> None:
        channel.clients -= 1
        self.clients -= 1
        if not channel.clients:
            channel.listening.close()
            if self._channels.get(id) is channel:
                del self._channels[id]

    def _refresh(self, channel: _Channel) -> None:
        channel.is_stale = True
        if channel.refreshing is None:
            channel.refreshing = asyncio.get_running_loop().create_task(self._read(channel))

    async def _read(self, channel: _Channel) -> None:
        """Read what is new until there is nothing more, and wake the clients."""
        loop = asyncio.get_running_loop()
        try:
            while channel.is_stale and channel.clients and not self._closed:
                channel.is_stale = False
                page = await loop.run_in_executor(self._threads, channel.reader.read, channel.position)
                if page.events:
                    channel.is_stale = not page.ended
                    chunk = _Chunk(channel.position, page.position, _encoded(page), page.ended)
                    channel.chunks.append(chunk)
                    channel.position = page.position
                    await channel.broadcast(chunk)
        finally:
            channel.refreshing = None

    async def _ping(self) -> None:
        """Send pings again and again."""
        while not self._closed:
            await asyncio.sleep(self._ping_seconds)
            for channel in list(self._channels.values()):
                await channel.ping()


async def _wait(channel: _Channel, waiter: _Waiter) -> _Wake:
    channel.waiters.add(waiter)
    try:
        return await waiter.woken
    finally:
        channel.waiters.discard(waiter)


def _encoded(page: EventPage) -> bytes:
    return b"".join(each.to_bytes() for each in page.events)
