"""Every store keeps the same promises: groups, single failures, reads beside writes, leases and counters."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError
from support.store_changes import add, hold, names

from gtopss.broker.errors import LeaseLost, StoreClosed, StoreError
from gtopss.broker.store import counters
from gtopss.broker.store.leases import RELEASED, Claim, Work, claim, complete, release
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.store import MAX_GROUP_CHANGES, Store
from gtopss.broker.store.tables import counters as counter_table
from gtopss.broker.store.tables import match_tasks

WORK = Work(match_tasks, (match_tasks.c.share == 0) & (match_tasks.c.attempts == 0), match_tasks.c.publication)


def add_all(connection: Connection, names: Sequence[str]) -> list[str]:
    connection.execute(insert(counter_table), [{"name": name, "value": 1} for name in names])
    return [name.upper() for name in names]


def add_tasks(connection: Connection, count: int) -> None:
    common = {"share": 0, "size": 5, "received_at": 0.0}
    connection.execute(insert(match_tasks), [{"publication": number, **common} for number in range(1, count + 1)])


def test_a_change_is_read_after_it_was_written(store: Store) -> None:
    assert store.write(lambda connection: add(connection, "a")) == ["a"]
    assert store.read(names) == {"a"}


def test_a_failing_change_is_undone_alone(store: Store) -> None:
    store.write(lambda connection: add(connection, "a"))
    released = hold(store)
    before = store.submit(lambda connection: add(connection, "b"))
    failing = store.submit(lambda connection: add(connection, "c", "a"))
    raising = store.submit(lambda connection: [*add(connection, "d"), 1 / 0])
    after = store.submit(lambda connection: add(connection, "e"))
    released.set()
    assert (before.result(), after.result()) == (["b"], ["e"])
    with pytest.raises(IntegrityError):
        failing.result()
    with pytest.raises(ZeroDivisionError):
        raising.result()
    assert store.read(names) == {"a", "b", "e"}


@pytest.mark.parametrize(
    "value", ["nul \0", "surrogate \udcff", "long " + "0123456789abcdef" * 1_000_000, 2**70, b"bytes"]
)
def test_a_value_that_the_database_refuses_costs_the_others_nothing(store: Store, value: object) -> None:
    released = hold(store)
    before = store.submit(lambda connection: add(connection, "before"))
    odd = store.submit(lambda connection: connection.execute(insert(counter_table).values(name=value, value=value)))
    after = store.submit(lambda connection: add(connection, "after"))
    released.set()
    assert (before.result(), after.result()) == (["before"], ["after"])
    assert not isinstance(odd.exception(), StoreError)
    assert {"before", "after"} <= store.read(names)


def test_a_change_that_exits_does_not_end_the_thread(store: Store) -> None:
    def leave(connection: Connection) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        store.write(leave)
    assert store.write(lambda connection: add(connection, "a")) == ["a"]


def test_items_of_a_bulk_change_share_a_call(store: Store) -> None:
    calls: list[list[str]] = []

    def counted(connection: Connection, items: Sequence[str]) -> list[str]:
        calls.append(list(items))
        return add_all(connection, items)

    released = hold(store)
    futures = [store.submit_item(counted, name) for name in "abc"]
    released.set()
    assert [future.result() for future in futures] == ["A", "B", "C"]
    assert calls == [["a", "b", "c"]]
    assert store.write_item(counted, "d") == "D"
    assert store.read(names) == {"a", "b", "c", "d"}


def test_a_bad_item_fails_alone(store: Store) -> None:
    store.write(lambda connection: add(connection, "b"))
    released = hold(store)
    futures = [store.submit_item(add_all, name) for name in "abc"]
    released.set()
    assert (futures[0].result(), futures[2].result()) == ("A", "C")
    with pytest.raises(IntegrityError):
        futures[1].result()
    assert store.read(names) == {"a", "b", "c"}


def test_a_bulk_change_must_answer_every_item(store: Store) -> None:
    with pytest.raises(RuntimeError, match="0 results for 1 items"):
        store.write_item(lambda connection, items: [], "a")


def test_a_read_cannot_write(store: Store) -> None:
    with pytest.raises(Exception, match=r"read-?only"):
        store.read(lambda connection: add(connection, "a"))
    assert store.read(names) == set()
    store.write(lambda connection: add(connection, "a"))


def test_a_read_sees_one_state(store: Store, store_url: str) -> None:
    if store_url == "memory:":
        pytest.skip("reads of the memory store take turns with writes")
    store.write(lambda connection: add(connection, "a"))

    def twice(connection: Connection) -> tuple[set[str], set[str]]:
        first = names(connection)
        store.write(lambda other: add(other, "b"))  # on the other connection: it does not wait for this read
        return first, names(connection)

    assert store.read(twice) == ({"a"}, {"a"})
    assert store.read(names) == {"a", "b"}


def test_a_change_that_uses_the_store_is_told_so(store: Store) -> None:
    for use in (store.check, store.close, lambda: store.read(names)):
        with pytest.raises(RuntimeError, match="must use its connection"):
            store.write(lambda connection, use=use: use())  # type: ignore[misc]


def test_a_cancelled_change_is_not_run(store: Store) -> None:
    released = hold(store)
    cancelled = store.submit(lambda connection: add(connection, "a"))
    kept = store.submit(lambda connection: add(connection, "b"))
    assert cancelled.cancel()
    released.set()
    assert kept.result() == ["b"]
    assert store.read(names) == {"b"}


def test_close_commits_what_was_submitted(store: Store, store_url: str) -> None:
    released = hold(store)
    futures = [store.submit(lambda connection, n=n: add(connection, f"{n}")) for n in range(MAX_GROUP_CHANGES + 2)]  # type: ignore[misc]
    closing = threading.Thread(target=store.close)
    closing.start()
    released.set()
    closing.join(60)
    assert all(future.result() for future in futures)
    with pytest.raises(StoreClosed):
        store.submit(names)
    store.close()
    if store.durable:
        with open_store(store_url) as again:
            assert len(again.read(names)) == len(futures)


def test_callers_of_many_threads_get_their_own_results(store: Store) -> None:
    def work(thread: int) -> None:
        for number in range(25):
            assert store.write(lambda connection: add(connection, f"{thread}-{number}")) == [f"{thread}-{number}"]  # noqa: B023
            assert f"{thread}-{number}" in store.read(names)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read(names) == {f"{thread}-{number}" for thread in range(4) for number in range(25)}


def test_counters_follow_each_other(store: Store) -> None:
    assert store.read(lambda connection: counters.current(connection, "change")) == 0
    assert store.write(lambda connection: counters.advance(connection, "change")) == 1
    assert store.write(lambda connection: counters.advance(connection, "change", 10)) == 11
    assert store.write(lambda connection: counters.advance(connection, "other")) == 1
    assert store.read(lambda connection: counters.current(connection, "change")) == 11


def claimed(store: Store, *, now: float, limit: int = 50) -> Claim:
    return store.write(lambda connection: claim(connection, WORK, broker="b", now=now, until=now + 10, limit=limit))


def test_rows_are_claimed_once_and_in_order(store: Store) -> None:
    store.write(lambda connection: add_tasks(connection, 120))
    first, second, third = (claimed(store, now=100) for _ in range(3))
    numbers = [row.publication for each in (first, second, third) for row in each.rows]
    assert len(first.rows) == len(second.rows) == 50
    assert numbers == sorted(
        store.read(lambda connection: list(connection.execute(select(match_tasks.c.publication)).scalars()))
    )
    assert claimed(store, now=100).rows == []
    assert len({first.lease.holder, second.lease.holder, third.lease.holder}) == 3


def test_a_completed_row_is_not_claimed_again(store: Store) -> None:
    store.write(lambda connection: add_tasks(connection, 4))
    first = claimed(store, now=0, limit=2)
    keys = [row.publication for row in first.rows]
    store.write(lambda connection: complete(connection, first.lease, keys, {"attempts": 1} | RELEASED))
    assert not set(keys) & {row.publication for row in claimed(store, now=1000).rows}


def test_a_holder_that_lost_its_lease_cannot_complete(store: Store) -> None:
    store.write(lambda connection: add_tasks(connection, 2))
    late = claimed(store, now=0)
    keys = [row.publication for row in late.rows]
    assert claimed(store, now=9.9).rows == []
    current = claimed(store, now=10, limit=1)
    with pytest.raises(LeaseLost, match="lease on 1 rows"):
        store.write(lambda connection: complete(connection, late.lease, keys, {"attempts": 1}))
    done = select(func.count()).select_from(match_tasks).where(match_tasks.c.attempts == 1)
    assert store.read(lambda connection: connection.execute(done).scalar()) == 0
    store.write(lambda connection: complete(connection, current.lease, keys[:1], {"attempts": 1}))
    store.write(lambda connection: complete(connection, late.lease, keys[1:], {"attempts": 1}))  # nobody claimed it
    assert store.read(lambda connection: connection.execute(done).scalar()) == 2


def test_leases_are_released(store: Store) -> None:
    store.write(lambda connection: add_tasks(connection, 2))
    held = claimed(store, now=0)
    keys = [row.publication for row in held.rows]
    assert claimed(store, now=9).rows == []
    store.write(lambda connection: release(connection, held.lease, keys[:1]))
    assert [row.publication for row in claimed(store, now=9).rows] == keys[:1]
    store.write(lambda connection: release(connection, held.lease, keys))  # the first has another holder
    assert [row.publication for row in claimed(store, now=9).rows] == keys[1:]
