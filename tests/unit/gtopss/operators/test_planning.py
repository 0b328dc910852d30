from __future__ import annotations

from random import Random

import numpy
import pytest

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import STRATEGIES, OperatorStage, Registry
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.planning import REPLAN_OBSERVATIONS_FACTOR, Planner
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.publication_conjunctions import PublicationConjunctions, collect_conjunctions
from gtopss.operators.strategies.sub_order import SubOrder


class CountingStrategy(SubOrder):
    plans = 0

    def plan(self, graph: PredicateGraph) -> Integers:
        self.plans += 1
        return super().plan(graph)


def stage_of(registry: Registry, size: int) -> OperatorStage:
    stage = OperatorStage(registry, strategy="sub_order")
    for number in range(size):
        stage.add((f"s{number}", 0), [call("q", number)])
    return stage


def matched(stage: OperatorStage, *ids: str) -> PublicationConjunctions:
    scratch = numpy.full(len(stage._table.predicates), -1, numpy.int32)
    return collect_conjunctions(stage._table, {(id, 0): [{}] for id in ids}, scratch)


def test_a_plan_is_kept_until_many_subscriptions_or_observations_are_new(pq_registry: Registry) -> None:
    stage, strategy = stage_of(pq_registry, 40), CountingStrategy()
    planner = Planner(strategy, 0.0)
    for _ in range(3):
        planner.order(matched(stage, "s1", "s2"))
    assert strategy.plans == 1
    stage.add(("new", 0), [call("q", 1)])
    planner.order(matched(stage, "s1"))
    assert strategy.plans == 1
    for number in range(10):
        stage.add((f"more{number}", 0), [call("q", number)])
    planner.order(matched(stage, "s1"))
    assert strategy.plans == 2
    for doubled in (1, 2, 4):
        stage._table.statistics.observations = REPLAN_OBSERVATIONS_FACTOR * doubled
        planner.order(matched(stage, "s1"))
        planner.order(matched(stage, "s2"))
    assert strategy.plans == 5
    stage._table.statistics.drift_count += 1
    planner.order(matched(stage, "s1"))
    assert strategy.plans == 6


@pytest.mark.parametrize("name", [name for name, make in STRATEGIES.items() if make().has_planned_order])
def test_a_planned_order_learns_as_early_as_adaptive(name: str) -> None:
    """Three predicates are declared equal; the third is the one that nearly always fails."""
    chances = (0.98, 0.96, 0.02)
    calls = {}
    for strategy in (name, "adaptive"):
        random, answers, registry = Random(1), [False] * 3, Registry()
        registry.operator("p", timeout=None)(lambda publication, number, answers=answers: answers[int(number[1])])
        stage = OperatorStage(registry, strategy=strategy)
        survivors = {(f"s{subscription}", 0): [{}] for subscription in range(5)}
        for key in survivors:
            stage.add(key, [call("p", f'"{number}"') for number in range(3)])
        calls[strategy] = 0
        for _ in range(60):
            answers[:] = [random.random() < chance for chance in chances]
            calls[strategy] += stage.evaluate(Publication("p", []), survivors).calls
    assert calls[name] == calls["adaptive"] < 80


def test_what_was_registered_after_planning_is_last(pq_registry: Registry) -> None:
    stage, planner = stage_of(pq_registry, 40), Planner(SubOrder(), 0.0)
    planner.order(matched(stage, "s1"))
    stage.add(("new", 0), [call("q", 1)])
    order = planner.order(matched(stage, "new", "s1", "s2"))
    assert order is not None
    assert sorted(order) == [0, 1, 2]
    assert order[-1] == 0


@pytest.mark.parametrize("name", STRATEGIES)
def test_only_strategies_with_a_planned_order_have_one(name: str, pq_registry: Registry) -> None:
    strategy = STRATEGIES[name]()
    stage = stage_of(pq_registry, 3)
    order = Planner(strategy, 0.0).order(matched(stage, "s1", "s2"))
    assert (order is not None) is strategy.has_planned_order


def test_the_plan_numbers_conjunctions_and_predicates_as_registered(pq_registry: Registry) -> None:
    stage = stage_of(pq_registry, 5)
    stage.remove(("s0", 0))
    planned = Planner(SubOrder(), 0.0).plan(stage._table)
    assert set(planned.conjunctions.tolist()) == set(stage._table)
    assert planned.graph.instance_count == 4
    assert len(planned.predicates) == planned.graph.predicate_count == 4
