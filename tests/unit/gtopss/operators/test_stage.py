"""Publications through the stage: joins, rows, sharing, budgets, the cache, the plan, explanations."""

from __future__ import annotations

import random
from itertools import product

import pytest
from support.operator_stages import all_survivors

from gtopss.errors import InvalidSubscription
from gtopss.model import Call, Publication
from gtopss.model.expressions import call, compare, contains
from gtopss.model.terms import Term, literal, term
from gtopss.operators import STRATEGIES, AnswerWithCost, OperatorLimits, OperatorStage, Registry
from gtopss.operators.limits import MAX_JOINED_ROWS

NOTHING = Publication("p", [])
X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def numbers(*values: int) -> list[Term]:
    return [term(value) for value in values]


@pytest.fixture
def registry() -> Registry:
    return Registry()


def test_a_call_is_made_per_distinct_input_and_filters_rows(registry: Registry) -> None:
    seen: list[Term] = []

    @registry.operator("small", timeout=None)
    def small(publication: Publication, value: Term) -> bool:
        seen.append(value)
        return value in numbers(1, 2)

    stage = OperatorStage(registry)
    stage.add(("a", 0), [call("small", "?x")], bound=[X, Y])
    stage.add(("b", 0), [call("small", "?z")], bound=[Z])
    one, two, three = numbers(1, 2, 3)
    rows = [{X: one, Y: three}, {X: one, Y: two}, {X: three, Y: one}, {X: two, Y: one}]
    report = stage.evaluate(NOTHING, {("a", 0): rows, ("b", 0): [{Z: one}]})
    assert list(report.matched["a", 0]) == [rows[0], rows[1], rows[3]]
    assert report.matched["b", 0] == ({Z: one},)
    assert sorted(seen) == sorted([one, two, three])


def test_a_constant_and_an_equal_input_are_one_call(registry: Registry) -> None:
    asked: list[Term] = []
    registry.operator("q", timeout=None)(lambda publication, value: asked.append(value) or True)
    for strategy in STRATEGIES:
        stage = OperatorStage(registry, strategy=strategy)
        stage.add(("constant", 0), [call("q", 1)])
        stage.add(("input", 0), [call("q", "?x")], bound=[X])
        stage.add(("both", 0), [call("q", "?x"), call("q", 1)], bound=[X])
        asked.clear()
        rows = [{X: term(1)}, {X: term(2)}]
        report = stage.evaluate(NOTHING, {("constant", 0): [{}], ("input", 0): rows, ("both", 0): rows})
        assert sorted(asked) == numbers(1, 2)
        assert {key[0]: len(rows) for key, rows in report.matched.items()} == {"constant": 1, "input": 2, "both": 2}


def test_bindings_join_with_each_other_and_with_the_row(registry: Registry) -> None:
    registry.operator("left", binds=(0, 1), arity=2, timeout=None)(lambda publication: [(1, 10), (2, 20)])
    registry.operator("right", binds=(0, 1), arity=2, timeout=None)(lambda publication: [(10, 5), (20, 6), (30, 7)])
    stage = OperatorStage(registry)
    calls = [call("left", "?x", "?y"), call("right", "?y", "?z")]
    stage.add(("all", 0), calls)
    stage.add(("row", 0), calls, bound=[X])
    stage.add(("test", 0), calls, where=[compare(call("*", 4, "?z"), ">", "?y")])
    stage.add(("bind", 0), calls, binds=[(Term("?sum"), call("+", "?y", "?z"))], where=[compare("sum", ">", 20)])
    report = stage.evaluate(
        NOTHING, {("all", 0): [{}], ("row", 0): [{X: term(2)}, {X: term(9)}], ("test", 0): [{}], ("bind", 0): [{}]}
    )
    every = [dict(zip((X, Y, Z), numbers(*values), strict=True)) for values in [(1, 10, 5), (2, 20, 6)]]
    assert list(report.matched["all", 0]) == every
    assert list(report.matched["row", 0]) == every[1:]
    assert list(report.matched["test", 0]) == every
    assert list(report.matched["bind", 0]) == [{**every[1], Term("?sum"): term(26)}]
    assert report.calls == 2


