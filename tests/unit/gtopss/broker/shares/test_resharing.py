from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select
from support.brokers import TestClock, about, matched, says
from support.share_brokers import run_all, share_brokers

from gtopss.broker.errors import InvalidSetting
from gtopss.broker.shares import resharing
from gtopss.broker.store import share_rows
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import subscription_shares

VALUES = range(12)


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


@pytest.mark.parametrize("counts", [(3,), (2, 4), (4, 2), (3, 1), (2, 2, 1, 3)])
def test_publications_that_wait_while_shares_change_are_matched_once(store: Store, counts: tuple[int, ...]) -> None:
    clock = TestClock()
    brokers = share_brokers(store, clock, 2, max_shares=4)
    made = [brokers[0].subscribe(about(f"v{value}")) for value in VALUES]
    sent = []
    for number, count in enumerate(counts):
        brokers[0].publish([says(f"p{number}-{value}", f"v{value}") for value in VALUES])
        brokers[1].routing.route_step()
        brokers[1].matching.match_step()  # of some shares only
        brokers[0].publish([says(f"q{number}-{value}", f"v{value}") for value in VALUES])
        brokers[0].routing.route_step()
        brokers[0].set_shares(count)
        sent.append(number)
        assert brokers[1].resharing.reshare_step() == 1
        assert brokers[0].resharing.reshare_step() == 0
    run_all(brokers)
    assert store.read(share_rows.division).shares == counts[-1]
    for value in VALUES:
        found = matched(brokers[0], made[value])
        assert sorted(map(str, found)) == sorted(f"{kind}{number}-{value}" for number in sent for kind in "pq")
    for broker in brokers:
        broker.close()


def test_a_claimed_batch_of_the_old_division_is_matched_or_routed_again(store: Store) -> None:
    clock = TestClock()
    one, two = share_brokers(store, clock, 2, max_shares=4)
    made = one.subscribe(about("v0"))
    one.publish([says("p", "v0")])
    write = one.matching._write_matches

    def interrupted(*given: object) -> None:
        two.set_shares(2)
        assert two.resharing.reshare_step() == 1
        write(*given)  # type: ignore[arg-type]

    one.matching._write_matches = interrupted  # type: ignore[method-assign, assignment]
    one.matching.match_step()
    run_all([one, two])
    assert matched(one, made) == ["p"]
    for broker in (one, two):
        broker.close()


def test_a_division_that_was_interrupted_is_finished_by_another_broker(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = TestClock()
    one, two = share_brokers(store, clock, 2, max_shares=4)
    made = [one.subscribe(about(f"v{value}")) for value in VALUES]
    one.set_shares(3)
    monkeypatch.setattr(resharing, "ROWS_PER_READ", 5)
    write, calls = store.write, []

    def killed(change: object) -> object:
        calls.append(change)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(change)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        one.resharing.reshare_step()
    monkeypatch.setattr(store, "write", write)
    late = two.subscribe(about("v0"))
    two.replace(made[11].id, made[11].ticket, about("v0"))
    run_all([two])
    rows = store.read(
        lambda connection: connection.scalar(
            select(func.count()).select_from(subscription_shares).where(subscription_shares.c.epoch == 1)
        )
    )
    assert rows == len(VALUES) + 1
    two.publish([says("p", "v0")])
    run_all([two])
    for each in (made[0], made[11], late):
        assert matched(two, each) == ["p"]
    for broker in (one, two):
        broker.close()


def test_shares_are_asked_for_in_a_range(store: Store) -> None:
    (broker,) = share_brokers(store, TestClock(), 1)
    for wrong in (0, 33):
        with pytest.raises(InvalidSetting):
            broker.set_shares(wrong)
    broker.close()
