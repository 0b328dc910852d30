"""Let signals wait while something runs that must not be left half-way."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
URGENT_SECONDS = 1.0
"""A second signal after this time does not wait. An earlier one is taken for the same request: `timeout` sends two."""


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Handle a signal at the end of the block, if Python handles it. In other threads than the main one, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
    first: list[tuple[int, float]] = []

    def keep(number: int, frame: FrameType | None) -> None:
        if not first:
            first.append((number, time.monotonic()))
        elif time.monotonic() > first[0][1] + URGENT_SECONDS:
            handlers[number](number, frame)

    for each in SIGNALS:
        handler = signal.getsignal(each)
        if callable(handler):
            handlers[each] = handler
            signal.signal(each, keep)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if first:
            signal.raise_signal(first[0][0])
