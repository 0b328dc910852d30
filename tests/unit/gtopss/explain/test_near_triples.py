"""The triples shown for an edge that nothing matches."""

from __future__ import annotations

from support.explanations import A, B, P, Q, R, X, Y, explain_branch, integer

from gtopss.explain import (
    EdgeFailure,
    NearTriple,
    explain,
)
from gtopss.model import Publication, Subscription
from gtopss.model.terms import iri, literal
from ontology import Taxonomy


def test_edge_without_a_triple_is_shown_with_the_nearest_triples() -> None:
    branch = explain_branch(
        [(X, P, Y), (X, Q, integer(2001))], [(A, P, B), (A, Q, integer(2003)), (B, R, integer(2001))]
    )
    assert [each.edge for each in branch.matched_edges] == [(X, P, Y)]
    near = NearTriple((A, Q, integer(2003)), ("object",)), NearTriple((B, R, integer(2001)), ("property",))
    assert branch.failure == EdgeFailure((X, Q, integer(2001)), near)
    assert branch.exact


def test_misspelled_property_is_near_even_without_other_constants() -> None:
    spelled = (A, iri("http://ex.org/authors"), B)
    branch = explain_branch([(X, iri("http://ex.org/author"), Y)], [(A, iri("http://ex.org/price"), B), spelled])
    assert branch.failure == EdgeFailure((X, iri("http://ex.org/author"), Y), (NearTriple(spelled, ("property",)),))


def test_literal_with_the_same_text_and_another_type_is_nearest() -> None:
    made = explain(
        Subscription("s", [(X, P, integer(5))]), Publication("p", [(A, P, '"6"'), (A, P, '"5"')]), Taxonomy()
    )
    assert isinstance(made.branches[0].failure, EdgeFailure)
    assert made.branches[0].failure.nearest[0].triple == (A, P, literal("5"))
    assert 'object is "5", not 5 (the same text with another type)' in str(made)


def test_repeated_variable_needs_equal_values() -> None:
    branch = explain_branch([(X, P, X)], [(A, P, B)])
    assert branch.failure == EdgeFailure((X, P, X), (NearTriple((A, P, B), ("object",)),))
