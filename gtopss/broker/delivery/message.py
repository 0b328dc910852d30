"""The notifications of one delivery, and its id."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Connection

from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.feeds.entries import Entry


class Notification(Protocol):
    """A notification with everything that its receiver gets."""

    @property
    def row(self) -> NotificationRow: ...

    def to_json(self) -> dict[str, Any]: ...

    def entry(self) -> Entry: ...


Compose = Callable[[Connection, Sequence[NotificationRow]], Sequence[Notification]]
"""Adds to rows of notifications what their publications say. Rows that have nothing left to say are left out."""


@dataclass(frozen=True, slots=True)
class Message:
    """The content of one delivery: one notification, or several that are joined. It is the same in every attempt."""

    subscription: str
    first_sequence: int
    last_sequence: int
    notifications: tuple[Notification, ...]

    @property
    def id(self) -> str:
        """The stable id: of the notification, or of the first and the last one that are joined."""
        rows = [each.row for each in self.notifications]
        if len(rows) == 1:
            return rows[0].id
        return "joined_" + hashlib.sha256(f"{rows[0].id} {rows[-1].id} {len(rows)}".encode()).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        """Return the message as Standard Webhooks recommends: its type, its time, and the data."""
        last = self.notifications[-1]
        time = dt.datetime.fromtimestamp(last.row.created_at, dt.UTC).isoformat()
        if len(self.notifications) == 1:
            return {"type": last.row.kind, "timestamp": time, "data": last.to_json()}
        data = {
            "subscription": self.subscription,
            "first_sequence": self.first_sequence,
            "last_sequence": self.last_sequence,
            "notifications": [each.to_json() for each in self.notifications],
        }
        return {"type": "joined", "timestamp": time, "data": data}
