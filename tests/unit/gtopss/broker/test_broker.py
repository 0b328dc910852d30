from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, matched, memory_broker, received, says

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.errors import (
    InvalidKey,
    InvalidSetting,
    InvalidTicket,
    NotPermitted,
    QuotaExceeded,
    StoreUnavailable,
)
from gtopss.broker.store.sqlite import memory_store
from gtopss.errors import InvalidQuery

DAY = 86_400.0


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def broker(clock: TestClock) -> Iterator[Broker]:
    with memory_broker(clock=clock) as made:
        yield made


def test_a_subscriber_is_notified_of_what_matches_after_subscribing(broker: Broker) -> None:
    broker.publish([says("before", "a")])
    one = broker.subscribe(about("a"))
    broker.publish([says("p1", "a"), says("p2", "b"), says("p3", "a", "b")])
    assert received(broker, one) == []
    broker.run_pending()
    assert received(broker, one) == [(1, "match", "p1"), (2, "match", "p3")]
    first = broker.notifications(one.id, one.ticket)[0]
    assert first.bindings() == [{"x": {"type": "uri", "value": "urn:x"}}]
    assert broker.run_pending() == 0


def test_the_default_validity_is_one_day(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"))
    assert one.expires_at == clock.now + DAY


def test_a_subscription_without_an_end_needs_the_operators_permission(broker: Broker, clock: TestClock) -> None:
    with pytest.raises(NotPermitted, match="requires an expiry time"):
        broker.subscribe(about("a"), validity=math.inf)
    with pytest.raises(NotPermitted, match="longest validity here is 366 days"):
        broker.subscribe(about("a"), validity=1000 * DAY)
    with memory_broker(clock=clock, allow_no_end=True) as other:
        one = other.subscribe(about("a"), validity=math.inf)
        assert one.expires_at is None
        clock.advance(1e9)
        assert other.renew(one.id, one.ticket) is None


def test_renewal_keeps_the_ticket_and_begins_the_validity_anew(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(99)
    assert broker.renew(one.id, one.ticket) == clock.now + 100
    clock.advance(99)
    assert broker.renew(one.id, one.ticket, validity=10) == clock.now + 10
    assert broker.renew(one.id, one.ticket) == clock.now + 10
    clock.advance(10)
    with pytest.raises(InvalidTicket):
        broker.renew(one.id, one.ticket)


def test_a_replaced_text_counts_for_what_is_published_afterwards(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    broker.publish([says("p1", "a"), says("p2", "b")])
    broker.run_pending()
    broker.replace(one.id, one.ticket, about("b"))
    broker.publish([says("p3", "a"), says("p4", "b")])
    broker.run_pending()
    assert matched(broker, one) == ["p1", "p4"]


def test_a_replacement_that_is_refused_leaves_the_old_text(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    with pytest.raises(InvalidQuery):
        broker.replace(one.id, one.ticket, "SELECT nonsense")
    broker.publish([says("p1", "a")])
    broker.run_pending()
    assert matched(broker, one) == ["p1"]


def test_an_unsubscribed_subscription_leaves_nothing(broker: Broker) -> None:
    one, other = broker.subscribe(about("a")), broker.subscribe(about("a"))
    broker.publish([says("p1", "a")])
    broker.run_pending()
    broker.unsubscribe(one.id, one.ticket)
    broker.publish([says("p2", "a")])
    broker.run_pending()
    assert matched(broker, other) == ["p1", "p2"]
    for call in (broker.notifications, broker.renew, broker.unsubscribe, broker.pause):
        with pytest.raises(InvalidTicket):
            call(one.id, one.ticket)


def test_a_paused_subscription_receives_nothing(broker: Broker) -> None:
    one = broker.subscribe(about("a"))
    broker.pause(one.id, one.ticket)
    broker.publish([says("p1", "a")])
    broker.run_pending()
    broker.resume(one.id, one.ticket)
    broker.publish([says("p2", "a")])
    broker.run_pending()
    assert matched(broker, one) == ["p2"]


def test_owners_list_their_own_active_subscriptions(broker: Broker, clock: TestClock) -> None:
    ann, bob = broker.create_owner("Ann"), broker.create_owner("Bob")
    one = broker.subscribe(about("a"), key=ann.key)
    broker.subscribe(about("b"), key=bob.key)
    two = broker.subscribe("words:health", form="short", key=ann.key, validity=10)
    broker.pause(one.id, one.ticket)
    assert {each.id: (each.query, each.form, each.paused) for each in broker.list(ann.key)} == {
        one.id: (about("a"), "sparql", True),
        two.id: ("words:health", "short", False),
    }
    clock.advance(10)
    assert [each.id for each in broker.list(ann.key)] == [one.id]
    with pytest.raises(InvalidKey):
        broker.list("gk_unknown")


def test_a_deleted_owner_and_its_data_are_gone(broker: Broker) -> None:
    ann = broker.create_owner("Ann")
    mine, other = broker.subscribe(about("a"), key=ann.key), broker.subscribe(about("a"))
    broker.publish([says("p1", "a")])
    broker.run_pending()
    assert broker.delete_owner(ann.key) == 1
    broker.publish([says("p2", "a")])
    broker.run_pending()
    assert matched(broker, other) == ["p1", "p2"]
    with pytest.raises(InvalidTicket):
        broker.notifications(mine.id, mine.ticket)
    for call in (broker.list, broker.delete_owner):
        with pytest.raises(InvalidKey):
            call(ann.key)
    with pytest.raises(InvalidKey):
        broker.subscribe(about("a"), key=ann.key)


def test_quotas_count_active_subscriptions_per_owner(clock: TestClock) -> None:
    with memory_broker(clock=clock, anonymous_max_subscriptions=2) as broker:
        ann = broker.create_owner("Ann", max_subscriptions=1)
        broker.subscribe(about("a"), key=ann.key)
        with pytest.raises(QuotaExceeded, match="max_subscriptions allows 1 subscriptions"):
            broker.subscribe(about("b"), key=ann.key)
        one = broker.subscribe(about("a"))
        broker.subscribe(about("a"), validity=10)
        with pytest.raises(QuotaExceeded):
            broker.subscribe(about("a"))
        broker.unsubscribe(one.id, one.ticket)
        broker.subscribe(about("a"))
        clock.advance(10)
        broker.run_pending()
        broker.subscribe(about("a"))
        with pytest.raises(QuotaExceeded):
            broker.subscribe(about("a"))


def test_the_operator_may_require_keys(clock: TestClock) -> None:
    with memory_broker(clock=clock, anonymous_subscribing=False, anonymous_publishing=False) as broker:
        ann = broker.create_owner("Ann")
        with pytest.raises(NotPermitted, match="subscribing needs an API key"):
            broker.subscribe(about("a"))
        with pytest.raises(NotPermitted, match="publishing needs an API key"):
            broker.publish([says("p", "a")])
        with pytest.raises(InvalidKey):
            broker.publish([says("p", "a")], key="gk_wrong")
        one = broker.subscribe(about("a"), key=ann.key)
        broker.publish([says("p", "a")], key=ann.key)
        broker.run_pending()
        assert matched(broker, one) == ["p"]


def test_the_engine_of_a_broker_is_empty() -> None:
    engine = Engine(matcher="reference")
    engine.add(about("a"))
    with pytest.raises(InvalidSetting, match="reads them from its store"), memory_broker(engine):
        pass


@pytest.mark.slow
def test_the_default_matcher_counts_costs_and_quotas_limit_them(clock: TestClock) -> None:
    with memory_broker(Engine(), clock=clock) as broker:
        broker.publish([says(f"p{number}", "a", "b", "c") for number in range(20)])
        checked = broker.check(about("a"))
        assert checked.steps > 0
        ann = broker.create_owner("Ann", max_steps=1.5 * checked.steps)
        one = broker.subscribe(about("a"), key=ann.key)
        with pytest.raises(QuotaExceeded, match="steps per publication"):
            broker.subscribe(about("b"), key=ann.key)
        broker.replace(one.id, one.ticket, about("b"))
        broker.publish([says("q", "b")])
        broker.run_pending()
        assert matched(broker, one) == ["q"]


def test_a_broker_is_closed_without_asking_a_store_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_store() as store:
        broker = Broker(store, Engine(matcher="reference"))

        def away(change: object) -> None:
            raise StoreUnavailable("memory:", "away")

        monkeypatch.setattr(store, "write", away)
        monkeypatch.setattr(store, "read", away)
        broker.close()
