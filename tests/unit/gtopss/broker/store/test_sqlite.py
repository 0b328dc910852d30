from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select
from support.store_changes import hold

from gtopss.broker.errors import InvalidStore, StoreUnavailable
from gtopss.broker.store import sqlite
from gtopss.broker.store.sqlite import sqlite_store
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import counters
from gtopss.errors import ResourceInUse


def add(connection: Connection, name: str, size: int = 1) -> None:
    connection.execute(insert(counters).values(name=name + "." * size, value=1))


def names(connection: Connection) -> set[str]:
    return {name.rstrip(".") for name in connection.execute(select(counters.c.name)).scalars()}


def pragma(connection: Connection, name: str) -> object:
    return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_one_connection_writes_and_checkpoints(tmp_path: Path) -> None:
    with sqlite_store(tmp_path / "a.db") as store:
        settings = ("journal_mode", "synchronous", "wal_autocheckpoint")
        written = store.write(lambda connection: [pragma(connection, name) for name in settings])
        assert written == ["wal", 2, sqlite.CHECKPOINT_PAGES]
        read = store.read(lambda connection: [pragma(connection, name) for name in (*settings, "query_only")])
        assert read[0] == "wal"
        assert read[2:] == [0, 1]
    assert not (tmp_path / "a.db-wal").exists()  # copied into the database when the store was closed


def test_too_many_reads_at_the_same_time_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MAX_READERS", 8)
    monkeypatch.setattr(sqlite, "READER_TIMEOUT_SECONDS", 0.01)
    with sqlite_store(tmp_path / "a.db") as store:

        def nested(depth: int) -> set[str]:
            return store.read(lambda connection: nested(depth - 1) if depth > 1 else names(connection))

        assert nested(8) == set()
        with pytest.raises(StoreUnavailable, match="too many reads"):
            nested(9)
        assert store.read(names) == set()


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    with sqlite_store(tmp_path / "a.db"):
        for name in ("a.db", "a.db-wal"):
            assert (tmp_path / name).stat().st_mode & 0o077 == 0


