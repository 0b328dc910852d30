from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.brokers import notification_row

from gtopss.broker.store import notification_rows
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        yield made


def row(
    sequence: int, publication: int | None, link: bytes | None = None, text: bytes | None = None
) -> NotificationRow:
    return notification_row(sequence, publication, article_link=link, article_text=text)


def insert(store: Store, *rows: NotificationRow) -> None:
    store.write(lambda connection: notification_rows.insert_many(connection, rows))


def test_notifications_are_read_in_their_order(store: Store) -> None:
    insert(store)
    insert(store, row(2, 11), row(1, 10), row(3, None))
    found = store.read(lambda connection: notification_rows.after(connection, "s", 1, 10))
    assert found == [row(2, 11), row(3, None)]
    pairs = store.read(lambda connection: notification_rows.written_pairs(connection, ["s", "t"], [10, 11, 12]))
    assert pairs == {("s", 10), ("s", 11)}


def test_the_newest_come_first_and_no_more_are_loaded_than_fit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    insert(store, *(row(number, number)._replace(bindings="x" * 1_000) for number in range(1, 501)))
    loaded: list[int] = []
    monkeypatch.setattr(
        notification_rows, "NotificationRow", lambda *values: loaded.append(1) or NotificationRow(*values)
    )
    found = store.read(lambda connection: notification_rows.newest_first(connection, "s", 500, 5_000))
    assert [each.sequence for each in found] == [500, 499, 498, 497, 496]
    assert len(loaded) == 6
    assert len(store.read(lambda connection: notification_rows.newest_first(connection, "s", 500, 10))) == 1


def test_an_article_is_found_by_its_link_before_its_text(store: Store) -> None:
    insert(store, row(1, 10, b"l1", b"t1"), row(2, 11, b"l2", b"t2"))

    def find(link: bytes | None, text: bytes | None) -> int | None:
        found = store.read(lambda connection: notification_rows.of_article(connection, "s", link, text))
        return None if found is None else found.sequence

    assert find(b"l1", b"t2") == 1
    assert find(b"x", b"t2") == 2
    assert find(None, None) is None
    assert find(b"x", None) is None


def test_other_publications_of_a_notification_are_listed(store: Store) -> None:
    insert(store, row(1, 10))
    store.write(lambda connection: notification_rows.set_other_publications(connection, row(1, 10), [12, 13]))
    found = store.read(lambda connection: notification_rows.after(connection, "s", 0, 10))
    assert found[0].publications() == (10, 12, 13)
    assert row(2, None).publications() == ()
