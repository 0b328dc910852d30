"""What is remembered of a URL between visits, in one SQLite file.

Validators tell a server "I have this already", so they may be kept only once that is true: `commit` is called when the
items of a response were safely handled, and a crash before it means that the next visit gets them again. Failures are
written at once: they hold nothing that could be lost. SQLite rather than JSON, because a commit then costs one row and
not the file, several threads and processes may share it, and WAL with synchronous=FULL survives a loss of power.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from gtopss.net.errors import FetchError, Gone, NotDue, UnsuccessfulStatus, UnusableState
from gtopss.net.retrieval import Response, Validators

_VERSION = 1
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
_COLUMNS = "validated_url, etag, last_modified, not_before, failures, gone, permanent_url"


@dataclass(frozen=True, slots=True)
class Politeness:
    """How long to leave a server alone, in seconds."""

    longest_wait: float = 24 * 3600.0
    """Whatever a server asks for, and after 410."""
    longest_freshness: float = 3600.0
    """Of Cache-Control's max-age: many servers set a year without meaning it."""
    first_backoff: float = 60.0
    """After one failure; twice as long after each further one."""
    longest_backoff: float = 6 * 3600.0

    def backoff(self, failures: int) -> float:
        """
        >>> [Politeness().backoff(n) for n in (1, 2, 3, 99)]
        [60.0, 120.0, 240.0, 21600.0]
        """
        return float(min(self.first_backoff * 2 ** min(failures - 1, 40), self.longest_backoff))


@dataclass(frozen=True, slots=True)
class Visit:
    """What is known of one URL; all defaults if it was never visited."""

    url: str
    validators: Validators | None = None
    not_before: float = 0.0
    """Unix seconds."""
    failures: int = 0
    """In a row; a commit sets it back."""
    gone: bool = False
    permanent_url: str | None = None
    """Recorded for the operator; not followed by itself, as a server may lose control of its redirects for an hour."""


class FetchState:
    """The visits, in a file, or in memory if no path is given. One may serve several threads.

    >>> with FetchState() as state:
    ...     state.visit("http://example.org/feed").failures
    0
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        politeness: Politeness | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path, self.clock, self.politeness = path, clock, politeness or Politeness()
        self._lock = threading.Lock()
        with self._reporting():
            self._database = _open(path)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def visit(self, url: str) -> Visit:
        """What is known of `url`."""
        with self._transaction() as database:
            return _visit(database, url)

    def check_due(self, url: str) -> Visit:
        """The visit, if its time has come; NotDue otherwise."""
        visit, now = self.visit(url), self.clock()
        # Never further off than any wait we set: if it is, the clock was wrong, then or now.
        if now < visit.not_before <= now + self.politeness.longest_wait:
            raise NotDue(url, visit.not_before, now)
        return visit

    def commit(self, response: Response) -> None:
        """The items of `response` were safely handled: do not send them again.

        When this returns, it is on disk. After 304 too, for the politeness that came with it.
        """
        validators = response.validators
        not_before = self.clock() + min(response.fresh_for, self.politeness.longest_freshness)
        with self._transaction() as database:
            _write(database, Visit(response.url, validators, not_before, permanent_url=response.permanent_url))

    def fail(self, url: str, error: FetchError) -> None:
        """Note a failed visit: wait as long as the server asked, or longer after each failure. Validators stay."""
        politeness = self.politeness
        asked = error.retry_after if isinstance(error, UnsuccessfulStatus) else None
        with self._transaction() as database:
            before = _visit(database, url)
            failures = before.failures + 1
            wait = politeness.backoff(failures) if asked is None else min(asked, politeness.longest_wait)
            if isinstance(error, Gone):
                wait = politeness.longest_wait
            not_before = self.clock() + min(wait, politeness.longest_wait)
            gone = isinstance(error, Gone)
            _write(database, Visit(url, before.validators, not_before, failures, gone, before.permanent_url))

    def forget(self, url: str) -> None:
        """The next visit is as the first one."""
        with self._transaction() as database:
            database.execute("DELETE FROM visits WHERE url = ?", (url,))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._reporting():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise UnusableState(str(self.path or "in memory"), str(error)) from error


def _open(path: str | Path | None) -> sqlite3.Connection:
    if path is not None:
        # URLs may hold keys, so that the file is its owner's alone.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    database = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False, timeout=10)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(f"its version is {version}, and this program reads {_VERSION}")
        database.execute("BEGIN IMMEDIATE")
        database.execute(_SCHEMA)
        database.execute(f"PRAGMA user_version={_VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _visit(database: sqlite3.Connection, url: str) -> Visit:
    row = database.execute(f"SELECT {_COLUMNS} FROM visits WHERE url = ?", (url,)).fetchone()
    if row is None:
        return Visit(url)
    validated_url, etag, last_modified, not_before, failures, gone, permanent_url = row
    validators = None if validated_url is None else Validators(validated_url, etag, last_modified)
    return Visit(url, validators, not_before, failures, bool(gone), permanent_url)


def _write(database: sqlite3.Connection, visit: Visit) -> None:
    validators = visit.validators
    tags = (None, None, None) if validators is None else (validators.url, validators.etag, validators.last_modified)
    database.execute(
        f"INSERT OR REPLACE INTO visits (url, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (visit.url, *tags, visit.not_before, visit.failures, visit.gone, visit.permanent_url),
    )
