"""Open a SQLite database as a store: the embedded default, in a file or in memory.

One connection writes and checkpoints; the others only read, and never checkpoint. This avoids a bug of SQLite 3.7.0 to
3.51.2 (https://sqlite.org/wal.html#walresetbug), which can damage a database when one connection writes while another
one checkpoints. A lock file beside the database keeps other brokers out.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool, StaticPool

from gtopss.broker.errors import InvalidStore, StoreError, StoreUnavailable
from gtopss.broker.store.database import Failure
from gtopss.broker.store.migrate import migrate
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import metadata
from gtopss.run_lock import run_lock

APPLICATION_ID = 0x47546F50
"""Marks a SQLite file as a store of this program ("GToP"), in the file's header."""
BUSY_TIMEOUT_SECONDS = 10
"""How long a change waits for another program that holds the file."""
CHECKPOINT_PAGES = 4_000
"""Pages of 4 KiB in the write-ahead log above which the writing connection copies them into the database."""
LOG_BYTES = 64 * 2**20
"""Size to which the write-ahead log is cut when it is reset, after a long read has let it grow."""
MAX_READERS = 32
"""Connections that read at the same time."""
READER_TIMEOUT_SECONDS = 30
"""How long a further read waits for one of them."""


def memory_store() -> Store:
    """Return a store in memory, which declares that it is not durable.

    Its one connection is used by one thread at a time, so reads take turns with the writing thread.
    """
    return Store(MemoryDatabase())


def sqlite_store(path: Path | str) -> Store:
    """Open the SQLite file, or create it, readable only by its owner because it holds secrets of webhooks.

    Raises ResourceInUse if another process has it open, InvalidStore if it is no store or is damaged, NewerStore if a
    newer program has changed its tables, and StoreUnavailable if it cannot be read and written.
    """
    return Store(FileDatabase(Path(path)))


class MemoryDatabase:
    """A database in memory, with one connection."""

    name = "memory:"
    durable = False
    has_one_connection = True

    def __init__(self) -> None:
        def connect() -> sqlite3.Connection:
            return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)

        self.writer = _engine(connect, begin="BEGIN IMMEDIATE", poolclass=StaticPool)
        self.readers = _engine(connect, begin="BEGIN", poolclass=StaticPool)
        # The two engines differ in how a transaction begins and ends, and share the connection.
        self.readers.pool = self.writer.pool

        @event.listens_for(self.readers, "begin")
        def only_read(connection: Connection) -> None:
            connection.exec_driver_sql("PRAGMA query_only=ON")

        @event.listens_for(self.readers.pool, "checkin")
        def write_again(connection: sqlite3.Connection, record: object) -> None:
            connection.execute("PRAGMA query_only=OFF")

        metadata.create_all(self.writer)  # the same tables as after all migrations, and three times as fast

    def start_group(self, connection: Connection, number: int) -> None:
        """Do nothing: nobody else has this database."""

    def was_committed(self, connection: Connection, number: int) -> bool:
        """Return False: a connection within the process is not lost."""
        return False

    def failure(self, error: DBAPIError) -> Failure:
        """Classify an error."""
        return _failure(error)

    def close(self) -> None:
        """Release the memory."""
        self.writer.dispose()


class FileDatabase:
    """A database in a file, with a connection that writes, and connections that read."""

    durable = True
    has_one_connection = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"sqlite:{path}"
        with ExitStack() as opened:
            try:
                self._identity = _create(path)
                opened.enter_context(run_lock(path.with_name(f"{path.name}.lock"), path))
            except OSError as error:
                raise StoreUnavailable(
                    self.name, f"{error.strerror}: name a file in a folder that this user may write"
                ) from error
            self.writer = _engine(self._connect_writer, begin="BEGIN IMMEDIATE", poolclass=StaticPool)
            opened.callback(self.writer.dispose)
            self.readers = _engine(
                self._connect_reader,
                begin="BEGIN",
                poolclass=QueuePool,
                pool_size=8,
                max_overflow=MAX_READERS - 8,
                pool_timeout=READER_TIMEOUT_SECONDS,
            )
            opened.callback(self.readers.dispose)  # before the writer, whose end checkpoints
            try:
                with self.writer.connect() as connection, connection.begin():
                    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
                    migrate(connection, self.name)
            except DBAPIError as error:
                raise self._opening_error(error) from error
            self._resources = opened.pop_all()

    def start_group(self, connection: Connection, number: int) -> None:
        """Refuse to write to a file that nobody would find again."""
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise StoreUnavailable(self.name, f"the file was removed while in use ({error.strerror})") from error
        if (found.st_dev, found.st_ino) != self._identity:
            raise StoreUnavailable(self.name, "the file was replaced while in use: restart the broker")

    def was_committed(self, connection: Connection, number: int) -> bool:
        """Return False: a connection within the process is not lost."""
        return False

    def failure(self, error: DBAPIError) -> Failure:
        """Classify an error."""
        return _failure(error)

    def close(self) -> None:
        """Close the readers, then the writer, which copies the write-ahead log into the database, then the lock."""
        self._resources.close()

    def _connect_writer(self) -> sqlite3.Connection:
        connection = self._connect()
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        if mark != APPLICATION_ID and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None:
            raise InvalidStore(self.name, "a SQLite database of another program: name another file")
        (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise StoreUnavailable(self.name, "the file system does not support a write-ahead log: use a local disk")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA fullfsync=ON")  # macOS alone needs it
        connection.execute("PRAGMA checkpoint_fullfsync=ON")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
        return connection

    def _connect_reader(self) -> sqlite3.Connection:
        connection = self._connect()
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("PRAGMA query_only=ON")
        return connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_SECONDS,
            cached_statements=512,
        )

    def _opening_error(self, error: DBAPIError) -> StoreError:
        if _failure(error) is Failure.DAMAGED:
            return InvalidStore(self.name, f"{error.orig}: name another file, or restore this one from a backup")
        return StoreUnavailable(self.name, f"{error.orig}: the file and its folder must be writable")


def _create(path: Path) -> tuple[int, int]:
    """Create the file if it is not there, so that it survives a power failure, and return its identity."""
    is_new = not path.exists()
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        found = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if is_new:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return found.st_dev, found.st_ino


def _engine(connect: Callable[[], sqlite3.Connection], *, begin: str, **pool: Any) -> Engine:
    engine = create_engine("sqlite://", creator=connect, **pool)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)  # Python's sqlite3 would begin late, and then only to read

    return engine


_FAILURES = {
    sqlite3.SQLITE_BUSY: Failure.BUSY,
    sqlite3.SQLITE_LOCKED: Failure.BUSY,
    sqlite3.SQLITE_PROTOCOL: Failure.BUSY,
    sqlite3.SQLITE_FULL: Failure.REFUSED,
    sqlite3.SQLITE_IOERR: Failure.REFUSED,
    sqlite3.SQLITE_NOMEM: Failure.REFUSED,
    sqlite3.SQLITE_READONLY: Failure.REFUSED,
    sqlite3.SQLITE_CANTOPEN: Failure.REFUSED,
    sqlite3.SQLITE_PERM: Failure.REFUSED,
    sqlite3.SQLITE_CORRUPT: Failure.DAMAGED,
    sqlite3.SQLITE_NOTADB: Failure.DAMAGED,
}
"""Primary result codes of SQLite that concern the whole database; all others concern the change."""


def _failure(error: DBAPIError) -> Failure:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return Failure.CHANGE if code is None else _FAILURES.get(code & 0xFF, Failure.CHANGE)
