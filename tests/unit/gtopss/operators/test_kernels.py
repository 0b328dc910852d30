"""The compiled bookkeeping beside a plain twin that recomputes everything from sets."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.operators import chains, hindsight
from gtopss.operators.board import FALSE, OPEN, TRUE, UNKNOWN, Board, Problem
from gtopss.operators.costs import Node, sorted_chain
from gtopss.operators.strategies import STRATEGIES


@st.composite
def problems(draw: st.DrawFn, predicates: int = 8) -> tuple[Problem, list[int]]:
    """A problem with different costs, and what is true."""
    size = draw(st.integers(1, predicates))
    unit = st.lists(st.integers(0, size - 1), min_size=1, max_size=5, unique=True)
    units = draw(st.lists(unit, min_size=1, max_size=10))
    chances = st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.5, 0.9, 1.0])
    selectivity = draw(st.lists(chances, min_size=size, max_size=size))
    cost = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 10.0]), min_size=size, max_size=size))
    truth = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    return Problem.of(units, selectivity, cost=cost), truth


class Plain:
    """The paper's two tables as dicts, and the strategies read off the paper."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.units = {unit: problem.of_unit(unit) for unit in range(problem.units)}
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
            rank = ranks(self.problem)
            for unit in STRATEGIES["sub_order"]().plan(self.problem).tolist():  # type: ignore[union-attr]
                for predicate in sorted(self.units[unit], key=lambda each: rank[each]):
                    if unit in self.undecided and predicate not in self.known:
                        ask(predicate)
        else:
            while self.undecided:
                open_ones = [
                    each for each in range(self.problem.predicates) if self.demand(each) and each not in self.known
                ]
                ask(max(open_ones, key=lambda each: (self.gain(each), -each)))
        return asked

    def gain(self, predicate: int) -> float:
        chance, cost = self.problem.selectivity[predicate], self.problem.cost[predicate]
        return float(((1 - chance) * self.demand(predicate) + chance * self.final(predicate)) / cost)


def ranks(problem: Problem) -> list[int]:
    made: list[int] = chains.ranks(problem.selectivity, problem.cost, numpy.diff(problem.predicate_start)).tolist()
    return made


def run(name: str, problem: Problem, truth: list[int]) -> tuple[list[int], set[int]]:
    """What a strategy asks, and the units that hold."""
    board, strategy = Board(problem), STRATEGIES[name]()
    steps = strategy.begin(board, strategy.plan(problem))
    asked, holding = [], set()
    while (predicate := steps.next()) >= 0:
        asked.append(predicate)
        holding.update(board.answer(predicate, truth[predicate]))
    assert not board.undecided.any()
    return asked, holding


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=problems())
@settings(max_examples=60, deadline=None)
def test_asks_what_the_plain_twin_asks(name: str, made: tuple[Problem, list[int]]) -> None:
    problem, truth = made
    asked, _ = run(name, problem, truth)
    twin = Plain(problem)
    assert len(set(asked)) == len(asked)
    assert asked == twin.run(name, truth)
    assert not twin.undecided


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=problems(predicates=12))
@settings(max_examples=60, deadline=None)
def test_decides_as_evaluating_everything_does(name: str, made: tuple[Problem, list[int]]) -> None:
    problem, truth = made
    _, holding = run(name, problem, truth)
    assert holding == {unit for unit in range(problem.units) if all(truth[each] for each in problem.of_unit(unit))}


@given(made=problems(predicates=12))
@settings(max_examples=120, deadline=None)
def test_sequential_stays_within_its_bound(made: tuple[Problem, list[int]]) -> None:
    """Theorem 2, and section 4.3: d times the optimum, times Cmax/Cmin."""
    problem, truth = made
    asked, _ = run("sequential", problem, truth)
    holds = numpy.array(truth, numpy.int8)
    alike = problem.with_estimates(problem.selectivity, numpy.ones(problem.predicates))
    assert len(asked) <= problem.longest * hindsight.cheapest(alike, holds)
    spread = problem.cost.max() / problem.cost.min()
    assert problem.cost[asked].sum() <= problem.longest * spread * hindsight.cheapest(problem, holds) + 1e-9


@given(made=problems(predicates=12))
@settings(max_examples=80, deadline=None)
def test_hindsight_bounds_hold_the_optimum(made: tuple[Problem, list[int]]) -> None:
    problem, truth = made
    holds = numpy.array(truth, numpy.int8)
    alike = problem.with_estimates(problem.selectivity, numpy.ones(problem.predicates))
    low, high = hindsight.bounds(problem, holds)
    assert low <= hindsight.cheapest(alike, holds) <= high
    for name in STRATEGIES:
        assert low <= len(run(name, problem, truth)[0])


