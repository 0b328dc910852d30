"""Every store deletes old rows by age, number and size, and never a row that is still needed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import Connection, Table, insert, select, update

from gtopss.broker.store import retention as retention_module
from gtopss.broker.store.publication_rows import OPERATORS
from gtopss.broker.store.retention import Cleaner, Keep, Retention
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import (
    changes,
    dead_letters,
    feed_items,
    match_tasks,
    notifications,
    publications,
    targets,
)

EVERYTHING = Keep()
NOTHING = Keep(rows=0)
KEEP_ALL = dict.fromkeys(("publications", "notifications", "dead_letters", "changes", "feed_items"), EVERYTHING)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention_module, "PORTION_ROWS", 3)


def add(store: Store, table: Table, rows: list[dict[str, Any]]) -> None:
    store.write(lambda connection: connection.execute(insert(table), rows).rowcount)


def add_publications(store: Store, count: int, *, size: int = 10) -> None:
    common = {"after_change": 0, "lines": b"x" * size, "triples": 1, "digest": b"d"}
    add(store, publications, [{"id": f"p{n}", "received_at": float(n), **common} for n in range(1, count + 1)])


def notification(subscription: str, sequence: int, publication: int | None, **more: Any) -> dict[str, Any]:
    row = {
        "id": f"{subscription}-{sequence}",
        "kind": "match",
        "created_at": float(sequence),
        "other_publications": None,
    }
    return {"subscription": subscription, "sequence": sequence, "publication": publication, **row, **more}


def target(id: str, subscription: str, *, state: int, delivered: int) -> dict[str, Any]:
    common = {"kind": "webhook", "address": "https://example.org/", "secrets": "[]"}
    return {"id": id, "subscription": subscription, "state": state, "delivered_sequence": delivered, **common}


def kept(store: Store, column: Any) -> list[Any]:
    return store.read(lambda connection: sorted(connection.execute(select(column)).scalars()))


def delete(store: Store, now: float = 1_000.0, **keep: Keep) -> dict[str, int]:
    deleted = Cleaner(store, Retention(**(KEEP_ALL | keep))).clean(now)
    return {name: count for name, count in deleted.items() if count}


def test_publications_are_deleted_by_age(store: Store) -> None:
    add_publications(store, 10)
    assert delete(store, now=100.0, publications=Keep(seconds=96)) == {"publications": 3}
    assert kept(store, publications.c.number) == [4, 5, 6, 7, 8, 9, 10]
    assert delete(store, now=100.0, publications=Keep(seconds=96)) == {}


def test_publications_are_deleted_by_number(store: Store) -> None:
    add_publications(store, 10)
    assert delete(store, publications=Keep(rows=4)) == {"publications": 6}
    assert kept(store, publications.c.number) == [7, 8, 9, 10]


def test_publications_are_deleted_by_size(store: Store) -> None:
    add_publications(store, 10, size=800)
    assert delete(store, publications=Keep(bytes=2_500)) == {"publications": 8}
    assert kept(store, publications.c.number) == [9, 10]


def test_publications_that_came_together_are_not_deleted_together(store: Store) -> None:
    add_publications(store, 10)
    store.write(lambda connection: connection.execute(update(publications).values(received_at=1.0)).rowcount)
    delete(store, publications=Keep(rows=4))
    assert kept(store, publications.c.number) == [7, 8, 9, 10]


def test_a_publication_that_is_needed_is_kept(store: Store) -> None:
    add_publications(store, 8)

    def change(connection: Connection) -> None:
        for share, number in ((0, 1), (OPERATORS, 2)):
            row = {"share": share, "publication": number, "size": 1, "received_at": 1.0}
            connection.execute(match_tasks.insert(), row)

    store.write(change)
    add(
        store,
        notifications,
        [notification("s", 1, 3), notification("s", 2, 4, other_publications=json.dumps([5, 6]))],
    )
    assert delete(store, publications=NOTHING) == {"publications": 2}
    assert kept(store, publications.c.number) == [1, 2, 3, 4, 5, 6]
    assert delete(store, publications=NOTHING, notifications=NOTHING) == {"notifications": 2, "publications": 4}
    assert kept(store, publications.c.number) == [1, 2]


def test_a_notification_that_a_target_has_not_received_is_kept(store: Store) -> None:
    add(store, notifications, [notification(name, n, None) for name in ("a", "b", "c", "d") for n in (1, 2, 3)])
    add(
        store,
        targets,
        [
            target("1", "a", state=1, delivered=1),
            target("2", "a", state=1, delivered=3),
            target("3", "b", state=2, delivered=0),  # disabled
            target("4", "c", state=1, delivered=3),
        ],
    )
    letter = {"target": "4", "first_sequence": 2, "last_sequence": 2, "subscription": "c", "reason": "r", "at": 1.0}
    add(store, dead_letters, [letter])
    assert delete(store, notifications=NOTHING) == {"notifications": 9}
    assert kept(store, notifications.c.id) == ["a-2", "a-3", "c-2"]
    assert delete(store, notifications=NOTHING, dead_letters=NOTHING) == {"dead_letters": 1, "notifications": 1}


def test_notifications_are_deleted_by_age_number_and_size(store: Store) -> None:
    add(store, notifications, [notification("s", n, None, bindings="[]" * 400) for n in range(1, 11)])
    assert delete(store, now=100.0, notifications=Keep(seconds=97)) == {"notifications": 2}
    assert delete(store, notifications=Keep(rows=5)) == {"notifications": 3}
    assert delete(store, notifications=Keep(bytes=2_500)) == {"notifications": 3}
    assert kept(store, notifications.c.sequence) == [9, 10]


def test_a_dead_letter_that_is_delivered_again_is_kept(store: Store) -> None:
    common = {"target": "t", "subscription": "s", "reason": "r", "at": 1.0}
    letters = [{"first_sequence": n, "last_sequence": n, "replay": n == 2, **common} for n in (1, 2, 3)]
    add(store, dead_letters, letters)
    assert delete(store, dead_letters=Keep(seconds=1)) == {"dead_letters": 2}
    assert kept(store, dead_letters.c.first_sequence) == [2]


def test_the_log_of_changes_keeps_its_end_and_has_no_gap(store: Store) -> None:
    times = {1: 5.0, 2: 90.0, 3: 6.0, 4: 91.0, 5: 92.0}  # the clocks of two brokers
    add(store, changes, [{"number": n, "subscription": "s", "at": at} for n, at in times.items()])
    assert delete(store, now=100.0, changes=Keep(seconds=50)) == {"changes": 3}
    assert kept(store, changes.c.number) == [4, 5]
    assert delete(store, changes=NOTHING) == {"changes": 1}
    assert kept(store, changes.c.number) == [5]


def test_items_that_no_feed_lists_any_more_are_deleted(store: Store) -> None:
    rows = [{"feed": "f", "item": f"i{n}", "digest": b"d", "listed_at": float(n)} for n in range(1, 8)]
    add(store, feed_items, rows)
    assert delete(store, now=10.0, feed_items=Keep(seconds=5)) == {"feed_items": 4}
    assert kept(store, feed_items.c.item) == ["i5", "i6", "i7"]


def test_a_table_is_read_whole_only_when_it_has_grown(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    size_bound, measure = retention_module._Rows.size_bound, retention_module._Rows.measure

    def counted_bound(rows: Any, connection: Connection, keep: Keep) -> Any:
        reads.append("bound")
        return size_bound(rows, connection, keep)

    def counted_measure(rows: Any, connection: Connection, after: Any) -> Any:
        reads.append("all" if after is None else "new")
        return measure(rows, connection, after)

    monkeypatch.setattr(retention_module._Rows, "size_bound", counted_bound)
    monkeypatch.setattr(retention_module._Rows, "measure", counted_measure)
    cleaner = Cleaner(store, Retention(**(KEEP_ALL | {"changes": Keep(seconds=900.0, rows=40)})))
    added = 0

    def cleaned(more: int) -> tuple[int, list[str]]:
        nonlocal added
        add(store, changes, [{"number": added + n, "subscription": "s", "at": 100.0} for n in range(1, more + 1)])
        added += more
        reads.clear()
        return cleaner.clean(1_000.0)["changes"], list(reads)

    assert cleaned(39) == (0, ["all"])
    assert cleaned(1) == (0, ["new"])
    assert cleaned(1) == (3, ["new", "bound", "all"])  # two are deleted in advance
    assert cleaned(2) == (0, ["new"])
    assert cleaned(1) == (3, ["new", "bound", "all"])
    assert kept(store, changes.c.number) == list(range(7, 45))


def test_a_table_that_cannot_be_made_smaller_is_not_read_each_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_publications(store, 50)
    tasks = [{"share": 0, "publication": number, "size": 1, "received_at": 1.0} for number in range(1, 51)]
    add(store, match_tasks, tasks)
    cleaner = Cleaner(store, Retention(**(KEEP_ALL | {"publications": Keep(rows=10)})))
    assert cleaner.clean(1_000.0)["publications"] == 0
    monkeypatch.setattr(retention_module._Rows, "size_bound", lambda *given: pytest.fail("it was read again"))
    assert cleaner.clean(1_000.0)["publications"] == 0


def test_retention_stops_between_portions(store: Store) -> None:
    add_publications(store, 10)
    answers = iter([False, True])
    retention = Retention(**(KEEP_ALL | {"publications": NOTHING}))
    assert Cleaner(store, retention).clean(0.0, is_stopped=lambda: next(answers, True))["publications"] == 3


def test_numbers_may_be_large(store: Store) -> None:
    add(store, changes, [{"number": 2**40 + n, "subscription": "s", "at": 1.0} for n in range(8)])
    assert delete(store, changes=Keep(rows=1)) == {"changes": 7}


def test_the_defaults_keep_what_is_new(store: Store) -> None:
    add_publications(store, 3)
    assert Cleaner(store, Retention()).clean(10.0) == dict.fromkeys(KEEP_ALL, 0)


def test_a_limit_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="rows=-1 is no limit"):
        Keep(rows=-1)
