from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError
from support.store_changes import add, hold, names

from gtopss.broker.errors import StoreUnavailable
from gtopss.broker.store import store as store_module
from gtopss.broker.store.database import Failure
from gtopss.broker.store.sqlite import MemoryDatabase
from gtopss.broker.store.store import MAX_GROUP_ATTEMPTS, Store


class Conflict(sqlite3.OperationalError):
    """Stands for a conflict with another broker, which SQLite does not have."""


class ConflictingDatabase(MemoryDatabase):
    def failure(self, error: DBAPIError) -> Failure:
        return Failure.CONFLICT if isinstance(error.orig, Conflict) else super().failure(error)


pauses: list[float] = []


@pytest.fixture
def store() -> Iterator[Store]:
    pauses.clear()
    with Store(ConflictingDatabase(), pause=pauses.append) as opened:
        yield opened


class Conflicting:
    """A change that meets a conflict in its first runs."""

    def __init__(self, name: str, conflicts: int) -> None:
        self.name, self.conflicts, self.runs = name, conflicts, 0

    def __call__(self, connection: Connection) -> str:
        add(connection, self.name)
        self.runs += 1
        if self.runs <= self.conflicts:
            raise OperationalError("UPDATE", {}, Conflict("deadlock detected"))
        return self.name


def test_a_group_is_run_again_after_a_conflict(store: Store) -> None:
    released = hold(store)
    first = store.submit(lambda connection: add(connection, "first"))
    change = Conflicting("second", 2)
    second = store.submit(change)
    released.set()
    assert (first.result(), second.result()) == (["first"], "second")
    assert change.runs == 3
    assert len(pauses) == 2
    assert pauses[0] < 0.05 < pauses[1] * 2
    assert store.read(names) == {"first", "second"}


def test_a_change_that_always_conflicts_is_given_up_alone(store: Store) -> None:
    released = hold(store)
    first = store.submit(lambda connection: add(connection, "first"))
    change = Conflicting("second", 1_000_000)
    second = store.submit(change)
    third = store.submit(lambda connection: add(connection, "third"))
    released.set()
    assert (first.result(), third.result()) == (["first"], ["third"])
    with pytest.raises(StoreUnavailable, match="deadlock detected"):
        second.result()
    assert change.runs == 2 * MAX_GROUP_ATTEMPTS  # in its group, and alone
    assert store.read(names) == {"first", "third"}


def test_a_caller_that_submits_too_much_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_WAITING_CHANGES", 2)
    released = hold(store)
    for name in ("a", "b"):
        store.submit(lambda connection, name=name: add(connection, name))  # type: ignore[misc]
    waiting = threading.Thread(target=lambda: store.submit(lambda connection: add(connection, "c")))
    waiting.start()
    assert waiting.is_alive()
    released.set()
    waiting.join(60)
    store.check()
    assert store.read(names) == {"a", "b", "c"}


def test_a_caller_that_waits_is_told_when_the_store_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_WAITING_CHANGES", 0)
    with Store(ConflictingDatabase()) as store:
        errors: list[BaseException] = []

        def submit() -> None:
            try:
                store.submit(names)
            except BaseException as error:
                errors.append(error)

        waiting = threading.Thread(target=submit)
        waiting.start()
    waiting.join(60)
    assert [type(error).__name__ for error in errors] == ["StoreClosed"]


def test_a_futures_callback_that_fails_does_not_end_the_thread(store: Store) -> None:
    released = hold(store)
    future = store.submit(lambda connection: add(connection, "a"))
    future.add_done_callback(lambda done: 1 / 0)  # type: ignore[arg-type, return-value]
    released.set()
    assert future.result() == ["a"]
    assert store.write(lambda connection: add(connection, "b")) == ["b"]
