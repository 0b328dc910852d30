"""Channels of event streams: reads are shared, nothing is missed, and a slow client catches up by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, cast

from gtopss.broker.delivery.arrivals import Arrivals
from gtopss.broker.delivery.event_stream import EventPage, EventReader, StreamEvent
from gtopss.http import live_events
from gtopss.http.live_events import LiveEvents


class Reader:
    """A subscription whose notifications are numbers. It counts how often it is read."""

    def __init__(self) -> None:
        self.last, self.reads, self.gone = 0, 0, False

    def start(self, last_event_id: str | None) -> tuple[int, list[StreamEvent]]:
        return (self.last if last_event_id is None else int(last_event_id)), []

    def read(self, position: int) -> EventPage:
        self.reads += 1
        if self.gone:
            return EventPage([StreamEvent("end", None, "{}")], position, True)
        numbers = range(position + 1, min(self.last, position + 3) + 1)  # at most three at a time
        return EventPage([StreamEvent("match", number) for number in numbers], position + len(numbers), False)


class World:
    """Live events over one reader."""

    def __init__(self, **settings: Any) -> None:
        self.reader, self.arrivals = Reader(), Arrivals()
        self.live = LiveEvents(self.arrivals, most_clients=100, **{"ping_seconds": 1_000.0} | settings)

    def client(
        self, last_event_id: str | None = None, write: Callable[[bytes], bool] | None = None
    ) -> AsyncGenerator[bytes]:
        made: AsyncIterator[bytes] = self.live.stream("s", cast(EventReader, self.reader), last_event_id, write)
        return cast("AsyncGenerator[bytes]", made)

    def notify(self, count: int = 1) -> None:
        self.reader.last += count
        self.arrivals.signal(["s"])


async def joined(client: AsyncGenerator[bytes]) -> asyncio.Task[bytes]:
    """Read the beginning of a stream, and wait for its next chunk in a task."""
    assert (await anext(client)).startswith(b"retry:")
    return await waiting(client)


async def waiting(client: AsyncGenerator[bytes]) -> asyncio.Task[bytes]:
    task = asyncio.ensure_future(cast(Any, anext(client)))
    await asyncio.sleep(0)
    return task


def numbers(data: bytes) -> list[int]:
    return [int(line[4:]) for line in data.splitlines() if line.startswith(b"id: ")]


async def read_numbers(client: AsyncGenerator[bytes], count: int) -> list[int]:
    """Return the numbers of the next events."""
    found: list[int] = []
    while len(found) < count:
        found += numbers(await anext(client))
    return found


def test_one_read_serves_all_clients() -> None:
    async def run() -> None:
        world = World()
        clients = [world.client() for _ in range(20)]
        waiting = [await joined(each) for each in clients]
        while world.reader.reads < 1:  # the read when the channel began
            await asyncio.sleep(0)
        before = world.reader.reads
        world.notify()
        assert {tuple(numbers(await each)) for each in waiting} == {(1,)}
        assert world.reader.reads - before <= 2  # the event, and that there is no further one
        for each in clients:
            await each.aclose()
        assert world.live.clients == 0
        assert world.live._channels == {}
        world.live.close()
        world.live.close_threads()

    asyncio.run(run())


def test_what_is_stored_before_the_first_signal_is_not_missed() -> None:
    async def run() -> None:
        world = World()
        client = world.client()
        assert (await anext(client)).startswith(b"retry:")
        world.reader.last = 1  # without a signal: it was stored before the channel listened
        assert numbers(await anext(client)) == [1]
        await client.aclose()
        world.live.close()
        world.live.close_threads()

    asyncio.run(run())


def test_a_client_continues_after_its_id_while_others_are_live() -> None:
    async def run() -> None:
        world = World()
        world.reader.last = 10
        first, late = world.client(), world.client("4")
        live = await joined(first)
        assert (await anext(late)).startswith(b"retry:")
        assert await read_numbers(late, 6) == [5, 6, 7, 8, 9, 10]
        world.notify()
        assert numbers(await live) == [11]
        assert await read_numbers(late, 1) == [11]
        await first.aclose()
        await late.aclose()
        world.live.close()
        world.live.close_threads()

    asyncio.run(run())


def test_a_slow_client_reads_the_store_and_misses_nothing() -> None:
    async def run() -> None:
        world = World()
        fast, slow = world.client(), world.client()
        task = await joined(fast)
        assert (await anext(slow)).startswith(b"retry:")
        first = await waiting(slow)
        seen: list[int] = []
        count = 2 * live_events.MAX_REMEMBERED_CHUNKS
        for number in range(1, count + 1):
            world.notify()
            while not seen or seen[-1] < number:
                seen += numbers(await task)
                task = await waiting(fast)
        assert seen == list(range(1, count + 1))
        found = numbers(await first)
        assert found + await read_numbers(slow, count - len(found)) == seen
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await slow.aclose()
        world.live.close()
        world.live.close_threads()

    asyncio.run(run())


def test_a_client_gets_each_event_once_by_its_connection_or_when_it_is_woken() -> None:
    """A connection that takes no more makes its client wake up and send; later it takes chunks again."""

    async def run() -> None:
        world = World(ping_seconds=0.001)
        received, is_open = list[bytes](), True

        def write(chunk: bytes) -> bool:
            if is_open:
                size, _, rest = chunk.partition(b"\r\n")
                assert rest[int(size, 16) :] == b"\r\n"
                received.append(rest[:-2])
            return is_open

        async def read() -> None:
            async for chunk in client:
                received.append(chunk)

        client = world.client(write=write)
        task = asyncio.ensure_future(read())
        while not world.live.clients:
            await asyncio.sleep(0)
        for last, can_write in enumerate([True, True, False, False, True, False, True, True], 1):
            is_open = can_write
            world.notify()
            while numbers(b"".join(received)) != list(range(1, last + 1)) or not received[-1].startswith(b": "):
                await asyncio.sleep(0)  # until a ping has followed the event
        world.live.close()
        await task
        world.live.close_threads()

    asyncio.run(run())


def test_clients_that_wait_get_pings_and_no_reads() -> None:
    async def run() -> None:
        world = World(ping_seconds=0.0)
        client = world.client()
        assert (await anext(client)).startswith(b"retry:")
        for _ in range(5):
            assert await anext(client) == b": ping\n\n"
        assert world.reader.reads <= 1
        await client.aclose()
        world.live.close()
        world.live.close_threads()

    asyncio.run(run())


def test_streams_end_with_the_subscription_and_with_the_service() -> None:
    async def run() -> None:
        world = World()
        first = world.client()
        task = await joined(first)
        world.reader.gone = True
        world.arrivals.signal(["s"])
        assert b"event: end" in await task
        assert [chunk async for chunk in first] == []
        second = World()
        client = second.client()
        task = await joined(client)
        second.live.close()
        assert (await asyncio.gather(task, return_exceptions=True))[0].__class__ is StopAsyncIteration
        for each in (world, second):
            each.live.close()
            each.live.close_threads()

    asyncio.run(run())
