from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from support.deliveries import DeliveryWorld, compose

from gtopss.broker.delivery.event_stream import EventStream, StreamEvent, StreamSettings


def stream(world: DeliveryWorld, last_event_id: str | None = None, **options: Any) -> EventStream:
    return EventStream(world.store, world.arrivals, compose, "s", last_event_id=last_event_id, **options)


def take(events: Iterator[StreamEvent], count: int) -> list[tuple[str, int | None]]:
    return [(each.kind, each.id) for each in itertools.islice(events, count)]


def test_a_new_reader_gets_what_is_new(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 2)
    events = iter(stream(world, settings=StreamSettings(ping_seconds=0.0)))
    assert next(events).kind == "ping"
    world.notify("s", 2)
    assert take(events, 2) == [("match", 3), ("match", 4)]


def test_a_reader_continues_after_its_last_id(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 4)
    assert take(iter(stream(world, "2")), 2) == [("match", 3), ("match", 4)]


def test_an_event_has_the_notification_as_json(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s")
    event = next(iter(stream(world, "0")))
    assert json.loads(event.data) == {"id": "s-1", "sequence": 1, "kind": "match"}
    assert event.to_bytes() == f"event: match\nid: 1\ndata: {event.data}\n\n".encode()


def test_an_id_that_is_too_old_yields_a_gap_at_once(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 5)
    world.forget("s", up_to=3)
    events = iter(stream(world, "1"))
    gap = next(events)
    assert (gap.kind, gap.id) == ("gap", 3)
    assert json.loads(gap.data) == {"reason": "no longer retained", "first_sequence": 2, "last_sequence": 3}
    assert take(events, 2) == [("match", 4), ("match", 5)]


def test_a_gap_is_told_if_nothing_is_retained(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 5)
    world.forget("s", up_to=5)
    events = iter(stream(world, "1"))
    assert json.loads(next(events).data)["last_sequence"] == 5
    world.notify("s")
    assert take(events, 1) == [("match", 6)]


@pytest.mark.parametrize("id", ["6", "99999999999999999999999", "x", "", "-1", "1.5", "٣", "2; DROP TABLE"])
def test_an_unknown_id_yields_a_gap_at_once_and_all_that_is_retained(world: DeliveryWorld, id: str) -> None:
    world.subscribe("s")
    world.notify("s", 5)
    world.forget("s", up_to=3)
    events = iter(stream(world, id))
    gap = next(events)
    assert (gap.kind, json.loads(gap.data)) == ("gap", {"reason": "the id is unknown"})
    assert take(events, 2) == [("match", 4), ("match", 5)]


def test_a_quiet_stream_has_pings(world: DeliveryWorld) -> None:
    world.subscribe("s")
    ticks = itertools.count(step=10)
    settings = StreamSettings(ping_seconds=15.0, poll_seconds=0.0)
    events = iter(stream(world, settings=settings, clock=lambda: float(next(ticks))))
    assert take(events, 3) == [("ping", None)] * 3
    assert StreamEvent("ping").to_bytes() == b": ping\n\n"


def test_the_stream_ends_when_the_subscription_is_gone(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", kind="expired")
    events = iter(stream(world, "0", settings=StreamSettings(poll_seconds=0.0)))
    assert take(events, 1) == [("expired", 1)]
    world.unsubscribe("s")
    assert [each.kind for each in events] == ["end"]


def test_a_reader_is_woken_by_a_signal(world: DeliveryWorld) -> None:
    world.subscribe("s")
    settings = StreamSettings(ping_seconds=600.0, poll_seconds=600.0)
    events = iter(stream(world, "0", settings=settings))
    found: list[tuple[str, int | None]] = []
    reader = threading.Thread(target=lambda: found.extend(take(events, 2)), daemon=True)
    reader.start()
    world.notify("s")
    world.notify("s")
    reader.join(60)
    assert found == [("match", 1), ("match", 2)]


def test_a_reader_of_another_broker_finds_notifications_in_the_store(world: DeliveryWorld) -> None:
    world.subscribe("s")
    other = DeliveryWorld(world.store, world.kind)  # its own signals do not reach this reader
    events = iter(stream(world, "0", settings=StreamSettings(poll_seconds=0.01)))
    found: list[tuple[str, int | None]] = []
    reader = threading.Thread(target=lambda: found.extend(take(events, 1)), daemon=True)
    reader.start()
    other.notify("s")
    reader.join(60)
    other.schedule.close()
    assert found == [("match", 1)]


def test_close_ends_the_stream(world: DeliveryWorld) -> None:
    world.subscribe("s")
    made = stream(world, settings=StreamSettings(ping_seconds=600.0, poll_seconds=600.0))
    reader = threading.Thread(target=lambda: list(made), daemon=True)
    reader.start()
    made.close()
    reader.join(60)
    assert not reader.is_alive()


def write_while(world: DeliveryWorld, count: int) -> threading.Thread:
    writer = threading.Thread(target=lambda: [world.notify("s") for _ in range(count)], daemon=True)
    writer.start()
    return writer


@pytest.mark.parametrize("poll_seconds", [600.0, 0.0])
def test_catching_up_joins_the_live_stream_without_a_hole(store, poll_seconds: float) -> None:
    from support.deliveries import RecordingKind

    world = DeliveryWorld(store, RecordingKind())
    world.subscribe("s")
    world.notify("s", 150)
    writer = write_while(world, 100)
    settings = StreamSettings(ping_seconds=600.0, poll_seconds=poll_seconds)
    found = take(iter(stream(world, "20", settings=settings)), 230)
    writer.join(60)
    world.schedule.close()
    assert found == [("match", number) for number in range(21, 251)]


def test_the_asynchronous_stream_joins_without_a_hole(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 120)
    settings = StreamSettings(ping_seconds=600.0, poll_seconds=600.0)

    async def read() -> list[int | None]:
        found: list[int | None] = []
        async for event in stream(world, "0", settings=settings):
            found.append(event.id)
            if len(found) == 170:
                break
        return found

    writer = write_while(world, 50)
    assert asyncio.run(read()) == list(range(1, 171))
    writer.join(60)
