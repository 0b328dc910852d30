from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about, says
from support.share_brokers import run_all, share_brokers

from gtopss.broker.broker import Broker
from gtopss.broker.shares import router
from gtopss.broker.shares.router import Router
from gtopss.broker.store.publication_rows import OPERATORS
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.tables import changes
from gtopss.engine import Engine
from gtopss.operators import Registry

REGISTRY = Registry()


@REGISTRY.operator("isRight", arity=1, timeout=None)
def is_right(publication: object, subject: str) -> bool:
    return True


@pytest.fixture
def broker() -> Iterator[Broker]:
    engine = Engine(matcher="reference", operators=REGISTRY)
    with memory_store() as store:
        (made,) = share_brokers(store, TestClock(), 1, max_shares=9, engine=engine)
        for value in range(6):
            made.subscribe(about(f"v{value}"))
        made.set_shares(3)
        run_all([made])
        yield made
        made.close()


def routed(broker: Broker, *values: str) -> tuple[int, ...]:
    return broker.router.route([says("p", *values)], 0)[1][0]


def test_a_publication_goes_to_the_shares_that_have_its_subscriptions(broker: Broker) -> None:
    shares = {value: routed(broker, f"v{value}") for value in range(6)}
    assert all(len(each) == 1 for each in shares.values())
    assert set(routed(broker, *(f"v{value}" for value in range(6)))) == {0, 1, 2}
    assert routed(broker, "other") == ()


def test_changes_are_followed(broker: Broker) -> None:
    made = broker.subscribe(about("new"))
    broker.router.follow()
    (before,) = routed(broker, "new")
    broker.replace(made.id, made.ticket, about("newer"))
    broker.router.follow()
    assert routed(broker, "newer") == (before,)  # it keeps its share
    anything = broker.subscribe("SELECT * { ?x ?p ?y }")
    broker.router.follow()
    assert len(routed(broker, "other")) == 1
    broker.unsubscribe(anything.id, anything.ticket)


def test_what_is_gone_is_forgotten_when_the_table_is_built_again(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = broker.subscribe(about("new"))
    broker.router.follow()
    broker.unsubscribe(made.id, made.ticket)
    broker.router.follow()
    assert routed(broker, "new")
    monkeypatch.setattr(router, "MIN_CHANGES_TO_BUILD", 1)
    broker.router.follow()
    assert routed(broker, "new") == ()


def test_a_log_that_lacks_changes_is_replaced_by_the_table(broker: Broker) -> None:
    broker.subscribe(about("new"))
    broker.store.write(lambda connection: connection.execute(changes.delete()))
    broker.router.follow()
    assert len(routed(broker, "new")) == 1


def test_a_router_begins_with_what_another_one_has_made(broker: Broker) -> None:
    other = Router(broker.store, broker.followers()[0].engine.taxonomy)
    for value in range(6):
        found = other.route([says("p", f"v{value}")], 0)[1][0]
        assert found == routed(broker, f"v{value}")


def test_subscriptions_that_call_operators_are_routed_to_as_well(broker: Broker) -> None:
    broker.subscribe("SELECT ?x { ?x <urn:p> <urn:called> FILTER(isRight(?x)) }")
    broker.router.follow()
    assert routed(broker, "called") == (OPERATORS,)
    assert routed(broker, "other") == ()


def test_one_share_needs_no_table(broker: Broker) -> None:
    broker.set_shares(1)
    run_all([broker])
    assert routed(broker, "other") == (0,)
    assert broker.router.keys == 0
