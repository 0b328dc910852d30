"""Rows of SELECT and ASK, graphs of CONSTRUCT and DESCRIBE, and what their limits leave."""

from __future__ import annotations

import pytest

from gtopss.algebra import Dataset, QueryResult, evaluate_query, query_rows
from gtopss.language import subscription_from_text
from gtopss.model import Call, Publication, Term
from gtopss.semantics import EvaluationContext, EvaluationLimits
from ontology import Taxonomy

DATA = [
    ("<urn:a>", "<urn:p>", "_:b"),
    ("_:b", "<urn:q>", "_:c"),
    ("_:c", "<urn:q>", "_:b"),
    ("_:c", "<urn:n>", 1),
    ("<urn:d>", "<urn:p>", 2),
]


def parsed(text: str) -> Call:
    query = subscription_from_text(text, "q").query
    assert query is not None
    return query


def graph(text: str, rows: int = 100, values: int = 1000, work: int = 10_000_000) -> QueryResult:
    publication = Publication("p", DATA)  # type: ignore[arg-type]
    context = EvaluationContext(publication, Taxonomy(), EvaluationLimits(work=work))
    return evaluate_query(parsed(text), context, Dataset(publication.triples), rows, values)


def test_ask_has_one_empty_solution_or_none() -> None:
    publication = Publication("p", DATA)  # type: ignore[arg-type]
    for body, expected in (("?x <urn:q> ?y OPTIONAL { ?y <urn:z> ?z }", [{}]), ("?x <urn:z> ?y OPTIONAL { }", [])):
        context = EvaluationContext(publication, Taxonomy())
        assert list(query_rows(parsed(f"ASK {{ {body} }}"), context, Dataset(publication.triples))) == expected


def test_rows_that_are_known_are_not_looked_for() -> None:
    publication = Publication("p", [])
    marked = Call("GROUP", (Call("ROWS", ()), Call("FILTER", (Call("ISIRI", (Term("?x"),)),))))
    rows = [{Term("?x"): Term("<urn:a>")}, {Term("?x"): Term("_:b")}]
    context = EvaluationContext(publication, Taxonomy())
    assert list(query_rows(marked, context, Dataset([]), rows)) == rows[:1]


def test_construct_leaves_out_what_is_no_triple_and_makes_new_blank_nodes() -> None:
    made = graph("CONSTRUCT { ?x <urn:made> ?y . ?y <urn:back> ?x . _:n <urn:of> ?x . ?x ?z ?x } { ?x <urn:p> ?y }")
    assert not made.truncated
    assert len(made.triples) == 5  # twice the first and the third, and the second where ?y is no literal
    new = {s for s, p, _ in made.triples if p == "<urn:of>"}
    assert len(new) == 2
    assert not new & {"_:b", "_:c"}


def test_describe_follows_blank_nodes_and_only_them() -> None:
    made = graph("DESCRIBE <urn:a>")
    assert set(made.triples) == set(Publication("p", DATA[:4]).triples)  # type: ignore[arg-type]
    assert graph("DESCRIBE ?x { ?x <urn:p> 2 }").triples == Publication("p", DATA[4:]).triples  # type: ignore[arg-type]
    assert graph("DESCRIBE <urn:nothing>").triples == ()


@pytest.mark.parametrize("limits", [{"rows": 1}, {"values": 3}])
def test_limits_end_a_graph(limits: dict[str, int]) -> None:
    made = graph("CONSTRUCT { ?x <urn:made> ?y } { ?x <urn:q> ?y }", **limits)
    assert (len(made.triples), made.truncated, made.reached) == (1, True, None)


def test_a_work_limit_is_named() -> None:
    made = graph("CONSTRUCT { ?a <urn:made> ?d } { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", work=2_000)
    assert made.truncated
    assert made.reached is not None
    assert made.reached.limit == "work_limit"
