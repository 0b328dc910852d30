from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, memory_broker, received, says

from gtopss.broker.broker import Broker
from gtopss.broker.delivery.deliveries import Deliveries
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.store.tables import targets
from gtopss.feeds.writing import FeedHeader


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def broker(clock: TestClock) -> Iterator[Broker]:
    with memory_broker(clock=clock) as made:
        yield made


def test_an_owner_is_told_when_a_tenth_is_left_and_at_the_end(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(89.9)
    broker.run_pending()
    assert received(broker, one) == []
    clock.advance(0.1)
    broker.run_pending()
    broker.run_pending()
    assert received(broker, one) == [(1, "expiring", None)]
    clock.advance(10)
    broker.run_pending()
    assert received(broker, one) == [(1, "expiring", None), (2, "expired", None)]


def test_the_end_is_exact_whenever_the_steps_run(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(99.999)
    broker.authorised(one.id, one.ticket)
    clock.advance(0.001)
    with pytest.raises(InvalidTicket):
        broker.authorised(one.id, one.ticket)
    with pytest.raises(InvalidTicket):
        broker.renew(one.id, one.ticket)


def test_renewal_arms_the_notice_again(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(95)
    broker.run_pending()
    broker.renew(one.id, one.ticket)
    clock.advance(89)
    broker.run_pending()
    assert received(broker, one) == [(1, "expiring", None)]
    clock.advance(1)
    broker.run_pending()
    notices = broker.notifications(one.id, one.ticket)
    assert [each.row.kind for each in notices] == ["expiring", "expiring"]
    assert notices[0].row.id != notices[1].row.id


def test_two_notices_about_the_same_end_have_different_ids(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(90)
    broker.run_pending()
    broker.renew(one.id, one.ticket, validity=10)  # it expires at the same time as before
    clock.advance(9)
    broker.run_pending()
    assert received(broker, one) == [(1, "expiring", None), (2, "expiring", None)]
    assert len({each.row.id for each in broker.notifications(one.id, one.ticket)}) == 2


def test_a_notice_that_is_too_late_is_left_out(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    clock.advance(1_000)
    broker.run_pending()
    assert received(broker, one) == [(1, "expired", None)]


def test_a_subscription_stays_while_a_publication_from_before_its_end_waits(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    other = broker.subscribe(about("a"), validity=50)
    clock.advance(70)
    broker.publish([says("p", "a")])
    clock.advance(100)
    assert broker.expiry.removal_step() == 1  # nothing waits that was received before the end of the other one
    assert received(broker, other) == [(1, "expired", None)]
    assert broker.expiry.removal_step() == 0
    with pytest.raises(InvalidTicket):
        broker.authorised(one.id, one.ticket)
    broker.matching.match_step()
    assert broker.expiry.removal_step() == 1
    assert received(broker, one) == [(1, "match", "p"), (2, "expired", None)]


def test_rows_are_deleted_after_their_retention_when_all_is_delivered(clock: TestClock) -> None:
    with memory_broker(clock=clock, expired_retention=1_000.0) as broker:
        one, other = broker.subscribe(about("a"), validity=100), broker.subscribe(about("a"), validity=100)
        row = {"id": "t", "subscription": other.id, "kind": "webhook", "address": "x", "state": 1, "secrets": "[]"}
        broker.store.write(lambda connection: connection.execute(targets.insert(), row))
        clock.advance(100)
        broker.run_pending()
        clock.advance(1_000)
        assert broker.delete_old() == 0
        clock.advance(1)
        assert broker.delete_old() == 1
        with pytest.raises(InvalidTicket):
            received(broker, one)
        assert received(broker, other) == [(1, "expired", None)]
        broker.store.write(lambda connection: connection.execute(targets.update().values(delivered_sequence=1)))
        assert broker.delete_old() == 1


def test_the_last_notice_can_be_read_by_every_kind_that_pulls(broker: Broker, clock: TestClock) -> None:
    one = broker.subscribe(about("a"), validity=100)
    deliveries = Deliveries(broker, {})
    clock.advance(100)
    broker.run_pending()
    (line,) = deliveries.json_lines(one.id, one.ticket)
    assert json.loads(line)["kind"] == "expired"
    feed = deliveries.atom_feed(one.id, one.ticket, FeedHeader("Mine", "http://a.example/"))
    assert b"This subscription has expired" in feed
    with pytest.raises(InvalidTicket):
        deliveries.targets(one.id, one.ticket)
    deliveries.schedule.close()
