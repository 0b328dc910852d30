"""BNODE, UUID and STRUUID: new for each solution, and the same whenever a query is evaluated again."""

from __future__ import annotations

import warnings

import pytest

from gtopss import Engine, Publication
from gtopss.errors import InvalidSubscription
from gtopss.model import Bind, Branch, Call, FiveTuple, Subscription, Term
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.model.terms import is_blank

TRIPLES = [(f"<urn:s{number}>", "<urn:p>", text) for number, text in enumerate(('"a"', '"b"', '"a"'))]


def rows(text: str, *, matcher: str = "naive", id: str = "p", dataset: bool = False) -> list[dict[Term, Term]]:
    engine = Engine(matcher=matcher, allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.add(text, id="q")
    publication = Publication(id, TRIPLES)
    graphs = {Term("<urn:g>"): publication.triples, Term("<urn:h>"): publication.triples}
    report = engine.match(DatasetPublication.of(publication, graphs) if dataset else publication)
    return [row for match in report for row in match.rows]


@pytest.mark.parametrize("text", [
    "SELECT (UUID() AS ?new) { ?s <urn:p> ?o }",
    "SELECT (STRUUID() AS ?new) { ?s <urn:p> ?o }",
    "SELECT (BNODE() AS ?new) { ?s <urn:p> ?o }",
    "SELECT (BNODE(\"x\") AS ?new) { ?s <urn:p> ?o }",
    "SELECT ?new { ?s <urn:p> ?o BIND(IF(isBlank(BNODE()), UUID(), 0) AS ?new) }",
    "SELECT (SAMPLE(BNODE()) AS ?new) { ?s <urn:p> ?o } GROUP BY ?s",
    "SELECT ?new { ?s <urn:p> ?o } GROUP BY (UUID() AS ?new)",
])  # fmt: skip
def test_each_solution_has_its_own_term(text: str) -> None:
    made = [row["new"] for row in rows(text)]
    assert len(set(made)) == len(made) == 3
    assert made == [row["new"] for row in rows(text)]
    assert set(made).isdisjoint(row["new"] for row in rows(text, id="another"))


def test_each_call_has_its_own_term_but_labels_name_a_blank_node_of_the_solution() -> None:
    (row, *_) = rows("SELECT (BNODE() AS ?a) (BNODE() AS ?b) (BNODE(?o) AS ?c) (BNODE(?o) AS ?d) { ?s <urn:p> ?o }")
    assert all(map(is_blank, row.values()))
    assert len({row["a"], row["b"], row["c"]}) == 3
    assert row["c"] == row["d"]
    made = [row["b"] for row in rows("SELECT (BNODE(?o) AS ?b) { ?s <urn:p> ?o }")]
    assert len(set(made)) == 3  # also where two solutions have the same label


def test_solutions_of_different_graphs_and_subqueries_have_different_terms() -> None:
    found = rows("SELECT * { GRAPH ?g { ?s <urn:p> ?o BIND(BNODE('x') AS ?b) } }", dataset=True)
    assert len({row["b"] for row in found}) == 6
    one = "{ SELECT ?s (BNODE('x') AS ?%s) { ?s <urn:p> ?o } }"
    assert all(row["a"] != row["b"] for row in rows(f"SELECT * {{ {one % 'a'} {one % 'b'} }}"))


@pytest.mark.parametrize("label", ["1", "'x'@en", "<urn:x>", "?nothing"])
def test_a_label_is_a_plain_string(label: str) -> None:
    assert rows(f"SELECT (BNODE({label}) AS ?b) {{}}") == [{}]


@pytest.mark.parametrize("text", [
    "ASK { ?s <urn:p> ?o FILTER(isIRI(UUID()) && isBlank(BNODE()) && STRLEN(STRUUID()) = 36) }",
    "ASK { ?s <urn:p> ?o OPTIONAL { ?s <urn:q> ?z FILTER(isIRI(UUID())) } FILTER(!BOUND(?z)) }",
    "ASK { ?s <urn:p> ?o FILTER EXISTS { ?s <urn:p> ?z FILTER(UUID() != UUID()) } }",
    "SELECT (COUNT(*) AS ?n) { ?s <urn:nothing> ?o } HAVING (isBlank(BNODE()))",
    "SELECT ?s { ?s <urn:p> ?o } ORDER BY UUID()",
    "CONSTRUCT { ?b <urn:of> ?s } { ?s <urn:p> ?o BIND(BNODE() AS ?b) }",
])  # fmt: skip
@pytest.mark.parametrize("matcher", ["naive", "reference"])
def test_new_terms_in_any_clause(text: str, matcher: str) -> None:
    engine = Engine(matcher=matcher, allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.add(text, id="q")
    assert engine.match(Publication("p", TRIPLES)).subscription_ids == ("q",)
    assert "NEW" not in str(engine.explain(Publication("p", TRIPLES), "q"))
    assert "SOLUTION" not in str(engine.explain(Publication("p", TRIPLES), "q"))


def test_a_subscription_written_in_python_cannot_call_them() -> None:
    made = Branch([FiveTuple("?s", "<urn:p>", "?o")], [], [Bind("?u", Call("UUID", ()))])
    with pytest.raises(InvalidSubscription, match="stands only in the text of a query"):
        Engine(matcher="naive").add(Subscription("q", branches=[made]))
