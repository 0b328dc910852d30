from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, matched, says
from support.share_brokers import run_all, share_brokers

from gtopss.broker.broker import Broker
from gtopss.broker.store import publication_rows, share_rows
from gtopss.broker.store.publication_rows import UNROUTED
from gtopss.broker.store.sqlite import memory_store


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def brokers(clock: TestClock) -> Iterator[list[Broker]]:
    with memory_store() as store:
        made = share_brokers(store, clock, 2, max_shares=9)
        made[0].set_shares(2)
        run_all(made)
        yield made
        for each in made:
            each.close()


def waiting(broker: Broker) -> dict[int, int]:
    return broker.store.read(share_rows.waiting)


def test_a_publication_that_can_match_nothing_is_done_when_it_is_routed(brokers: list[Broker]) -> None:
    brokers[0].publish([says("p", "v")])
    assert waiting(brokers[0]) == {UNROUTED: 1}
    assert brokers[1].routing.route_step() == 1
    assert waiting(brokers[0]) == {}
    (listed,) = brokers[0].store.read(lambda connection: publication_rows.newest_first(connection, 5))
    assert listed.matched


def test_a_publication_is_matched_when_the_last_share_is_done(brokers: list[Broker]) -> None:
    values = [f"v{value}" for value in range(8)]
    made = [brokers[0].subscribe(about(value)) for value in values]
    brokers[0].publish([says("p", *values)])
    brokers[0].routing.route_step()
    assert sorted(waiting(brokers[0])) == [0, 1]
    (first, *_) = brokers[0].shares.current()
    brokers[0].matching._match_share(first)

    def is_matched() -> bool:
        (listed,) = brokers[0].store.read(lambda connection: publication_rows.newest_first(connection, 5))
        return listed.matched

    assert not is_matched()
    run_all(brokers)
    assert is_matched()
    assert all(matched(brokers[0], each) == ["p"] for each in made)


def test_a_router_that_ends_leaves_its_publications_to_another(
    brokers: list[Broker], clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = brokers[0].subscribe(about("v"))
    brokers[0].publish([says("p", "v")])

    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(brokers[0].router, "route", killed)
    with pytest.raises(KeyboardInterrupt):
        brokers[0].routing.route_step()
    assert brokers[1].routing.route_step() == 0  # it is claimed
    clock.advance(61)
    run_all([brokers[1]])
    assert matched(brokers[1], made) == ["p"]


def test_a_subscription_of_another_broker_is_known_before_a_publication_is_routed(brokers: list[Broker]) -> None:
    brokers[0].router.follow()
    made = brokers[1].subscribe(about("v"))
    brokers[1].publish([says("p", "v")])
    brokers[0].routing.route_step()
    run_all(brokers)
    assert matched(brokers[1], made) == ["p"]


def test_without_shares_nothing_is_claimed() -> None:
    with memory_store() as store:
        (broker,) = share_brokers(store, TestClock(), 1)
        broker.publish([says("p", "v")])
        assert broker.routing.route_step() == 0
        assert waiting(broker) == {0: 1}
        broker.close()
