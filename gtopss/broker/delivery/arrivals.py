"""Wake the readers of event streams when a subscription has new notifications.

The broker that matches a publication signals its own readers. For the readers of other brokers, `look` reads the
numbers of all subscriptions with readers together from time to time, so that a thousand quiet readers cost one query.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

from gtopss.broker.store import subscription_rows
from gtopss.broker.store.store import Store

_GONE = -1  # in place of the number of a subscription that is gone


class Arrivals:
    """Calls the listeners of subscriptions. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[str, dict[object, Callable[[], None]]] = {}
        self._seen: dict[str, int] = {}

    def signal(self, subscription_ids: Iterable[str]) -> None:
        """Wake the readers of these subscriptions, after their notifications were committed."""
        if not self._listeners:
            return
        with self._lock:
            found = [call for id in subscription_ids for call in self._listeners.get(id, {}).values()]
        for call in found:
            call()

    def look(self, store: Store) -> int:
        """Wake the readers of subscriptions that have got notifications since the last look, or are gone.

        Return how many subscriptions that are. One thread calls it, again and again.
        """
        with self._lock:
            ids = list(self._listeners)
        if not ids:
            return 0
        found = store.read(lambda connection: subscription_rows.last_sequences(connection, ids))
        seen = {id: found.get(id, _GONE) for id in ids}
        changed = [id for id in ids if seen[id] != self._seen.get(id)]
        self._seen = seen
        self.signal(changed)
        return len(changed)

    @contextlib.contextmanager
    def listening(self, subscription: str, call: Callable[[], None]) -> Iterator[None]:
        """Call `call` from the signalling thread whenever the subscription is signalled. It must not block."""
        key = object()
        with self._lock:
            self._listeners.setdefault(subscription, {})[key] = call
        try:
            yield
        finally:
            with self._lock:
                del self._listeners[subscription][key]
                if not self._listeners[subscription]:
                    del self._listeners[subscription]
