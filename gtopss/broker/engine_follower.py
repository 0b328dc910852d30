"""Keep an engine equal to the table of subscriptions, by following the log of changes.

    start:  newest usable snapshot, else all rows of the table ──> engine, as of change n
    follow: changes after n ──> current rows of the changed subscriptions ──> engine, as of change m

The database is authoritative and the engine is a cache of it. A change only names a subscription; applying it makes the
engine agree with the current row, so that applying a change again, or late, does no harm. A snapshot carries a number
of a change that the saved engine had applied at least.

There are two followers in a broker, each with an engine of its own: one for the subscriptions that call operators and
one for the others, so that a slow operator never delays the others, not even when subscriptions change. Where the
subscriptions are divided into shares, there is a follower for each share that the broker holds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker.engine_snapshots import EngineSnapshots
from gtopss.broker.store import change_rows, share_rows, subscription_rows
from gtopss.broker.store.change_rows import ChangeRow
from gtopss.broker.store.share_rows import Division, TextPage
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.subscription_texts import add_many_quietly, parse_text
from gtopss.broker.text_templates import TextTemplates
from gtopss.engine import Engine
from gtopss.errors import SubscriptionNotFound
from gtopss.model import Subscription

CHANGES_PER_READ = 10_000
"""Changes that are read from the log at a time."""
ROWS_PER_READ = 20_000
"""Subscriptions that are read at a time when the engine is built from the table, and after which progress is logged."""
_log = logging.getLogger(__name__)


class _Behind(Exception):
    """The log no longer has the change after the last one that was applied."""


class FollowedShare(NamedTuple):
    """One of the shares of a division."""

    division: Division
    share: int


class _Changes(NamedTuple):
    """A part of the log, and the current rows of the subscriptions that are in it and belong to the engine."""

    log: list[ChangeRow]
    rows: dict[str, SubscriptionRow]


class EngineFollower:
    """Hold an engine with the subscriptions of one kind. Thread-safe; one thread follows at a time, others wait."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        clock: Callable[[], float],
        *,
        calls_operators: bool = False,
        share: FollowedShare | None = None,
        snapshots: EngineSnapshots | None = None,
    ) -> None:
        """`engine` has no subscriptions; the follower owns it. Nothing is read before `start`.

        With `share`, the engine has the subscriptions of this share only.
        """
        self.engine, self._share = engine, share
        self._empty = engine.without_subscriptions()
        self._store, self._clock, self._calls_operators, self._snapshots = store, clock, calls_operators, snapshots
        self._templates = TextTemplates(lambda text, id: parse_text(text, "sparql", id, self._empty))
        self._lock = threading.RLock()
        self.applied = -1
        """The number of the newest change that the engine has applied; -1 before `start`."""
        self._saved, self._saved_at = -1, clock()

    def start(self) -> None:
        """Fill the engine from the newest usable snapshot and the log, or from the table."""
        with self._lock:
            if self._snapshots is not None and self._open_snapshot(self._snapshots):
                return
            self.rebuild()

    def follow(self, number: int | None = None) -> None:
        """Apply changes at least up to a number; without one, all that there are."""
        if number is not None and number <= self.applied:
            return
        with self._lock:
            if self.applied < 0:
                self.start()
            while number is None or self.applied < number:
                try:
                    changes = self._store.read(self._changes)
                except _Behind:
                    _log.warning("the log lacks changes after %d: reading all subscriptions", self.applied)
                    self.rebuild()
                    continue
                if not changes.log:
                    return
                self._apply(changes)

    @contextmanager
    def matching(self, number: int) -> Iterator[Engine]:
        """Yield the engine with all changes up to a number. It does not change before the block ends."""
        with self._lock:
            self.follow(number)
            yield self.engine

    def rebuild(self) -> None:
        """Build the engine from the table."""
        with self._lock:
            engine, done = self._empty.without_subscriptions(), 0
            last: str | None = ""
            # What changes meanwhile has a larger number, and is applied again afterwards.
            number = self._store.read(change_rows.newest)
            while last is not None:
                page = self._store.read(partial(self._texts, after=last))
                self._add(engine, page.texts)
                done, last = done + len(page.texts), page.last
                if last is not None:
                    _log.info("building the engine: %d subscriptions so far", done)
            self.engine, self.applied = engine, number
            _log.info("built the engine of %d subscriptions as of change %d", len(engine), number)

    def reset(self) -> None:
        """Forget all subscriptions: the next use reads them again."""
        if self.applied >= 0:
            with self._lock:
                self.applied = -1  # first: `save` must not take the empty engine for one of an earlier change
                self.engine = self._empty.without_subscriptions()

    def _texts(self, connection: Connection, after: str) -> TextPage:
        if self._share is not None:
            division, share = self._share
            return share_rows.texts(connection, division, share, after=after, limit=ROWS_PER_READ)
        found = subscription_rows.texts(
            connection, calls_operators=self._calls_operators, after=after, limit=ROWS_PER_READ
        )
        return TextPage(found, found[-1][0] if len(found) == ROWS_PER_READ else None)

    def _changes(self, connection: Connection) -> _Changes:
        log = change_rows.after(connection, self.applied, CHANGES_PER_READ)
        if (log and log[0].number != self.applied + 1) or (not log and change_rows.newest(connection) > self.applied):
            raise _Behind
        rows = subscription_rows.get_many(connection, {each.subscription for each in log})
        if self._share is not None:
            division, share = self._share
            shares = share_rows.get_many(connection, division, rows)
            rows = {id: row for id, row in rows.items() if id in shares and shares[id].share == share}
        return _Changes(log, rows)

    def _apply(self, changes: _Changes) -> None:
        wanted = []
        for id in dict.fromkeys(each.subscription for each in changes.log):
            row = changes.rows.get(id)
            with suppress(SubscriptionNotFound):
                self.engine.remove(id)
            if row is not None and not row.expired and row.calls_operators == self._calls_operators:
                wanted.append((row.id, row.form, row.query))
        self._add(self.engine, wanted)
        self.applied = changes.log[-1].number

    def _add(self, engine: Engine, texts: Iterable[tuple[str, str, str]]) -> None:
        """Add subscriptions to an engine. One that it refuses is logged, and is not matched."""
        parsed = list[Subscription]()
        for id, form, query in texts:
            try:
                is_query = form == "sparql"
                made = self._templates.subscription(query, id) if is_query else parse_text(query, form, id, engine)
                parsed.append(made)
            except Exception as error:  # whatever it is, it costs the others nothing
                _log.error("a stored subscription cannot be read: %s", error, extra={"subscription": id})
        for refused in add_many_quietly(engine, parsed):
            named = {"subscription": getattr(refused, "subscription_id", None)}
            _log.error("the engine refuses a stored subscription: %s", refused, extra=named)

    # --- snapshots ------------------------------------------------------------------------------------------

    def save_if_due(self, *, changes: int, seconds: float) -> bool:
        """Save the engine if there were so many changes since it was saved, or any and so much time has passed.

        Matching goes on meanwhile. Returns whether it was saved.
        """
        if self._snapshots is None or self.applied < 0 or self.applied == self._saved:
            return False
        if self.applied - self._saved < changes and self._clock() - self._saved_at < seconds:
            return False
        return self.save()

    def save(self) -> bool:
        """Save the engine for the next start. An error is logged: the next start only takes longer."""
        if self._snapshots is None or self.applied < 0:
            return False
        number = self.applied
        engine = self.engine  # read after the number: it may be newer than the number, and not older
        if self.applied < number:  # another thread has reset it meanwhile: this engine may be the empty one
            return False
        self._saved_at = self._clock()
        saved = self._snapshots.save(engine, number, self._store)
        if saved:
            self._saved = number
        return saved

    def _open_snapshot(self, snapshots: EngineSnapshots) -> bool:
        opened = snapshots.open(self._empty, self._store)
        if opened is None:
            return False
        self.engine, self.applied = opened
        self._saved = self.applied
        _log.info("opened the saved engine of %d subscriptions as of change %d", len(self.engine), self.applied)
        return True
