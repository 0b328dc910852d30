"""Evaluate generated events with several strategies whose answers are known in advance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.kernels.operator_calls import count_calls
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Flags, Integers
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import Strategy

Planned: TypeAlias = tuple[Strategy, Integers | None]
"""A strategy and the order that it planned, if it has one."""


def plan_strategies(graph: PredicateGraph, strategies: Mapping[str, Callable[[], Strategy]]) -> dict[str, Planned]:
    """Make each strategy and plan its order for a graph."""
    made = {name: make() for name, make in strategies.items()}
    return {name: (strategy, strategy.plan(graph)) for name, strategy in made.items()}


def calls_made(graph: PredicateGraph, truth: Flags, planned: Mapping[str, Planned]) -> dict[str, Flags]:
    """Evaluate an event with each strategy, and return 1 for each predicate that the strategy evaluated.

    Requires that all strategies have the same matches.
    """
    called, matched = {}, {}
    for name, (strategy, order) in planned.items():
        tables = EvaluationTables(graph)
        selector = strategy.start(tables, order)
        count_calls(selector.kernel, selector.arguments, tables.arrays, tables.started, truth)
        called[name] = tables.started
        matched[name] = frozenset(tables.completed[: tables.list_lengths[0]].tolist())
    require_equal_answers(matched, "an event")
    return called
