from __future__ import annotations

from collections.abc import Iterator

import pytest

from gtopss.broker.store import change_rows
from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import changes


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as made:
        made.write(change_rows.create_store_number)
        yield made


def test_changes_are_numbered_one_after_the_other(store: Store) -> None:
    assert store.read(change_rows.newest) == 0
    assert store.write(lambda connection: change_rows.append(connection, ["a", "b"], 1.0)) == 2
    assert store.write(lambda connection: change_rows.append(connection, ["a"], 2.0)) == 3
    assert store.write(lambda connection: change_rows.append(connection, [], 2.0)) == 3
    found = store.read(lambda connection: change_rows.after(connection, 1, 10))
    assert found == [(2, "b", 1.0), (3, "a", 2.0)]
    assert store.read(lambda connection: change_rows.after(connection, 0, 1)) == [(1, "a", 1.0)]
    assert store.read(lambda connection: change_rows.get(connection, 3)) == (3, "a", 2.0)
    assert store.read(lambda connection: change_rows.get(connection, 4)) is None


def test_a_change_that_is_undone_takes_no_number(store: Store) -> None:
    def fail(connection: object) -> None:
        change_rows.append(connection, ["a"], 1.0)  # type: ignore[arg-type]
        raise KeyError

    with pytest.raises(KeyError):
        store.write(fail)
    assert store.write(lambda connection: change_rows.append(connection, ["b"], 1.0)) == 1


def test_a_database_keeps_its_number_and_has_another_one_than_others(store: Store) -> None:
    number = store.read(change_rows.store_number)
    store.write(change_rows.create_store_number)
    assert store.read(change_rows.store_number) == number
    with memory_store() as other:
        other.write(change_rows.create_store_number)
        assert other.read(change_rows.store_number) != number


def test_numbers_go_on_when_old_changes_were_deleted(store: Store) -> None:
    store.write(lambda connection: change_rows.append(connection, list("abcde"), 1.0))
    store.write(lambda connection: connection.execute(changes.delete()))
    assert store.write(lambda connection: change_rows.append(connection, ["f"], 1.0)) == 6
