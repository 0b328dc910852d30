"""Threads of their own for routes that may take long, so that these do not use up the threads of all others.

Other routes share the threads of the web framework (40). A route that waits for another server, matches many
publications or reads a large document would hold one of them for seconds; a few dozen such requests would then stop
every other request.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

ROUTE_THREADS = {"plain": 2, "publish": 32, "match": 8, "fetch": 16}
"""Threads for each kind of work: publishing plain documents, those of many requests at once (`publish_queue.py`);
reading other published documents; trying subscriptions on publications and explaining them; fetching from other
servers. Further requests wait for a free one."""


class RouteThreads:
    """The threads of one service, by kind of work."""

    def __init__(self) -> None:
        self._pools = {
            kind: ThreadPoolExecutor(count, thread_name_prefix=f"gtopss-{kind}-route")
            for kind, count in ROUTE_THREADS.items()
        }

    async def run(self, kind: str, function: Callable[[], T]) -> T:
        """Run a function in a thread for this kind of work."""
        return await asyncio.get_running_loop().run_in_executor(self._pools[kind], function)

    def close(self) -> None:
        """End the threads when what they run is done."""
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)


def runs_in(kind: str) -> Callable[[Callable[..., T]], Callable[..., Awaitable[T]]]:
    """Return a decorator of a route that has the parameter `service`: it runs in a thread for this kind of work."""

    def decorate(route: Callable[..., T]) -> Callable[..., Awaitable[T]]:
        @functools.wraps(route)
        async def run(**given: Any) -> T:
            made: T = await given["service"].route_threads.run(kind, functools.partial(route, **given))
            return made

        return run

    return decorate
