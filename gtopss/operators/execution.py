"""Calls, made so that none can stop the others.

A function without a timeout runs in the caller's thread and is trusted. Any other runs in a thread of its own, or on
the event loop if it is async; when its time is over its answer is unknown and it is left behind, since Python cannot
stop a thread (and nothing helps against native code that keeps the interpreter's lock). Those left behind are counted
in the whole process: beyond `MOST_LEFT_BEHIND` no further ones are started, and their calls are unknown as well. An
async function that blocks the loop costs the loop: the next call gets a new one.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gtopss.errors import shown
from gtopss.model import Publication
from gtopss.operators.declaration import FALSE, TRUE, Charged, Nonsense, Operator, Rows
from gtopss.operators.predicates import Request
from gtopss.operators.report import Reason

MOST_LEFT_BEHIND = 64
GRACE = 0.05  # seconds beyond an async timeout, for the loop to report it itself


class Outcome(NamedTuple):
    """Rows, or why there are none."""

    rows: Rows | None
    reason: Reason | None = None
    detail: str = ""
    charge: float | None = None
    """What the operator said that the call cost."""


@dataclass(slots=True, eq=False)
class Flight:
    """Requests of one operator on their way together."""

    requests: Sequence[Request]
    started: float
    ends: float
    seconds: float = 0.0
    predicates: Sequence[int] = ()
    """For the caller's own use: what the requests answer."""
    loop: asyncio.AbstractEventLoop | None = None


class Execution:
    """The calls of one publication."""

    def __init__(self, publication: Publication, clock: Callable[[], float] = time.monotonic) -> None:
        self._publication, self._clock = publication, clock
        self._landed: queue.SimpleQueue[tuple[Flight, list[Outcome]]] = queue.SimpleQueue()
        self.flights: dict[Flight, None] = {}

    def call(self, request: Request) -> tuple[Outcome, float]:
        """A single call in this thread, and the seconds that it took."""
        operator, started = request.operator, self._clock()
        try:
            value = operator.function(*(() if operator.pure else (self._publication,)), *request.inputs)
        except Exception as error:
            return _failed(error), self._clock() - started
        return _outcome(operator, value), self._clock() - started

    def start(self, requests: Sequence[Request]) -> tuple[Flight, list[Outcome] | None]:
        """Make a call, or a batch of one operator's. The outcomes, if it is done already; else see `wait`."""
        operator = requests[0].operator
        now = self._clock()
        flight = Flight(requests, now, now + (operator.timeout or 0.0))
        if operator.timeout is None:
            outcomes = self._outcomes(operator, requests)
            flight.seconds = self._clock() - now
            return flight, outcomes
        if operator.is_async:
            self._await(flight, operator)
        elif not _run_aside(lambda: self._land(flight, self._outcomes(operator, requests))):
            detail = f"{MOST_LEFT_BEHIND} calls that did not return in time are still running"
            return flight, [Outcome(None, "overloaded", detail)] * len(requests)
        self.flights[flight] = None
        return flight, None

    def wait(self, until: float | None) -> tuple[Flight, list[Outcome]] | None:
        """The next flight to land or to run out of time; None if `until` comes first."""
        while True:
            first = min(self.flights, key=lambda flight: flight.ends)
            ends = first.ends + (GRACE if first.loop else 0.0)
            limit = ends if until is None else min(ends, until)
            try:
                flight, outcomes = self._landed.get(timeout=max(limit - self._clock(), 0.0))
            except queue.Empty:
                if until is not None and limit == until and until < ends:
                    return None
                flight, outcomes = first, _late(first)
                if first.loop is not None:
                    _LOOP.abandon(first.loop)
            if flight in self.flights:  # one that was given up may still land
                del self.flights[flight]
                flight.seconds = flight.seconds or self._clock() - flight.started
                return flight, outcomes

    def _outcomes(self, operator: Operator, requests: Sequence[Request]) -> list[Outcome]:
        """Call, and read the answers: both here, since rows that are generated may hang as well."""
        try:
            return _read(operator, requests, self._call(operator, requests))
        except Exception as error:
            return [_failed(error)] * len(requests)

    def _call(self, operator: Operator, requests: Sequence[Request]) -> Any:
        first = () if operator.pure else (self._publication,)
        if operator.batch is not None:
            return operator.function(*first, [each.inputs for each in requests])
        return operator.function(*first, *requests[0].inputs)

    def _await(self, flight: Flight, operator: Operator) -> None:
        async def outcomes() -> list[Outcome]:
            try:
                return _read(operator, flight.requests, await self._call(operator, flight.requests))
            except Exception as error:
                return [_failed(error)] * len(flight.requests)

        async def run() -> None:
            try:
                self._land(flight, await asyncio.wait_for(outcomes(), operator.timeout))
            except TimeoutError:
                self._land(flight, _late(flight))

        flight.loop = _LOOP.get()
        asyncio.run_coroutine_threadsafe(run(), flight.loop)

    def _land(self, flight: Flight, outcomes: list[Outcome]) -> None:
        flight.seconds = self._clock() - flight.started
        self._landed.put((flight, outcomes))


def _read(operator: Operator, requests: Sequence[Request], result: Any) -> list[Outcome]:
    if operator.batch is None:
        return [_outcome(operator, result)]
    if not isinstance(result, (list, tuple)) or len(result) != len(requests):
        detail = f"returned {shown(result)}, where a list of {len(requests)} answers is wanted"
        return [Outcome(None, "nonsense", detail)] * len(requests)
    return [_outcome(operator, each) for each in result]


def _late(flight: Flight) -> list[Outcome]:
    timeout = flight.requests[0].operator.timeout
    return [Outcome(None, "timeout", f"no answer within {timeout:g} s")] * len(flight.requests)


def _failed(error: Exception) -> Outcome:
    return Outcome(None, "failed", f"{type(error).__name__}: {shown(str(error))}")


_YES, _NO = Outcome(TRUE), Outcome(FALSE)


def _outcome(operator: Operator, value: Any) -> Outcome:
    if value is False or (value is True and not operator.binds):
        return _YES if value else _NO  # by far the most frequent
    charge = None
    if isinstance(value, Charged):
        value, charge = value.answer, value.cost
        if not isinstance(charge, (int, float)) or not 0 <= charge < float("inf"):
            return Outcome(None, "nonsense", f"charged {shown(charge)}")
    try:
        return Outcome(operator.rows(value), charge=charge)
    except Nonsense as error:
        return Outcome(None, "nonsense", str(error), charge)
    except Exception as error:  # rows may come from a generator, which fails only now
        return _failed(error)._replace(charge=charge)


_slots = threading.BoundedSemaphore(MOST_LEFT_BEHIND)


def _run_aside(function: Callable[[], None]) -> bool:
    """Run it in a thread of its own, which does not keep the process alive; False if too many still run."""
    slots = _slots
    if not slots.acquire(blocking=False):
        return False

    def run() -> None:
        try:
            function()
        finally:
            slots.release()

    threading.Thread(target=run, name="gtopss-operator", daemon=True).start()
    return True


class _Loop:
    """One event loop in a thread of its own, made when it is first needed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run_loop, args=(self._loop,), name="gtopss-operators", daemon=True).start()
            return self._loop

    def abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        """It did not even report its own timeout, so something blocks it."""
        with self._lock:
            if self._loop is loop:
                self._loop = None
        loop.call_soon_threadsafe(loop.stop)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run it until it is abandoned; whoever still waits on it then runs out of time."""
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


_LOOP = _Loop()
