"""Terms and expressions as people read them."""

from __future__ import annotations

import pytest

from gtopss.explain.formatting import format_expression
from gtopss.model import Expression, Term
from gtopss.model.expressions import call
from gtopss.model.term_text import format_term, format_triple
from gtopss.model.terms import XSD, iri, literal

PREFIXES = {"ex": "http://ex.org/", "bib": "http://ex.org/bib#", "": ""}


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (iri("http://ex.org/bib#year"), "bib:year"),
        (iri("http://ex.org/a"), "ex:a"),
        (iri("urn:a"), "<urn:a>"),
        (literal("5", XSD + "integer"), "5"),
        (literal("2001-05-21", XSD + "date"), '"2001-05-21"^^xsd:date'),
        (literal("plain"), '"plain"'),
        (Term("?x"), "?x"),
    ],
)
def test_longest_namespace_shortens_an_iri_and_numbers_are_plain(term: Term, text: str) -> None:
    assert format_term(term, PREFIXES) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (call("<", call("*", 2, "?x"), "?y"), "(2 * ?x) < ?y"),
        (call("isA", "?x", iri("http://ex.org/A")), "?x is-a ex:A"),
        (call("in", "?x", 1, 2), "?x in (1, 2)"),
        (call("STRLEN", "?x"), "STRLEN(?x)"),
    ],
)
def test_operators_are_printed_between_their_operands(expression: Expression, text: str) -> None:
    assert format_expression(expression, PREFIXES) == text


def test_triple_is_its_terms_two_spaces_apart() -> None:
    assert format_triple((Term("?x"), iri("http://ex.org/p"), literal("a")), PREFIXES) == '?x  ex:p  "a"'


def test_the_middle_of_a_long_term_is_left_out() -> None:
    for term in (literal("x" * 100_000), literal("x" * 100_000, "urn:type"), iri("urn:" + "y" * 100_000)):
        shown = format_term(term, {})
        assert len(shown) < 1_100
        assert "…" in shown
    assert format_term(literal("x" * 900), {}) == '"' + "x" * 900 + '"'
