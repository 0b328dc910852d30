from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, event, insert, make_url, select
from support.postgresql_server import PostgresqlServer
from support.store_changes import add, names

from gtopss.broker.errors import NewerStore, OutcomeUnknown, StoreUnavailable, UnsafeStore
from gtopss.broker.store.counters import advance
from gtopss.broker.store.leases import Work, claim
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.postgresql import PostgresqlDatabase, postgresql_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import counters, match_tasks


@pytest.fixture
def url(postgresql: PostgresqlServer) -> str:
    return postgresql.new_store_url()


@contextmanager
def opened(url: str) -> Iterator[tuple[Store, PostgresqlDatabase]]:
    """Open a store that does not pause before it runs a group again."""
    database = PostgresqlDatabase(make_url(url))
    with Store(database, pause=lambda seconds: None) as store:
        yield store, database


@pytest.mark.slow
def test_a_crashed_server_is_unavailable_and_then_used_again(postgresql: PostgresqlServer, url: str) -> None:
    with opened(url) as (store, _):
        store.write(lambda connection: add(connection, "before"))
        postgresql.crash()
        try:
            with pytest.raises(StoreUnavailable, match="connection"):
                store.write(lambda connection: add(connection, "lost"))
            with pytest.raises(StoreUnavailable, match="connection"):
                store.read(names)
            with pytest.raises(StoreUnavailable, match="start the server, or correct the URL"):
                open_store(url)
        finally:
            postgresql.start()
        store.write(lambda connection: add(connection, "after"))
        assert store.read(names) == {"before", "after"}


def test_a_group_whose_connection_is_lost_is_run_again(postgresql: PostgresqlServer, url: str) -> None:
    runs = []

    def interrupted(connection: Connection) -> list[str]:
        add(connection, "a")
        process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        if not runs:
            postgresql.execute(f"SELECT pg_terminate_backend({process}, 10000)")
        runs.append(process)
        return add(connection, "b")

    with opened(url) as (store, _):
        assert store.write(interrupted) == ["b"]
        assert len(runs) == 2
        assert store.read(names) == {"a", "b"}


def test_a_read_whose_connection_is_lost_is_run_again(postgresql: PostgresqlServer, url: str) -> None:
    runs = []

    def interrupted(connection: Connection) -> set[str]:
        process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        if not runs:
            postgresql.execute(f"SELECT pg_terminate_backend({process}, 10000)")
        runs.append(process)
        return names(connection)

    with opened(url) as (store, _):
        assert store.read(interrupted) == set()
        assert len(runs) == 2


@pytest.mark.parametrize("commits", [True, False])
def test_a_connection_that_is_lost_during_commit_does_a_change_once(commits: bool, url: str) -> None:
    runs = []

    def change(connection: Connection) -> int:
        runs.append(1)
        return advance(connection, "number")

    with opened(url) as (store, database):

        def lose(connection: Connection) -> None:
            driver = connection.connection.driver_connection
            assert driver is not None
            if commits:
                driver.commit()
            driver.close()

        event.listen(database.writer, "commit", lose, once=True)
        assert store.write(change) == 1
        assert len(runs) == (1 if commits else 2)
        assert store.write(change) == 2


@pytest.mark.slow
def test_a_change_with_an_unknown_outcome_says_so(postgresql: PostgresqlServer, url: str) -> None:
    with opened(url) as (store, database):

        def lose(connection: Connection) -> None:
            postgresql.crash()

        event.listen(database.writer, "commit", lose, once=True)
        try:
            with pytest.raises(OutcomeUnknown, match="not known whether the change was stored"):
                store.write(lambda connection: add(connection, "a"))
        finally:
            postgresql.start()
        assert store.read(names) == set()
        store.write(lambda connection: add(connection, "b"))


def test_two_brokers_in_a_deadlock_both_complete(url: str) -> None:
    together = threading.Barrier(2, timeout=60)
    met: set[str] = set()

    def change(connection: Connection, first: str, second: str) -> None:
        advance(connection, first)
        if first not in met:
            met.add(first)
            together.wait()
        advance(connection, second)

    with opened(url) as (one, _), opened(url) as (two, _):
        one.write(lambda connection: [advance(connection, name) for name in "ab"])
        futures = [
            one.submit(lambda connection: change(connection, "a", "b")),
            two.submit(lambda connection: change(connection, "b", "a")),
        ]
        for future in futures:
            future.result(60)
        assert one.read(lambda connection: set(connection.execute(select(counters.c.value)).scalars())) == {3}


