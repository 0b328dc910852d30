"""Operators of the algebra, by queries whose answers the specification gives."""

from __future__ import annotations

import pytest

from gtopss.algebra import Dataset, query_rows
from gtopss.language import subscription_from_text
from gtopss.model import Publication, Term
from gtopss.semantics import EvaluationContext
from ontology import Taxonomy

DATA = [
    ("<urn:a>", "<urn:p>", "<urn:b>"),
    ("<urn:b>", "<urn:p>", "<urn:c>"),
    ("<urn:c>", "<urn:p>", "<urn:a>"),
    ("<urn:a>", "<urn:n>", 1),
    ("<urn:b>", "<urn:n>", 2),
    ("<urn:b>", "<urn:n>", '"x"'),
]


def rows(text: str, data: list[tuple[object, object, object]] | None = None) -> list[dict[str, str]]:
    publication = Publication("p", DATA if data is None else data)  # type: ignore[arg-type]
    query = subscription_from_text(text, "q", prefixes={"": "urn:"}).query
    assert query is not None
    context = EvaluationContext(publication, Taxonomy())
    found = query_rows(query, context, Dataset(publication.triples))
    return [{name[1:]: short(value) for name, value in row.items() if not name.startswith("?_:")} for row in found]


def short(term: Term) -> str:
    return term.removeprefix("<urn:").removesuffix(">").split("^^")[0].strip('"')


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("?x :p :b OPTIONAL { ?x :n ?n }", [{"x": "a", "n": "1"}]),
        ("?x :p :a OPTIONAL { ?x :n ?n }", [{"x": "c"}]),
        ("?x :p :c OPTIONAL { ?x :n ?n FILTER (?n = 2) }", [{"x": "b", "n": "2"}]),
        ("?x :p ?y FILTER NOT EXISTS { ?x :n ?n }", [{"x": "c", "y": "a"}]),
        ("?x :p :b FILTER EXISTS { ?x :n ?n FILTER (?n = 1) }", [{"x": "a"}]),
        ("?x :p ?y MINUS { ?x :n ?n }", [{"x": "c", "y": "a"}]),
        ("?x :p :b MINUS { ?v :n ?n }", [{"x": "a"}]),
        ("?x :n 1 OPTIONAL { ?x :q ?y } OPTIONAL { ?x :p ?y }", [{"x": "a", "y": "b"}]),
        ("?x :n 1 { SELECT ?y { ?y :n 2 } }", [{"x": "a", "y": "b"}]),
        (":a :p+ ?y", [{"y": "b"}, {"y": "c"}, {"y": "a"}]),
        (":z :p* ?y", [{"y": "z"}]),
        ("?y :p? :b", [{"y": "b"}, {"y": "a"}]),
        (":a (:p/:p)+ :b", [{}]),
        ("?x ^:p+ :a", [{"x": "b"}, {"x": "c"}, {"x": "a"}]),
        ("VALUES ?x { :zz } ?x :p* ?y", []),
        ("VALUES (?x ?n) { (:a UNDEF) (UNDEF 2) } OPTIONAL { ?x :n ?n }", [{"x": "a", "n": "1"}, {"x": "b", "n": "2"}]),
    ],
)
def test_groups(body: str, expected: list[dict[str, str]]) -> None:
    found = rows(f"SELECT * {{ {body} }} OFFSET 0 LIMIT 100")
    assert sorted(map(sorted, (row.items() for row in found))) == sorted(map(sorted, (r.items() for r in expected)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?x (COUNT(?n) AS ?c) { ?x :p ?y OPTIONAL { ?x :n ?n } } GROUP BY ?x", ["a1", "b2", "c0"]),
        ("SELECT (COUNT(*) AS ?c) { ?x :q ?y }", ["0"]),
        ("SELECT ?x (COUNT(*) AS ?c) { ?x :q ?y } GROUP BY ?x", []),
        ("SELECT (SUM(?n) AS ?c) { ?x :n ?n }", [""]),
        ("SELECT (SUM(?n) AS ?c) { ?x :n ?n FILTER isNumeric(?n) }", ["3"]),
        ("SELECT (AVG(?n) AS ?c) { ?x :n ?n FILTER isNumeric(?n) }", ["1.5"]),
        ("SELECT (MIN(?n) AS ?c) (MAX(?n) AS ?d) { ?x :n ?n }", ["1x"]),
        ("SELECT (GROUP_CONCAT(?n; SEPARATOR='-') AS ?c) { :b :n ?n }", ["2-x"]),
        ("SELECT (COUNT(DISTINCT ?z) AS ?c) { ?x :p/:p ?z }", ["3"]),
        ("SELECT ?x { ?x :n ?n } GROUP BY ?x HAVING (COUNT(*) > 1)", ["b"]),
        ("SELECT ?y { ?x :p ?y } ORDER BY DESC(?y) LIMIT 2", ["c", "b"]),
        ("SELECT ?y { ?x :p ?y } ORDER BY ?y OFFSET 2", ["c"]),
        ("SELECT DISTINCT ?p { ?x ?p ?y } ORDER BY ?p", ["n", "p"]),
        ("SELECT (SAMPLE(?n) AS ?c) { :a :n ?n }", ["1"]),
    ],
)
def test_solutions(text: str, expected: list[str]) -> None:
    assert ["".join(row.values()) for row in rows(text)] == expected


def test_a_negated_set_with_an_inverse_is_the_union_of_both_directions() -> None:
    loop = [("<urn:a>", "<urn:p>", "<urn:a>")]
    assert rows("SELECT * { :a !(:q|^:r) ?y } LIMIT 9", loop) == [{"y": "a"}, {"y": "a"}]