@given(made=problems(predicates=5))
@settings(max_examples=40, deadline=None)
def test_no_strategy_expects_less_than_the_bound(made: tuple[Problem, list[int]]) -> None:
    """Beside the best of all strategies, found by trying every one, and beside ours."""
    problem, _ = made
    bound = 0.0
    ours = dict.fromkeys(STRATEGIES, 0.0)
    for truth in product((0, 1), repeat=problem.predicates):
        chance = prod(p if holds else 1 - p for p, holds in zip(problem.selectivity, truth, strict=True))
        if chance:
            bound += chance * hindsight.expected_at_least(problem, numpy.array(truth, numpy.int8))
            for name in STRATEGIES:
                ours[name] += chance * float(problem.cost[run(name, problem, list(truth))[0]].sum())
    best = _least_expected(problem)
    assert bound <= best + 1e-9
    assert all(best <= each + 1e-9 for each in ours.values())


def _least_expected(problem: Problem) -> float:
    units = [frozenset(problem.of_unit(unit)) for unit in range(problem.units)]

    @cache
    def least(known: frozenset[tuple[int, int]]) -> float:
        no = {each for each, holds in known if not holds}
        asked = {each for each, _ in known}
        wanted = set().union(*(unit for unit in units if not unit & no)) - asked
        return min(
            (
                problem.cost[each]
                + problem.selectivity[each] * least(known | {(each, 1)})
                + (1 - problem.selectivity[each]) * least(known | {(each, 0)})
                for each in wanted
            ),
            default=0.0,
        )

    return least(frozenset())


@given(made=problems(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_tables_agree_with_the_plain_ones_after_every_answer(
    made: tuple[Problem, list[int]], data: st.DataObject
) -> None:
    problem, _ = made
    board, twin = Board(problem), Plain(problem)
    for predicate in data.draw(st.permutations(range(problem.predicates))):
        truth = data.draw(st.sampled_from([TRUE, FALSE, UNKNOWN]))
        assert sorted(board.answer(predicate, truth)) == twin.answer(predicate, truth)
        assert set(numpy.flatnonzero(board.undecided).tolist()) == twin.undecided
        for other in numpy.flatnonzero(board.truth == OPEN).tolist():
            assert board.demand[other] == twin.demand(other)
            assert board.final[other] == twin.final(other)


def test_a_dropped_unit_is_no_longer_worth_asking_for() -> None:
    board = Board(Problem.of([[0, 1], [1]], [0.5, 0.5]))
    board.drop(1)
    assert (board.demand.tolist(), board.final.tolist()) == ([1.0, 1.0], [0.0, 0.0])
    board.drop(0)
    assert not board.undecided.any()
    assert STRATEGIES["adaptive"]().begin(board, None).next() == -1


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=problems(), width=st.integers(2, 4), data=st.data())
@settings(max_examples=30, deadline=None)
def test_several_calls_on_their_way_change_no_decision(
    name: str, made: tuple[Problem, list[int]], width: int, data: st.DataObject
) -> None:
    problem, truth = made
    board, strategy = Board(problem), STRATEGIES[name]()
    steps = strategy.begin(board, strategy.plan(problem))
    holding: set[int] = set()
    flying: list[int] = []
    while True:
        while len(flying) < width and (predicate := steps.next()) >= 0:
            board.ask(predicate)
            flying.append(predicate)
        if not flying:
            break
        landed = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        holding.update(board.answer(landed, truth[landed]))
    assert not board.undecided.any()
    assert holding == {unit for unit in range(problem.units) if all(truth[each] for each in problem.of_unit(unit))}


@given(made=problems())
@settings(max_examples=60, deadline=None)
def test_chains_are_sorted_by_one_order_so_that_links_never_cross(made: tuple[Problem, list[int]]) -> None:
    problem, _ = made
    rank = ranks(problem)
    assert sorted(rank) == list(range(problem.predicates))
    for unit in range(problem.units):
        nodes = [Node(rank[each], problem.selectivity[each], problem.cost[each]) for each in problem.of_unit(unit)]
        assert [node.key for node in sorted_chain(nodes)] == sorted(rank[each] for each in problem.of_unit(unit))


@given(st.lists(st.sampled_from([1e-300, 0.5, 0.5, 1.0, 1.5, 2.0, 3e200]) | st.floats(1e-320, 1e300), max_size=50))
@settings(max_examples=100, deadline=None)
def test_savings_are_sorted_as_numpy_does(saved: list[float]) -> None:
    numbers = numpy.array(saved, numpy.float64)
    assert chains.largest_first(numbers).tolist() == numpy.argsort(-numbers, kind="stable").tolist()


@given(made=problems())
@settings(max_examples=60, deadline=None)
def test_an_order_of_chains_has_each_once(made: tuple[Problem, list[int]]) -> None:
    problem, _ = made
    for nearest in (1, 4, 100):
        order = STRATEGIES["sub_order"]().plan(problem) if nearest == 4 else _order(problem, nearest)
        assert order is not None
        assert sorted(order.tolist()) == list(range(problem.units))


def _order(problem: Problem, nearest: int) -> chains.Integers:
    return chains.order_chains(
        problem.unit_start, problem.unit_predicates, problem.predicate_start, problem.predicate_units,
        problem.selectivity, problem.cost, nearest=nearest,
    )  # fmt: skip
