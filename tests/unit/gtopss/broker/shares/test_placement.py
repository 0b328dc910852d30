from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select
from support.brokers import TestClock, about
from support.share_brokers import run_all, share_brokers

from gtopss.broker.broker import Broker
from gtopss.broker.shares.routing_keys import decode_keys, feature
from gtopss.broker.store.share_rows import default_share
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.tables import subscription_shares


@pytest.fixture
def broker() -> Iterator[Broker]:
    with memory_store() as store:
        (made,) = share_brokers(store, TestClock(), 1, max_shares=9)
        yield made
        made.close()


def rows(broker: Broker) -> dict[tuple[int, str], tuple[int, bytes]]:
    found = broker.store.read(lambda connection: connection.execute(select(subscription_shares)).all())
    return {(epoch, id): (share, bytes(keys)) for epoch, id, share, keys in found}


def first_features(keys: bytes) -> set[int]:
    return {key.first for key in decode_keys(keys) or ()}


def test_nothing_is_stored_while_there_is_one_share(broker: Broker) -> None:
    broker.subscribe(about("v"))
    assert rows(broker) == {}


def test_a_new_subscription_gets_a_share_and_its_keys(broker: Broker) -> None:
    broker.set_shares(3)
    run_all([broker])
    made = broker.subscribe(about("v"))
    ((place, (share, keys)),) = rows(broker).items()
    assert place == (1, made.id)
    assert share in range(3)
    assert first_features(keys) == {feature("o<urn:p> <urn:v>")}
    broker.replace(made.id, made.ticket, about("w"))
    ((_, (same, keys)),) = rows(broker).items()
    assert same == share
    assert first_features(keys) == {feature("o<urn:p> <urn:w>")}
    broker.unsubscribe(made.id, made.ticket)
    assert rows(broker) == {}


def test_a_subscription_that_comes_while_shares_are_prepared_is_in_the_next_division(broker: Broker) -> None:
    broker.set_shares(3)
    made = broker.subscribe(about("v"))
    assert rows(broker).keys() == {(1, made.id)}
    broker.replace(made.id, made.ticket, about("w"))
    run_all([broker])
    ((_, (share, keys)),) = rows(broker).items()
    assert share == default_share(made.id, 3)
    assert first_features(keys) == {feature("o<urn:p> <urn:w>")}
