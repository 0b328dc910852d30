"""The stage after the graph pattern: operators, asked for those subscriptions that reached it.

    survivors ──> Sheet ──> Board <──> Strategy ──> Execution ──> answers ──> joins ──> OperatorReport

The walk is `evaluate`. Every distinct call is made at most once per publication; the strategy decides only the order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

import numpy

from gtopss.errors import GtopssError
from gtopss.model import Call, Expression, Publication, Term
from gtopss.operators.alternatives import Taken, alternatives
from gtopss.operators.board import TRUE, Board, Problem
from gtopss.operators.conjunction import Conjunction, Values, conjunction
from gtopss.operators.errors import UnknownStrategy
from gtopss.operators.evaluation import Cache, Evaluation, Limits
from gtopss.operators.plan import Plan, Planner, describe
from gtopss.operators.registered import Key, Registered
from gtopss.operators.registry import REGISTRY, Registry
from gtopss.operators.report import Asked, OperatorReport, Unknown
from gtopss.operators.sheet import Sheet, sheet
from gtopss.operators.strategies import STRATEGIES
from gtopss.semantics import BranchExpressions, EvaluationContext
from ontology import Taxonomy

ROW_LIMIT = 10_000
CACHE_SIZE = 10_000


class OperatorStage:
    """Conjunctions of predicates in, publications with survivors through, reports out. For one thread at a time."""

    def __init__(
        self,
        registry: Registry = REGISTRY,
        *,
        strategy: str = "adaptive",
        limits: Limits | None = None,
        taxonomy: Taxonomy | None = None,
        second: float = 0.0,
        cache_size: int = CACHE_SIZE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`second` is what a second of an operator's time is worth in the unit of its cost."""
        if strategy not in STRATEGIES:
            raise UnknownStrategy(strategy, STRATEGIES)
        self.limits = limits if limits is not None else Limits()
        if self.limits.cost is not None and strategy != "adaptive":
            raise GtopssError(f"a budget needs the adaptive strategy, which asks for the most first; not {strategy}")
        if self.limits.concurrency < 1:
            raise GtopssError(f"concurrency is {self.limits.concurrency}: at least 1 call must be possible")
        self.registry, self.second = registry, second
        self.taxonomy = taxonomy if taxonomy is not None else Taxonomy()
        self.strategy_name = strategy
        self._strategy = STRATEGIES[strategy]()
        self._clock = clock
        self._registered = Registered()
        self._cache = Cache(cache_size)
        self._scratch = numpy.full(0, -1, numpy.int32)
        self._whole: tuple[int, Sheet] | None = None
        self._planner = Planner(self._strategy, second)

    def __len__(self) -> int:
        return len(self._registered)

    def __contains__(self, key: Key) -> bool:
        return key in self._registered.numbers

    def add(
        self,
        key: Key,
        calls: Iterable[Call],
        *,
        bound: Iterable[Term] = (),
        where: Iterable[Call] = (),
        binds: Iterable[tuple[Term, Expression]] = (),
        value: float | None = None,
    ) -> Conjunction:
        """Register what a branch asks of operators: calls of them, and value constraints to be tested after the join.

        `bound` are the variables that the pattern gives values to. What is wrong is raised here, not at evaluation.
        """
        if value is None:
            value = self.limits.values.get(key[0], 1.0)
        _compile(self.strategy_name)
        made = conjunction(key[0], calls, self.registry, bound=bound, where=where, binds=binds, value=value)
        self._registered.add(key, made)
        return made

    def remove(self, key: Key) -> None:
        self._registered.remove(key)

    def evaluate(
        self,
        publication: Publication,
        survivors: Mapping[Key, Sequence[Values]],
        *,
        row_limit: int = ROW_LIMIT,
    ) -> OperatorReport:
        """Decide the conjunctions that the pattern let through, each with its pattern's rows.

        With `row_limit=0` only the fact is wanted: matches have no rows, and nothing is asked for a further one.
        """
        made = self._sheet(survivors)
        statistics, problem = self._registered.statistics, self._estimated(made)
        evaluation = Evaluation(
            publication, made, problem, survivors, self._registered, self.limits,
            EvaluationContext(publication, self.taxonomy), row_limit, self._cache, self._clock,
        )  # fmt: skip
        report = evaluation.run(self._strategy, self._planner.order(self._registered, made))
        if row_limit and not report.unknown:  # only where every unit was decided do the matches tell of dependence
            statistics.expect(problem.unit_start, problem.unit_predicates, problem.selectivity, made.conjunctions)
            statistics.matched(evaluation.held)
        return report

    def explain(
        self, publication: Publication, key: Key, rows: Sequence[Values]
    ) -> tuple[OperatorReport, list[Asked | Unknown], tuple[Taken, ...]]:
        """A conjunction by itself: its report; every call that it needs with its answer, also those that an earlier
        answer would have spared; and which of them each strategy would have made."""
        found = self._registered.conjunction(self._registered.numbers[key])
        alone = OperatorStage(self.registry, limits=Limits(failures=self.limits.failures), taxonomy=self.taxonomy)
        alone._registered.add(key, found)
        each_alone = {(key[0], -1 - place): each for place, each in enumerate(found.uses)}
        for name, each in each_alone.items():
            alone._registered.add(name, Conjunction(key[0], (each,), BranchExpressions((), ()), found.bound))
        report = alone.evaluate(publication, dict.fromkeys([key, *each_alone], rows))
        for name in each_alone:
            report.matched.pop(name, None)
            report.open.pop(name, None)
        made = self._sheet({key: rows})
        answers = {each.request: each.rows for each in report.asked}
        taken = alternatives(made, self._estimated(made), self._registered, answers)
        return report, [*(asked for asked in report.asked if asked.rows is not None), *report.unknown], taken

    def plan(self) -> Plan:
        """What is known of the predicates, and the order in which the conjunctions would be walked, if there is one."""
        return describe(self._registered, self.strategy_name, self._strategy, self._planner.plan(self._registered))

    def _estimated(self, made: Sheet) -> Problem:
        """The sheet's problem under what is known by now."""
        statistics = self._registered.statistics
        return made.problem.with_estimates(
            statistics.selectivity(made.predicates), statistics.cost(made.predicates, self.second)
        )

    def _sheet(self, survivors: Mapping[Key, Sequence[Values]]) -> Sheet:
        registered = self._registered
        if len(self._scratch) < len(registered.predicates):
            self._scratch = numpy.full(2 * len(registered.predicates), -1, numpy.int32)
        if len(survivors) < len(registered) or registered.with_inputs:
            return sheet(registered, survivors, self._scratch)
        if self._whole is None or self._whole[0] != registered.version:
            self._whole = registered.version, sheet(registered, survivors, self._scratch)
        return self._whole[1]


@cache
def _compile(strategy: str) -> None:
    """Compile a strategy's loops, or load them, when somebody first registers: a publication's time may be short."""
    problem = Problem.of([[0, 1]], [0.5, 0.5])
    made, board = STRATEGIES[strategy](), Board(problem)
    board.answer(made.begin(board, made.plan(problem)).next(), TRUE)
    board.drop(0)
