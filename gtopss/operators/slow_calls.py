"""Calls that take long, and the calls of the same operators that are deferred because of them.

A slow call delays only its own operator: calls of other operators are made beside it. Calls of a slow operator are
deferred until it has answered and nothing else is left to call.
"""

from __future__ import annotations

from collections.abc import Callable

from gtopss.operators.declaration import Operator
from gtopss.operators.evaluation_tables import UNANSWERED, EvaluationTables
from gtopss.operators.execution import CallExecution
from gtopss.operators.predicates import OperatorCall


class SlowCalls:
    """Tracks the slow calls among an execution's pending calls."""

    def __init__(
        self, execution: CallExecution, tables: EvaluationTables, slow_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._execution, self._tables, self._slow_seconds, self._clock = execution, tables, slow_seconds, clock
        self.operators: set[Operator] = set()
        """Operators with a slow call."""
        self.deferred: dict[int, OperatorCall] = {}
        """Deferred calls, by predicate."""

    def update(self) -> int:
        """Find the pending calls that have become slow, and return the number of all slow ones."""
        self.operators.clear()
        count = 0
        for pending in self._execution.pending:
            if not pending.is_slow and self._clock() >= pending.started + self._slow_seconds:
                pending.is_slow = True
                self._execution.replace_blocked_loop(pending)
            if pending.is_slow:
                count += 1
                self.operators.add(pending.operator)
        return count

    def must_wait(self) -> bool:
        """Return whether a pending call is still needed, or is not slow: then its answer is worth learning from."""
        pending = self._execution.pending
        return bool(pending) and (not all(each.is_slow for each in pending) or bool(self._tables.undecided.any()))

    def next_check(self, deadline: float | None) -> float | None:
        """Return when the next pending call becomes slow, or the deadline if that is earlier."""
        times = [each.started + self._slow_seconds for each in self._execution.pending if not each.is_slow]
        return min(times if deadline is None else [*times, deadline], default=None)

    def pop_deferred(self) -> int:
        """Remove and return a deferred predicate that is still needed and whose operator is no longer slow, or -1."""
        for predicate, call in list(self.deferred.items()):
            if self._tables.truth[predicate] != UNANSWERED or self._tables.demand[predicate] <= 0.0:
                del self.deferred[predicate]
            elif call.operator not in self.operators:
                del self.deferred[predicate]
                return predicate
        return -1
