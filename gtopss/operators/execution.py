"""Execute calls so that none can block the others.

A function without a timeout runs in the caller's thread. Any other runs in a thread of its own, or on the event loop if
it is async. When its time is over its answer is unknown and the call is abandoned: Python cannot stop a thread (and
nothing helps against native code that keeps the interpreter's lock). Abandoned calls are counted for each operator in
the whole process. Beyond `MAX_ABANDONED_CALLS` the operator is not called and its answers are unknown, so that an
operator that hangs disables only itself. An async function that blocks the event loop costs the loop: the reports of
other calls on it name the blocking operator, and later calls get a new loop.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from gtopss.model import Publication
from gtopss.operators import limits
from gtopss.operators.call_result import CallResult, result_of_error, result_of_value, results_of_value
from gtopss.operators.declaration import Operator
from gtopss.operators.event_loop import EVENT_LOOP, EVENT_LOOP_GRACE_SECONDS, running_operator
from gtopss.operators.pending_calls import ABANDONED_CALLS, PendingCall
from gtopss.operators.predicates import OperatorCall


class CallExecution:
    """Executes the calls of one publication. For one thread."""

    def __init__(self, publication: Publication, clock: Callable[[], float] = time.monotonic) -> None:
        self._publication, self._clock = publication, clock
        self._finished: queue.SimpleQueue[tuple[PendingCall, list[CallResult]]] = queue.SimpleQueue()
        self.pending: dict[PendingCall, None] = {}

    def call(self, call: OperatorCall) -> tuple[CallResult, float]:
        """Make a single call in this thread. Return its result and its seconds."""
        operator, started = call.operator, self._clock()
        try:
            value = operator.function(*(() if operator.pure else (self._publication,)), *call.inputs)
        except (Exception, SystemExit) as error:
            return result_of_error(error), self._clock() - started
        return result_of_value(operator, value), self._clock() - started

    def start(self, calls: Sequence[OperatorCall]) -> tuple[PendingCall, list[CallResult] | None]:
        """Start a call, or a batch of one operator. The results are None if it is still running: see `wait`."""
        operator = calls[0].operator
        now = self._clock()
        pending = PendingCall(calls, now, now + (operator.timeout or 0.0))
        if operator.timeout is None:
            results = self._results(operator, calls)
            pending.seconds = self._clock() - now
            return pending, results
        if ABANDONED_CALLS.is_full(operator):
            detail = f"{limits.MAX_ABANDONED_CALLS} calls of {operator.name} that did not return in time still run"
            return pending, [CallResult(None, "overloaded", detail)] * len(calls)
        if operator.is_async:
            self._start_async(pending, operator)
        else:
            try:  # a daemon thread, which does not keep the process alive
                threading.Thread(target=self._run, args=(pending,), name="gtopss-operator", daemon=True).start()
            except RuntimeError as error:
                return pending, [CallResult(None, "overloaded", str(error))] * len(calls)
        self.pending[pending] = None
        return pending, None

    def wait(self, until: float | None) -> tuple[PendingCall, list[CallResult]] | None:
        """Wait for the next call to return or time out. Return None if the time `until` comes first."""
        while True:
            first = min(self.pending, key=lambda pending: pending.deadline)
            deadline = first.deadline + (EVENT_LOOP_GRACE_SECONDS if first.loop else 0.0)
            limit = deadline if until is None else min(deadline, until)
            try:
                pending, results = self._finished.get(timeout=max(limit - self._clock(), 0.0))
            except queue.Empty:
                if until is not None and limit == until and until < deadline:
                    return None
                pending, results = first, _timeout_results(first, running_operator(first.loop))
                self._abandon(first)
                if first.loop is not None:
                    EVENT_LOOP.abandon(first.loop)
            if pending in self.pending:  # an abandoned call may still return
                del self.pending[pending]
                pending.seconds = pending.seconds or self._clock() - pending.started
                return pending, results

    def abandon_all(self) -> list[PendingCall]:
        """Stop waiting for all pending calls, and return them."""
        abandoned = list(self.pending)
        self.pending.clear()
        for pending in abandoned:
            pending.seconds = self._clock() - pending.started
            self._abandon(pending)
        return abandoned

    def replace_blocked_loop(self, pending: PendingCall) -> None:
        """Replace the event loop of a slow call if the loop does not respond."""
        if pending.loop is not None and not EVENT_LOOP.responds(pending.loop):
            EVENT_LOOP.abandon(pending.loop)

    def _abandon(self, pending: PendingCall) -> None:
        if pending.task is not None:
            pending.task.cancel()
        ABANDONED_CALLS.add(pending)

    def _run(self, pending: PendingCall) -> None:
        """Run a call in its own thread."""
        try:
            self._finish(pending, self._results(pending.operator, pending.calls))
        except BaseException as error:  # even an error that ends the thread must produce a result
            self._finish(pending, [result_of_error(error)] * len(pending.calls))
        finally:
            ABANDONED_CALLS.mark_returned(pending)

    def _results(self, operator: Operator, calls: Sequence[OperatorCall]) -> list[CallResult]:
        """Call the function and convert its result. Both count as the call: rows from a generator may hang as well."""
        try:
            return results_of_value(operator, calls, self._invoke(operator, calls))
        except (Exception, SystemExit) as error:
            return [result_of_error(error)] * len(calls)

    def _invoke(self, operator: Operator, calls: Sequence[OperatorCall]) -> Any:
        first = () if operator.pure else (self._publication,)
        if operator.batch is not None:
            return operator.function(*first, [each.inputs for each in calls])
        return operator.function(*first, *calls[0].inputs)

    def _start_async(self, pending: PendingCall, operator: Operator) -> None:
        async def results() -> list[CallResult]:
            if task := asyncio.current_task():
                task.set_name(operator.name)  # identifies the operator that blocks the loop
            try:
                return results_of_value(operator, pending.calls, await self._invoke(operator, pending.calls))
            except (Exception, SystemExit, KeyboardInterrupt) as error:  # the last two would end the loop
                return [result_of_error(error)] * len(pending.calls)

        async def run() -> None:
            pending.is_running = True
            try:
                self._finish(pending, await asyncio.wait_for(results(), operator.timeout))
            except TimeoutError:
                self._finish(pending, _timeout_results(pending))
            finally:
                ABANDONED_CALLS.mark_returned(pending)

        pending.loop, pending.is_running = EVENT_LOOP.get(), False
        pending.task = asyncio.run_coroutine_threadsafe(run(), pending.loop)

    def _finish(self, pending: PendingCall, results: list[CallResult]) -> None:
        pending.seconds = self._clock() - pending.started
        self._finished.put((pending, results))


def _timeout_results(pending: PendingCall, blocking: str | None = None) -> list[CallResult]:
    """Return timeouts for all calls; `blocking` is the operator that blocks the event loop, if one does."""
    detail = f"no answer within {pending.operator.timeout:g} s"
    if blocking not in (None, pending.operator.name):
        detail += f": {blocking} blocks the event loop"
    return [CallResult(None, "timeout", detail)] * len(pending.calls)