def test_a_second_process_is_told_who_has_the_file(tmp_path: Path) -> None:
    with sqlite_store(tmp_path / "a.db"), pytest.raises(ResourceInUse) as caught:
        sqlite_store(tmp_path / "a.db")
    assert caught.value.pid == os.getpid()
    sqlite_store(tmp_path / "a.db").close()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes " * 1000)
    with pytest.raises(InvalidStore, match="not a database"):
        sqlite_store(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "notes " * 1000


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE subscriptions (id)")
    connection.close()
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises(InvalidStore, match="another program"):
        sqlite_store(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes() == before


@pytest.mark.parametrize("place", ["missing/a.db", ".", "file/a.db"])
def test_a_path_that_cannot_be_used_is_named(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="name a file in a folder"):
        sqlite_store(tmp_path / place)


@pytest.mark.skipif(os.getuid() != 0, reason="becomes another user, which only root may do")
def test_a_folder_that_is_read_only_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        os.seteuid(65534)
        try:
            with pytest.raises(StoreUnavailable, match="Permission denied: name a file in a folder"):
                sqlite_store(Path(folder) / "a.db")
        finally:
            os.seteuid(0)


def test_a_damaged_file_is_reported_and_readable_parts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite_store(path) as store:
        for number in range(200):
            store.submit(lambda connection, number=number: add(connection, f"{number}", 500))  # type: ignore[misc]
    with open(path, "r+b") as file:  # the root page of a table
        with sqlite3.connect(path) as connection:
            (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'counters'").fetchone()
        connection.close()
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    with sqlite_store(path) as store:
        with pytest.raises(InvalidStore, match="malformed; restore it from a backup"):
            store.write(lambda connection: add(connection, "new"))
        with pytest.raises(InvalidStore, match="malformed; restore it from a backup"):
            store.read(lambda connection: connection.execute(select(counters)).all())
        assert store.read(lambda connection: pragma(connection, "application_id")) == sqlite.APPLICATION_ID


def test_a_file_that_was_removed_or_replaced_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite_store(path) as store:
        path.rename(tmp_path / "moved.db")
        with pytest.raises(StoreUnavailable, match="removed while in use"):
            store.write(lambda connection: add(connection, "a"))
        path.touch()
        with pytest.raises(StoreUnavailable, match="replaced while in use"):
            store.write(lambda connection: add(connection, "a"))
        (tmp_path / "moved.db").rename(path)
        store.write(lambda connection: add(connection, "b"))
        assert store.read(names) == {"b"}


def test_a_file_that_another_program_holds_is_waited_for_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_SECONDS", 0.01)
    with sqlite_store(tmp_path / "a.db") as store:
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="database is locked"):
            store.write(lambda connection: add(connection, "a"))
        assert store.read(names) == set()
        other.execute("ROLLBACK")
        other.close()
        store.write(lambda connection: add(connection, "b"))
        assert store.read(names) == {"b"}


def grouped(store: Store, sizes: dict[str, int]) -> dict[str, Future[None]]:
    """Submit one change for each name in one group. A change writes a row of its size."""
    released = hold(store)
    futures = {name: store.submit(lambda c, n=name, s=size: add(c, n, s)) for name, size in sizes.items()}  # type: ignore[misc]
    released.set()
    return futures


def check_full_disk(store: Store, make_full: Iterator[None], sizes: dict[str, int]) -> None:
    """A change that does not fit fails, those that fit are stored, and all works when there is room again."""
    store.write(lambda connection: add(connection, "before"))
    next(make_full)
    futures = grouped(store, sizes)
    stored = {name for name, future in futures.items() if future.exception() is None}
    errors = [future.exception() for future in futures.values() if future.exception() is not None]
    assert errors
    assert all(isinstance(error, StoreUnavailable) for error in errors)
    assert store.read(names) == {"before", *stored}
    next(make_full, None)
    store.write(lambda connection: add(connection, "after", 100_000))
    assert store.read(names) == {"before", "after", *stored}


def test_a_full_disk_stores_nothing_half_and_recovers(tmp_path: Path) -> None:
    """SQLite's own limit of pages acts as a full disk."""
    with sqlite_store(tmp_path / "a.db") as store:

        def make_full() -> Iterator[None]:
            pages = store.write(lambda connection: pragma(connection, "page_count"))
            store.write(lambda connection: pragma(connection, f"max_page_count={int(str(pages)) + 3}"))
            yield
            store.write(lambda connection: pragma(connection, "max_page_count=1000000"))

        check_full_disk(store, make_full(), {"small": 1, "large": 1_000_000, "small too": 1})
        assert {"small", "small too"} <= store.read(names)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_failed_write_stores_nothing_half_and_recovers(tmp_path: Path) -> None:
    """The kernel refuses to let the write-ahead log grow."""
    with sqlite_store(tmp_path / "a.db") as store:

        def make_full() -> Iterator[None]:
            with largest_file((tmp_path / "a.db-wal").stat().st_size + 20_000):
                yield

        check_full_disk(store, make_full(), {"small": 1, "large": 1_000_000})
        assert "small" in store.read(names)


def fill(path: Path) -> None:
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)


@pytest.mark.skipif(os.getuid() != 0, reason="mounts a small file system, which only root may do")
def test_a_full_file_system_stores_nothing_half_and_recovers(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with sqlite_store(tmp_path / "a.db") as store:

            def make_full() -> Iterator[None]:
                fill(tmp_path / "filling")
                yield
                (tmp_path / "filling").unlink()

            check_full_disk(store, make_full(), {"first": 10_000, "second": 300_000})
        with sqlite_store(tmp_path / "a.db") as store:
            assert store.read(lambda connection: pragma(connection, "integrity_check")) == "ok"
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
