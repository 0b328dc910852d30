"""Queries of another shape than documented are refused, whatever they are."""

from __future__ import annotations

import pytest

from gtopss.algebra import check_query
from gtopss.errors import InvalidSubscription
from gtopss.language import subscription_from_text
from gtopss.model import Call, Subscription, Term

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


def test_a_query_survives_json() -> None:
    text = "SELECT ?x (COUNT(*) AS ?n) { ?x a ?y OPTIONAL { ?x <urn:p>* ?z } MINUS { ?x a 1 } } GROUP BY ?x LIMIT 5"
    written = subscription_from_text(text, "s")
    assert Subscription.from_json(written.to_json()) == written
    with pytest.raises(InvalidSubscription):
        Subscription.from_json({**written.to_json(), "query": "x"})
