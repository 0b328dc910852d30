"""The operator stage: evaluates operators for the subscriptions whose graph patterns matched.

    survivors ──> PublicationConjunctions ──> EvaluationTables <──> Strategy ──> CallExecution
                                                     │
                                              AnswerRecorder ──> OperatorReport

`OperatorStage.evaluate` is the whole pipeline. Each distinct call is made at most once per publication; the strategy
decides only the order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy

from gtopss.model import Call, Expression, Publication, Term
from gtopss.operators.answer_cache import AnswerCache
from gtopss.operators.answer_recorder import EvaluationInput
from gtopss.operators.chained_calls import split_first_level
from gtopss.operators.conjunction import Conjunction, Values, compile_conjunction
from gtopss.operators.conjunction_table import BranchKey, ConjunctionTable
from gtopss.operators.declaration import Rows
from gtopss.operators.errors import UnknownStrategy
from gtopss.operators.evaluation import Evaluation
from gtopss.operators.evaluation_tables import TRUE, EvaluationTables
from gtopss.operators.limits import DEFAULT_CACHE_ANSWERS, DEFAULT_ROW_LIMIT, OperatorLimits
from gtopss.operators.plan import OperatorPlan, describe_plan
from gtopss.operators.planning import Planner
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.predicates import OperatorCall
from gtopss.operators.publication_conjunctions import PublicationConjunctions, collect_conjunctions
from gtopss.operators.registry import REGISTRY, Registry
from gtopss.operators.report import CallAnswer, OperatorReport, UnansweredCall
from gtopss.operators.strategies import STRATEGIES
from gtopss.operators.strategy_costs import StrategyCost, strategy_costs
from gtopss.semantics import BranchExpressions, EvaluationContext, EvaluationLimits
from gtopss.semantics.budget import DEFAULT_WORK_LIMIT, PUBLICATION_WORK_SHARE
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy


class OperatorExplanation(NamedTuple):
    """One conjunction evaluated by itself."""

    report: OperatorReport
    calls: list[CallAnswer | UnansweredCall]
    """Every call that it needs, with its answer, including those that an earlier answer makes unnecessary."""
    strategy_costs: tuple[StrategyCost, ...]


class OperatorStage:
    """Registers conjunctions of predicates and evaluates publications. Not thread-safe."""

    def __init__(
        self,
        registry: Registry = REGISTRY,
        *,
        strategy: str = "adaptive",
        limits: OperatorLimits | None = None,
        taxonomy: Taxonomy | None = None,
        cost_per_second: float = 0.0,
        max_cached_answers: int = DEFAULT_CACHE_ANSWERS,
        clock: Callable[[], float] = time.monotonic,
        evaluation_limits: EvaluationLimits | None = None,
        literals: LiteralRules = "sparql",
    ) -> None:
        """`cost_per_second` is added to an operator's cost for its time.

        `evaluation_limits` are for the value constraints of all conjunctions of a publication together.

        Raises UnknownStrategy or InvalidOperatorLimits.
        """
        if strategy not in STRATEGIES:
            raise UnknownStrategy(strategy, STRATEGIES)
        self.limits = limits if limits is not None else OperatorLimits()
        self.limits.check(strategy)
        self.registry, self.cost_per_second = registry, cost_per_second
        self.taxonomy = taxonomy if taxonomy is not None else Taxonomy()
        self.strategy_name = strategy
        self._strategy = STRATEGIES[strategy]()
        self._clock = clock
        self._evaluation_limits = evaluation_limits or EvaluationLimits(PUBLICATION_WORK_SHARE * DEFAULT_WORK_LIMIT)
        self.literals: LiteralRules = literals
        self._table = ConjunctionTable()
        self._cache = AnswerCache(max_cached_answers)
        self._scratch = numpy.full(0, -1, numpy.int32)
        self._all_conjunctions: tuple[int, PublicationConjunctions] | None = None
        """The table's version, and its conjunctions as of a publication that all patterns matched."""
        self._planner = Planner(self._strategy, cost_per_second)
        self._max_cached_answers = max_cached_answers
        self._later: OperatorStage | None = None
        """The calls that need the outputs of calls in this stage, under the same keys (`chained_calls`)."""

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, key: BranchKey) -> bool:
        return key in self._table.numbers

    def keys(self) -> tuple[BranchKey, ...]:
        """Return the keys of all registered conjunctions."""
        return tuple(self._table.numbers)

    def add(
        self,
        key: BranchKey,
        calls: Iterable[Call],
        *,
        bound: Iterable[Term] = (),
        where: Iterable[Call] = (),
        binds: Iterable[tuple[Term, Expression]] = (),
        value: float | None = None,
    ) -> Conjunction:
        """Register the operator part of a branch: operator calls, and value constraints to test after the join.

        `bound` are the variables that the pattern binds. Raises an InvalidSubscription if something is wrong;
        evaluation raises nothing.
        """
        if value is None:
            value = self.limits.values.get(key[0], 1.0)
        _compile_kernels(self.strategy_name)
        pattern_variables = frozenset(bound)
        level = split_first_level(key[0], calls, where, self.registry, pattern_variables)
        if level.later_calls:
            known = pattern_variables | level.outputs
            self._later_stage().add(
                key, level.later_calls, bound=known, where=level.later_tests, binds=binds, value=value
            )
            binds = ()
        try:
            conjunction = compile_conjunction(
                key[0], level.calls, self.registry, bound=pattern_variables, where=level.tests, binds=binds, value=value
            )
            self._table.add(key, conjunction)
        except BaseException:
            if level.later_calls:
                self._later_stage().remove(key)
            raise
        return conjunction

    def _later_stage(self) -> OperatorStage:
        if self._later is None:
            self._later = OperatorStage(
                self.registry,
                strategy=self.strategy_name,
                limits=self.limits,
                taxonomy=self.taxonomy,
                cost_per_second=self.cost_per_second,
                max_cached_answers=self._max_cached_answers,
                clock=self._clock,
                evaluation_limits=self._evaluation_limits,
                literals=self.literals,
            )
        return self._later

    def remove(self, key: BranchKey) -> None:
        """Remove a conjunction. Raises SubscriptionNotFound."""
        self._table.remove(key)
        if self._later is not None and key in self._later:
            self._later.remove(key)

    def evaluate(
        self,
        publication: Publication,
        survivors: Mapping[BranchKey, Sequence[Values]],
        *,
        row_limit: int = DEFAULT_ROW_LIMIT,
    ) -> OperatorReport:
        """Decide the conjunctions whose patterns matched, each with its pattern's rows.

        With `row_limit=0` matches have no rows, and no call is made for a further row.
        """
        return self._evaluate(publication, survivors, row_limit, self.limits, {})

    def _evaluate(
        self,
        publication: Publication,
        survivors: Mapping[BranchKey, Sequence[Values]],
        row_limit: int,
        limits: OperatorLimits,
        known: Mapping[OperatorCall, Rows],
    ) -> OperatorReport:
        """Evaluate this level and those that need its outputs; `known` are the answers of earlier levels."""
        started = self._clock()
        conjunctions = self._collect(survivors)
        graph = self._with_estimates(conjunctions)
        context = EvaluationContext(publication, self.taxonomy, self._evaluation_limits, self.literals)
        chained = frozenset() if self._later is None else frozenset(each for each in survivors if each in self._later)
        given = EvaluationInput(publication, conjunctions, graph, survivors, context, row_limit, chained, known)
        evaluation = Evaluation(given, limits, self._cache, self._clock)
        report = evaluation.run(self._strategy, self._planner.order(conjunctions))
        if row_limit and not report.unanswered:  # matches are unbiased only if every instance was decided
            statistics = self._table.statistics
            arrays = (graph.instance_start, graph.instance_predicates, graph.selectivity)
            statistics.expect_matches(*arrays, conjunctions.conjunctions)
            statistics.observe_matches(evaluation.true_conjunctions)
        rows = {key: report.matched.pop(key) for key in survivors if key in chained and key in report.matched}
        if self._later is not None and rows:
            left = _limits_left(limits, report.cost, self._clock() - started)
            answers = {**known, **{each.call: each.rows for each in report.answers if each.rows is not None}}
            report.extend(self._later._evaluate(publication, rows, row_limit, left, answers))
        return report

    def explain(self, publication: Publication, key: BranchKey, rows: Sequence[Values]) -> OperatorExplanation:
        """Evaluate one conjunction by itself, and simulate each strategy for it."""
        conjunction = self._table.conjunction(self._table.numbers[key])
        limits = OperatorLimits(failures=self.limits.failures)
        alone = OperatorStage(self.registry, limits=limits, taxonomy=self.taxonomy, literals=self.literals)
        alone._table.add(key, conjunction)
        single_predicates = {(key[0], -1 - place): each for place, each in enumerate(conjunction.uses)}
        for single_key, use in single_predicates.items():
            alone._table.add(single_key, Conjunction(key[0], (use,), BranchExpressions((), ()), conjunction.bound))
        report = alone.evaluate(publication, dict.fromkeys([key, *single_predicates], rows))
        for single_key in single_predicates:
            report.matched.pop(single_key, None)
            report.undecided.pop(single_key, None)
        conjunctions = self._collect({key: rows})
        answers = {each.call: each.rows for each in report.answers}
        costs = strategy_costs(conjunctions, self._with_estimates(conjunctions), answers)
        calls: list[CallAnswer | UnansweredCall] = [each for each in report.answers if each.rows is not None]
        calls += report.unanswered
        if self._later is not None and key in self._later and key in report.matched:
            later = self._later.explain(publication, key, report.matched.pop(key))
            report.extend(later.report)
            calls += later.calls
            costs = tuple(map(_sum_costs, costs, later.strategy_costs))
        return OperatorExplanation(report, calls, costs)

    def plan(self) -> OperatorPlan:
        """Return the estimates for the predicates, and the order of the conjunctions if the strategy has one.

        What needs the outputs of other calls comes after them.
        """
        made = describe_plan(self._table, self.strategy_name, self._strategy, self._planner.plan(self._table))
        if self._later is None or not len(self._later):
            return made
        later = self._later.plan()
        return replace(
            made,
            predicates=made.predicates + later.predicates,
            chains=made.chains + later.chains,
            calls=made.calls + later.calls,
        )

    def _with_estimates(self, conjunctions: PublicationConjunctions) -> PredicateGraph:
        """Return the publication's graph with the current estimates."""
        statistics = self._table.statistics
        selectivity = statistics.selectivity(conjunctions.predicates)
        cost = statistics.cost(conjunctions.predicates, self.cost_per_second)
        return conjunctions.graph.with_estimates(selectivity, cost)

    def _collect(self, survivors: Mapping[BranchKey, Sequence[Values]]) -> PublicationConjunctions:
        """Return the conjunctions of a publication. If all patterns matched, and none has inputs, they are reused."""
        table = self._table
        if len(self._scratch) < len(table.predicates):
            self._scratch = numpy.full(2 * len(table.predicates), -1, numpy.int32)
        if len(survivors) < len(table) or table.with_inputs:
            return collect_conjunctions(table, survivors, self._scratch)
        if self._all_conjunctions is None or self._all_conjunctions[0] != table.version:
            self._all_conjunctions = table.version, collect_conjunctions(table, survivors, self._scratch)
        return self._all_conjunctions[1]


def _limits_left(limits: OperatorLimits, cost: float, seconds: float) -> OperatorLimits:
    """Return what is left of the limits after some cost and time."""
    return replace(
        limits,
        cost=None if limits.cost is None else max(limits.cost - cost, 0.0),
        seconds=None if limits.seconds is None else max(limits.seconds - seconds, 0.0),
    )


def _sum_costs(one: StrategyCost, other: StrategyCost) -> StrategyCost:
    return StrategyCost(one.strategy, one.calls + other.calls, one.saved + other.saved, one.cost + other.cost)


@cache
def _compile_kernels(strategy: str) -> None:
    """Compile or load a strategy's kernels at the first registration, since a publication's time may be short."""
    graph = PredicateGraph.from_lists([[0, 1]], [0.5, 0.5])
    compiled, tables = STRATEGIES[strategy](), EvaluationTables(graph)
    tables.enter_answer(compiled.start(tables, compiled.plan(graph)).next_predicate(), TRUE)
    tables.drop(0)