def test_a_larger_number_is_committed_later(url: str) -> None:
    advanced, released = threading.Event(), threading.Event()

    def slow(connection: Connection) -> int:
        number = advance(connection, "change")
        advanced.set()
        assert released.wait(60)
        return number

    with opened(url) as (one, _), opened(url) as (two, _):
        first = one.submit(slow)
        assert advanced.wait(60)
        second = two.submit(lambda connection: advance(connection, "change"))
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IS NULL"
        while one.read(lambda connection: connection.exec_driver_sql(waits).scalar()) == 0:
            assert not second.done()
        released.set()
        assert (first.result(60), second.result(60)) == (1, 2)


def test_brokers_share_the_work(url: str) -> None:
    work = Work(match_tasks, match_tasks.c.share == 0, match_tasks.c.publication)
    rows = [{"share": 0, "publication": number, "size": 5, "received_at": 0.0} for number in range(400)]
    taken: list[list[int]] = []

    def take(store: Store) -> None:
        while True:
            got = store.write(lambda connection: claim(connection, work, broker="b", now=0, until=10, limit=50))
            taken.append([row.publication for row in got.rows])
            if not got.rows:
                return

    with opened(url) as (one, _), opened(url) as (two, _), opened(url) as (three, _):
        one.write(lambda connection: connection.execute(insert(match_tasks), rows).rowcount)
        threads = [threading.Thread(target=take, args=(store,)) for store in (one, two, three)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    numbers = [number for part in taken for number in part]
    assert len(numbers) == len(set(numbers)) == 400


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_lose_commits_is_refused(postgresql: PostgresqlServer, url: str, setting: str) -> None:
    with opened(url) as (store, _):
        postgresql.crash()
        postgresql.start(**{setting: "off"})
        try:
            with pytest.raises(UnsafeStore, match=f"{setting}=off and may lose .* set {setting}=on in postgresql.conf"):
                open_store(url)
            with pytest.raises(UnsafeStore):
                store.write(lambda connection: add(connection, "a"))
        finally:
            postgresql.crash()
            postgresql.start()
        store.write(lambda connection: add(connection, "a"))


def test_a_session_without_synchronous_commit_is_refused(url: str) -> None:
    with pytest.raises(UnsafeStore, match="synchronous_commit=off"):
        open_store(f"{url}%20-csynchronous_commit%3Doff")


def test_a_running_broker_stops_when_a_newer_one_has_changed_the_tables(postgresql: PostgresqlServer, url: str) -> None:
    with opened(url) as (store, _):
        store.check()
        postgresql.execute("UPDATE gtopss_revision SET version_num = '9999'", url)
        with pytest.raises(NewerStore, match="revision 9999"):
            store.check()
        with pytest.raises(NewerStore):
            store.submit(names)
        with pytest.raises(NewerStore, match="stop this program and start the newer version"):
            open_store(url)


def test_a_migration_waits_for_the_groups_of_older_brokers(postgresql: PostgresqlServer, url: str) -> None:
    """A newer broker locks the table of the revision, which each group has read."""
    started, released = threading.Event(), threading.Event()

    def slow(connection: Connection) -> list[str]:
        started.set()
        assert released.wait(60)
        return add(connection, "a")

    with opened(url) as (store, _):
        future = store.submit(slow)
        assert started.wait(60)
        try:
            with pytest.raises(Exception, match="could not obtain lock"):
                postgresql.execute("BEGIN; LOCK TABLE gtopss_revision IN ACCESS EXCLUSIVE MODE NOWAIT", url)
        finally:
            released.set()
        assert future.result(60) == ["a"]


def test_brokers_that_start_together_create_the_tables_once(postgresql: PostgresqlServer, url: str) -> None:
    stores: list[Store] = []
    threads = [threading.Thread(target=lambda: stores.append(open_store(url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(stores) == 4
    for number, store in enumerate(stores):
        store.write(lambda connection, number=number: add(connection, f"{number}"))  # type: ignore[misc]
        store.close()
    assert len(postgresql.execute("SELECT * FROM gtopss_revision", url)) == 1


def test_a_password_is_not_shown(postgresql: PostgresqlServer) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        postgresql_store(make_url("postgresql://someone:secret@127.0.0.1:1/a"))
    assert "secret" not in str(caught.value)
    assert caught.value.store == "postgresql://someone:***@127.0.0.1:1/a"
