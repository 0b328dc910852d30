"""Groups and aggregates, by the examples of SPARQL 1.1, sections 11 and 18.5.1."""

from __future__ import annotations

import pytest

from gtopss.algebra import Dataset, query_rows
from gtopss.language import subscription_from_text
from gtopss.model import Publication, Term
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from ontology import Taxonomy

NUMBERS = [
    ("<urn:a>", "<urn:n>", 1),
    ("<urn:a>", "<urn:n>", 3),
    ("<urn:b>", "<urn:n>", 5),
    ("<urn:b>", "<urn:t>", '"x"'),
]
MIXED = [("<urn:a>", "<urn:n>", 1), ("<urn:a>", "<urn:n>", '"x"')]


def values(expression: str, data: list[tuple[object, object, object]], *, rest: str = "", work: int = 10_000_000):  # type: ignore[no-untyped-def]
    publication = Publication("p", data)  # type: ignore[arg-type]
    query = subscription_from_text(f"SELECT ({expression} AS ?v) {{ ?x <urn:n> ?n }} {rest}", "q").query
    assert query is not None
    context = EvaluationContext(publication, Taxonomy(), EvaluationLimits(work=work))
    found = query_rows(query, context, Dataset(publication.triples))
    return [row["?v"].split("^^")[0].strip('"') if "?v" in row else None for row in found]  # type: ignore[index]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("COUNT(*)", "3"),
        ("COUNT(?n)", "3"),
        ("COUNT(DISTINCT ?x)", "2"),
        ("COUNT(DISTINCT *)", "3"),
        ("SUM(?n)", "9"),
        ("AVG(?n)", "3.0"),
        ("MIN(?n)", "1"),
        ("MAX(?n + 1)", "6"),
        ('GROUP_CONCAT(?n; SEPARATOR="-")', "1-3-5"),
        ("SUM(?n) + COUNT(*)", "12"),
        ("COUNT(?nothing)", "0"),
    ],
)
def test_aggregates_of_one_group(expression: str, expected: str) -> None:
    (found,) = values(expression, NUMBERS)
    assert found == expected or float(found) == float(expected)


@pytest.mark.parametrize(("expression", "expected"), [
    ("COUNT(*)", "0"), ("SUM(?n)", "0"), ("AVG(?n)", "0"), ("GROUP_CONCAT(?n)", ""), ("MIN(?n)", None),
    ("MAX(?n)", None), ("SAMPLE(?n)", None),
])  # fmt: skip
def test_no_solutions_are_one_group_without_members(expression: str, expected: str | None) -> None:
    assert values(expression, []) == [expected]
    assert values(expression, [], rest="GROUP BY ?x") == []


@pytest.mark.parametrize(("expression", "expected"), [
    ("SUM(?n)", None), ("AVG(?n)", None), ("COUNT(?n + 1)", "1"), ("SAMPLE(?n + 1)", "2"), ("MIN(?n)", "1"),
    ("COUNT(DISTINCT ?n)", "2"),
])  # fmt: skip
def test_a_type_error_fails_all_aggregates_but_count_and_sample(expression: str, expected: str | None) -> None:
    assert values(expression, MIXED) == [expected]


def test_groups_have_keys_and_having_keeps_some() -> None:
    assert sorted(values("SUM(?n)", NUMBERS, rest="GROUP BY ?x")) == ["4", "5"]
    assert values("SUM(?n)", NUMBERS, rest="GROUP BY ?x HAVING (COUNT(*) > 1)") == ["4"]
    assert sorted(values("COUNT(*)", NUMBERS, rest="GROUP BY (?n > 2 AS ?large)")) == ["1", "2"]


@pytest.mark.parametrize("pattern", ["?x <urn:n> []", "?x <urn:n> _:b", "?x <urn:n>/^<urn:n> ?x"])
def test_count_distinct_does_not_tell_blank_nodes_of_the_pattern_apart(pattern: str) -> None:
    publication = Publication("p", NUMBERS)  # type: ignore[arg-type]
    query = subscription_from_text(f"SELECT (COUNT(*) AS ?all) (COUNT(DISTINCT *) AS ?v) {{ {pattern} }}", "q").query
    assert query is not None
    (row,) = query_rows(query, EvaluationContext(publication, Taxonomy()), Dataset(publication.triples))
    assert (row[Term("?all")][1], row[Term("?v")][1]) == ("3", "2")


def test_an_error_of_a_key_is_a_group_of_its_own() -> None:
    assert sorted(values("COUNT(*)", MIXED, rest="GROUP BY (?n + 1)")) == ["1", "1"]


def test_many_groups_end_at_the_work_limit() -> None:
    data = [(f"<urn:{number}>", "<urn:n>", number) for number in range(500)]
    with pytest.raises(BudgetExceeded):
        values("COUNT(*)", data, rest="GROUP BY ?x ?n", work=20_000)  # type: ignore[arg-type]
