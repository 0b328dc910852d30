"""The items that earlier runs have read, in the SQLite file of the fetch state.

An item is new once. What a run reads is collected in a temporary table and stored by `commit`, which the caller calls
when the output is written: after a crash before that, the items are new again. They are in the file of `FetchState`,
because the validators there say that a server need not send the same items again, which is right only while both are
kept or lost together.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from gtopss.net.state import immediate_transaction, state_errors

ITEM_RETENTION_SECONDS = 30 * 24 * 3600.0
"""How long an item is remembered after its feed last listed it."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    id         TEXT NOT NULL,
    feed       TEXT NOT NULL,
    digest     BLOB NOT NULL,
    listed_at  REAL NOT NULL,
    PRIMARY KEY (feed, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS items_listed_at ON items (listed_at);
CREATE TEMP TABLE listed (
    id         TEXT NOT NULL,
    feed       TEXT NOT NULL,
    digest     BLOB NOT NULL,
    PRIMARY KEY (feed, id)
) WITHOUT ROWID;
"""


class SeenItems(AbstractContextManager["SeenItems"]):
    """Remembers which items of which feed were read, and what they said. Not thread-safe.

    >>> with SeenItems(None, clock=lambda: 0.0) as seen:
    ...     first = seen.is_new("http://a.example/feed", "item 1", b"digest")
    ...     seen.commit()
    ...     first, seen.is_new("http://a.example/feed", "item 1", b"digest")
    (True, False)
    """

    def __init__(self, path: str | Path | None, *, clock: Callable[[], float] = time.time) -> None:
        """Open the file of a `FetchState`, which must exist. Without a path, everything is forgotten at the end."""
        self.path, self._clock = path, clock
        self._unchanged: set[str] = set()
        with state_errors(path):
            self._database = sqlite3.connect(path or "", isolation_level=None, timeout=10)
            try:
                self._database.execute("PRAGMA synchronous=FULL")
                self._database.execute("PRAGMA temp.journal_mode=OFF")
                self._database.executescript(_SCHEMA)
            except BaseException:
                self._database.close()
                raise

    def close(self) -> None:
        """Close the file. What was not committed is forgotten."""
        self._database.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def is_new(self, feed: str, id: str, digest: bytes, *, or_changed: bool = False) -> bool:
        """Return whether the item was not read before or, with `or_changed`, said something else then."""
        with state_errors(self.path):
            key = (feed, id)
            known = self._database.execute("SELECT digest FROM listed WHERE feed = ? AND id = ?", key).fetchone()
            known = (
                known or self._database.execute("SELECT digest FROM items WHERE feed = ? AND id = ?", key).fetchone()
            )
            self._database.execute("INSERT OR REPLACE INTO listed VALUES (?, ?, ?)", (id, feed, digest))
        return known is None or (or_changed and known[0] != digest)

    def still_lists_its_items(self, feed: str) -> None:
        """Note that a feed has not changed, so that it lists the items of its last reading."""
        self._unchanged.add(feed)

    def commit(self, unreadable: Collection[str] = ()) -> None:
        """Store what was noted since the last commit, and forget items that their feed no longer lists.

        What the feeds in `unreadable` listed is not forgotten: nobody knows what they list now. Durable at return.
        """
        now = self._clock()
        execute = self._database.execute
        with state_errors(self.path), immediate_transaction(self._database):
            execute("INSERT OR REPLACE INTO items SELECT id, feed, digest, ? FROM listed WHERE true", (now,))
            for each in (*self._unchanged, *unreadable):
                # A feed that could not be read is taken to list its items until it can be read again.
                execute("UPDATE items SET listed_at = ? WHERE feed = ?", (now, each))
            # A time in the future means that the clock was wrong, then or now.
            execute("UPDATE items SET listed_at = ? WHERE listed_at > ?", (now, now))
            execute("DELETE FROM items WHERE listed_at < ?", (now - ITEM_RETENTION_SECONDS,))
            execute("DELETE FROM listed")
        self._unchanged.clear()
