"""What is remembered about each URL between fetches, in one SQLite file.

Validators (ETag, Last-Modified) tell a server that we already have a document, so they are stored only once that is
true: call `commit` after the items of a response were handled. After a crash before `commit`, the next fetch returns
the items again. Failures are stored at once, because storing them cannot lose items. The format is SQLite rather than
JSON because a commit then writes one row instead of the whole file, several threads and processes can share the file,
and WAL with synchronous=FULL survives a power loss.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from gtopss.net.errors import FetchError, Gone, NotDue, UnusableState
from gtopss.net.retrieval import Response, Validators
from gtopss.net.retry import RetryPolicy
from gtopss.run_lock import run_lock

_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS visits (
    url            TEXT PRIMARY KEY,
    validated_url  TEXT,
    etag           TEXT,
    last_modified  TEXT,
    not_before     REAL NOT NULL DEFAULT 0,
    failures       INTEGER NOT NULL DEFAULT 0,
    gone           INTEGER NOT NULL DEFAULT 0,
    permanent_url  TEXT
) WITHOUT ROWID
"""
_CONTENTS_SCHEMA = "CREATE TABLE IF NOT EXISTS contents (name TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID"
_COLUMNS = "validated_url, etag, last_modified, not_before, failures, gone, permanent_url"


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """What is stored about one URL. All fields have their defaults if the URL was never fetched."""

    url: str
    validators: Validators | None = None
    not_before: float = 0.0
    """Earliest time of the next fetch, in Unix seconds."""
    failures: int = 0
    """Failures in a row; a commit resets the number."""
    gone: bool = False
    """The server answered 410."""
    permanent_url: str | None = None
    """Target of a permanent redirect, for the operator. Not used automatically: a redirect may be an hour's hijack."""


class FetchState:
    """Stores one `FetchRecord` per URL, in a file, or in memory if no path is given. Thread-safe.

    Several processes may share a file. Two that poll the same URLs at the same time both get their items; `exclusive`
    prevents that: while one process has the file open so, another raises ResourceInUse.

    >>> with FetchState() as state:
    ...     state.record("http://example.org/feed").failures
    0
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        exclusive: bool = False,
        retry_policy: RetryPolicy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path, self.clock, self.retry_policy = path, clock, retry_policy or RetryPolicy()
        self._lock = threading.Lock()
        with state_errors(path), contextlib.ExitStack() as opened:
            if exclusive and path is not None:
                file = Path(path).resolve()  # the same lock by any link
                opened.enter_context(run_lock(file.with_name(f"{file.name}.lock"), file))
            self._database = _open(path)
            self._held = opened.pop_all()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def record(self, url: str) -> FetchRecord:
        """Return what is stored about `url`."""
        with self._transaction() as database:
            return _read_record(database, url)

    def check_due(self, url: str) -> FetchRecord:
        """Return the record of `url` if it may be fetched now. Raise NotDue otherwise."""
        record, now = self.record(url), self.clock()
        # A time further off than any wait we set means that the clock was wrong, then or now.
        if now < record.not_before <= now + self.retry_policy.max_wait_seconds:
            raise NotDue(url, record.not_before, now)
        return record

    def commit(self, response: Response) -> None:
        """Record that the items of `response` were handled, so that the server need not send them again.

        Call it after 304 Not Modified too, to record how long the response is fresh. Durable when it returns.
        """
        not_before = self.clock() + self.retry_policy.after_success(response.fresh_for)
        record = FetchRecord(response.url, response.validators, not_before, permanent_url=response.permanent_url)
        with self._transaction() as database:
            _write_record(database, record)

    def fail(self, url: str, error: FetchError) -> None:
        """Record a failed fetch and when to try again. The stored validators are kept."""
        with self._transaction() as database:
            before = _read_record(database, url)
            failures = before.failures + 1
            not_before = self.clock() + self.retry_policy.after_failure(error, failures)
            gone = isinstance(error, Gone)
            record = FetchRecord(url, before.validators, not_before, failures, gone, before.permanent_url)
            _write_record(database, record)

    def forget(self, url: str) -> None:
        """Delete the record of `url`, so that the next fetch is like the first one."""
        with self._transaction() as database:
            database.execute("DELETE FROM visits WHERE url = ?", (url,))

    def has_content(self, name: str, content: bytes) -> bool:
        """Return whether this is the content that was committed last under a name: of a file, or of a URL.

        Files and many servers have no validators.
        """
        with self._transaction() as database:
            row = database.execute("SELECT digest FROM contents WHERE name = ?", (name,)).fetchone()
        return row is not None and row[0] == _digest(content)

    def commit_content(self, name: str, content: bytes) -> None:
        """Record that the content of a file or URL was handled. Durable when it returns."""
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO contents VALUES (?, ?)", (name, _digest(content)))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, state_errors(self.path), immediate_transaction(self._database):
            yield self._database


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


@contextlib.contextmanager
def state_errors(path: str | Path | None) -> Iterator[None]:
    """Convert the errors of SQLite and of files to UnusableState."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise UnusableState(str(path or "in memory"), getattr(error, "strerror", None) or str(error)) from error


@contextlib.contextmanager
def immediate_transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block in a transaction that may write at once. An error undoes all of it."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _open(path: str | Path | None) -> sqlite3.Connection:
    if path is not None:
        # URLs may contain access keys, so only the owner may read the file.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    database = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False, timeout=10)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _SCHEMA_VERSION):
            raise sqlite3.DatabaseError(
                f"its schema version is {version}, but this program reads version {_SCHEMA_VERSION}"
            )
        database.execute("BEGIN IMMEDIATE")
        database.execute(_SCHEMA)
        database.execute(_CONTENTS_SCHEMA)
        database.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _read_record(database: sqlite3.Connection, url: str) -> FetchRecord:
    row = database.execute(f"SELECT {_COLUMNS} FROM visits WHERE url = ?", (url,)).fetchone()
    if row is None:
        return FetchRecord(url)
    validated_url, etag, last_modified, not_before, failures, gone, permanent_url = row
    validators = None if validated_url is None else Validators(validated_url, etag, last_modified)
    return FetchRecord(url, validators, not_before, failures, bool(gone), permanent_url)


def _write_record(database: sqlite3.Connection, record: FetchRecord) -> None:
    validators = record.validators
    tags = (None, None, None) if validators is None else (validators.url, validators.etag, validators.last_modified)
    database.execute(
        f"INSERT OR REPLACE INTO visits (url, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (record.url, *tags, record.not_before, record.failures, record.gone, record.permanent_url),
    )
