"""The calls and the cost of each strategy for one publication, simulated from known answers: no operator is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gtopss.operators.declaration import Rows
from gtopss.operators.evaluation_tables import FALSE, TRUE, UNKNOWN, EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.predicates import OperatorCall
from gtopss.operators.publication_conjunctions import PublicationConjunctions
from gtopss.operators.strategies import STRATEGIES


class StrategyCost(NamedTuple):
    """Calls made, calls saved, and the expected cost of the calls made."""

    strategy: str
    calls: int
    saved: int
    cost: float


def strategy_costs(
    conjunctions: PublicationConjunctions, graph: PredicateGraph, answers: Mapping[OperatorCall, Rows | None]
) -> tuple[StrategyCost, ...]:
    """Return the cost of every strategy. A call that is not in `answers` has an unknown answer."""
    return tuple(_simulate(name, conjunctions, graph, answers) for name in STRATEGIES)


def _simulate(
    name: str,
    conjunctions: PublicationConjunctions,
    graph: PredicateGraph,
    answers: Mapping[OperatorCall, Rows | None],
) -> StrategyCost:
    strategy, tables = STRATEGIES[name](), EvaluationTables(graph)
    selector = strategy.start(tables, strategy.plan(graph))
    calls, cost = 0, 0.0
    while (predicate := selector.next_predicate()) >= 0:
        calls += 1
        cost += float(graph.cost[predicate])
        rows = answers.get(conjunctions.call(predicate))
        for each in conjunctions.answered_together(predicate):
            number = conjunctions.predicate_list[each]
            found = None if rows is None else conjunctions.table.predicate(number).bindings(rows)
            tables.enter_answer(each, UNKNOWN if found is None else TRUE if found else FALSE)
    return StrategyCost(name, calls, len(graph.instance_predicates) - calls, cost)
