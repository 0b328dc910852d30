"""The plan as users see it: estimates for the predicates, and the order of the conjunctions if the strategy has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from gtopss.operators.chain_costs import Node, chain_cost, sorted_chain
from gtopss.operators.chain_order import rank_predicates
from gtopss.operators.conjunction_table import BranchKey, ConjunctionTable
from gtopss.operators.evaluation_tables import TRUE, EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.learned_statistics import Dependence
from gtopss.operators.planning import PlannedGraph
from gtopss.operators.strategies.protocol import Strategy


@dataclass(frozen=True, slots=True)
class PlannedPredicate:
    """A predicate, and the numbers that its position in the order comes from."""

    predicate: str
    subscriptions: int
    selectivity: float
    cost: float
    settles: float
    """Subscriptions that evaluating it first is expected to decide, per cost."""
    drifted_from: float | None = None
    """Its selectivity before it changed, if it changed recently."""


@dataclass(frozen=True, slots=True)
class PlannedChain:
    """A conjunction's predicates in the order in which the strategy would evaluate them if it were the only one."""

    key: BranchKey
    predicates: tuple[str, ...]
    expected_cost: float
    expected_matches: float | None = None
    """Set, with `matches`, if the matches differ significantly from independence: the predicates are dependent."""
    matches: int | None = None


@dataclass(frozen=True, slots=True)
class OperatorPlan:
    """In which order predicates are evaluated, and why. For users and for JSON."""

    strategy: str
    description: str
    """What the strategy evaluates next."""
    predicates: tuple[PlannedPredicate, ...]
    """By their order within a chain or, for a strategy that ranks predicates by what they decide, by that rank."""
    chains: tuple[PlannedChain, ...]
    """In the planned order; in the order of registration for a strategy without a planned order."""
    calls: tuple[str, ...]
    """The predicates in the order in which the strategy calls them as long as every answer is true.

    A publication whose pattern matches all subscriptions is evaluated in this order; the first answer that is false
    makes some of the later calls unnecessary, and `adaptive` ranks those that are left again.
    """

    def to_json(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy,
            "asks": self.description,
            "calls": list(self.calls),
            "predicates": [
                {
                    "predicate": each.predicate,
                    "subscriptions": each.subscriptions,
                    "selectivity": each.selectivity,
                    "cost": each.cost,
                    "settles": each.settles,
                    "drifted_from": each.drifted_from,
                }
                for each in self.predicates
            ],
            "chains": [
                {
                    "subscription": each.key[0],
                    "branch": each.key[1],
                    "predicates": list(each.predicates),
                    "expected_cost": each.expected_cost,
                    "expected_matches": each.expected_matches,
                    "matches": each.matches,
                }
                for each in self.chains
            ],
        }


def describe_plan(table: ConjunctionTable, name: str, strategy: Strategy, planned: PlannedGraph) -> OperatorPlan:
    """Describe a strategy's plan for the registered conjunctions."""
    rank = rank_predicates(planned.graph, strategy.cost_rule)
    order = planned.order.tolist() if planned.order is not None else range(planned.graph.instance_count)
    dependent = {
        each.conjunction: each for each in table.statistics.dependent_conjunctions(planned.conjunctions.tolist())
    }
    chains = tuple(_describe_chain(table, strategy, planned, rank, dependent, instance) for instance in order)
    predicates = _describe_predicates(table, strategy, planned, rank)
    return OperatorPlan(name, strategy.description, predicates, chains, _simulate_calls(table, strategy, planned))


def _simulate_calls(table: ConjunctionTable, strategy: Strategy, planned: PlannedGraph) -> tuple[str, ...]:
    """Run the strategy as matching does, with true for every answer, and return the predicates that it asks for."""
    tables = EvaluationTables(planned.graph)
    selector = strategy.start(tables, planned.order)
    called = []
    while (predicate := selector.next_predicate()) >= 0:
        called.append(str(table.predicate(int(planned.predicates[predicate]))))
        tables.enter_answer(predicate, TRUE)
    return tuple(called)


def _describe_predicates(
    table: ConjunctionTable, strategy: Strategy, planned: PlannedGraph, rank: Integers
) -> tuple[PlannedPredicate, ...]:
    graph, tables = planned.graph, EvaluationTables(planned.graph)
    settles = (1.0 - graph.selectivity) * tables.demand + graph.selectivity * tables.final_demand
    settles /= graph.cost
    ranks_by_gain = strategy.uses_estimates and not strategy.has_planned_order
    order = numpy.lexsort((rank, -settles)) if ranks_by_gain else numpy.argsort(rank)
    numbers = planned.predicates.tolist()
    drifts = {drift.predicate: drift.before for drift in table.statistics.drifts}
    return tuple(
        PlannedPredicate(
            str(table.predicate(numbers[each])),
            table.popularity(numbers[each]),
            float(graph.selectivity[each]),
            float(graph.cost[each]),
            float(settles[each]),
            drifts.get(numbers[each]),
        )
        for each in order.tolist()
    )


def _describe_chain(
    table: ConjunctionTable,
    strategy: Strategy,
    planned: PlannedGraph,
    rank: Integers,
    dependent: Mapping[int, Dependence],
    instance: int,
) -> PlannedChain:
    graph, number = planned.graph, int(planned.conjunctions[instance])
    of_rank = {int(rank[each]): each for each in graph.predicates_of(instance)}
    chain = [Node(key, graph.selectivity[each], graph.cost[each]) for key, each in of_rank.items()]
    if strategy.uses_estimates:
        chain = sorted_chain(chain, strategy.cost_rule)
    dependence = dependent.get(number)
    return PlannedChain(
        table.key(number),
        tuple(str(table.predicate(int(planned.predicates[of_rank[node.key]]))) for node in chain),
        float(chain_cost(chain)),
        None if dependence is None else dependence.expected,
        None if dependence is None else dependence.matched,
    )
