from __future__ import annotations

import math
from typing import Any

import pytest
from support.brokers import TestClock, about, memory_broker

from gtopss.broker.errors import InvalidKey, InvalidSetting
from gtopss.broker.store import owner_rows
from gtopss.broker.store.owner_rows import ANONYMOUS
from gtopss.broker.tickets import new_key


def test_what_an_owner_uses_follows_its_subscriptions() -> None:
    clock = TestClock()
    with memory_broker(clock=clock) as broker:

        def used() -> int:
            row = broker.store.read(lambda connection: owner_rows.get(connection, ANONYMOUS))
            assert row is not None
            return row.subscriptions

        one = broker.subscribe(about("a"))
        broker.subscribe(about("a"), validity=5)
        assert used() == 2
        broker.replace(one.id, one.ticket, about("b"))
        assert used() == 2
        clock.advance(5)
        broker.run_pending()
        assert used() == 1
        broker.unsubscribe(one.id, one.ticket)
        assert used() == 0


@pytest.mark.parametrize(
    ("name", "quota"),
    [
        ("a\0", {}),
        ("\ud800", {}),
        ("x" * 1_001, {}),
        (None, {}),
        ("Ann", {"max_subscriptions": -1}),
        ("Ann", {"max_subscriptions": 10**30}),
        ("Ann", {"max_steps": math.nan}),
        ("Ann", {"max_steps": "5"}),
    ],
)
def test_an_owner_that_a_database_cannot_hold_is_refused(name: Any, quota: dict[str, Any]) -> None:
    with memory_broker() as broker, pytest.raises(InvalidSetting):
        broker.create_owner(name, **quota)


def test_a_wrong_key_is_refused_without_saying_more() -> None:
    with memory_broker() as broker:
        ann = broker.create_owner("Ann")
        for wrong in (new_key(), ann.key[:-1], ann.key + "x", "", ann.id):
            with pytest.raises(InvalidKey, match="no owner has this API key"):
                broker.subscribe(about("a"), key=wrong)


def test_a_new_quota_of_anonymous_subscribers_counts_at_the_next_start() -> None:
    with memory_broker(anonymous_max_subscriptions=1) as broker:
        broker.subscribe(about("a"))
        with memory_broker(store=broker.store, anonymous_max_subscriptions=2) as later:
            later.subscribe(about("a"))