def test_two_names_for_one_predicate_in_one_subscription(registry: Registry) -> None:
    registry.operator("n", binds=0, timeout=None)(lambda publication: [1, 2])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("n", "?x"), call("n", "?y")], where=[compare("x", "<", "?y")])
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert report.matched["s", 0] == ({X: term(1), Y: term(2)},)
    assert report.calls == 1


def test_an_input_without_value_fails_its_row(registry: Registry) -> None:
    registry.operator("yes", timeout=None)(lambda publication, value: True)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("yes", "?x")], bound=[X])
    report = stage.evaluate(NOTHING, {("s", 0): [{}, {X: term(1)}]})
    assert report.matched["s", 0] == ({X: term(1)},)


def test_value_constraints_alone(registry: Registry) -> None:
    stage = OperatorStage(registry)
    stage.add(("s", 0), [], bound=[X], where=[compare("x", ">", 1)])
    report = stage.evaluate(NOTHING, {("s", 0): [{X: term(1)}, {X: term(2)}]})
    assert report.matched == {("s", 0): ({X: term(2)},)}


def test_only_the_fact(registry: Registry) -> None:
    """With row_limit=0 a further row of what matches already is not asked for."""
    registry.operator("yes", timeout=None)(lambda publication, value: True)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("yes", "?x")], bound=[X])
    rows = [{X: value} for value in numbers(*range(50))]
    report = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=0)
    assert (report.matched, report.calls) == ({("s", 0): ()}, 1)
    limited = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=3)
    assert len(limited.matched["s", 0]) == 3
    assert limited.truncated == {("s", 0)}
    whole = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=50)
    assert not whole.truncated


