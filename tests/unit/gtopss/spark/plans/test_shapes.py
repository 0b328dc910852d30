"""Shapes: equal structure is one, in an order that joins."""

from __future__ import annotations

from itertools import permutations

import pytest

from gtopss.model import Subscription
from gtopss.model.terms import Term
from gtopss.spark.plans.shapes import Shape, group_by_shape, shape_of

CHAIN = [("?a", "<urn:p>", "?b"), ("?b", "<urn:q>", "?c"), ("?c", "<urn:r>", "<urn:end>")]
STAR = [("?x", "<urn:p>", "?a"), ("?x", "<urn:q>", "?b"), ("?x", "<urn:type>", "<urn:C>"), ("?y", "<urn:r>", "?x")]


def _edges(written: list[tuple[str, str, str]]) -> list[tuple[Term, Term, Term]]:
    return [(Term(s), Term(p), Term(o)) for s, p, o in written]


@pytest.mark.parametrize("written", [CHAIN, STAR])
def test_the_order_of_writing_makes_no_difference(written: list[tuple[str, str, str]]) -> None:
    shapes = {shape_of(_edges(list(order)))[0] for order in permutations(written)}
    assert len(shapes) == 1


def test_branches_of_one_shape_differ_in_their_constants() -> None:
    made = group_by_shape(
        [
            Subscription("one", [("?x", "<urn:p>", "<urn:a>"), ("?y", "<urn:q>", "?x")]),
            Subscription("other", [("?n", "<urn:q>", "?m"), ("?m", "<urn:r>", "<urn:b>")]),
            Subscription("loop", [("?x", "<urn:p>", "<urn:p>"), ("?y", "<urn:q>", "?x")]),
        ]
    )
    assert [[member.subscription.id for member in each.members] for each in made] == [["one", "other"], ["loop"]]
    assert made[0].members[0].variables == ("?x", "?y")
    assert made[0].members[1].constants == ("<urn:r>", "<urn:b>", "<urn:q>")


def test_each_edge_shares_a_vertex_with_an_earlier_one() -> None:
    """The two with a constant each would be cheapest, but nothing joins them yet."""
    shape, _, _ = shape_of(
        _edges([("?x", "<urn:a>", "<urn:C>"), ("?y", "<urn:a>", "<urn:D>"), ("?x", "<urn:q>", "?y")])
    )
    seen = {shape.edges[0][0], shape.edges[0][2]}
    for s, _, o in shape.edges[1:]:
        assert seen & {s, o}
        seen |= {s, o}
    assert shape.components() == [[0, 1, 2]]


def test_edges_without_a_common_vertex_are_components() -> None:
    shape, _, _ = shape_of(_edges([("?x", "?p", "<urn:a>"), ("?y", "?p", "?z"), ("?z", "<urn:q>", "?y")]))
    assert isinstance(shape, Shape)
    assert sorted(map(len, shape.components())) == [1, 2]
