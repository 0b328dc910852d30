"""Record answers, and turn instances that have all their answers into matches or undecided subscriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy

from gtopss.model import Publication, Term
from gtopss.operators.call_result import CallResult
from gtopss.operators.conjunction import Conjunction, JoinTooLarge, Values
from gtopss.operators.conjunction_table import BranchKey
from gtopss.operators.declaration import Rows
from gtopss.operators.evaluation_tables import FALSE, TRUE, UNKNOWN, EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.predicates import OperatorCall
from gtopss.operators.publication_conjunctions import PublicationConjunctions
from gtopss.operators.report import OperatorReport, Reason, UnansweredCall
from gtopss.semantics import BudgetExceeded, EvaluationContext

_ALL_ROWS = 2**62
"""A row limit that is never reached: each join has a limit of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationInput:
    """A publication and everything that its evaluation reads."""

    publication: Publication
    conjunctions: PublicationConjunctions
    graph: PredicateGraph
    """The graph of `conjunctions` with current estimates."""
    survivors: Mapping[BranchKey, Sequence[Values]]
    """The rows of each conjunction's pattern."""
    context: EvaluationContext
    row_limit: int
    """Rows reported per match. With 0 matches have no rows, and no call is made for a further row."""
    complete: frozenset[BranchKey] = frozenset()
    """Conjunctions that need all their rows, because further calls take them as inputs."""
    known: Mapping[OperatorCall, Rows] = field(default_factory=dict)
    """Answers of calls that were made for this publication before."""

    def limit_of(self, key: BranchKey) -> int:
        """Return the row limit of a conjunction."""
        return _ALL_ROWS if key in self.complete else self.row_limit


class AnswerRecorder:
    """Enters answers in the evaluation tables and builds the report."""

    def __init__(self, given: EvaluationInput, tables: EvaluationTables) -> None:
        self._given, self._conjunctions, self._tables = given, given.conjunctions, tables
        self.report = OperatorReport(given.publication.id, unshared_calls=len(given.graph.instance_predicates))
        self.observed: list[tuple[int, int, float]] = []
        """Answers to learn from: registered predicate, truth, seconds."""
        self.true_conjunctions: list[int] = []
        """Conjunctions all of whose predicates are true, once for each instance."""
        self._bindings: dict[int, Rows] = {}
        self._unanswered: dict[int, UnansweredCall] = {}
        self._rows: dict[BranchKey, list[dict[Term, Term]]] = {}

    def record_shared(self, predicate: int, call: OperatorCall, result: CallResult, seconds: float = 0.0) -> None:
        """Record a result for every predicate that the call answers."""
        rows, binds = result.rows, call.operator.binds
        for each in self._conjunctions.answered_together(predicate):
            found = rows
            if binds and rows is not None:
                number = self._conjunctions.predicate_list[each]
                found = self._conjunctions.table.predicate(number).bindings(rows)
            self.record(each, call, result if found is rows else result._replace(rows=found), seconds)

    def record(self, predicate: int, call: OperatorCall, result: CallResult, seconds: float) -> None:
        """Record a result for one predicate; its rows must be the predicate's bindings."""
        if result.rows is None:
            assert result.reason is not None
            self._unanswered[predicate] = UnansweredCall(call, result.reason, result.detail)
            truth = UNKNOWN
        else:
            truth = TRUE if result.rows else FALSE
            if result.rows:
                self._bindings[predicate] = result.rows
            self.observed.append((self._conjunctions.predicate_list[predicate], truth, seconds))
        for instance in self._tables.enter_answer(predicate, truth):
            self.complete(instance)

    def complete(self, instance: int) -> None:
        """Decide an instance without a false predicate: join the answers and test the value constraints."""
        number = int(self._conjunctions.conjunctions[instance])
        table = self._conjunctions.table
        key, conjunction = table.key(number), table.conjunction(number)
        is_plain = not conjunction.needs_join and not self._unanswered
        predicates = [] if is_plain else self._conjunctions.predicates_of_uses(instance)
        missing = tuple(dict.fromkeys(self._unanswered[each] for each in predicates if each in self._unanswered))
        if not missing:
            self.true_conjunctions.append(number)
        rows = self._conjunctions.rows.get(instance, self._given.survivors[key])
        limit = self._given.limit_of(key)
        max_rows = 1 if missing or not limit else limit - len(self._rows.get(key, ())) + 1
        if is_plain:
            found = list(map(dict, islice(rows, max_rows)))
        else:
            found, too_large = self._join(conjunction, rows, predicates, max_rows)
            missing = (*missing, *too_large)
        if found and missing:
            known = self.report.undecided.get(key, ())
            self.report.undecided[key] = tuple(dict.fromkeys((*known, *missing)))
        elif found:
            self._add_match(number, key, found, max_rows)

    def finish(self) -> OperatorReport:
        """Return the complete report."""
        self.report.unanswered = tuple(dict.fromkeys(self._unanswered.values()))
        self.report.matched = {key: tuple(rows) for key, rows in self._rows.items()}
        return self.report

    def _join(
        self, conjunction: Conjunction, rows: Sequence[Values], predicates: list[int], max_rows: int
    ) -> tuple[list[dict[Term, Term]], tuple[UnansweredCall, ...]]:
        """Return the joined rows and, if the join is too large, the reason as an unanswered call."""
        found: list[dict[Term, Term]] = []
        answers = [self._bindings.get(predicate) for predicate in predicates]
        try:
            found.extend(map(dict, islice(conjunction.solutions(rows, answers, self._given.context), max_rows)))
        except JoinTooLarge:
            return self._undecidable(found, predicates, "join", "the join of its rows is too large")
        except BudgetExceeded as reached:
            return self._undecidable(found, predicates, "evaluation", str(reached))
        return found, ()

    def _undecidable(
        self, found: list[dict[Term, Term]], predicates: list[int], reason: Reason, detail: str
    ) -> tuple[list[dict[Term, Term]], tuple[UnansweredCall, ...]]:
        unanswered = UnansweredCall(self._conjunctions.call(predicates[0]), reason, detail)
        self._unanswered.setdefault(predicates[0], unanswered)
        return found or [{}], (unanswered,)

    def _add_match(self, number: int, key: BranchKey, found: list[dict[Term, Term]], max_rows: int) -> None:
        limit = self._given.limit_of(key)
        rows = self._rows.setdefault(key, [])
        rows.extend(found[: limit - len(rows)] if limit else ())
        if limit and len(found) == max_rows:
            self.report.truncated.add(key)
        if not limit and number in self._conjunctions.table.with_inputs:
            for other in numpy.flatnonzero(self._conjunctions.conjunctions == number).tolist():
                self._tables.drop(other)
