"""Server-sent events without a transport: decode lines, and remember where to continue after a broken connection.

The service numbers the notifications of a subscription, and an event's id is that number. A reader that was
disconnected sends the last number it has seen (`Last-Event-ID`), and gets everything after it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gtopss.client.errors import InvalidResponse
from gtopss.client.models import Notification, from_json

MEDIA_TYPE = "text/event-stream"
FIRST_PAUSE_SECONDS = 0.5
"""Before the first attempt to connect again; each further failure doubles it."""
TEMPORARY_STATUSES = (429, 502, 503, 504)
"""Responses after which a reader that was connected before tries again."""
MAX_PAUSE_SECONDS = 30.0
MAX_EVENT_CHARACTERS = 8 * 2**20
"""Characters of one event. A longer one ends the stream with an error."""


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """An event as it was sent."""

    kind: str
    id: str | None
    data: str


class EventDecoder:
    """Puts the lines of an event stream together. One for each connection.

    >>> decoder = EventDecoder("http://localhost")
    >>> [decoder.add(line) for line in ("event: match", "id: 7", "data: {}", "")][-1]
    ServerEvent(kind='match', id='7', data='{}')
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._kind = "message"
        self._id: str | None = None
        self._data: list[str] = []
        self._size = 0

    def add(self, line: str) -> ServerEvent | None:
        """Return the event that this line ends, if it ends one. Raises InvalidResponse for an endless one."""
        if not line:
            return self._end()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        self._size += len(line)
        if self._size > MAX_EVENT_CHARACTERS:
            raise InvalidResponse(self._url, "an event of its stream is too long")
        if name == "event":
            self._kind = value
        elif name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        return None  # a comment (a ping), `retry`, or a field that this version does not know

    def _end(self) -> ServerEvent | None:
        event = ServerEvent(self._kind, self._id, "\n".join(self._data)) if self._data else None
        self._kind, self._id, self._data, self._size = "message", None, [], 0
        return event


class StreamPlace:
    """Where a reader is in the notifications of a subscription, over any number of connections."""

    def __init__(self, url: str, after: int | None, *, random: Callable[[], float] = random.random) -> None:
        self.last = after
        self.ended = False
        self.connected = False
        """Whether a connection has ever been accepted: until then, failures are the caller's."""
        self._url, self._failures, self._random = url, 0, random

    def headers(self) -> dict[str, str]:
        """Return the headers of the next request."""
        made = {"Accept": MEDIA_TYPE, "Cache-Control": "no-store"}
        if self.last is not None:
            made["Last-Event-ID"] = str(self.last)
        return made

    def accepted(self) -> None:
        """Note that the service has accepted a connection."""
        self.connected = True

    def waits_after(self, status: int) -> bool:
        """Return whether to connect again after a response: the service starts, or a proxy does not reach it."""
        return self.connected and status in TEMPORARY_STATUSES

    def receive(self, event: ServerEvent) -> Notification | None:
        """Return the notification of an event, if it has one that was not seen before. Raises InvalidResponse."""
        self._failures = 0
        if event.kind == "end":
            self.ended = True
            return None
        try:
            sequence = int(event.id) if event.id is not None else None
            data = json.loads(event.data)
            found = _gap(data, sequence) if event.kind == "gap" else from_json(Notification, data)
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidResponse(self._url, f"an event of the kind {event.kind!r} cannot be read: {error}") from error
        if sequence is not None:
            if self.last is not None and sequence <= self.last and event.kind != "gap":
                return None
            self.last = sequence
        return found

    def pause(self) -> float:
        """Return how many seconds to wait before the next connection."""
        longest: float = min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return longest * (0.5 + self._random() / 2)  # so that all readers of a service do not return at once


def _gap(data: Any, sequence: int | None) -> Notification:
    first, last = data.get("first_sequence"), data.get("last_sequence")
    which = f"{first} to {last}" if first is not None and last is not None else "an unknown number of them"
    message = f"notifications are missing: {which} ({data.get('reason', 'no reason was given')})"
    return Notification("", "", sequence or 0, "gap", None, message=message)
