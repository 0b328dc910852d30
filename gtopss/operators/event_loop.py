"""The event loop of async operators: one for the process, in a thread of its own, replaced if an operator blocks it."""

from __future__ import annotations

import asyncio
import threading

EVENT_LOOP_GRACE_SECONDS = 0.05
"""Seconds that a loop gets to respond, and that an async call gets to report its own timeout."""


class OperatorEventLoop:
    """Creates the loop at its first use. Thread-safe."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop,), name="gtopss-operators", daemon=True).start()
            return self._loop

    def responds(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Return whether a loop runs a callback within the grace period."""
        responded = threading.Event()
        try:
            loop.call_soon_threadsafe(responded.set)
        except RuntimeError:  # the loop was abandoned and has ended: all calls on it are answered
            return True
        return responded.wait(EVENT_LOOP_GRACE_SECONDS)

    def abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give later calls a new loop, because an operator blocks this one. Calls on it may still be answered."""
        with self._lock:
            if self._loop is not loop:
                return
            self._loop = None
        asyncio.run_coroutine_threadsafe(_stop_when_done(loop), loop)


def running_operator(loop: asyncio.AbstractEventLoop | None) -> str | None:
    """Return the name of the operator that a loop is executing."""
    task = asyncio.current_task(loop) if loop is not None else None
    return None if task is None else task.get_name()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


async def _stop_when_done(loop: asyncio.AbstractEventLoop) -> None:
    """Stop the loop once all calls on it have returned or timed out."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
    loop.stop()


EVENT_LOOP = OperatorEventLoop()
