"""Calls, made so that none can stop the others.

A function without a timeout runs in the caller's thread and is trusted. Any other runs in a thread of its own, or on
the event loop if it is async; when its time is over its answer is unknown and it is left behind, since Python cannot
stop a thread (and nothing helps against native code that keeps the interpreter's lock). Those left behind are counted
for each operator, in the whole process: beyond `MOST_LEFT_BEHIND` it is not called, and its answers are unknown, so
that one that hangs shuts out itself and nobody else. An async function that blocks the loop costs the loop: calls that
wait on it are told who blocks it, and the next call gets a new one.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from gtopss.errors import short_repr
from gtopss.model import Publication
from gtopss.operators.declaration import FALSE, TRUE, Charged, Nonsense, Operator, Rows
from gtopss.operators.predicates import Request
from gtopss.operators.report import Reason

MOST_LEFT_BEHIND = 16
"""Calls of one operator."""
GRACE = 0.05  # seconds for the event loop to respond; beyond an async timeout, to report it itself


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
    slow: bool = False
    """For the caller's own use, too: others need not wait for it."""
    loop: asyncio.AbstractEventLoop | None = None
    task: Future[None] | None = None
    runs: bool = True
    """Whether the operator's function may be at work; that of an async one only once the loop has come to it."""
    left: bool = False

    @property
    def operator(self) -> Operator:
        return self.requests[0].operator


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
        except (Exception, SystemExit) as error:
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
        if _LEFT_BEHIND.full(operator):
            detail = f"{MOST_LEFT_BEHIND} calls of {operator.name} that did not return in time are still running"
            return flight, [Outcome(None, "overloaded", detail)] * len(requests)
        if operator.is_async:
            self._await(flight, operator)
        else:
            try:  # a thread of its own, which does not keep the process alive
                threading.Thread(target=self._run, args=(flight,), name="gtopss-operator", daemon=True).start()
            except RuntimeError as error:
                return flight, [Outcome(None, "overloaded", str(error))] * len(requests)
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
                flight, outcomes = first, _late(first, _running_on(first.loop))
                self._leave(first)
                if first.loop is not None:
                    _LOOP.abandon(first.loop)
            if flight in self.flights:  # one that was given up may still land
                del self.flights[flight]
                flight.seconds = flight.seconds or self._clock() - flight.started
                return flight, outcomes

    def abandon(self) -> list[Flight]:
        """Wait no longer for those that are on their way; these they are."""
        left = list(self.flights)
        self.flights.clear()
        for flight in left:
            flight.seconds = self._clock() - flight.started
            self._leave(flight)
        return left

    def doubt(self, flight: Flight) -> None:
        """It is slow: if it is async, and the loop does not respond either, the next call gets a new loop."""
        if flight.loop is not None and not _LOOP.responds(flight.loop):
            _LOOP.abandon(flight.loop)

    def _leave(self, flight: Flight) -> None:
        if flight.task is not None:
            flight.task.cancel()
        _LEFT_BEHIND.leave(flight)

    def _run(self, flight: Flight) -> None:
        """What a call's own thread does."""
        try:
            self._land(flight, self._outcomes(flight.operator, flight.requests))
        except BaseException as error:  # even of one that ends its thread the answer is waited for
            self._land(flight, [_failed(error)] * len(flight.requests))
        finally:
            _LEFT_BEHIND.end(flight)

    def _outcomes(self, operator: Operator, requests: Sequence[Request]) -> list[Outcome]:
        """Call, and read the answers: both here, since rows that are generated may hang as well."""
        try:
            return _read(operator, requests, self._call(operator, requests))
        except (Exception, SystemExit) as error:
            return [_failed(error)] * len(requests)

    def _call(self, operator: Operator, requests: Sequence[Request]) -> Any:
        first = () if operator.pure else (self._publication,)
        if operator.batch is not None:
            return operator.function(*first, [each.inputs for each in requests])
        return operator.function(*first, *requests[0].inputs)

    def _await(self, flight: Flight, operator: Operator) -> None:
        async def outcomes() -> list[Outcome]:
            if task := asyncio.current_task():
                task.set_name(operator.name)  # by which it is known who blocks the loop
            try:
                return _read(operator, flight.requests, await self._call(operator, flight.requests))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last two would end the loop
                return [_failed(error)] * len(flight.requests)

        async def run() -> None:
            flight.runs = True
            try:
                self._land(flight, await asyncio.wait_for(outcomes(), operator.timeout))
            except TimeoutError:
                self._land(flight, _late(flight))
            finally:
                _LEFT_BEHIND.end(flight)

        flight.loop, flight.runs = _LOOP.get(), False
        flight.task = asyncio.run_coroutine_threadsafe(run(), flight.loop)

    def _land(self, flight: Flight, outcomes: list[Outcome]) -> None:
        flight.seconds = self._clock() - flight.started
        self._landed.put((flight, outcomes))


