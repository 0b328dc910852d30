"""Checks and forms of a subscription before it is registered."""

from __future__ import annotations

import pytest

from gtopss import Engine, Subscription
from gtopss.engine.preparation import parse_subscription, prepare_subscription
from gtopss.errors import CartesianSubscription, InvalidQuery, InvalidSubscription
from gtopss.model.expressions import call
from gtopss.model.terms import literal
from gtopss.operators import Registry

PATTERN = ("?x", "<urn:p>", "?y")


def test_a_text_gets_the_next_id_unless_it_has_one() -> None:
    read = [
        parse_subscription("ASK { ?x <urn:p> ?y }", id, lambda: "next", Registry(), print).id for id in (None, "mine")
    ]
    assert read == ["next", "mine"]


def test_a_subscription_keeps_its_id() -> None:
    given = Subscription("s", [PATTERN])
    assert parse_subscription(given, "s", lambda: "next", Registry(), print) is given
    with pytest.raises(InvalidSubscription, match="cannot be added as 'other'"):
        parse_subscription(given, "other", lambda: "next", Registry(), print)


@pytest.mark.parametrize(("id", "named"), [("x", "'x'"), (None, r"'\?'")])
def test_a_value_of_another_type_is_refused_with_its_id(id: str | None, named: str) -> None:
    with pytest.raises(InvalidSubscription, match=f"subscription {named}: None is not a subscription"):
        parse_subscription(None, id, lambda: "next", Registry(), print)  # type: ignore[arg-type]


def prepare(subscription: Subscription, text: str | None = None) -> Subscription | None:
    return prepare_subscription(subscription, text, Registry(), allow_cartesian=False).normal


def test_the_normal_form_has_the_constants_in_the_edges() -> None:
    made = prepare(Subscription("s", [(*PATTERN, [], [call("=", "?y", "<urn:o>")])]))
    assert made is not None
    assert made.branches[0].edges() == (("?x", "<urn:p>", "<urn:o>"),)


def test_branches_that_can_never_match_are_left_out_with_their_reasons() -> None:
    never = Subscription("s", [PATTERN], where=[call("=", 1, 2)])
    made = prepare_subscription(never, None, Registry(), allow_cartesian=False)
    assert made.normal is None
    assert made.written is never
    assert len(made.impossible) == 1


def test_a_branch_that_calls_an_operator_is_split_and_not_normalised() -> None:
    operators = Registry()
    operators.operator("near", timeout=None)(lambda publication, place: True)
    made = prepare_subscription(
        Subscription("s", [PATTERN], where=[call("near", "?y")]), None, operators, allow_cartesian=False
    )
    assert made.normal is None
    assert made.operator_parts is not None
    assert made.operator_parts[0].calls


def test_an_invalid_expression_is_located_in_the_text_if_there_is_one() -> None:
    wrong = Subscription("s", [PATTERN], where=[call("REGEX", "?y", literal("("))])
    with pytest.raises(InvalidSubscription) as caught:
        prepare(wrong)
    assert not isinstance(caught.value, InvalidQuery)
    with pytest.raises(InvalidQuery) as located:
        prepare(wrong, "ASK {\n ?x <urn:p> ?y FILTER REGEX(?y, '(') }")
    assert located.value.line == 2


def test_now_is_found_in_any_expression() -> None:
    plain, timed = Subscription("s", [PATTERN]), Subscription("t", [PATTERN], where=[call("<", "?y", call("NOW"))])
    prepared = [prepare_subscription(each, None, Registry(), allow_cartesian=False) for each in (plain, timed)]
    assert [each.uses_now for each in prepared] == [False, True]


def test_a_cartesian_subscription_is_refused_unless_allowed() -> None:
    pairs = Subscription("pairs", [("?x", "<urn:p>", "<urn:a>"), ("?y", "<urn:p>", "<urn:b>")])
    with pytest.raises(CartesianSubscription, match="allow_cartesian") as caught:
        Engine().add(pairs)
    assert len(caught.value.parts) == 2
    Engine(allow_cartesian=True).add(pairs)


def test_a_subscription_without_edges_is_refused_unless_allowed() -> None:
    everything = Subscription("everything", [])
    with pytest.raises(InvalidSubscription, match="matches every publication"):
        Engine().add(everything)