def test_rows_that_multiply_too_far_are_left_open(registry: Registry) -> None:
    many = list(range(400))
    registry.operator("c", binds=0, timeout=None)(lambda publication: many)
    registry.operator("b", binds=0, timeout=None)(lambda publication: many)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("c", "?x"), call("b", "?y")], where=[compare(call("+", "?x", "?y"), "<", -1)])
    assert len(many) ** 2 > MAX_JOINED_ROWS
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert [each.reason for each in report.undecided["s", 0]] == ["join"]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_finds_what_brute_force_finds(strategy: str, seed: int, registry: Registry) -> None:
    """Random conjunctions of tests, of operators that bind, and of one with an input; three publications each."""
    generator = random.Random(seed)
    truth: dict[str, bool] = {}
    rows: dict[str, list[int]] = {}
    for name in "bcdefg":
        registry.operator(name, timeout=None)(lambda publication, name=name: truth[name])
    for name in "uvw":
        registry.operator(name, binds=0, timeout=None)(lambda publication, name=name: rows[name])
    registry.operator("even", timeout=None)(lambda publication, value: value in numbers(0, 2))
    stage = OperatorStage(registry, strategy=strategy)
    asked: dict[tuple[str, int], list[Call]] = {}
    for number in range(12):
        calls = [call(name) for name in generator.sample("bcdefg", generator.randrange(1, 4))]
        for name, variable in zip(generator.sample("uvw", 2), ("?x", "?y"), strict=True):
            if generator.random() < 0.5:
                calls.append(call(name, variable))
        if number % 3 == 0:
            calls.append(call("even", "?z"))
        asked[f"s{number}", 0] = calls
        stage.add((f"s{number}", 0), calls, bound=[Z])
    for _ in range(3):
        truth.update({name: generator.random() < 0.6 for name in "bcdefg"})
        rows.update({name: [generator.randrange(4) for _ in range(generator.randrange(3))] for name in "uvw"})
        report = stage.evaluate(NOTHING, {key: [{Z: value} for value in numbers(0, 1, 2)] for key in asked})
        assert {key: {tuple(sorted(row.items())) for row in found} for key, found in report.matched.items()} == {
            key: solutions for key, calls in asked.items() if (solutions := _brute(calls, truth, rows))
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


def test_a_budget_settles_the_most_valuable_first(registry: Registry) -> None:
    asked = []
    for name in ("popular", "rare", "dear"):
        registry.operator(name, timeout=None, cost=50 if name == "dear" else 1)(
            lambda publication, name=name: asked.append(name) or False
        )
    stage = OperatorStage(registry, limits=OperatorLimits(cost=1.5))
    for number in range(5):
        stage.add((f"popular-{number}", 0), [call("popular")])
    stage.add(("rare", 0), [call("rare")])
    stage.add(("dear", 0), [call("dear")], value=10)
    everything = all_survivors(stage)
    report = stage.evaluate(NOTHING, everything)
    assert asked == ["popular"]
    assert report.cost == 1
    assert set(report.undecided) == {("rare", 0), ("dear", 0)}
    assert {each.reason for each in report.unanswered} == {"budget"}


def test_the_value_of_a_subscription_counts(registry: Registry) -> None:
    asked = []
    for name in ("many", "one"):
        registry.operator(name, timeout=None)(lambda publication, name=name: asked.append(name) or False)
    stage = OperatorStage(registry, limits=OperatorLimits(cost=1))
    for number in range(5):
        stage.add((f"many-{number}", 0), [call("many")])
    stage.add(("one", 0), [call("one")], value=100)
    stage.evaluate(NOTHING, all_survivors(stage))
    assert asked == ["one"]


def test_values_add_up_exactly(registry: Registry) -> None:
    """Ten times a tenth, less ten tenths, must be nothing, or a call would be made for nobody."""
    asked = []
    for name in ("first", "second"):
        registry.operator(name, timeout=None, selectivity=0.1)(
            lambda publication, name=name: asked.append(name) or False
        )
    stage = OperatorStage(registry)
    for number in range(10):
        stage.add((f"s{number}", 0), [call("first"), call("second")], value=0.1)
    stage.evaluate(NOTHING, all_survivors(stage))
    assert len(asked) == 1
    with pytest.raises(InvalidSubscription, match="value"):
        stage.add(("s", 0), [call("first")], value=0)


def test_a_time_budget_leaves_the_rest_open(registry: Registry) -> None:
    now = [0.0]

    def tick(publication: Publication, value: Term) -> bool:
        now[0] += 1.0
        return False

    registry.operator("tick", timeout=None)(tick)
    stage = OperatorStage(registry, limits=OperatorLimits(seconds=2.5), clock=lambda: now[0])
    for number in range(6):
        stage.add((f"s{number}", 0), [call("tick", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert report.calls == 3
    assert len(report.undecided) == 3
    assert {each.reason for each in report.unanswered} == {"deadline"}


def test_what_a_call_really_costs_is_learned_and_counted(registry: Registry) -> None:
    registry.operator("model", timeout=None, cost=1)(lambda publication: AnswerWithCost(True, 9.0))
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("model")])
    for _ in range(20):
        report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert report.cost == 9.0
    assert 8.0 < stage.plan().predicates[0].cost < 9.0


def test_time_is_a_cost_where_a_second_has_a_price(registry: Registry) -> None:
    now = [0.0]

    def slow(publication: Publication) -> bool:
        now[0] += 2.0
        return True

    registry.operator("slow", timeout=None)(slow)
    stage = OperatorStage(registry, cost_per_second=10.0, clock=lambda: now[0])
    stage.add(("s", 0), [call("slow")])
    stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert stage.plan().predicates[0].cost == pytest.approx(21.0)


def test_pure_answers_are_kept_across_publications_and_bounded(registry: Registry) -> None:
    asked: list[Term] = []

    @registry.operator("square", pure=True, binds=1, timeout=None)
    def square(value: Term) -> list[int]:
        asked.append(value)
        return [int(value[1 : value.index('"', 1)]) ** 2]

    stage = OperatorStage(registry, max_cached_answers=2)
    stage.add(("s", 0), [call("square", "?x", "?y")], bound=[X])

    def squares(*values: int) -> list[int]:
        asked.clear()
        report = stage.evaluate(NOTHING, {("s", 0): [{X: value} for value in numbers(*values)]})
        assert len(report.matched["s", 0]) == len(values)
        return len(asked)

    assert squares(1, 2) == 2
    assert squares(2, 1) == 0
    assert squares(3) == 1  # which forgets 2: it was used longest ago
    assert squares(1, 3) == 0
    assert squares(2) == 1


def test_selectivity_is_learned_and_changes_the_order(registry: Registry) -> None:
    asked: list[str] = []
    for name, answer in (("usual", True), ("unusual", False)):
        registry.operator(name, timeout=None)(
            lambda publication, name=name, answer=answer: asked.append(name) or answer
        )
    for strategy in ("adaptive", "sub_order"):
        stage = OperatorStage(registry, strategy=strategy)
        stage.add(("s", 0), [call("usual"), call("unusual")])
        stage.add(("t", 0), [call("usual")])
        for _ in range(3):
            stage.evaluate(NOTHING, {("s", 0): [{}], ("t", 0): [{}]})
        plan = {each.predicate: each.selectivity for each in stage.plan().predicates}
        assert plan["usual()"] > 0.75
        asked.clear()
        stage.evaluate(NOTHING, {("s", 0): [{}]})
        if strategy == "adaptive":
            assert asked == ["unusual"]


def test_drift_is_reported_and_followed(registry: Registry) -> None:
    answer = [True]
    registry.operator("fickle", timeout=None)(lambda publication, value: answer[0])
    stage = OperatorStage(registry)
    for number in range(8):
        stage.add((f"s{number}", 0), [call("fickle", number)])
    everything = all_survivors(stage)
    for _ in range(400):
        stage.evaluate(NOTHING, everything)
    answer[0] = False
    for _ in range(256):
        stage.evaluate(NOTHING, everything)
    plan = stage.plan()
    assert all(each.selectivity < 0.3 for each in plan.predicates)
    assert all(each.drifted_from is not None and each.drifted_from > 0.6 for each in plan.predicates)


def test_dependent_predicates_are_reported(registry: Registry) -> None:
    """Both hold or neither: four times as many matches as independence allows, at one in four."""
    generator = random.Random(7)
    holds = [True]
    for name in ("rain", "wet", "tuesday", "late"):
        registry.operator(name, timeout=None, selectivity=0.25)(
            lambda publication, name=name: holds[0] if name in ("rain", "wet") else generator.random() < 0.25
        )
    stage = OperatorStage(registry)
    stage.add(("together", 0), [call("rain"), call("wet")])
    stage.add(("apart", 0), [call("tuesday"), call("late")])
    for name in ("rain", "wet", "tuesday", "late"):
        stage.add((name, 0), [call(name)])
    for _ in range(400):
        holds[0] = generator.random() < 0.25
        stage.evaluate(NOTHING, all_survivors(stage))
    odd = {chain.key[0]: chain for chain in stage.plan().chains if chain.matches is not None}
    assert set(odd) == {"together"}
    assert odd["together"].expected_matches is not None
    assert odd["together"].matches is not None
    assert odd["together"].matches > 2.5 * odd["together"].expected_matches


def test_the_plan_as_json(registry: Registry) -> None:
    registry.operator("cheap", timeout=None)(lambda publication: True)
    registry.operator("dear", timeout=None, cost=100)(lambda publication: True)
    stage = OperatorStage(registry, strategy="sub_order")
    stage.add(("s", 0), [call("dear"), call("cheap")])
    made = stage.plan().to_json()
    assert made["strategy"] == "sub_order"
    assert made["chains"][0]["predicates"] == ["cheap()", "dear()"]
    assert made["chains"][0]["expected_cost"] == pytest.approx(1 + 0.5 * 100)
    assert [each["subscriptions"] for each in made["predicates"]] == [1, 1]


def test_explain_tells_every_answer(registry: Registry) -> None:
    registry.operator("no", timeout=None)(lambda publication: False)
    registry.operator("size", timeout=None, binds=0)(lambda publication: [3])
    registry.operator("broken", timeout=None)(lambda publication: 1 / 0)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("no"), call("size", "?x"), call("broken")])
    report, answers, taken = stage.explain(NOTHING, ("s", 0), [{}])
    assert not report.matched
    assert not report.undecided
    told = {str(each.call): each for each in answers}
    assert told["no()"].rows == ()  # type: ignore[union-attr]
    assert told["size()"].rows == ((term(3),),)  # type: ignore[union-attr]
    assert "ZeroDivisionError" in told["broken()"].detail  # type: ignore[union-attr]
    assert {each.strategy: (each.calls, each.saved) for each in taken} == {
        "naive": (1, 2), "sequential": (1, 2), "sub_order": (1, 2), "adaptive": (1, 2)
    }  # fmt: skip


