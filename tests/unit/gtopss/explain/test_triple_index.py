"""The index of a publication's triples, and the order in which a search takes edges."""

from __future__ import annotations

from support.explanations import A, B, C, P, Q, X, Y, Z

from gtopss.explain.triple_index import TripleIndex, unify

INDEX = TripleIndex([(A, P, B), (A, Q, C), (B, P, C)])


def test_candidates_are_the_triples_of_the_rarest_term() -> None:
    assert INDEX.candidates((X, Q, Y), {}) == [(A, Q, C)]
    assert INDEX.candidates((X, P, Y), {X: B}) == [(B, P, C)]
    assert INDEX.candidates((A, P, B), {}) == [(A, P, B)]
    assert INDEX.candidates((A, P, C), {}) == []


def test_edges_with_the_fewest_unbound_variables_come_first() -> None:
    assert INDEX.order([(X, Y, Z), (X, P, B)]) == [(X, P, B), (X, Y, Z)]


def test_repeated_variable_unifies_only_with_equal_terms() -> None:
    assert unify((X, P, X), (A, P, B), {}) is None
    assert unify((X, P, X), (A, P, A), {}) == {X: A}
    assert unify((X, P, Y), (A, P, B), {X: B}) is None
