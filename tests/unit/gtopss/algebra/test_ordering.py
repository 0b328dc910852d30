"""The order of terms."""

from __future__ import annotations

from gtopss.algebra.ordering import OrderKey, ReverseKey, order_key
from gtopss.model import Publication
from gtopss.model.terms import XSD, Term, literal
from gtopss.semantics import EvaluationContext
from ontology import Taxonomy

IN_ORDER = [
    None,
    Term("_:b"),
    Term("<urn:a>"),
    Term("<urn:b>"),
    literal("NaN", XSD + "double"),
    literal("1", XSD + "integer"),
    literal("1.5", XSD + "decimal"),
    literal("2.0E0", XSD + "double"),
    literal("a"),
    literal("b"),
    literal("a", language="en"),
    literal("false", XSD + "boolean"),
    literal("2026-01-01T00:00:00Z", XSD + "dateTime"),
    literal("x", "urn:unknown"),
]


def key(term: Term | None) -> OrderKey:
    return order_key(term, EvaluationContext(Publication("p", []), Taxonomy()))


def test_terms_have_a_total_order() -> None:
    backwards = IN_ORDER[::-1]
    assert sorted(backwards, key=key) == IN_ORDER


def test_descending_is_the_opposite() -> None:
    assert sorted(IN_ORDER, key=lambda term: ReverseKey(key(term))) == IN_ORDER[::-1]


def test_equal_numbers_of_different_types_are_equal_in_order() -> None:
    assert key(literal("1", XSD + "integer")) == key(literal("1.0", XSD + "decimal"))
