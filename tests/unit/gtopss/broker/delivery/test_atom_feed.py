from __future__ import annotations

import xml.etree.ElementTree as ET

from support.deliveries import DeliveryWorld, compose

from gtopss.broker.delivery.atom_feed import DEFAULT_FEED_NOTIFICATIONS, atom_feed
from gtopss.feeds.writing import FeedHeader
from gtopss.reading.documents import read_document

ATOM = "{http://www.w3.org/2005/Atom}"
HEADER = FeedHeader("Health", "urn:feed", "https://broker.example/s.atom")


def titles(data: bytes) -> list[str | None]:
    return [entry.findtext(f"{ATOM}title") for entry in ET.fromstring(data).iter(f"{ATOM}entry")]


def test_the_newest_notifications_come_first_and_notices_are_entries(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 3)
    world.notify("s", kind="expiring")
    data = atom_feed(world.store, compose, "s", HEADER, limit=3, now=world.clock.now)
    assert titles(data) == ["expiring 4", "match 3", "match 2"]
    assert len(read_document(data).publications) == 3


def test_entries_have_the_ids_of_notifications_and_the_feed_the_time_of_the_newest(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s")
    world.clock.now += 60
    first = atom_feed(world.store, compose, "s", HEADER, now=world.clock.now)
    world.clock.now += 60
    assert atom_feed(world.store, compose, "s", HEADER, now=world.clock.now) == first
    root = ET.fromstring(first)
    assert "s-1" in (root.findtext(f"{ATOM}entry/{ATOM}id") or "")
    assert (root.findtext(f"{ATOM}updated") or "").startswith("2023-11-14T22:13:20")


def test_a_feed_has_a_limited_number_of_entries_and_may_be_empty(world: DeliveryWorld) -> None:
    world.subscribe("s")
    assert titles(atom_feed(world.store, compose, "s", HEADER, now=0.0)) == []
    world.notify("s", DEFAULT_FEED_NOTIFICATIONS + 5)
    found = titles(atom_feed(world.store, compose, "s", HEADER, now=0.0))
    assert found == [f"match {number}" for number in range(DEFAULT_FEED_NOTIFICATIONS + 5, 5, -1)]
