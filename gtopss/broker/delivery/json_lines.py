"""Notifications as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from gtopss.broker.delivery.message import Compose, Notification
from gtopss.broker.store.notification_pages import page_after
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.store import Store

_PAGE_NOTIFICATIONS = 100  # read from the store at a time


def json_lines(store: Store, compose: Compose, subscription: str, *, after: int = 0) -> Iterator[bytes]:
    """Yield the retained notifications of a subscription after a number, in their order, each as a line of JSON."""

    def page(connection: Connection) -> tuple[list[NotificationRow], Sequence[Notification], bool]:
        rows, is_last = page_after(connection, subscription, after, _PAGE_NOTIFICATIONS)
        return rows, compose(connection, rows), is_last

    while True:
        rows, composed, is_last = store.read(page)
        for each in composed:
            yield json.dumps(each.to_json(), ensure_ascii=False).encode() + b"\n"
        if is_last:
            return
        after = rows[-1].sequence
