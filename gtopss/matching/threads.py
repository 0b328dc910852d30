"""Run the parts of one call in several threads, of which the caller is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


class MatchThreads:
    """Threads that work for whoever calls `map`. Thread-safe.

    They are started when they are first needed, and end when this object is freed or the interpreter exits. A process
    that was forked starts its own. Callers do not wait for each other: each does the work that no thread has taken.
    """

    def __init__(self, count: int) -> None:
        """`count` is the number of threads of one call, the caller's included."""
        self.count = count
        self._pool: tuple[int, ThreadPoolExecutor] | None = None  # with the process that started it

    def map(self, function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """Return the function's result for each item, in order. An error of the function is raised when all ended."""
        if self.count == 1 or len(items) < 2:
            return [function(item) for item in items]
        results: dict[int, _Result] = {}
        places = iter(range(len(items)))  # `next` of it is atomic

        def work() -> None:
            for place in places:
                results[place] = function(items[place])

        helpers = self._start(work, min(self.count, len(items)) - 1)
        try:
            work()
        finally:
            list(places)  # after an error nobody begins another item
            wait([each for each in helpers if not each.cancel()])
        for each in helpers:
            if not each.cancelled():
                each.result()
        return [results[place] for place in range(len(items))]

    def _start(self, work: Callable[[], None], count: int) -> list[Future[None]]:
        """Submit the work so many times; fewer times if the system has no more threads, or the interpreter exits."""
        started: list[Future[None]] = []
        try:
            while len(started) < count:
                started.append(self._executor().submit(work))
        except RuntimeError:
            pass
        return started

    def _executor(self) -> ThreadPoolExecutor:
        pool = self._pool
        if pool is None or pool[0] != os.getpid():
            # Two callers may both create one: the threads of the one that is not kept end after their work.
            executor = ThreadPoolExecutor(self.count - 1, thread_name_prefix="gtopss-match")
            pool = self._pool = os.getpid(), executor
        return pool[1]


ONE_THREAD = MatchThreads(1)
"""The caller's thread alone."""
