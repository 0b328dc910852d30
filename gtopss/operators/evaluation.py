"""Evaluate the operators of one publication: make calls until everything is decided or a limit is reached."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from gtopss.operators.answer_cache import AnswerCache
from gtopss.operators.answer_recorder import AnswerRecorder, EvaluationInput
from gtopss.operators.call_result import CallResult
from gtopss.operators.cost_budget import CostBudget
from gtopss.operators.evaluation_tables import UNANSWERED, EvaluationTables
from gtopss.operators.execution import CallExecution
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.limits import OperatorLimits
from gtopss.operators.pending_calls import PendingCall
from gtopss.operators.predicates import OperatorCall
from gtopss.operators.report import CallAnswer, OperatorReport
from gtopss.operators.slow_calls import SlowCalls
from gtopss.operators.strategies.protocol import PredicateSelector, Strategy


class Evaluation:
    """Makes the calls that a strategy chooses, within the limits, and records their answers."""

    def __init__(
        self, given: EvaluationInput, limits: OperatorLimits, cache: AnswerCache, clock: Callable[[], float]
    ) -> None:
        self._given, self._limits, self._cache, self._clock = given, limits, cache, clock
        self._conjunctions = given.conjunctions
        self._statistics = given.conjunctions.table.statistics
        self._tables = EvaluationTables(given.graph)
        self._recorder = AnswerRecorder(given, self._tables)
        self._execution = CallExecution(given.publication, clock)
        self._slow_calls = SlowCalls(self._execution, self._tables, limits.slow_call_seconds, clock)
        prices = None if limits.cost is None else self._statistics.cost(given.conjunctions.predicates, 0.0)
        self._budget = CostBudget(limits.cost, prices)
        self._deadline = None if limits.seconds is None else clock() + limits.seconds
        self._timeouts: dict[str, int] = {}

    @property
    def true_conjunctions(self) -> list[int]:
        """Conjunctions all of whose predicates are true, once for each instance."""
        return self._recorder.true_conjunctions

    def run(self, strategy: Strategy, order: Integers | None) -> OperatorReport:
        """Evaluate the publication with a strategy; `order` is its planned order, if it has one."""
        for instance in numpy.flatnonzero(self._tables.remaining == 0).tolist():
            self._recorder.complete(instance)  # it has value constraints only
        if len(self._cache):
            self._read_cache()
        if self._given.known:
            self._read_known_answers()
        selector = strategy.start(self._tables, order)
        while self._start_calls(selector) and self._slow_calls.must_wait():
            finished = self._execution.wait(self._slow_calls.next_check(self._deadline))
            if finished is not None:
                self._finish(*finished)
        self._abandon_pending()
        self._leave_undecided()
        self._statistics.observe_answers(self._recorder.observed)
        return self._recorder.finish()

    def _read_cache(self) -> None:
        for predicate in self._conjunctions.pure:
            call = self._conjunctions.call(predicate)
            rows = self._cache.get(call)
            if rows is not None and self._tables.truth[predicate] == UNANSWERED:
                self._recorder.report.answers.append(CallAnswer(call, rows, 0.0, 0.0, is_cached=True))
                self._recorder.record_shared(predicate, call, CallResult(rows))

    def _read_known_answers(self) -> None:
        """Enter the answers of calls that were made for this publication before."""
        for predicate in range(len(self._conjunctions.predicate_list)):
            call = self._conjunctions.call(predicate)
            rows = self._given.known.get(call)
            if rows is not None and self._tables.truth[predicate] == UNANSWERED:
                self._recorder.record_shared(predicate, call, CallResult(rows))

    def _start_calls(self, selector: PredicateSelector) -> bool:
        """Start calls up to the allowed concurrency. Return False once the deadline has passed."""
        pending, deadline = self._execution.pending, self._deadline
        kernel, arguments = (
            selector.kernel,
            selector.arguments,
        )  # `next_predicate()`, which is called thousands of times
        max_pending = self._limits.concurrency + self._slow_calls.update()
        while deadline is None or self._clock() < deadline:
            if len(pending) >= max_pending:
                return True
            predicate = kernel(*arguments)
            if predicate < 0 and (predicate := self._slow_calls.pop_deferred()) < 0:
                return True
            self._call_or_refuse(predicate)
        return False

    def _call_or_refuse(self, predicate: int) -> None:
        call = self._conjunctions.call(predicate)
        operator, limits = call.operator, self._limits
        if self._timeouts and self._timeouts.get(operator.name, 0) >= limits.failures:
            detail = f"not called: {operator.name} timed out {limits.failures} times for this publication"
            self._recorder.record_shared(predicate, call, CallResult(None, "timeout", detail))
        elif not self._budget.allows(predicate):
            detail = f"not called: {self._budget.left:g} of the budget of {limits.cost:g} is left"
            self._recorder.record_shared(predicate, call, CallResult(None, "budget", detail))
        elif operator.timeout is None and operator.batch is None:
            result, seconds = self._execution.call(call)
            self._record(predicate, call, result, seconds)
        elif operator in self._slow_calls.operators:
            self._slow_calls.deferred[predicate] = call
            self._mark_started(predicate)
        else:
            self._start([predicate] if operator.batch is None else self._choose_batch(predicate, call))

    def _mark_started(self, predicate: int) -> None:
        for each in self._conjunctions.answered_together(predicate):
            self._tables.mark_started(each)

    def _choose_batch(self, predicate: int, call: OperatorCall) -> list[int]:
        """Add to a predicate those of the same operator with the greatest gain, up to the batch size and the budget."""
        tables, graph = self._tables, self._tables.graph
        assert call.operator.batch is not None
        others = numpy.array(self._conjunctions.batched[call.operator])
        is_free = (tables.started[others] == 0) | numpy.isin(others, list(self._slow_calls.deferred))
        others = others[is_free & (tables.truth[others] == UNANSWERED) & (tables.demand[others] > 0.0)]
        chance = graph.selectivity[others]
        gain = ((1.0 - chance) * tables.demand[others] + chance * tables.final_demand[others]) / graph.cost[others]
        chosen = {call: predicate}
        left = self._budget.left - self._budget.expected_cost(predicate)
        for other in others[numpy.argsort(-gain, kind="stable")].tolist():
            if len(chosen) == call.operator.batch or self._budget.expected_cost(other) > left:
                break
            if chosen.setdefault(self._conjunctions.call(other), other) == other and other != predicate:
                left -= self._budget.expected_cost(other)
        return list(chosen.values())

    def _start(self, predicates: list[int]) -> None:
        calls = []
        for predicate in predicates:
            self._budget.reserve(predicate)
            self._slow_calls.deferred.pop(predicate, None)
            self._mark_started(predicate)
            calls.append(self._conjunctions.call(predicate))
        pending, results = self._execution.start(calls)
        pending.predicates = predicates
        if results is not None:
            self._finish(pending, results)

    def _finish(self, pending: PendingCall, results: list[CallResult]) -> None:
        """Record the results of a call that returned or timed out."""
        if results[0].reason == "timeout":
            name = pending.operator.name
            self._timeouts[name] = self._timeouts.get(name, 0) + 1
        seconds = pending.seconds / len(results)
        for predicate, call, result in zip(pending.predicates, pending.calls, results, strict=True):
            self._budget.release(predicate)
            self._record(predicate, call, result, seconds)

    def _record(self, predicate: int, call: OperatorCall, result: CallResult, seconds: float) -> None:
        """Record the result of a call that was made."""
        operator = call.operator
        if result.reason == "overloaded":  # the call was not made
            self._recorder.record_shared(predicate, call, result)
            return
        cost = operator.cost
        if result.cost is not None:
            cost = result.cost
            self._statistics.observe_cost(self._conjunctions.predicate_list[predicate], cost)
        self._budget.spend(cost)
        self._recorder.report.answers.append(CallAnswer(call, result.rows, seconds, cost))
        if operator.pure and result.rows is not None:
            self._cache.put(call, result.rows)
        if operator.binds or self._conjunctions.sharing:
            self._recorder.record_shared(predicate, call, result, seconds)
        else:
            self._recorder.record(predicate, call, result, seconds)

    def _abandon_pending(self) -> None:
        """Stop waiting for pending calls, and record them: their cost counts even if their answer is not needed."""
        for pending in self._execution.abandon_all():
            detail = f"no answer after {pending.seconds:.3g} s, at the publication's deadline"
            result = CallResult(None, "deadline", detail)
            for predicate, call in zip(pending.predicates, pending.calls, strict=True):
                if self._tables.demand[predicate] > 0.0:
                    self._record(predicate, call, result, pending.seconds)
                else:
                    answer = CallAnswer(call, None, pending.seconds, call.operator.cost)
                    self._recorder.report.answers.append(answer)

    def _leave_undecided(self) -> None:
        """Record an unknown answer for every call that is still needed and was not made."""
        tables = self._tables
        if not tables.undecided.any():
            return
        result = CallResult(None, "deadline", "not called: the publication's deadline has passed")
        for predicate in numpy.flatnonzero((tables.truth == UNANSWERED) & (tables.demand > 0.0)).tolist():
            if tables.truth[predicate] == UNANSWERED:
                self._recorder.record_shared(predicate, self._conjunctions.call(predicate), result)
