"""Lenient literals: which texts are read, as what, and which functions read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evaluation import evaluate_text, examples, expected_term

from gtopss.model import Publication
from gtopss.model.terms import XSD, Term, iri, literal
from gtopss.semantics import EvaluationContext
from gtopss.semantics.lenient_literals import MAX_READ_CHARACTERS, read_literal, read_literal_term
from gtopss.semantics.values import value_of
from ontology import Taxonomy

CONTEXT = EvaluationContext(Publication("p", []), Taxonomy(), literals="lenient")


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("5", "integer"), ("-7", "integer"), ("+05", "integer"), ("2001", "integer"), ("9" * 4_000, "integer"),
        ("5.0", "decimal"), (".5", "decimal"), ("5.", "decimal"), ("-0.0", "decimal"),
        ("5e3", "double"), ("1.5E-7", "double"), (".5e+1", "double"),
        ("2001-05-17", "date"), ("2001-05-17Z", "date"), ("2001-05-17+02:00", "date"), ("-0044-03-15", "date"),
        ("2001-05-17T10:00:00", "dateTime"), ("2001-05-17T10:00:00.5Z", "dateTime"),
        ("2001-05-17T24:00:00-05:00", "dateTime"), ("12001-05-17", "date"),
    ],
)  # fmt: skip
def test_numbers_and_dates_are_read(text: str, datatype: str) -> None:
    read = literal(text, XSD + datatype)
    assert read_literal_term(literal(text)) == read
    assert read_literal(value_of(literal(text))) == value_of(read)


@pytest.mark.parametrize(
    "term",
    [
        *map(literal, ("", "abc", " 5", "5 ", "5\n", "1,000", "INF", "NaN", "-", ".", "+.", "e5", "5e", "1e5.0")),
        *map(literal, ("2001-13-01", "2001-02-29", "2001-05", "17.05.2001", "10:00:00", "P1D", "true", "٥", "-7-")),
        *map(literal, ("2001-05-17T25:00:00", "2001-05-17 10:00:00", "2001-05-17T10:00Z", "9" * MAX_READ_CHARACTERS)),
        literal("5", language="en"), literal("5", XSD + "boolean"), literal("5", "urn:x"), iri("urn:5"), Term("_:5"),
        literal("abc", XSD + "integer"), literal("5", XSD + "byte"),
    ],
)  # fmt: skip
def test_all_else_stays_as_it_is(term: Term) -> None:
    assert read_literal_term(term) == term
    assert read_literal(value_of(term)) is value_of(term) or len(term) > 500


@given(st.text("0123456789+-.:TZeE ", max_size=30))
def test_terms_and_values_are_read_alike(text: str) -> None:
    assert read_literal(value_of(literal(text))) == value_of(read_literal_term(literal(text)))


EXPRESSIONS = examples("""
"5" = 5 -> true
"5" = "5.0" -> true
"05" != "5" -> false
"5" != "abc" -> true
"abc" = "abc" -> true
"abc" < "abd" -> true
"10" < "9" -> false
"10" < "abc" -> error
"2001-05-17" < "2001-06-01" -> true
"2001-05-17" = "2001-05-17"^^xsd:date -> true
"2001-05-17T12:00:00+02:00" = "2001-05-17T10:00:00Z"^^xsd:dateTime -> true
"2001-05-17" = "2001-05-17Z" -> error
"2001-05-17" < "2001-05-17T10:00:00" -> error
"5"@en = 5 -> false
"5" IN (1, "5.0") -> true
5 IN ("abc", "5") -> true
5 NOT IN ("abc", "5") -> false
"abc" IN ("abc", 5) -> true
"6" NOT IN ("5", 7) -> true
"5" + 1 -> 6
"1.5" * "2" -> 3.0
"1" / "4" -> 0.25
- "5" -> -5
+ "5" -> 5
"abc" + 1 -> error
ABS("-2.5") -> 2.5
ROUND("2.5") -> 3.0
CEIL("2.1") -> 3.0
FLOOR("2.9") -> 2.0
YEAR("2001-05-17") -> 2001
HOURS("2001-05-17T10:11:12Z") -> 10
YEAR("2001") -> error
STR(5) + 1 -> 6
CONCAT("1", "2") > 11 -> true
IF(true, "5", 6) < 6 -> true
isNumeric("5") -> false
datatype("5") -> xsd:string
sameTerm("5", 5) -> false
sameTerm("5", "05") -> false
STRLEN("2001") -> 4
CONTAINS("2001", "00") -> true
"0" || false -> true
! "0" -> false
COALESCE("5") -> "5"
""")


@pytest.mark.parametrize(("text", "result"), EXPRESSIONS)
def test_which_functions_read_literals(text: str, result: str) -> None:
    found = evaluate_text(text, CONTEXT)
    expected = expected_term(result)
    assert found == expected or value_of(Term(found)).data == value_of(Term(str(expected))).data


def test_without_lenient_literals_nothing_is_read() -> None:
    for text, result in examples('"5" = 5 -> false\n"10" < "9" -> true\n"5" + 1 -> error\n5 IN ("5") -> false'):
        assert evaluate_text(text) == expected_term(result)
