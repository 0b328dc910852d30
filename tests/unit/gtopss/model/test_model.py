from __future__ import annotations

import contextlib
import copy
import datetime as dt
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, Namespace, Variable
from support.strategies import LITERALS, publications, subscriptions

from gtopss import Branch, FiveTuple, Publication, Subscription
from gtopss.errors import GtopssError, InvalidSubscription, InvalidTerm, MalformedPublication, UnknownVariable
from gtopss.model.expressions import Call, call, compare, is_a
from gtopss.model.publication import TextPublication

EX = Namespace("urn:ex:")
X, Y = Variable("x"), Variable("y")


def test_a_publication_is_a_set_of_triples() -> None:
    made = Publication("p", [(EX.a, EX.p, 1), (EX.a, EX.p, Literal(1)), (EX.a, EX.p, Literal("1"))])
    assert len(made.triples) == 2


def test_a_publication_of_lines_is_one_of_the_same_triples() -> None:
    when = dt.datetime(2005, 4, 8, tzinfo=dt.UTC)
    lines = '<urn:a>\n<urn:p>\n"é"\n<urn:a>\n<urn:p>\n<urn:b>\n<urn:a>\n<urn:p>\n"é"\n'.encode()
    triples = [("<urn:a>", "<urn:p>", '"é"'), ("<urn:a>", "<urn:p>", "<urn:b>")]
    plain = Publication("p", triples, source="here", published_at=when)

    def made() -> Publication:
        """Anew each time, so that nobody has looked at its triples."""
        return TextPublication("p", lines, 3, source="here", published_at=when)

    assert made().triples == plain.triples
    assert (made() == plain, plain == made(), made() == made(), made() != plain) == (True, True, True, False)
    assert hash(made()) == hash(plain)
    assert len({made(), plain}) == 1
    assert (repr(made()), str(made())) == (repr(plain), str(plain))
    for each in (made(), plain):
        assert pickle.loads(pickle.dumps(each)) == copy.deepcopy(each) == plain
        assert each.replace(id="q", published_at=when + dt.timedelta(1)) == Publication(
            "q", triples, source="here", published_at=when + dt.timedelta(1)
        )
        assert each.replace() == plain
        assert each != each.replace(id="q")
        assert each != Publication("p", triples[:1], source="here", published_at=when)
        assert each != "p"
        for name in ("id", "triples", "lines") if each is not plain else ("id", "triples"):
            with pytest.raises(AttributeError):
                setattr(each, name, None)
            with pytest.raises(AttributeError):
                delattr(each, name)
    with pytest.raises(MalformedPublication, match="id must be a text"):
        TextPublication("", lines, 3)


def test_a_publication_of_no_lines() -> None:
    assert TextPublication("p", b"", 0) == Publication("p", [])


@pytest.mark.parametrize(
    ("triple", "problem"),
    [
        ((Literal("a"), EX.p, EX.b), "is a subject"),
        ((EX.a, Literal("p"), EX.b), "is a property"),
        ((EX.a, BNode("p"), EX.b), "is a property"),
        ((EX.a, EX.p, X), "has a variable"),
        ((EX.a, EX.p), "is not a triple"),
        ((EX.a, EX.p, None), "cannot stand in a triple"),
        ((EX.a, EX.p, "plain text"), "write it as an rdflib term"),
        (5, "is not a triple"),
    ],
)
def test_a_bad_triple_is_named_with_its_number(triple: Any, problem: str) -> None:
    with pytest.raises(MalformedPublication, match=problem) as caught:
        Publication("p7", [(EX.a, EX.p, EX.b), triple])
    assert caught.value.triple == 2
    assert "'p7', triple 2" in str(caught.value)


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
    assert "variables: ?x" in str(caught.value)


def test_a_constraint_on_the_wrong_end() -> None:
    with pytest.raises(InvalidSubscription, match="goes into `where`"):
        Subscription("s", [(X, EX.p, Y, [compare("y", ">", 1)], [])])


def test_other_subscriptions_that_say_something_impossible() -> None:
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


@given(st.data(), publications())
def test_json_gives_back_the_subscription(data: st.DataObject, publication: Publication) -> None:
    made = data.draw(subscriptions(publication, "s", LITERALS))
    assert Subscription.from_json(json.loads(json.dumps(made.to_json()))) == made


@pytest.mark.parametrize(
    "wrong",
    [
        [], {}, {"id": 5}, {"id": "s"}, {"id": "s", "tuples": 5}, {"id": "s", "tuples": [["?x"]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "text"]]}, {"id": "s", "tuples": [["?x", "<urn:p>", None]]},
        {"id": "s", "branches": [None]}, {"id": "s", "branches": 7}, {"id": "s", "tupels": []},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y", ["?x"], []]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "where": [[">"], [[]]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "where": [["<", "?q", "?x"]]},
        {"id": "s", "tuples": [["?x", "<urn:p>", "?y"]], "select": 5},
    ],
)  # fmt: skip
def test_json_of_another_shape_is_an_invalid_subscription(wrong: Any) -> None:
    with pytest.raises(InvalidSubscription):
        Subscription.from_json(wrong)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["?x", "<urn:p>", "isA"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["tuples", "where"]), inner),
    max_leaves=12,
)


@given(json_values, json_values, json_values)
def test_any_json_is_a_subscription_or_a_gtopss_error(tuples: Any, where: Any, select: Any) -> None:
    with contextlib.suppress(GtopssError):
        Subscription.from_json({"id": "s", "tuples": tuples, "where": where, "select": select})
