from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from gtopss.broker.store import publication_rows, route_rows
from gtopss.broker.store.publication_rows import OPERATORS, UNROUTED, NewPublication
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import match_tasks


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


def publish(store: Store, shares: tuple[int, ...], epoch: int = 0) -> int:
    new = NewPublication("p", b"", None, None, b"x", 1)
    (number,) = store.write(
        lambda connection: publication_rows.insert_new(
            connection, [new], received_at=5.0, after_change=0, shares=[shares], epoch=epoch
        )
    )
    assert number is not None
    return number


def claim(store: Store, share: int, epoch: int = 0) -> tuple[str, list[int]]:
    claimed = store.write(
        lambda connection: publication_rows.claim(
            connection, "b", now=10.0, until=20.0, limit=50, share=share, epoch=epoch
        )
    )
    return claimed.holder, [row.number for row in claimed.rows]


def tasks(store: Store) -> list[tuple[int, int]]:
    query = select(match_tasks.c.share, match_tasks.c.epoch).order_by(match_tasks.c.share)
    return [(share, epoch) for share, epoch in store.read(lambda connection: connection.execute(query).all())]


def test_a_routed_publication_has_a_task_for_each_share(store: Store) -> None:
    number = publish(store, (UNROUTED,))
    holder, found = claim(store, UNROUTED)
    assert found == [number]
    assert claim(store, UNROUTED)[1] == []
    routed = {number: (0, 3, OPERATORS)}
    assert store.write(lambda connection: route_rows.finish_routing(connection, "other", routed, 2)) == set()
    assert store.write(lambda connection: route_rows.finish_routing(connection, holder, routed, 2)) == {number}
    assert tasks(store) == [(OPERATORS, 2), (0, 2), (3, 2)]
    assert claim(store, 0, epoch=1)[1] == []
    assert claim(store, 0, epoch=2)[1] == [number]


def test_tasks_of_another_epoch_are_routed_again_unless_somebody_is_at_work(store: Store) -> None:
    number = publish(store, (0, 1, OPERATORS), epoch=1)
    holder, _ = claim(store, 1, epoch=1)
    assert store.write(lambda connection: route_rows.reroute_stale(connection, 1, 10.0)) == 0
    assert store.write(lambda connection: route_rows.reroute_stale(connection, 2, 10.0)) == 1
    assert tasks(store) == [(UNROUTED, 2), (OPERATORS, 1), (1, 1)]
    router, _ = claim(store, UNROUTED)
    routed = {number: (1, 2, OPERATORS)}
    store.write(lambda connection: route_rows.finish_routing(connection, router, routed, 2))
    assert tasks(store) == [(OPERATORS, 1), (1, 2), (2, 2)]
    done = store.write(
        lambda connection: publication_rows.finish_matching(
            connection, holder, [number], operators_due=False, share=1, epoch=1
        )
    )
    assert done == set()  # its task is now one of the new epoch
    assert claim(store, 1, epoch=2)[1] == [number]
