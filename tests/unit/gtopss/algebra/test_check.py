"""Queries of another shape than documented are refused, whatever they are."""

from __future__ import annotations

import pytest

from gtopss.algebra import check_query
from gtopss.errors import InvalidSubscription
from gtopss.language import subscription_from_text
from gtopss.model import Call, Subscription, Term
from gtopss.model.algebra import MAX_QUERY_DEPTH, MAX_QUERY_TERMS

X = Term("?x")


@pytest.mark.parametrize(
    "query",
    [
        Call("NONSENSE", ()),
        Call("GROUP", (X,)),
        Call("GROUP", (Call("NONSENSE", ()),)),
        Call("GROUP", (Call("TRIPLES", (X,)),)),
        Call("GROUP", (Call("TRIPLES", (Call("TRIPLE", (X, X)),)),)),
        Call("GROUP", (Call("FILTER", ()),)),
        Call("GROUP", (Call("FILTER", (Call("NOFUNCTION", (X,)),)),)),
        Call("GROUP", (Call("FILTER", (Call("GROUP", ()),)),)),
        Call("GROUP", (Call("PATH", (X, Call("REPEAT", (X, X)), X)),)),
        Call("SELECT", (Call("GROUP", ()),)),
        Call("SLICE", (Call("GROUP", ()), Term('"many"'), Call("UNDEF", ()))),
        Call("AGGREGATES", (Call("GROUP", ()), Call("KEYS", ()), Call("AS", (Call("AGGREGATE", (X, X, X)), X)))),
    ],
)
def test_a_query_of_another_shape_is_refused(query: Call) -> None:
    with pytest.raises(InvalidSubscription):
        check_query("s", query)


def test_a_query_that_is_too_large_is_refused() -> None:
    deep = Call("GROUP", ())
    for _ in range(MAX_QUERY_DEPTH):
        deep = Call("GROUP", (Call("JOIN", (deep,)),))
    wide = Call("GROUP", (Call("TRIPLES", (Call("TRIPLE", (X, X, X)),) * (MAX_QUERY_TERMS // 3 + 1)),))
    for query in (deep, wide):
        with pytest.raises(InvalidSubscription, match="nests deeper"):
            check_query("s", query)


def test_a_query_survives_json() -> None:
    text = "SELECT ?x (COUNT(*) AS ?n) { ?x a ?y OPTIONAL { ?x <urn:p>* ?z } MINUS { ?x a 1 } } GROUP BY ?x LIMIT 5"
    written = subscription_from_text(text, "s")
    assert Subscription.from_json(written.to_json()) == written
    with pytest.raises(InvalidSubscription):
        Subscription.from_json({**written.to_json(), "query": "x"})
