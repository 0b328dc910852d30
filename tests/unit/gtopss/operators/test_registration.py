"""Operators, predicates and conjunctions: what is accepted, what is refused, what is one."""

from __future__ import annotations

from typing import Any

import pytest

from gtopss.errors import DuplicateSubscription, GtopssError, SubscriptionNotFound, UnknownVariable
from gtopss.model import Publication
from gtopss.model.expressions import call, compare
from gtopss.operators import (
    REGISTRY,
    InvalidOperator,
    InvalidPredicate,
    Operator,
    OperatorLimits,
    OperatorStage,
    Registry,
    UnboundArgument,
    UnknownOperator,
    UnknownStrategy,
    WrongArity,
    operator,
)
from gtopss.operators.declaration import declare_operator
from gtopss.operators.predicates import resolve_call

NOTHING = Publication("p", [])


@pytest.fixture
def registry() -> Registry:
    made = Registry()
    made.operator("p", arity=2, binds=(0, 1), timeout=None)(lambda publication: [(1, 1), (1, 2)])
    made.operator("q", timeout=None)(lambda publication, value: True)
    return made


def key(registry: Registry, *arguments: Any, name: str = "p", bound: tuple[str, ...] = ()) -> object:
    return resolve_call("s", call(name, *arguments), registry, bound).predicate  # type: ignore[arg-type]


def test_predicates_are_one_up_to_renaming(registry: Registry) -> None:
    assert key(registry, "?x1", "?y1") == key(registry, "?x3", "?y4")
    assert key(registry, "?x1", "?y1") != key(registry, "?x7", "?x7")
    assert key(registry, "?x", 2) != key(registry, "?x", 3)
    assert key(registry, "?a", name="q", bound=("?a",)) == key(registry, "?b", name="q", bound=("?b",))


def test_a_repeated_variable_and_a_constant_choose_among_the_rows_of_one_call(registry: Registry) -> None:
    stage = OperatorStage(registry)
    for name, arguments in {"any": ("?x", "?y"), "same": ("?x", "?x"), "two": ("?x", 2), "three": ("?x", 3)}.items():
        stage.add((name, 0), [call("p", *arguments)])
    report = stage.evaluate(NOTHING, {(name, 0): [{}] for name in ("any", "same", "two", "three")})
    assert {key[0]: len(rows) for key, rows in report.matched.items()} == {"any": 2, "same": 1, "two": 1}
    assert report.calls == 1


def test_what_a_subscription_may_not_ask(registry: Registry) -> None:
    stage = OperatorStage(registry)
    with pytest.raises(UnknownOperator, match="registered are: p, q") as caught:
        stage.add(("s", 0), [call("r", 1)])
    assert caught.value.subscription_id == "s"
    assert isinstance(caught.value, ValueError)
    with pytest.raises(WrongArity, match="p takes 2 arguments, not 1"):
        stage.add(("s", 0), [call("p", 1)])
    with pytest.raises(UnboundArgument, match=r"argument 1 of q needs a value, and no 5-tuple binds \?x"):
        stage.add(("s", 0), [call("q", "?x")])
    with pytest.raises(InvalidPredicate, match="BIND it to a variable first"):
        stage.add(("s", 0), [call("q", call("+", 1, 2))])
    with pytest.raises(UnknownVariable):
        stage.add(("s", 0), [call("p", "?x", "?y")], where=[compare("z", ">", 1)])
    assert len(stage) == 0


def test_keys_are_unique_and_can_be_given_back(registry: Registry) -> None:
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("q", 1)])
    with pytest.raises(DuplicateSubscription):
        stage.add(("s", 0), [call("q", 1)])
    stage.remove(("s", 0))
    with pytest.raises(SubscriptionNotFound):
        stage.remove(("s", 0))
    assert ("s", 0) not in stage


def test_arity_is_read_from_the_function() -> None:
    assert declare_operator("test", lambda publication, a, b=None: True).arity_text() == "1 to 2"
    assert declare_operator("test", lambda publication, *words: True).arity_text() == "0 or more"
    assert declare_operator("test", lambda a: [], pure=True, binds=1).arity_text() == "2"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"cost": 0}, "cost"),
        ({"selectivity": 2}, "selectivity"),
        ({"timeout": -1}, "timeout"),
        ({"binds": (0, 0), "arity": 2}, "binds"),
        ({"binds": 5, "arity": 2}, "binds"),
        ({"batch": 3}, "state it"),
        ({"batch": 0, "arity": 1}, "batch"),
        ({"arity": (2, 1)}, "arity"),
    ],
)
def test_declarations_that_contradict_themselves(facts: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidOperator, match=reason):
        declare_operator("odd", lambda publication: True, **facts)


def test_other_declarations_that_are_refused(registry: Registry) -> None:
    async def answer(publication: Publication) -> bool:
        return True

    with pytest.raises(InvalidOperator, match="takes no publication"):
        declare_operator("odd", lambda: True)
    with pytest.raises(InvalidOperator, match="async"):
        declare_operator("odd", answer, timeout=None)
    with pytest.raises(InvalidOperator, match="taken"):
        registry.operator("p")(lambda publication: True)
    with pytest.raises(InvalidOperator, match="not registered"):
        registry.remove("nobody")
    with pytest.raises(InvalidOperator, match="cannot be called"):
        Operator("odd", 5, 0, 0)  # type: ignore[arg-type]


def test_the_decorator_fills_the_common_registry_unless_told_otherwise() -> None:
    @operator("test_only_operator")
    def test_only(publication: Publication) -> bool:
        return True

    assert REGISTRY["test_only_operator"].function is test_only
    REGISTRY.remove("test_only_operator")
    mine = Registry()
    operator(registry=mine)(test_only)
    assert list(mine) == ["test_only"]
    assert mine.arities() == {"test_only": 0}


def test_a_stage_refuses_what_it_cannot_do(registry: Registry) -> None:
    with pytest.raises(UnknownStrategy, match="choose one of adaptive, naive, sequential, sub_order"):
        OperatorStage(registry, strategy="magic")
    with pytest.raises(GtopssError, match="adaptive"):
        OperatorStage(registry, strategy="naive", limits=OperatorLimits(cost=1))
    with pytest.raises(GtopssError, match="concurrency"):
        OperatorStage(registry, limits=OperatorLimits(concurrency=0))


def test_numbers_are_given_out_again_and_holes_are_closed(registry: Registry) -> None:
    stage = OperatorStage(registry)
    for round in range(4):
        for number in range(600):
            stage.add((f"{round}-{number}", 0), [call("q", number), call("q", number + 1)])
        for number in range(1, 600):
            stage.remove((f"{round}-{number}", 0))
    table = stage._table
    assert len(table.conjunctions) < 700
    assert len(table.predicates) < 700
    assert len(table.predicate_numbers) < 6000
    report = stage.evaluate(NOTHING, {(f"{round}-0", 0): [{}] for round in range(4)})
    assert len(report.matched) == 4
    assert report.calls == 2
