"""Every operator strategy: the calls of its plain version, and the same matches as evaluating everything."""

from __future__ import annotations

import random
from itertools import product

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_evaluation import PlainTables, evaluate, graphs

from gtopss.model import Call, Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, term
from gtopss.operators import STRATEGIES, OperatorStage, Registry
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph


def matching(graph: PredicateGraph, truth: list[int]) -> set[int]:
    """Return the instances whose predicates all hold."""
    return {
        instance
        for instance in range(graph.instance_count)
        if all(truth[each] for each in graph.predicates_of(instance))
    }


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_the_calls_are_those_of_the_plain_version(name: str, made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    calls, _ = evaluate(name, graph, truth)
    plain = PlainTables(graph)
    assert len(set(calls)) == len(calls)
    assert calls == plain.run(name, truth)
    assert not plain.undecided


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs(predicates=12))
@settings(max_examples=60, deadline=None)
def test_the_matches_are_those_of_evaluating_everything(name: str, made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    _, holding = evaluate(name, graph, truth)
    assert holding == matching(graph, truth)


@pytest.mark.parametrize("name", [name for name in STRATEGIES if STRATEGIES[name]().has_planned_order])
@given(made=graphs(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_the_matches_do_not_depend_on_the_order_of_the_chains(
    name: str, made: tuple[PredicateGraph, list[int]], data: st.DataObject
) -> None:
    graph, truth = made
    order = data.draw(st.permutations(range(graph.instance_count)))
    tables = EvaluationTables(graph)
    selector = STRATEGIES[name]().start(tables, numpy.array(order, numpy.int32))
    holding: set[int] = set()
    while (predicate := selector.next_predicate()) >= 0:
        holding.update(tables.enter_answer(predicate, truth[predicate]))
    assert not tables.undecided.any()
    assert holding == matching(graph, truth)


@pytest.mark.parametrize("name", STRATEGIES)
@given(made=graphs(), width=st.integers(2, 4), data=st.data())
@settings(max_examples=30, deadline=None)
def test_concurrent_calls_change_no_decision(
    name: str, made: tuple[PredicateGraph, list[int]], width: int, data: st.DataObject
) -> None:
    graph, truth = made
    tables, strategy = EvaluationTables(graph), STRATEGIES[name]()
    selector = strategy.start(tables, strategy.plan(graph))
    holding: set[int] = set()
    pending: list[int] = []
    while True:
        while len(pending) < width and (predicate := selector.next_predicate()) >= 0:
            tables.mark_started(predicate)
            pending.append(predicate)
        if not pending:
            break
        returned = pending.pop(data.draw(st.integers(0, len(pending) - 1)))
        holding.update(tables.enter_answer(returned, truth[returned]))
    assert not tables.undecided.any()
    assert holding == matching(graph, truth)


NOTHING = Publication("p", [])


X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def numbers(*values: int) -> list[Term]:
    return [term(value) for value in values]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_finds_what_brute_force_finds(strategy: str, seed: int) -> None:
    """Random conjunctions of tests, of operators that bind, and of one with an input; three publications each."""
    generator, registry = random.Random(seed), Registry()
    truth: dict[str, bool] = {}
    rows: dict[str, list[int]] = {}
    for name in "bcdefg":
        registry.operator(name, timeout=None)(lambda publication, name=name: truth[name])
    for name in "uvw":
        registry.operator(name, binds=0, timeout=None)(lambda publication, name=name: rows[name])
    registry.operator("even", timeout=None)(lambda publication, value: value in numbers(0, 2))
    stage = OperatorStage(registry, strategy=strategy)
    conjunctions: dict[tuple[str, int], list[Call]] = {}
    for number in range(12):
        calls = [call(name) for name in generator.sample("bcdefg", generator.randrange(1, 4))]
        for name, variable in zip(generator.sample("uvw", 2), ("?x", "?y"), strict=True):
            if generator.random() < 0.5:
                calls.append(call(name, variable))
        if number % 3 == 0:
            calls.append(call("even", "?z"))
        conjunctions[f"s{number}", 0] = calls
        stage.add((f"s{number}", 0), calls, bound=[Z])
    for _ in range(3):
        truth.update({name: generator.random() < 0.6 for name in "bcdefg"})
        rows.update({name: [generator.randrange(4) for _ in range(generator.randrange(3))] for name in "uvw"})
        report = stage.evaluate(NOTHING, {key: [{Z: value} for value in numbers(0, 1, 2)] for key in conjunctions})
        assert {key: {tuple(sorted(row.items())) for row in found} for key, found in report.matched.items()} == {
            key: solutions for key, calls in conjunctions.items() if (solutions := _brute(calls, truth, rows))
        }


def _brute(calls: list[Call], truth: dict[str, bool], rows: dict[str, list[int]]) -> set[tuple[tuple[Term, Term], ...]]:
    solutions = set()
    tests = [each for each in calls if each.function in truth]
    if not all(truth[each.function] for each in tests):
        return solutions
    binding = [each for each in calls if each.function in rows]
    for z in (0, 1, 2):
        if any(each.function == "even" for each in calls) and z == 1:
            continue
        for chosen in product(*(rows[each.function] for each in binding)):
            values = {Z: term(z)}
            names = [each.arguments[0] for each in binding]
            values |= {Term(str(name)): term(value) for name, value in zip(names, chosen, strict=True)}
            solutions.add(tuple(sorted(values.items())))
    return solutions
