"""Delete old rows: publications, notifications, dead letters, changes and feed items, by age, number and size.

A publication is kept as long as it waits to be matched or a notification is about it; a notification, as long as an
active target has not received it or it is part of a dead letter; a dead letter that is to be delivered again; and the
newest change. Rows are found by reads and deleted in portions, so that no transaction is long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    delete,
    exists,
    func,
    literal,
    select,
    tuple_,
)

from gtopss.broker.store.publication_rows import waiting_numbers
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

PORTION_ROWS = 500
"""Rows that are deleted in one change, so that others wait only shortly."""
_DAY = 86_400.0
_ACTIVE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """How much of a table is kept. None for no limit."""

    seconds: float | None = None
    rows: int | None = None
    bytes: int | None = None
    """About the size of the rows, without indexes."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not value >= 0:
                raise ValueError(f"{field.name}={value} is no limit: use a number that is not negative, or None")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How much of each table is kept."""

    publications: Keep = Keep(seconds=30 * _DAY, rows=1_000_000, bytes=4 * 2**30)
    notifications: Keep = Keep(seconds=30 * _DAY, rows=10_000_000, bytes=4 * 2**30)
    dead_letters: Keep = Keep(seconds=30 * _DAY, rows=1_000_000)
    changes: Keep = Keep(rows=1_000_000)
    """A broker that was away for more changes builds its engine anew."""
    feed_items: Keep = Keep(seconds=90 * _DAY)
    """Counted from when a feed has last listed the item."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a table, from the oldest to the newest."""

    table: Table
    order: Sequence[Column[Any]]
    """Columns that order the rows, without ties; the last one is part of the key."""
    time: Column[Any]
    size: ColumnElement[int]
    removable: ColumnElement[bool]

    def age_bound(self, connection: Connection, before: float) -> tuple[Any, ...] | None:
        """Return the newest row from before a time, by the columns of `order`; None if there is none."""
        found = connection.execute(self._newest().where(self.time < before)).first()
        return None if found is None else tuple(found)

    def size_bound(self, connection: Connection, keep: Keep) -> tuple[Any, ...] | None:
        """Return the newest row that is beyond the number of rows or bytes to keep; None if there is none.

        A twentieth more is left out, so that not every row that is added makes a table be read again.
        """
        queries: list[Select[Any]] = []
        if keep.rows is not None:
            queries.append(self._newest().offset(keep.rows - keep.rows // 20))
        if keep.bytes is not None:
            newest_first = [column.desc() for column in self.order]
            running = func.sum(self.size).over(order_by=newest_first, rows=(None, 0)).label("total")
            sized = select(*self.order, running).subquery()
            columns = [sized.c[column.name] for column in self.order]
            kept = literal(keep.bytes - keep.bytes // 20, BigInteger)
            ordered = select(*columns).where(sized.c.total > kept).order_by(*(column.desc() for column in columns))
            queries.append(ordered.limit(1))
        found = [connection.execute(query).first() for query in queries]
        return max((tuple(row) for row in found if row is not None), default=None)

    def measure(self, connection: Connection, after: Sequence[Any] | None) -> tuple[Sequence[Any] | None, int, int]:
        """Return the newest row, and the number and bytes of the rows after another row, or of all."""
        query = select(func.count(), func.coalesce(func.sum(self.size), 0)).select_from(self.table)
        if after is not None:
            query = query.where(tuple_(*self.order) > self._place(after))
        rows, size = connection.execute(query).one()
        newest = connection.execute(self._newest()).first()
        return (after if newest is None else tuple(newest)), int(rows), int(size)

    def _newest(self) -> Select[Any]:
        return select(*self.order).order_by(*(column.desc() for column in self.order)).limit(1)

    def portion(
        self, connection: Connection, bound: Sequence[Any], after: Sequence[Any] | None, rows: int
    ) -> list[tuple[Any, ...]]:
        """Return the oldest removable rows up to a bound and after another row, by the columns of `order`."""
        place = tuple_(*self.order)
        query = select(*self.order).where(self.removable, place <= self._place(bound))
        if after is not None:
            query = query.where(place > self._place(after))
        return [tuple(row) for row in connection.execute(query.order_by(*self.order).limit(rows))]

    def _place(self, row: Sequence[Any]) -> ColumnElement[Any]:
        return tuple_(*(literal(value, column.type) for value, column in zip(row, self.order, strict=True)))

    def delete(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """Delete these rows, except those that have become unremovable since, and return the size of each."""
        # PostgreSQL decides what to delete before it waits for a row: one that is locked may be needed afterwards.
        connection.execute(select(*self.order).where(tuple_(*self.order).in_(rows)).with_for_update()).all()
        deleted = delete(self.table).where(tuple_(*self.order).in_(rows), self.removable)
        return list(connection.execute(deleted.returning(self.size)).scalars())


# Dead letters keep notifications, and notifications keep publications, so they come in this order.
_TABLES = {
    "dead_letters": _Rows(
        dead_letters,
        (dead_letters.c.at, dead_letters.c.target, dead_letters.c.first_sequence),
        dead_letters.c.at,
        func.length(dead_letters.c.reason) + 200,
        dead_letters.c.replay.is_(False),
    ),
    "notifications": _Rows(
        notifications,
        (notifications.c.created_at, notifications.c.subscription, notifications.c.sequence),
        notifications.c.created_at,
        func.coalesce(func.length(notifications.c.bindings), 0) + 200,
        and_(
            ~exists().where(
                targets.c.subscription == notifications.c.subscription,
                targets.c.state == _ACTIVE,
                targets.c.delivered_sequence < notifications.c.sequence,
            ),
            ~exists().where(
                dead_letters.c.subscription == notifications.c.subscription,
                dead_letters.c.first_sequence <= notifications.c.sequence,
                dead_letters.c.last_sequence >= notifications.c.sequence,
            ),
        ),
    ),
    "publications": _Rows(
        publications,
        (publications.c.received_at, publications.c.number),
        publications.c.received_at,
        func.length(publications.c.lines) + 200,
        and_(
            publications.c.number.not_in(select(match_tasks.c.publication)),
            ~exists().where(notifications.c.publication == publications.c.number),
        ),
    ),
    "changes": _Rows(
        changes,
        (changes.c.number,),  # whatever the clocks say: the log has no gap
        changes.c.at,
        func.length(changes.c.subscription) + 20,
        changes.c.number < select(func.max(changes.c.number)).correlate(None).scalar_subquery(),
    ),
    "feed_items": _Rows(
        feed_items,
        (feed_items.c.listed_at, feed_items.c.feed, feed_items.c.item),
        feed_items.c.listed_at,
        func.length(feed_items.c.feed) + func.length(feed_items.c.item) + 100,
        feed_items.c.listed_at.is_not(None),
    ),
}


@dataclass(slots=True)
class _Measure:
    """How much a table has, as far as this process knows: others may have deleted rows."""

    newest: Sequence[Any] | None
    rows: int
    bytes: int
    held_rows: int = 0
    held_bytes: int = 0
    """What a table had when nothing more could be deleted: it is looked through again when it has grown."""

    def exceeds(self, keep: Keep) -> bool:
        """Tell whether there is more than is to be kept."""
        return _exceeds(self.rows, keep.rows, self.held_rows) or _exceeds(self.bytes, keep.bytes, self.held_bytes)


def _exceeds(size: int, limit: int | None, held: int) -> bool:
    return limit is not None and size > limit and size > held + held // 20


class Cleaner:
    """Deletes what need not be kept, whenever it is called. Not thread-safe.

    It reads a table whole when it starts, and when a limit of rows or bytes is reached. In between it only measures the
    rows that were added.
    """

    def __init__(self, store: Store, retention: Retention) -> None:
        self._store, self._retention = store, retention
        self._measures: dict[str, _Measure] = {}

    def clean(self, now: float, *, is_stopped: Callable[[], bool] = lambda: False) -> dict[str, int]:
        """Delete rows in portions, and return how many of each table were deleted. `is_stopped` ends it early."""
        deleted = {}
        for name, rows in _TABLES.items():
            keep: Keep = getattr(self._retention, name)
            sizes: list[int] = []
            if keep.seconds is not None:
                before = now - keep.seconds
                bound = self._store.read(lambda connection, rows=rows: rows.age_bound(connection, before))  # type: ignore[misc] # noqa: B023
                sizes += self._delete_up_to(rows, bound, is_stopped)
            if keep.rows is not None or keep.bytes is not None:
                sizes += self._delete_excess(name, keep, sum(sizes), len(sizes), is_stopped)
            deleted[name] = len(sizes)
        return deleted

    def _delete_excess(
        self, name: str, keep: Keep, deleted_bytes: int, deleted_rows: int, is_stopped: Callable[[], bool]
    ) -> list[int]:
        """Delete the oldest rows of a table that has more than is to be kept. Return the sizes of the deleted rows."""
        rows, measure = _TABLES[name], self._measures.get(name)
        if measure is None:
            measure = _Measure(*self._store.read(lambda connection: rows.measure(connection, None)))
        else:
            last = measure.newest
            measure.newest, more, size = self._store.read(lambda connection: rows.measure(connection, last))
            measure.rows += more - deleted_rows
            measure.bytes += size - deleted_bytes
        self._measures[name] = measure
        if not measure.exceeds(keep):
            return []
        bound = self._store.read(lambda connection: rows.size_bound(connection, keep))
        sizes = self._delete_up_to(rows, bound, is_stopped)
        if not is_stopped():
            newest, count, size = self._store.read(lambda connection: rows.measure(connection, None))
            self._measures[name] = _Measure(newest, count, size, held_rows=count, held_bytes=size)
        return sizes

    def _delete_up_to(self, rows: _Rows, bound: tuple[Any, ...] | None, is_stopped: Callable[[], bool]) -> list[int]:
        if bound is None:
            return []
        kept = self._store.read(_KeptPublications.read) if rows.table is publications else None
        sizes: list[int] = []
        last = None
        while not is_stopped():
            found = self._store.read(lambda connection: rows.portion(connection, bound, last, PORTION_ROWS))  # noqa: B023
            if not found:
                break
            last = found[-1]
            if kept is not None:
                found = [row for row in found if not kept.has(row[-1])]
            if found:
                sizes += self._store.write(lambda connection: rows.delete(connection, found))  # noqa: B023
        return sizes


@dataclass(frozen=True, slots=True)
class _KeptPublications:
    """Publications that notifications name beside their own, or may name soon because they are not matched yet.

    A publication is joined to a notification in the transaction in which it becomes matched. One that is matched in the
    state that was read, and not joined, stays so.
    """

    newest: int
    numbers: frozenset[int]

    @classmethod
    def read(cls, connection: Connection) -> _KeptPublications:
        """Read them from one state of the database."""
        joined = select(notifications.c.other_publications).where(notifications.c.other_publications.is_not(None))
        numbers = {number for (text,) in connection.execute(joined) for number in json.loads(text)}
        numbers |= waiting_numbers(connection)
        newest = connection.execute(select(func.max(publications.c.number))).scalar() or 0
        return cls(newest, frozenset(numbers))

    def has(self, number: int) -> bool:
        return number > self.newest or number in self.numbers
