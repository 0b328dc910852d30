from __future__ import annotations

import threading

import pytest

from gtopss.net import HostBusy, HostSlots, fetch


def test_no_more_requests_than_slots_run_on_a_host() -> None:
    slots = HostSlots(2, max_wait_seconds=0)
    with slots.slot("a", "http://a/", 1), slots.slot("a", "http://a/", 1):
        assert slots.active("a") == 2
        with pytest.raises(HostBusy) as caught, slots.slot("a", "http://a/3", 1):
            pass
        assert (caught.value.url, caught.value.host) == ("http://a/3", "a")
        with slots.slot("b", "http://b/", 1):
            assert slots.active("b") == 1
    assert slots.active("a") == 0


def test_a_request_waits_for_a_slot() -> None:
    slots = HostSlots(1)
    entered = threading.Event()

    def second() -> None:
        with slots.slot("a", "http://a/", 60):
            entered.set()

    with slots.slot("a", "http://a/", 60):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.is_set()
    thread.join(60)
    assert entered.is_set()


def test_the_limit_holds_for_the_target_of_a_redirect(internet, http, redirect) -> None:
    internet.name("busy.example")
    internet.server.routes |= {"/rss": redirect("http://busy.example/x"), "/x": http(b"<rss/>")}
    slots = HostSlots(1, max_wait_seconds=0)
    connector = internet.connector(host_slots=slots)
    with slots.slot("busy.example", "http://busy.example/y", 1), pytest.raises(HostBusy):
        fetch("http://feeds.example/rss", connector=connector)
    assert fetch("http://feeds.example/rss", connector=connector).body == b"<rss/>"
    assert slots.active("feeds.example") == slots.active("busy.example") == 0
