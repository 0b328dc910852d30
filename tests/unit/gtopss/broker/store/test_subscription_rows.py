from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.brokers import subscription_row

from gtopss.broker.store import notification_rows, subscription_rows
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.store.tables import targets


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


ROW = subscription_row()


def insert(store: Store, *rows: SubscriptionRow) -> None:
    for row in rows:
        store.write(lambda connection, row=row: subscription_rows.insert(connection, row))


def test_rows_are_read_back_as_they_were(store: Store) -> None:
    other = replace(ROW, id="b", validity=None, expires_at=None, expiring_at=None, paused=True, calls_operators=True)
    insert(store, ROW, other)
    assert store.read(lambda connection: subscription_rows.get(connection, "a")) == ROW
    assert store.read(lambda connection: subscription_rows.get(connection, "x")) is None
    found = store.read(lambda connection: subscription_rows.get_many(connection, ["x", "b", "a"], lock=True))
    assert found == {"a": ROW, "b": other}
    assert ROW.is_active(99.9)
    assert not ROW.is_active(100.0)
    assert other.is_active(1e12)


def test_due_rows_are_those_whose_time_has_come(store: Store) -> None:
    insert(store, ROW, replace(ROW, id="b", expired=True), replace(ROW, id="c", expires_at=None, expiring_at=None))

    def due(now: float) -> tuple[list[str], list[str]]:
        def query(connection: object) -> tuple[list[str], list[str]]:
            notices = subscription_rows.due_notices(connection, now, 10)  # type: ignore[arg-type]
            ends = subscription_rows.due_ends(connection, now, 10)  # type: ignore[arg-type]
            return [row.id for row in notices], [row.id for row in ends]

        return store.read(query)

    assert due(89.9) == ([], [])
    assert due(90.0) == (["a"], [])
    assert due(100.0) == (["a"], ["a"])


def test_texts_are_read_in_parts_by_kind(store: Store) -> None:
    insert(
        store, *(replace(ROW, id=id, calls_operators=id == "b") for id in "abcd"), replace(ROW, id="e", expired=True)
    )

    def texts(after: str, limit: int, *, operators: bool = False) -> list[str]:
        found = store.read(
            lambda connection: subscription_rows.texts(connection, calls_operators=operators, after=after, limit=limit)
        )
        return [id for id, _, _ in found]

    assert texts("", 2) == ["a", "c"]
    assert texts("c", 2) == ["d"]
    assert texts("", 2, operators=True) == ["b"]
    assert store.read(subscription_rows.any_calls_operators)


def test_sequences_are_set_for_each_subscription(store: Store) -> None:
    insert(store, ROW, replace(ROW, id="b"))
    store.write(lambda connection: subscription_rows.set_last_sequences(connection, {"b": 7}))
    found = store.read(lambda connection: subscription_rows.get_many(connection, ["a", "b"]))
    assert {id: row.last_sequence for id, row in found.items()} == {"a": 0, "b": 7}


def test_a_deleted_subscription_leaves_nothing(store: Store) -> None:
    insert(store, ROW, replace(ROW, id="b", last_sequence=1))
    for id in "ab":
        row = NotificationRow(subscription=id, sequence=1, id=id, kind="expired", created_at=0.0)
        target = {"id": id, "subscription": id, "kind": "webhook", "address": "x", "state": 1, "secrets": "[]"}
        store.write(lambda connection, row=row: notification_rows.insert_many(connection, [row]))
        store.write(lambda connection, target=target: connection.execute(targets.insert(), target))
    assert store.read(lambda connection: subscription_rows.with_undelivered(connection, ["a", "b"])) == {"b"}
    store.write(lambda connection: subscription_rows.delete(connection, ["a"]))
    assert store.read(lambda connection: subscription_rows.get_many(connection, ["a", "b"])).keys() == {"b"}
    for id, count in (("a", 0), ("b", 1)):
        assert len(store.read(lambda connection, id=id: notification_rows.after(connection, id, 0, 10))) == count
    assert store.read(lambda connection: connection.execute(targets.select()).fetchall())[0].id == "b"


def test_owners_see_their_own_rows(store: Store) -> None:
    insert(store, ROW, replace(ROW, id="b", owner="x", created_at=1.0), replace(ROW, id="c", owner="x", expired=True))
    assert [row.id for row in store.read(lambda connection: subscription_rows.of_owner(connection, "x"))] == ["b"]
    assert store.read(lambda connection: subscription_rows.ids_of_owner(connection, "x")) == ["b", "c"]
    expired = store.read(lambda connection: subscription_rows.expired_before(connection, 101.0, 10))
    assert [row.id for row in expired] == ["c"]
