"""Rows of notifications: matches and notices of a subscription, numbered within it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, select

from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.tables import notifications
from gtopss.broker.store.upserts import among, in_parts


class NotificationRow(NamedTuple):
    """One notification. `publication` and `other_publications` are numbers of publications."""

    subscription: str
    sequence: int
    id: str
    kind: str
    created_at: float
    publication: int | None = None
    bindings: str | None = None
    truncated: bool = False
    article_link: bytes | None = None
    article_text: bytes | None = None
    other_publications: str | None = None

    def publications(self) -> tuple[int, ...]:
        """Return the numbers of all publications that it is about."""
        others = json.loads(self.other_publications) if self.other_publications else ()
        return () if self.publication is None else (self.publication, *others)


ROWS_PER_FETCH = 50
"""Rows that are fetched at a time where the bindings of all may be large."""
_COLUMNS = [notifications.c[name] for name in NotificationRow._fields]


def insert_many(connection: Connection, rows: Sequence[NotificationRow]) -> None:
    """Add notifications."""
    insert_rows(connection, "notifications", NotificationRow._fields, rows)


def after(
    connection: Connection, subscription: str, sequence: int, limit: int, max_characters: int | None = None
) -> list[NotificationRow]:
    """Return the notifications of a subscription after a number, in their order.

    They are fewer if their bindings have more than `max_characters` together, but at least one.
    """
    query = select(*_COLUMNS).where(notifications.c.subscription == subscription, notifications.c.sequence > sequence)
    return _first(connection, query.order_by(notifications.c.sequence).limit(limit), max_characters)


def newest_first(connection: Connection, subscription: str, limit: int, max_characters: int) -> list[NotificationRow]:
    """Return the newest notifications of a subscription, the newest first.

    They are fewer if their bindings have more than `max_characters` together, but at least one.
    """
    query = select(*_COLUMNS).where(notifications.c.subscription == subscription)
    return _first(connection, query.order_by(notifications.c.sequence.desc()).limit(limit), max_characters)


def _first(connection: Connection, query: Select[Any], max_characters: int | None) -> list[NotificationRow]:
    """Return the first rows of a query; no more are read than fit."""
    rows, left = list[NotificationRow](), max_characters
    with connection.execute(query.execution_options(yield_per=ROWS_PER_FETCH)) as found:
        for each in found:
            row = NotificationRow(*each)
            if left is not None:
                left -= len(row.bindings or "")
                if left < 0 and rows:
                    break
            rows.append(row)
    return rows


def written_pairs(
    connection: Connection, subscriptions: Collection[str], numbers: Collection[int]
) -> set[tuple[str, int]]:
    """Return the pairs of these subscriptions and publications for which there is a notification."""
    query = select(notifications.c.subscription, notifications.c.publication)
    return {
        (row.subscription, row.publication)
        for ids in in_parts(sorted(subscriptions))
        for part in in_parts(numbers)
        for row in connection.execute(
            query.where(
                among(connection, notifications.c.publication, part),
                among(connection, notifications.c.subscription, ids),
            )
        )
    }


def of_article(
    connection: Connection, subscription: str, link: bytes | None, text: bytes | None
) -> NotificationRow | None:
    """Return the newest notification of an article: one with this hash of its link or, if none, of its text."""
    for column, value in ((notifications.c.article_link, link), (notifications.c.article_text, text)):
        if value is not None and (found := _newest(connection, subscription, column == value)) is not None:
            return found
    return None


def _newest(connection: Connection, subscription: str, condition: ColumnElement[bool]) -> NotificationRow | None:
    query = select(*_COLUMNS).where(notifications.c.subscription == subscription, condition)
    found = connection.execute(query.order_by(notifications.c.sequence.desc()).limit(1)).first()
    return None if found is None else NotificationRow(*found)


def set_other_publications(connection: Connection, row: NotificationRow, numbers: Sequence[int]) -> None:
    """Store which other publications a notification is about."""
    key = (notifications.c.subscription == row.subscription) & (notifications.c.sequence == row.sequence)
    connection.execute(notifications.update().where(key).values(other_publications=json.dumps(list(numbers))))