def test_explain_tells_what_each_strategy_would_take(registry: Registry) -> None:
    registry.operator("dear", timeout=None, cost=50)(lambda publication: True)
    registry.operator("odd", timeout=None, cost=2)(lambda publication: 1 / 0)
    registry.operator("none", timeout=None, binds=0)(lambda publication: [4])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("dear"), call("odd"), call("none", 3)])
    _, _, taken = stage.explain(NOTHING, ("s", 0), [{}])
    assert {each.strategy: (each.calls, each.cost) for each in taken} == {
        "naive": (3, 53), "sequential": (3, 53), "sub_order": (1, 1), "adaptive": (1, 1)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("strategy", "chain", "first"),
    [("naive", ["dear()", "cheap()"], "cheap()"), ("sequential", ["dear()", "cheap()"], "cheap()"),
     ("sub_order", ["cheap()", "dear()"], "cheap()"), ("adaptive", ["cheap()", "dear()"], "dear()")],
)  # fmt: skip
def test_the_plan_is_the_strategys_own(strategy: str, chain: list[str], first: str, registry: Registry) -> None:
    """Ten subscriptions ask the dear one: adaptive would begin with it, and none but these two sort a chain."""
    registry.operator("cheap", timeout=None)(lambda publication: True)
    registry.operator("dear", timeout=None, cost=5)(lambda publication: True)
    stage = OperatorStage(registry, strategy=strategy)
    stage.add(("s", 0), [call("dear"), call("cheap")])
    for number in range(9):
        stage.add((f"s{number}", 0), [call("dear")])
    plan = stage.plan()
    assert list(plan.chains[[each.key for each in plan.chains].index(("s", 0))].predicates) == chain
    assert plan.predicates[0].predicate == first
    assert plan.description == stage._strategy.description


def test_survivors_only(registry: Registry) -> None:
    asked: list[Term] = []
    registry.operator("q", timeout=None)(lambda publication, value: asked.append(value) or True)
    for strategy in STRATEGIES:
        stage = OperatorStage(registry, strategy=strategy)
        for number in range(20):
            stage.add((f"s{number}", 0), [call("q", number), call("q", number + 1)])
        stage.add(("text", 0), [call("q", literal("a"))], where=[contains("x", "b")], bound=[X])
        asked.clear()
        report = stage.evaluate(NOTHING, {("s3", 0): [{}], ("s4", 0): [{}]})
        assert set(report.matched) == {("s3", 0), ("s4", 0)}
        assert sorted(asked) == numbers(3, 4, 5)
