"""Operators whose inputs other operators compute."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from gtopss.engine import Engine
from gtopss.model import Publication
from gtopss.model.expressions import call, compare
from gtopss.operators import STRATEGIES, OperatorLimits, OperatorStage, Registry, UnboundArgument
from gtopss.operators.chained_calls import split_first_level

NOTHING = Publication("p", [])


class Numbers:
    """Operators over small numbers, and the calls that were made."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.registry = Registry()
        self.registry.operator("first", binds=0, timeout=None)(lambda publication: self._made("first", [1, 2]))
        self.registry.operator("second", binds=0, timeout=None)(lambda publication: self._made("second", [2, 3]))
        self.registry.operator("dist", timeout=None)(
            lambda publication, one, other: self._made(("dist", one, other), abs(number(one) - number(other)) == 1)
        )
        self.registry.operator("double", binds=1, timeout=None)(
            lambda publication, one: self._made(("double", one), [2 * number(one)])
        )

    def _made(self, name: object, answer: object) -> object:
        self.calls.append(name if isinstance(name, tuple) else (name,))
        return answer


def number(term: str) -> int:
    return int(term.split('"')[1])


def found(stage: OperatorStage, *keys: str) -> dict[str, set[tuple[int, ...]]]:
    report = stage.evaluate(NOTHING, {(key, 0): [{}] for key in keys})
    assert not report.undecided
    return {
        key: {tuple(number(row[name]) for name in sorted(row)) for row in rows}
        for (key, _), rows in report.matched.items()
    }


@pytest.fixture
def numbers() -> Numbers:
    return Numbers()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_operator_takes_the_outputs_of_two_others(strategy: str, numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry, strategy=strategy)
    stage.add(("s", 0), [call("dist", "?x", "?y"), call("first", "?x"), call("second", "?y")])
    assert found(stage, "s") == {"s": {(1, 2), (2, 3)}}
    assert len(numbers.calls) == len(set(numbers.calls)) == 2 + 4  # one for each pair of values


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_chains_have_any_length_and_share_calls_across_levels(strategy: str, numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry, strategy=strategy)
    stage.add(("chain", 0), [call("double", "?y", "?z"), call("double", "?x", "?y"), call("first", "?x")])
    stage.add(("plain", 0), [call("double", 1, "?y")])
    assert found(stage, "chain", "plain") == {"chain": {(1, 2, 4), (2, 4, 8)}, "plain": {(2,)}}
    assert len(numbers.calls) == len(set(numbers.calls))
    stage.remove(("chain", 0))
    assert found(stage, "plain") == {"plain": {(2,)}}
    assert stage._later is not None
    assert len(stage._later) == 0


def test_value_constraints_are_tested_as_early_as_possible(numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry)
    tests = [compare("x", ">", 5), compare("y", ">", 0)]
    stage.add(("s", 0), [call("first", "?x"), call("double", "?x", "?y")], where=tests)
    assert found(stage, "s") == {}
    assert numbers.calls == [("first",)]


def test_a_false_answer_makes_the_calls_after_it_unnecessary(numbers: Numbers) -> None:
    numbers.registry.operator("never", timeout=None)(lambda publication: False)
    stage = OperatorStage(numbers.registry)
    stage.add(("s", 0), [call("never"), call("first", "?x"), call("double", "?x", "?y")])
    assert found(stage, "s") == {}
    assert not any(made[0] == "double" for made in numbers.calls if isinstance(made, tuple))


def test_calls_that_can_never_be_made_are_refused(numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry)
    for calls in (
        [call("dist", "?x", "?z"), call("first", "?x")],
        [call("double", "?x", "?y"), call("double", "?y", "?x")],
        [call("double", "?x", "?x"), call("first", "?y")],
    ):
        with pytest.raises(UnboundArgument):
            stage.add(("s", 0), calls)
        assert ("s", 0) not in stage
    stage.add(("s", 0), [call("first", "?x")])


def test_an_unknown_answer_leaves_a_chain_undecided(numbers: Numbers) -> None:
    numbers.registry.operator("fails", binds=0, timeout=None)(lambda publication: 1 / 0)
    stage = OperatorStage(numbers.registry)
    stage.add(("early", 0), [call("fails", "?x"), call("double", "?x", "?y")])
    numbers.registry.operator("broken", timeout=None)(lambda publication, one: 1 / 0)
    stage.add(("late", 0), [call("first", "?x"), call("broken", "?x")])
    report = stage.evaluate(NOTHING, {("early", 0): [{}], ("late", 0): [{}]})
    assert set(report.undecided) == {("early", 0), ("late", 0)}
    assert not report.matched


def test_a_budget_is_for_all_levels_together(numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry, limits=OperatorLimits(cost=2))
    stage.add(("s", 0), [call("first", "?x"), call("double", "?x", "?y")])
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert report.cost == 2
    assert report.undecided  # first and one double; the other would have cost more
    assert len(numbers.calls) == 2


