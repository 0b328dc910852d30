"""Calls that were started and have not returned, and calls that were abandoned but still run."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from gtopss.operators import limits
from gtopss.operators.declaration import Operator
from gtopss.operators.predicates import OperatorCall


@dataclass(slots=True, eq=False)
class PendingCall:
    """A started call, or a batch of calls of one operator."""

    calls: Sequence[OperatorCall]
    started: float
    deadline: float
    seconds: float = 0.0
    predicates: Sequence[int] = ()
    """The predicates that the calls answer. Set and read by `Evaluation` only."""
    is_slow: bool = False
    """Whether calls of other operators no longer wait for it. Set and read by `SlowCalls` only."""
    loop: asyncio.AbstractEventLoop | None = None
    task: Future[None] | None = None
    is_running: bool = True
    """Whether the function may be running. An async one is not running until the loop starts it."""
    is_abandoned: bool = False

    @property
    def operator(self) -> Operator:
        return self.calls[0].operator


class AbandonedCalls:
    """Counts, by operator, the abandoned calls that still run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[Operator] = Counter()

    def __len__(self) -> int:
        return self._running.total()

    def is_full(self, operator: Operator) -> bool:
        """Return whether so many calls of the operator are abandoned that it must not be called."""
        return self._running[operator] >= limits.MAX_ABANDONED_CALLS

    def add(self, pending: PendingCall) -> None:
        """Count a call if its function is running."""
        with self._lock:
            if pending.is_running:
                pending.is_abandoned = True
                self._running[pending.operator] += 1

    def mark_returned(self, pending: PendingCall) -> None:
        """Note that a function returned, whether its call was abandoned or not."""
        with self._lock:
            pending.is_running = False
            if pending.is_abandoned:
                self._running[pending.operator] -= 1
                self._running += Counter()  # drops the operators with a count of 0


ABANDONED_CALLS = AbandonedCalls()
"""The abandoned calls of this process."""
