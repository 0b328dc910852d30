"""Registering conjunctions, refusing invalid ones, and explaining one."""

from __future__ import annotations

import pytest

from gtopss.errors import DuplicateSubscription, GtopssError, SubscriptionNotFound, UnknownVariable
from gtopss.model import Publication
from gtopss.model.expressions import call, compare
from gtopss.model.terms import term
from gtopss.operators import (
    InvalidPredicate,
    OperatorLimits,
    OperatorStage,
    Registry,
    UnboundArgument,
    UnknownOperator,
    UnknownStrategy,
    WrongArity,
)

NOTHING = Publication("p", [])


def test_invalid_uses_of_operators_are_refused(pq_registry: Registry) -> None:
    stage = OperatorStage(pq_registry)
    with pytest.raises(UnknownOperator, match="registered operators: p, q") as caught:
        stage.add(("s", 0), [call("r", 1)])
    assert caught.value.subscription_id == "s"
    assert isinstance(caught.value, ValueError)
    with pytest.raises(WrongArity, match="p takes 2 arguments, not 1"):
        stage.add(("s", 0), [call("p", 1)])
    unbound = r"argument 1 of q needs a value, but neither the pattern nor an earlier operator binds \?x"
    with pytest.raises(UnboundArgument, match=unbound):
        stage.add(("s", 0), [call("q", "?x")])
    with pytest.raises(InvalidPredicate, match="BIND it to a variable first"):
        stage.add(("s", 0), [call("q", call("+", 1, 2))])
    with pytest.raises(UnknownVariable):
        stage.add(("s", 0), [call("p", "?x", "?y")], where=[compare("z", ">", 1)])
    assert len(stage) == 0


def test_keys_are_unique_and_can_be_removed(pq_registry: Registry) -> None:
    stage = OperatorStage(pq_registry)
    stage.add(("s", 0), [call("q", 1)])
    with pytest.raises(DuplicateSubscription):
        stage.add(("s", 0), [call("q", 1)])
    stage.remove(("s", 0))
    with pytest.raises(SubscriptionNotFound):
        stage.remove(("s", 0))
    assert ("s", 0) not in stage


def test_unknown_strategies_and_impossible_limits_are_refused(pq_registry: Registry) -> None:
    names = "adaptive, gain_order, linked_gain_order, naive, sequential, sub_order"
    with pytest.raises(UnknownStrategy, match=f"choose one of {names}"):
        OperatorStage(pq_registry, strategy="magic")
    with pytest.raises(GtopssError, match="adaptive"):
        OperatorStage(pq_registry, strategy="naive", limits=OperatorLimits(cost=1))
    with pytest.raises(GtopssError, match="concurrency"):
        OperatorStage(pq_registry, limits=OperatorLimits(concurrency=0))


def test_explain_has_every_answer(pq_registry: Registry) -> None:
    pq_registry.operator("no", timeout=None)(lambda publication: False)
    pq_registry.operator("size", timeout=None, binds=0)(lambda publication: [3])
    pq_registry.operator("broken", timeout=None)(lambda publication: 1 / 0)
    stage = OperatorStage(pq_registry)
    stage.add(("s", 0), [call("no"), call("size", "?x"), call("broken")])
    report, answers, taken = stage.explain(NOTHING, ("s", 0), [{}])
    assert not report.matched
    assert not report.undecided
    answer_of = {str(each.call): each for each in answers}
    assert answer_of["no()"].rows == ()  # type: ignore[union-attr]
    assert answer_of["size()"].rows == ((term(3),),)  # type: ignore[union-attr]
    assert "ZeroDivisionError" in answer_of["broken()"].detail  # type: ignore[union-attr]
    assert {each.strategy: (each.calls, each.saved) for each in taken} == {
        "naive": (1, 2), "sequential": (1, 2), "sub_order": (1, 2), "linked_gain_order": (1, 2), "gain_order": (1, 2),
        "adaptive": (1, 2)
    }  # fmt: skip