def _read(operator: Operator, requests: Sequence[Request], result: Any) -> list[Outcome]:
    if operator.batch is None:
        return [_outcome(operator, result)]
    if not isinstance(result, (list, tuple)) or len(result) != len(requests):
        detail = f"returned {short_repr(result)}, where a list of {len(requests)} answers is wanted"
        return [Outcome(None, "nonsense", detail)] * len(requests)
    return [_outcome(operator, each) for each in result]


def _late(flight: Flight, blocking: str | None = None) -> list[Outcome]:
    detail = f"no answer within {flight.operator.timeout:g} s"
    if blocking not in (None, flight.operator.name):
        detail += f": {blocking} blocks the event loop"
    return [Outcome(None, "timeout", detail)] * len(flight.requests)


def _running_on(loop: asyncio.AbstractEventLoop | None) -> str | None:
    """The operator that a loop is busy with."""
    task = asyncio.current_task(loop) if loop is not None else None
    return None if task is None else task.get_name()


def _failed(error: BaseException) -> Outcome:
    try:
        said = str(error)
    except Exception:
        said = "an error that cannot be shown"
    return Outcome(None, "failed", f"{type(error).__name__}: {short_repr(said)}")


_YES, _NO = Outcome(TRUE), Outcome(FALSE)


def _outcome(operator: Operator, value: Any) -> Outcome:
    if value is False or (value is True and not operator.binds):
        return _YES if value else _NO  # by far the most frequent
    charge = None
    if isinstance(value, Charged):
        value, charge = value.answer, value.cost
        if not isinstance(charge, (int, float)) or not 0 <= charge < float("inf"):
            return Outcome(None, "nonsense", f"charged {short_repr(charge)}")
    try:
        return Outcome(operator.rows(value), charge=charge)
    except Nonsense as error:
        return Outcome(None, "nonsense", str(error), charge)
    except Exception as error:  # rows may come from a generator, which fails only now
        return _failed(error)._replace(charge=charge)


class _LeftBehind:
    """Calls that still run although nobody waits for them any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[Operator] = Counter()

    def full(self, operator: Operator) -> bool:
        return self._running[operator] >= MOST_LEFT_BEHIND

    def leave(self, flight: Flight) -> None:
        with self._lock:
            if flight.runs:
                flight.left = True
                self._running[flight.operator] += 1

    def end(self, flight: Flight) -> None:
        with self._lock:
            flight.runs = False
            if flight.left:
                self._running[flight.operator] -= 1
                self._running += Counter()  # forgets those of whom none is left


_LEFT_BEHIND = _LeftBehind()


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

    def responds(self, loop: asyncio.AbstractEventLoop) -> bool:
        turn = threading.Event()
        try:
            loop.call_soon_threadsafe(turn.set)
        except RuntimeError:  # it was abandoned, and has ended: all who waited on it are answered
            return True
        return turn.wait(GRACE)

    def abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        """It did not even report its own timeout, so something blocks it. Whoever waits on it may still be answered."""
        with self._lock:
            if self._loop is not loop:
                return
            self._loop = None
        asyncio.run_coroutine_threadsafe(_stop_at_last(loop), loop)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


async def _stop_at_last(loop: asyncio.AbstractEventLoop) -> None:
    """End the loop once all who wait on it are answered, or out of time."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
    loop.stop()


_LOOP = _Loop()