def test_plan_and_explanation_have_the_calls_of_all_levels(numbers: Numbers) -> None:
    stage = OperatorStage(numbers.registry)
    stage.add(("s", 0), [call("first", "?x"), call("double", "?x", "?y")])
    assert [each.predicate for each in stage.plan().predicates] == ["first(?0)", "double($0, ?0)"]
    explained = stage.explain(NOTHING, ("s", 0), [{}])
    assert [str(each.call) for each in explained.calls] == ["first()", "double(1)", "double(2)"]
    assert {each.calls for each in explained.strategy_costs} == {3}
    assert set(explained.report.matched) == {("s", 0)}


def test_levels_of_calls(numbers: Numbers) -> None:
    calls = [call("dist", "?x", "?y"), call("first", "?x"), call("double", "?x", "?y")]
    level = split_first_level("s", calls, [compare("x", ">", 0), compare("y", ">", 0)], numbers.registry, ())
    assert level.calls == (calls[1],)
    assert level.later_calls == (calls[0], calls[2])
    assert level.outputs == {"?x"}
    assert level.tests == (compare("x", ">", 0),)
    assert level.later_tests == (compare("y", ">", 0),)


def successors() -> Iterator[tuple[int, int]]:
    return ((one, one + 1) for one in range(5))


def successor_registry(calls: list[tuple[object, ...]]) -> Registry:
    """An operator that computes any subset of its arguments: the second is the successor of the first."""
    registry = Registry()

    def successor(publication: Publication, one: str | None, other: str | None) -> object:
        calls.append((one, other))
        known = [None if each is None else number(each) for each in (one, other)]
        fits = [pair for pair in successors() if all(a in (None, b) for a, b in zip(known, pair, strict=True))]
        if None not in known:
            return bool(fits)
        return [tuple(value for value, given in zip(pair, known, strict=True) if given is None) for pair in fits]

    registry.operator("successor", arity=2, binds="any", timeout=None)(successor)
    registry.operator("first", binds=0, timeout=None)(lambda publication: [1, 4])
    return registry


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((1, 2), {()}),
        ((1, 3), None),
        ((1, "?y"), {(2,)}),
        (("?x", 2), {(1,)}),
        (("?x", "?y"), set(successors())),
        (("?x", "?x"), None),
    ],
    ids=str,
)
def test_any_subset_of_the_arguments_may_be_variables(
    arguments: tuple[object, object], expected: set[tuple[int, ...]] | None
) -> None:
    stage = OperatorStage(successor_registry([]))
    stage.add(("s", 0), [call("successor", *arguments)])  # type: ignore[arg-type]
    assert found(stage, "s") == ({} if expected is None else {"s": expected})


def test_the_variables_of_the_pattern_and_of_other_operators_are_inputs() -> None:
    calls: list[tuple[object, ...]] = []
    stage = OperatorStage(successor_registry(calls))
    stage.add(("pattern", 0), [call("successor", "?x", "?y")], bound=["?x"])  # type: ignore[list-item]
    stage.add(("chain", 0), [call("successor", "?x", "?y"), call("first", "?x")])
    rows = [{"?x": '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'}]
    report = stage.evaluate(NOTHING, {("pattern", 0): rows, ("chain", 0): [{}]})  # type: ignore[dict-item]
    assert {key: len(rows) for key, rows in report.matched.items()} == {("pattern", 0): 1, ("chain", 0): 2}
    assert all(one is not None and other is None for one, other in calls)
    assert len(calls) == 3


def test_chains_are_written_in_queries() -> None:
    engine = Engine(operators=successor_registry([]))
    engine.add(
        "SELECT ?x ?y ?z { ?item <urn:p> ?o FILTER(first(?x)) BIND(successor(?x) AS ?y) FILTER(successor(?y, ?z)) "
        "FILTER(?z < 6) }",
        id="s",
    )
    (match,) = engine.match([("<urn:i>", "<urn:p>", '"o"')])
    assert [{str(name): int(value) for name, value in row.items()} for row in match.bindings] == [
        {"x": 1, "y": 2, "z": 3}
    ]


def test_random_chains_give_the_rows_of_a_plain_join() -> None:
    """Chains of relations with fixed inputs and outputs, against the join of all relations."""
    random = Random(11)
    for _ in range(25):
        registry = Registry()
        relations = {f"r{place}": {(random.randrange(4), random.randrange(4)) for _ in range(6)} for place in range(3)}
        for name, pairs in relations.items():
            registry.operator(name, arity=2, binds=1, timeout=None)(
                lambda publication, one, pairs=pairs: [b for a, b in pairs if a == number(one)]
            )
        registry.operator("start", binds=0, timeout=None)(lambda publication: [0, 1, 2, 3])
        names = ["?a", "?b", "?c", "?d"]
        edges = [(name, *sorted(random.sample(range(4), 2))) for name in relations]
        needed = {place for _, one, other in edges for place in (one, other)}
        calls = [call(name, names[one], names[other]) for name, one, other in edges]
        starts = {one for _, one, _ in edges} - {other for _, _, other in edges}
        calls += [call("start", names[place]) for place in starts]
        random.shuffle(calls)
        stage = OperatorStage(registry, strategy=random.choice(list(STRATEGIES)))
        stage.add(("s", 0), calls)
        ordered = sorted(needed)
        expected = {
            values
            for values in product(range(4), repeat=len(ordered))
            if all(
                (values[ordered.index(one)], values[ordered.index(other)]) in relations[name]
                for name, one, other in edges
            )
        }
        assert found(stage, "s").get("s", set()) == expected
