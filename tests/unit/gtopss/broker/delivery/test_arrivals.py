from __future__ import annotations

from support.deliveries import DeliveryWorld

from gtopss.broker.delivery.arrivals import Arrivals


def test_only_the_readers_of_a_subscription_are_woken(world: DeliveryWorld) -> None:
    arrivals, woken = Arrivals(), []
    with arrivals.listening("a", lambda: woken.append("a1")), arrivals.listening("a", lambda: woken.append("a2")):
        with arrivals.listening("b", lambda: woken.append("b")):
            arrivals.signal(["a", "c"])
        assert woken == ["a1", "a2"]
        arrivals.signal(["b"])
    arrivals.signal(["a"])
    assert woken == ["a1", "a2"]


def test_a_look_finds_what_other_brokers_have_added_or_removed(world: DeliveryWorld) -> None:
    for id in ("a", "b"):
        world.subscribe(id)
    arrivals, woken = Arrivals(), []
    assert arrivals.look(world.store) == 0
    with arrivals.listening("a", lambda: woken.append("a")), arrivals.listening("b", lambda: woken.append("b")):
        arrivals.look(world.store)  # a first look may wake readers for nothing
        woken.clear()
        assert arrivals.look(world.store) == 0
        world.notify("a")
        assert arrivals.look(world.store) == 1
        assert woken == ["a"]
        assert arrivals.look(world.store) == 0
        world.unsubscribe("b")
        assert arrivals.look(world.store) == 1
        assert arrivals.look(world.store) == 0
        assert woken == ["a", "b"]
