"""The compiled bookkeeping beside a plain twin that recomputes everything from sets."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.operators.call_bounds import call_bounds, expected_cost_lower_bound, minimum_cost
from gtopss.operators.chain_costs import Node, sorted_chain
from gtopss.operators.chain_order import order_chains, rank_predicates
from gtopss.operators.evaluation_tables import FALSE, TRUE, UNANSWERED, UNKNOWN, EvaluationTables
from gtopss.operators.kernels.chain_order import sort_descending
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES


@st.composite
def graphs(draw: st.DrawFn, predicates: int = 8) -> tuple[PredicateGraph, list[int]]:
    """A graph with different costs, and what is true."""
    size = draw(st.integers(1, predicates))
    unit = st.lists(st.integers(0, size - 1), min_size=1, max_size=5, unique=True)
    units = draw(st.lists(unit, min_size=1, max_size=10))
    chances = st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.5, 0.9, 1.0])
    selectivity = draw(st.lists(chances, min_size=size, max_size=size))
    cost = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 10.0]), min_size=size, max_size=size))
    truth = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    return PredicateGraph.from_lists(units, selectivity, cost=cost), truth


class Plain:
    """The paper's two tables as dicts, and the strategies read off the paper."""

    def __init__(self, graph: PredicateGraph) -> None:
        self.graph = graph
        self.units = {unit: graph.predicates_of(unit) for unit in range(graph.instance_count)}
        self.undecided = set(self.units)
        self.known: dict[int, int] = {}

    def answer(self, predicate: int, truth: int) -> list[int]:
        self.known[predicate] = truth
        complete = []
        for unit in sorted(self.undecided):
            truths = [self.known.get(each) for each in self.units[unit]]
            if FALSE in truths:
                self.undecided.discard(unit)
            elif None not in truths:
                self.undecided.discard(unit)
                complete.append(unit)
        return complete

    def demand(self, predicate: int) -> float:
        return float(sum(predicate in self.units[unit] for unit in self.undecided))

    def final(self, predicate: int) -> float:
        lacking = ([each for each in self.units[unit] if each not in self.known] for unit in self.undecided)
        return float(sum(each == [predicate] for each in lacking))

    def run(self, name: str, truth: list[int]) -> list[int]:
        """The predicates in the order in which the strategy asks them."""
        asked: list[int] = []

        def ask(predicate: int) -> None:
            asked.append(predicate)
            self.answer(predicate, truth[predicate])

        if name == "naive":
            for unit in self.units.values():
                for predicate in unit:
                    if predicate not in self.known:
                        ask(predicate)
                    if not truth[predicate]:
                        break
        elif name == "sequential":
            for unit, predicates in self.units.items():
                if unit in self.undecided:
                    for predicate in predicates:
                        if predicate not in self.known and self.demand(predicate) > 0:
                            ask(predicate)
        elif name == "sub_order":
            rank = ranks(self.graph)
            for unit in STRATEGIES["sub_order"]().plan(self.graph).tolist():  # type: ignore[union-attr]
                for predicate in sorted(self.units[unit], key=lambda each: rank[each]):
                    if unit in self.undecided and predicate not in self.known:
                        ask(predicate)
        else:
            while self.undecided:
                open_ones = [
                    each for each in range(self.graph.predicate_count) if self.demand(each) and each not in self.known
                ]
                ask(max(open_ones, key=lambda each: (self.gain(each), -each)))
        return asked

    def gain(self, predicate: int) -> float:
        chance, cost = self.graph.selectivity[predicate], self.graph.cost[predicate]
        return float(((1 - chance) * self.demand(predicate) + chance * self.final(predicate)) / cost)


def ranks(graph: PredicateGraph) -> list[int]:
    made: list[int] = rank_predicates(graph).tolist()
    return made


def run(name: str, graph: PredicateGraph, truth: list[int]) -> tuple[list[int], set[int]]:
    """What a strategy asks, and the units that hold."""
    tables, strategy = EvaluationTables(graph), STRATEGIES[name]()
    selector = strategy.start(tables, strategy.plan(graph))
    asked, holding = [], set()
    while (predicate := selector.next_predicate()) >= 0:
        asked.append(predicate)
        holding.update(tables.enter_answer(predicate, truth[predicate]))
    assert not tables.undecided.any()
    return asked, holding


