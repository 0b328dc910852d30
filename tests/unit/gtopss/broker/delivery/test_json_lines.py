from __future__ import annotations

import json

from support.deliveries import DeliveryWorld, compose

from gtopss.broker.delivery.json_lines import json_lines


def test_all_retained_notifications_are_written_in_their_order(world: DeliveryWorld) -> None:
    world.subscribe("s")
    world.notify("s", 250)
    lines = list(json_lines(world.store, compose, "s"))
    assert [json.loads(line)["sequence"] for line in lines] == list(range(1, 251))
    assert all(line.endswith(b"\n") for line in lines)
    assert b"".join(lines).count(b"\n") == 250
    assert [json.loads(line)["id"] for line in json_lines(world.store, compose, "s", after=248)] == ["s-249", "s-250"]
    assert list(json_lines(world.store, compose, "nobody")) == []
