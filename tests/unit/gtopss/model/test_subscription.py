"""Subscriptions: what they consist of, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from rdflib import BNode, Literal, Namespace, Variable

from gtopss import Branch, FiveTuple, Subscription
from gtopss.errors import InvalidSubscription, InvalidTerm, UnknownVariable
from gtopss.model.expressions import Call, call, compare, is_a

EX = Namespace("urn:ex:")
X, Y = Variable("x"), Variable("y")


def test_five_tuples_from_rdflib_terms_and_texts_are_the_same() -> None:
    assert FiveTuple(EX.a, EX.p, X) == FiveTuple("<urn:ex:a>", "<urn:ex:p>", "?x")


@pytest.mark.parametrize("edge", [(Literal("a"), EX.p, X), (EX.a, Literal("p"), X), (EX.a, BNode("p"), X)])
def test_five_tuples_that_no_triple_can_match(edge: Any) -> None:
    with pytest.raises(InvalidTerm):
        FiveTuple(*edge)
    with pytest.raises(InvalidSubscription, match="subscription 's'"):
        Subscription("s", [edge])


@pytest.mark.parametrize(
    ("tuples", "where", "place"),
    [
        ([(X, EX.p, Y, [is_a("z", EX.C)], [])], [], "5-tuple 1"),
        ([(X, EX.p, EX.a), (EX.a, EX.p, Y, [], [compare("year", ">", 1)])], [], "5-tuple 2"),
        ([(X, EX.p, Y)], [compare("x", "<", Variable("z"))], "value constraint"),
    ],
)
def test_an_unknown_variable_is_named_with_its_place(tuples: Any, where: list[Call], place: str) -> None:
    with pytest.raises(UnknownVariable, match=place) as caught:
        Subscription("s9", tuples, where=where)
    assert caught.value.subscription_id == "s9"
    assert caught.value.variable in ("?z", "?year")
    assert "variables are: ?x" in str(caught.value)


def test_a_constraint_on_the_wrong_end() -> None:
    with pytest.raises(InvalidSubscription, match="into `where`"):
        Subscription("s", [(X, EX.p, Y, [compare("y", ">", 1)], [])])


def test_malformed_subscriptions_are_refused() -> None:
    for wrong in (
        lambda: Subscription("", [(X, EX.p, Y)]),
        lambda: Subscription("s", [(X, EX.p, Y)], branches=[Branch([], binds=[(X, 1), (X, 2)])]),
        lambda: Subscription("s", branches=[Branch([(X, EX.p, Y)], binds=[(X, "?y")])]),
        lambda: Subscription("s", branches=[Branch([(X, EX.p, Y)], binds=[("?z", "?later"), ("?later", "?x")])]),
        lambda: Subscription("s", branches=[]),
        lambda: Subscription("s", [(X, EX.p)]),
        lambda: Subscription("s", [(X, EX.p, Y, [], [], [])]),
        lambda: Subscription("s", [(X, EX.p, Y, ["x > 5"], [])]),
        lambda: Subscription("s", [(X, EX.p, Y)], select=["x y"]),
        lambda: Subscription("s", [(X, EX.p, Y)], select=["z"]),
    ):
        with pytest.raises(InvalidSubscription):
            wrong()


def test_an_expression_nested_without_end() -> None:
    deep = compare("x", ">", 1)
    for _ in range(5_000):
        deep = call("!", deep)
    with pytest.raises(InvalidSubscription, match="nests deeper"):
        Subscription("s", [(X, EX.p, Y)], where=[deep])


def test_parts_of_a_pattern() -> None:
    def parts(*tuples: Any, where: Any = ()) -> int:
        return len(Branch(tuples, where).connected_parts())

    assert parts((X, EX.p, Y), (Y, EX.p, EX.a)) == 1
    assert parts((X, EX.p, EX.a), (Y, EX.p, EX.b)) == 2
    assert parts((X, EX.type, EX.C), (Y, EX.type, EX.C)) == 2  # every pair of Cs
    assert parts((X, EX.conference, EX.sigmod), (EX.sigmod, EX.year, Y)) == 1  # the paper's S2
    assert parts((X, EX.p, EX.a), (Y, EX.p, EX.b), where=[compare("x", "=", Y)]) == 1
    assert parts((X, EX.p, EX.a), (Y, EX.p, EX.b), where=[compare("x", "<", Y)]) == 2
    assert parts((EX.a, EX.p, EX.b), (EX.c, EX.p, EX.d)) == 0  # nothing to multiply
    assert parts((EX.a, Variable("p"), EX.b), (EX.c, Variable("p"), EX.d)) == 1
    assert parts((EX.p, EX.q, X), (EX.a, EX.p, Y)) == 2  # a property is no node
