"""Figure 7 (the two-level hash table) and Figure 8 (a binding-table join) of the G-ToPSS paper."""

from __future__ import annotations

import pytest
from support.matchers import every_matcher

from gtopss import Engine, Subscription
from gtopss.matching.reference import BindingTable, ReferenceMatcher, natural_join
from gtopss.model.terms import iri
from ontology import Taxonomy

A, B, C, D, E, G = (iri(f"urn:{name}") for name in "ABCDEG")
a, b, p, q = (iri(f"urn:label:{name}") for name in "abpq")


def test_figure_7_a_pair_of_nodes_may_have_two_labels() -> None:
    """Edges a and b between A and B, and a and b between *1 and *2; s1 and s2 share a from A to B."""
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("s1", [(A, a, B), (A, b, B), ("?x", a, "?y"), ("?x", b, "?y")]))
    gm.add(Subscription("s2", [(A, a, B)]))
    table = gm.table()
    assert set(table) == {(A, B), ("*1", "*2")}
    assert table[A, B] == {a: {"s1", "s2"}, b: {"s1"}}
    assert table["*1", "*2"] == {a: {"s1"}, b: {"s1"}}


def test_figure_8_join_of_binding_tables() -> None:
    """A*1 holds AB, AC, AE; *1B holds AB, DB, CB, EB, GB; *1 may be C or E."""
    left = BindingTable(("*1",), [(B,), (C,), (E,)])
    right = BindingTable(("*1",), [(A,), (D,), (C,), (E,), (G,)])
    assert list(natural_join([left, right])) == [{"*1": C}, {"*1": E}]
    assert list(natural_join([right, left])) == [{"*1": C}, {"*1": E}]


@pytest.mark.parametrize("matcher", every_matcher("paper"))
def test_figure_8_in_every_matcher(matcher: str) -> None:
    engine = Engine(matcher=matcher)
    engine.add(Subscription("s", [(A, p, "?1"), ("?1", q, B)]))
    event = [(A, p, x) for x in (B, C, E)] + [(x, q, B) for x in (A, D, C, E, G)]
    (match,) = engine.match(event)
    assert {row["1"].n3() for row in match.bindings} == {C, E}


def test_join_without_common_columns_is_the_product() -> None:
    one, other = BindingTable(("*1",), [(A,), (B,)]), BindingTable(("*2",), [(C,), (D,)])
    assert [tuple(row.values()) for row in natural_join([one, other])] == [(A, C), (A, D), (B, C), (B, D)]
    assert list(natural_join([one, BindingTable((), [()])])) == [{"*1": A}, {"*1": B}]
    assert list(natural_join([one, BindingTable(("*1",))])) == []
    assert list(natural_join([])) == [{}]
