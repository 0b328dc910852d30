"""Which filters SQL can express. That they mean the same in SQL is tested with the plans (`test_registry.py`)."""

from __future__ import annotations

import pytest
from support.evaluation import parse_expression

from gtopss.model import Term
from gtopss.spark.plans.sql_conditions import NotExpressibleInSql, SqlConditions


def conditions() -> SqlConditions:
    return SqlConditions({Term("?x"): 0, Term("?y"): 1})


@pytest.mark.parametrize(
    "text",
    [
        "?x = 5", "5 < ?x", "?x IN (1, 'a')", "?x NOT IN ()", "STR(?x) = 'a'", "LANG(?x) != 'en'",
        "!(?x > 1 || ?y < 2)", "CONTAINS(?x, 'a')", "STRSTARTS(STR(?x), 'a')", "LANGMATCHES(LANG(?x), 'en')",
        "isIRI(?x)", "BOUND(?y)", "SAMETERM(<urn:a>, ?x)", "isA(?x, <urn:C>)", "DATATYPE(?x) = xsd:integer", "1 < 2",
    ],
)  # fmt: skip
def test_filters_that_compare_a_variable_with_constants_are_sql(text: str) -> None:
    assert conditions().condition(parse_expression(text))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("?x", "truth value"),
        ("?x = ?y", "does not compare with a constant"),
        ("?z = 1", "not an edge variable"),
        ("?x + 1 = 2", "\\+ in"),
        ("REGEX(?x, 'a')", "REGEX"),
        ("words(?x, 'a')", "WORDS"),
        ("labelled(?x, <urn:C>)", "LABELLED"),
        ("labelled('a', <urn:C>)", "a test of a constant by the taxonomy"),
        ("CONTAINS(?x, 'a'@en)", "not a plain string"),
        ("LANGMATCHES(LANG(?x), 'é')", "language range"),
        ("isA(<urn:a>, <urn:C>)", "a test of a constant by the taxonomy"),
        ("isA(?x, ?y)", "not the IRI of a class"),
        ("?x < 'P1D'^^xsd:duration", "the duration"),
    ],
)
def test_the_part_that_sql_cannot_express_is_named(text: str, part: str) -> None:
    with pytest.raises(NotExpressibleInSql, match=part):
        conditions().condition(parse_expression(text))


def test_what_the_conditions_read_is_collected() -> None:
    made = conditions()
    made.condition(parse_expression("?y > 5 && isA(?x, <urn:C>) && SAMETERM(?x, <urn:a>)"))
    assert [each["term"] for each in made.tested][1:] == ["<urn:C>", "<urn:a>"]
    assert (made.read, made.classed, made.classes) == ({1}, {0}, {("isA", Term("<urn:C>"))})
