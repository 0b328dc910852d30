from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, matched, says
from support.share_brokers import run_all, share_brokers

from gtopss import Engine
from gtopss.broker.shares.held_shares import chosen_shares
from gtopss.broker.store.share_rows import Holder
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store

VALUES = range(12)


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


def holders(*shares: int) -> list[Holder]:
    return [Holder(share, f"b{place}", 1.0) for place, share in enumerate(shares)]


@pytest.mark.parametrize(
    ("held", "others", "most", "expected"),
    [
        (set(), [], 1, {0}),
        (set(), [0, 2], 1, {1}),
        (set(), [0, 1, 2], 1, {0}),  # a second holder of a share
        (set(), [0, 0, 1, 1, 2], 1, {2}),
        ({1}, [0, 2], 1, {1}),
        ({1}, [0], 1, {1}),  # nobody holds 2, and this broker may not
        ({1}, [0], 2, {1, 2}),
        ({1}, [0, 1], 1, {2}),  # another broker has its share too
        (set(), [], 9, {0, 1, 2}),
    ],
)
def test_a_broker_takes_shares_that_nobody_holds(
    held: set[int], others: list[int], most: int, expected: set[int]
) -> None:
    assert chosen_shares(3, held, holders(*others), most) == expected


def test_each_broker_has_its_share_in_memory_and_no_more(store: Store) -> None:
    clock = TestClock()
    brokers = share_brokers(store, clock, 3)
    made = [brokers[0].subscribe(about(f"v{value}")) for value in VALUES]
    brokers[0].set_shares(3)
    run_all(brokers)
    brokers[1].publish([says(f"p{value}", f"v{value}") for value in VALUES])
    run_all(brokers)
    held = [{each.id for each in broker.followers()[0].engine.subscriptions()} for broker in brokers]
    assert sorted(id for ids in held for id in ids) == sorted(each.id for each in made)
    assert all(held)
    for value in VALUES:
        assert matched(brokers[2], made[value]) == [f"p{value}"]
    for broker in brokers:
        broker.close()


def test_publications_of_a_share_without_a_broker_wait_until_another_takes_it(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    clock = TestClock()
    brokers = share_brokers(store, clock, 2)
    made = [brokers[0].subscribe(about(f"v{value}")) for value in VALUES]
    brokers[0].set_shares(2)
    run_all(brokers)
    alive, dead = brokers  # the second one is not closed: it was killed
    of_dead = {each.id for each in dead.followers()[0].engine.subscriptions()} | {
        id for each in dead.shares.current() for id in (one.id for one in each.follower.engine.subscriptions())
    }
    alive.publish([says(f"p{value}", f"v{value}") for value in VALUES])
    clock.advance(31)
    with caplog.at_level(logging.WARNING):
        run_all([alive])
        for _ in range(3):
            clock.advance(11)
            run_all([alive])
    assert caplog.text.count("no broker holds the shares") == 1
    done = [each for each in made if matched(alive, each)]
    waiting = [each.waiting for each in alive.shares.status()]
    assert len(done) + sum(waiting) == len(VALUES)
    assert sorted(waiting)[0] == 0 < sum(waiting)
    (other,) = share_brokers(store, clock, 1)
    run_all([other])
    for value in VALUES:
        assert matched(other, made[value]) == [f"p{value}"]
    assert of_dead <= {each.id for each in made}
    for broker in (alive, other):
        broker.close()


def test_a_share_that_is_about_to_be_taken_is_no_reason_to_warn(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    brokers = share_brokers(store, TestClock(), 2)
    brokers[0].set_shares(2)
    with caplog.at_level(logging.WARNING):
        run_all(brokers)
    assert not caplog.records
    for broker in brokers:
        broker.close()


def test_a_broker_that_may_hold_more_takes_the_share_of_one_that_has_ended(store: Store) -> None:
    clock = TestClock()
    one, two = share_brokers(store, clock, 2, max_shares=2)
    made = [one.subscribe(about(f"v{value}")) for value in VALUES]
    one.set_shares(2)
    run_all([one, two])
    two.close()
    one.publish([says(f"p{value}", f"v{value}") for value in VALUES])
    clock.advance(11)
    run_all([one])
    assert [each.share for each in one.shares.current()] == [0, 1]
    assert all(matched(one, each) for each in made)
    one.close()


def test_the_costs_of_all_held_shares_are_listed(store: Store) -> None:
    clock = TestClock()
    (broker,) = share_brokers(store, clock, 1, max_shares=3, engine=Engine())
    made = [broker.subscribe(about(f"v{value}")) for value in VALUES]
    broker.set_shares(3)
    run_all([broker])
    broker.publish([says(f"p{value}", f"v{value}") for value in VALUES])
    run_all([broker])
    assert len(broker.followers()) == 3
    assert broker.costs(100).keys() == {each.id for each in made}
    assert len(broker.costs(2)) == 2
    broker.close()
