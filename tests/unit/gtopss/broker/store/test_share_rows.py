from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import TestClock, about
from support.share_brokers import share_brokers

from gtopss.broker.store import share_rows
from gtopss.broker.store.share_rows import Division, Holder, default_share
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


def test_a_division_is_asked_for_and_begins(store: Store) -> None:
    assert store.read(share_rows.division) == Division(0, 1, None)
    store.write(lambda connection: share_rows.set_wanted(connection, 4))
    assert store.read(share_rows.division) == Division(0, 1, 4)
    store.write(lambda connection: share_rows.begin_epoch(connection, 4))
    assert store.read(share_rows.division) == Division(1, 4, None)


def test_a_subscription_without_a_row_has_the_share_of_its_checksum(store: Store) -> None:
    (broker,) = share_brokers(store, TestClock(), 1)
    ids = [broker.subscribe(about(f"v{value}")).id for value in range(10)]
    now = Division(1, 3)
    store.write(lambda connection: share_rows.insert_many(connection, 1, [(ids[0], 1, b"k"), (ids[1], 7, b"k")]))
    found = store.read(lambda connection: share_rows.get_many(connection, now, ids))
    assert (found[ids[0]].share, found[ids[0]].keys) == (1, b"k")
    for id in ids[1:]:  # a share that the division has not is none
        assert found[id].share == default_share(id, 3)
    pages = [store.read(lambda connection: share_rows.page(connection, now, "", 4))]
    while pages[-1]:
        last = pages[-1][-1].id
        pages.append(store.read(lambda connection, last=last: share_rows.page(connection, now, last, 4)))  # type: ignore[misc]
    assert {row.id: row for page in pages for row in page} == found
    by_share: list[set[str]] = []
    for share in range(3):
        texts, after = set[str](), ""
        while True:
            page = store.read(
                lambda connection, share=share, after=after: share_rows.texts(  # type: ignore[misc]
                    connection, now, share, after=after, limit=3
                )
            )
            texts |= {id for id, _, _ in page.texts}
            if page.last is None:
                break
            after = page.last
        by_share.append(texts)
    assert by_share == [{id for id in ids if found[id].share == share} for share in range(3)]
    broker.close()


def test_a_share_that_is_there_is_kept_and_keys_are_replaced(store: Store) -> None:
    for share in (1, 2):
        store.write(lambda connection, share=share: share_rows.insert_many(connection, 1, [("a", share, b"")]))  # type: ignore[misc]
    store.write(lambda connection: share_rows.set_keys(connection, "a", b"new"))
    assert store.read(lambda connection: share_rows.loads(connection, Division(1, 3))) == [0, 1, 0]
    assert store.write(lambda connection: share_rows.delete_epochs_before(connection, 2)) == 1


def test_holders_are_known_until_their_time_is_over(store: Store) -> None:
    store.write(lambda connection: share_rows.set_held(connection, 1, "a", {0, 2}, 10.0))
    store.write(lambda connection: share_rows.set_held(connection, 1, "b", {1}, 20.0))
    store.write(lambda connection: share_rows.set_held(connection, 1, "a", {2}, 10.0))
    assert store.read(lambda connection: share_rows.holders(connection, 1, 5.0)) == [
        Holder(1, "b", 20.0),
        Holder(2, "a", 10.0),
    ]
    assert store.read(lambda connection: share_rows.holders(connection, 2, 5.0)) == []
    store.write(lambda connection: share_rows.forget_holders(connection, 10.0))
    assert store.read(lambda connection: share_rows.holders(connection, 1, 0.0)) == [Holder(1, "b", 20.0)]