def true_instances(graph: PredicateGraph, truth: list[int]) -> set[int]:
    """The instances all of whose predicates hold."""
    return {each for each in range(graph.instance_count) if all(truth[other] for other in graph.predicates_of(each))}


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_asks_what_the_plain_twin_asks(name: str, made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    asked, _ = run(name, graph, truth)
    twin = Plain(graph)
    assert len(set(asked)) == len(asked)
    assert asked == twin.run(name, truth)
    assert not twin.undecided


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs(predicates=12))
@settings(max_examples=60, deadline=None)
def test_decides_as_evaluating_everything_does(name: str, made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    _, holding = run(name, graph, truth)
    assert holding == {
        unit for unit in range(graph.instance_count) if all(truth[each] for each in graph.predicates_of(unit))
    }


@given(made=graphs(predicates=12))
@settings(max_examples=120, deadline=None)
def test_sequential_stays_within_its_bound(made: tuple[PredicateGraph, list[int]]) -> None:
    """Theorem 2, and section 4.3: d times the optimum, times Cmax/Cmin."""
    graph, truth = made
    asked, _ = run("sequential", graph, truth)
    holds = numpy.array(truth, numpy.int8)
    alike = graph.with_estimates(graph.selectivity, numpy.ones(graph.predicate_count))
    assert len(asked) <= graph.max_predicates * minimum_cost(alike, holds)
    spread = graph.cost.max() / graph.cost.min()
    assert graph.cost[asked].sum() <= graph.max_predicates * spread * minimum_cost(graph, holds) + 1e-9


@given(made=graphs(predicates=12))
@settings(max_examples=80, deadline=None)
def test_hindsight_bounds_hold_the_optimum(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    holds = numpy.array(truth, numpy.int8)
    alike = graph.with_estimates(graph.selectivity, numpy.ones(graph.predicate_count))
    low, high = call_bounds(graph, holds)
    assert low <= minimum_cost(alike, holds) <= high
    for name in STRATEGIES:
        assert low <= len(run(name, graph, truth)[0])


@given(made=graphs(predicates=5))
@settings(max_examples=40, deadline=None)
def test_no_strategy_expects_less_than_the_bound(made: tuple[PredicateGraph, list[int]]) -> None:
    """Beside the best of all strategies, found by trying every one, and beside ours."""
    graph, _ = made
    bound = 0.0
    ours = dict.fromkeys(STRATEGIES, 0.0)
    for truth in product((0, 1), repeat=graph.predicate_count):
        chance = prod(p if holds else 1 - p for p, holds in zip(graph.selectivity, truth, strict=True))
        if chance:
            bound += chance * expected_cost_lower_bound(graph, numpy.array(truth, numpy.int8))
            for name in STRATEGIES:
                ours[name] += chance * float(graph.cost[run(name, graph, list(truth))[0]].sum())
    best = _least_expected(graph)
    assert bound <= best + 1e-9
    assert all(best <= each + 1e-9 for each in ours.values())


def _least_expected(graph: PredicateGraph) -> float:
    units = [frozenset(graph.predicates_of(unit)) for unit in range(graph.instance_count)]

    @cache
    def least(known: frozenset[tuple[int, int]]) -> float:
        no = {each for each, holds in known if not holds}
        asked = {each for each, _ in known}
        wanted = set().union(*(unit for unit in units if not unit & no)) - asked
        return min(
            (
                graph.cost[each]
                + graph.selectivity[each] * least(known | {(each, 1)})
                + (1 - graph.selectivity[each]) * least(known | {(each, 0)})
                for each in wanted
            ),
            default=0.0,
        )

    return least(frozenset())


@given(made=graphs(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_tables_agree_with_the_plain_ones_after_every_answer(
    made: tuple[PredicateGraph, list[int]], data: st.DataObject
) -> None:
    graph, _ = made
    tables, twin = EvaluationTables(graph), Plain(graph)
    for predicate in data.draw(st.permutations(range(graph.predicate_count))):
        truth = data.draw(st.sampled_from([TRUE, FALSE, UNKNOWN]))
        assert sorted(tables.enter_answer(predicate, truth)) == twin.answer(predicate, truth)
        assert set(numpy.flatnonzero(tables.undecided).tolist()) == twin.undecided
        for other in numpy.flatnonzero(tables.truth == UNANSWERED).tolist():
            assert tables.demand[other] == twin.demand(other)
            assert tables.final_demand[other] == twin.final(other)


def test_a_dropped_unit_is_no_longer_worth_asking_for() -> None:
    tables = EvaluationTables(PredicateGraph.from_lists([[0, 1], [1]], [0.5, 0.5]))
    tables.drop(1)
    assert (tables.demand.tolist(), tables.final_demand.tolist()) == ([1.0, 1.0], [0.0, 0.0])
    tables.drop(0)
    assert not tables.undecided.any()
    assert STRATEGIES["adaptive"]().start(tables, None).next_predicate() == -1


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs(), width=st.integers(2, 4), data=st.data())
@settings(max_examples=30, deadline=None)
def test_several_calls_on_their_way_change_no_decision(
    name: str, made: tuple[PredicateGraph, list[int]], width: int, data: st.DataObject
) -> None:
    graph, truth = made
    tables, strategy = EvaluationTables(graph), STRATEGIES[name]()
    selector = strategy.start(tables, strategy.plan(graph))
    holding: set[int] = set()
    flying: list[int] = []
    while True:
        while len(flying) < width and (predicate := selector.next_predicate()) >= 0:
            tables.mark_started(predicate)
            flying.append(predicate)
        if not flying:
            break
        landed = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        holding.update(tables.enter_answer(landed, truth[landed]))
    assert not tables.undecided.any()
    assert holding == {
        unit for unit in range(graph.instance_count) if all(truth[each] for each in graph.predicates_of(unit))
    }


@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_chains_are_sorted_by_one_order_so_that_links_never_cross(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, _ = made
    rank = ranks(graph)
    assert sorted(rank) == list(range(graph.predicate_count))
    for unit in range(graph.instance_count):
        nodes = [Node(rank[each], graph.selectivity[each], graph.cost[each]) for each in graph.predicates_of(unit)]
        assert [node.key for node in sorted_chain(nodes)] == sorted(rank[each] for each in graph.predicates_of(unit))


@given(st.lists(st.sampled_from([1e-300, 0.5, 0.5, 1.0, 1.5, 2.0, 3e200]) | st.floats(1e-320, 1e300), max_size=50))
@settings(max_examples=100, deadline=None)
def test_savings_are_sorted_as_numpy_does(saved: list[float]) -> None:
    numbers = numpy.array(saved, numpy.float64)
    assert sort_descending(numbers).tolist() == numpy.argsort(-numbers, kind="stable").tolist()


@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_an_order_of_chains_has_each_once(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, _ = made
    for neighbours in (1, 4, 100):
        order = STRATEGIES["sub_order"]().plan(graph) if neighbours == 4 else order_chains(graph, neighbours=neighbours)
        assert order is not None
        assert sorted(order.tolist()) == list(range(graph.instance_count))
