"""Whole queries in an engine: limits, costs, batches, saving and removal."""

from __future__ import annotations

from pathlib import Path

import pytest

from gtopss import Engine
from gtopss.errors import InvalidQuery, NeverMatches, NotIndexed, UnsupportedSubscription
from gtopss.language import subscription_from_text
from gtopss.matching.table import MATCHERS
from gtopss.model.dataset_publication import DatasetPublication
from ontology import Taxonomy

PAIRS = [(f"<urn:s{i}>", "<urn:p>", i) for i in range(5)]
OPTIONAL = "SELECT ?x ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }"


def test_row_limit_and_truncation() -> None:
    engine = Engine(row_limit=2)
    engine.add(OPTIONAL, id="rows")
    engine.add("SELECT ?y { ?x <urn:p> ?y } ORDER BY DESC(?y)", id="ordered")
    engine.add("SELECT ?y { ?x <urn:p> ?y } ORDER BY ?y LIMIT 2", id="limited")
    engine.add("CONSTRUCT { ?x <urn:q> ?y } { ?x <urn:p> ?y }", id="graph")
    engine.add("SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x", id="groups")
    found = {match.subscription_id: match for match in engine.match(PAIRS)}
    assert {id: match.truncated for id, match in found.items()} == {
        "rows": True, "ordered": True, "limited": False, "graph": True, "groups": True,
    }  # fmt: skip
    assert [row["y"][1] for row in found["ordered"].rows] == ["4", "3"]
    assert found["graph"].graph is not None
    assert len(found["graph"].graph) == 2
    assert len(found["groups"].rows) == 2


def test_without_bindings_a_match_has_no_solutions() -> None:
    engine = Engine()
    engine.add(OPTIONAL, id="rows")
    engine.add("CONSTRUCT { ?x <urn:q> ?y } { ?x <urn:p> ?y }", id="graph")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:p> 1 } }", id="no")
    report = engine.match([("<urn:s1>", "<urn:p>", 1), ("<urn:s1>", "<urn:p>", 2)], bindings=False)
    assert report.subscription_ids == ("rows", "graph")
    assert all(not match.solutions and not match.graph and not match.truncated for match in report)


def test_a_work_limit_ends_a_query_and_says_so() -> None:
    engine = Engine(work_limit=20_000)
    engine.add("SELECT ?a ?d { ?a <urn:p> ?b . ?c <urn:p> ?d OPTIONAL { ?e <urn:p> ?f } }", id="product")
    report = engine.match([(f"<urn:s{i}>", "<urn:p>", i) for i in range(60)])
    assert [each.subscription_id for each in report.exceeded] == ["product"]
    assert report.exceeded[0].limit == "work_limit"
    assert all(match.truncated for match in report)


def test_a_query_that_no_index_finds_warns_and_is_counted() -> None:
    engine = Engine()
    with pytest.warns(NotIndexed, match="evaluated for each publication"):
        engine.add("ASK { FILTER NOT EXISTS { ?x <urn:p> 1 } }", id="absent")
    assert engine.match([("<urn:s>", "<urn:p>", 2)]).subscription_ids == ("absent",)
    assert engine.match([("<urn:s>", "<urn:p>", 1)]).subscription_ids == ()
    assert engine.costs()["absent"] > 0


def test_a_query_that_cannot_match_is_registered_and_costs_nothing() -> None:
    engine = Engine()
    with pytest.warns(NeverMatches):
        engine.add("SELECT ?x { ?x <urn:p> ?y OPTIONAL { } FILTER (?y > 2) FILTER (?y < 1) }", id="never")
    assert len(engine) == 1
    assert not engine.match(PAIRS).matches


def test_queries_are_saved_opened_and_removed(tmp_path: Path) -> None:
    engine = Engine()
    written = engine.add(OPTIONAL, id="rows")
    engine.add("SELECT ?x { ?x <urn:p> ?y }", id="plain")
    engine.save(tmp_path / "saved")
    opened = Engine.open(tmp_path / "saved")
    assert opened.subscription("rows") == written
    assert opened.match(PAIRS) == engine.match(PAIRS, id="publication-1")
    opened.remove("rows")
    assert opened.match(PAIRS).subscription_ids == ("plain",)


def test_batches_have_the_matches_of_single_publications() -> None:
    engine = Engine()
    engine.add(OPTIONAL, id="rows")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:p> 1 } }", id="no")
    documents = [f"<urn:s{i}> <urn:p> <urn:o{i}> .".encode() for i in range(20)] + [b"<urn:s> <urn:q> <urn:o> ."]
    batch = engine.match_batch(documents, "nt")
    assert list(batch.ids()) == [("rows", "no")] * 20 + [()]
    assert [len(report) for report in engine.match_many(documents, "nt")] == [2] * 20 + [0]
    assert len(batch.solutions.branch) == 40


@pytest.mark.parametrize("matcher", [name for name, each in MATCHERS.items() if not each.capabilities.queries])
def test_a_matcher_by_itself_refuses_queries(matcher: str) -> None:
    subscription = Engine(matcher="naive").add(OPTIONAL, id="rows")
    with pytest.raises(UnsupportedSubscription):
        MATCHERS[matcher](Taxonomy()).add(subscription)


def test_operators_cannot_be_called_in_queries() -> None:
    text = "SELECT ?x { ?x a ?y OPTIONAL { ?x a ?z } FILTER near(?x) }"
    with pytest.raises(InvalidQuery, match="operator"):
        subscription_from_text(text, "s", operators={"near": 1})


def test_named_graphs_only_on_request() -> None:
    engine = Engine()
    with pytest.warns(NotIndexed):
        engine.add("SELECT ?g { GRAPH ?g { ?x <urn:p> ?y } }", id="g")
    document = "<urn:g1> { <urn:a> <urn:p> 1 } <urn:g2> { <urn:a> <urn:q> 1 }"
    assert [match.rows for match in engine.match(document, "trig", dataset=True)] == [({"g": "<urn:g1>"},)]
    given = DatasetPublication("d", [], {"<urn:g3>": [("<urn:a>", "<urn:p>", 1)]})
    assert [match.rows for match in engine.match(given)] == [({"g": "<urn:g3>"},)]
    assert not engine.match(b"<urn:a> <urn:p> 1 .", "turtle").matches


def test_lenient_literals_are_compared_ordered_and_added_as_what_they_say() -> None:
    queries = {
        "compared": "SELECT ?y { ?x <urn:p> ?y OPTIONAL { ?x <urn:q> ?z } FILTER(?y > 9) }",
        "least": "SELECT (MIN(?y) AS ?least) { ?x <urn:p> ?y } GROUP BY ?x",
        "total": "SELECT (SUM(?y) AS ?total) { ?x <urn:p> ?y } GROUP BY ?x",
        "ordered": "SELECT ?y { ?x <urn:p> ?y } ORDER BY DESC(?y) LIMIT 1",
    }
    answers = {}
    for literals in ("sparql", "lenient"):
        engine = Engine(literals=literals)
        for id, query in queries.items():
            engine.add(query, id=id)
        report = engine.match([("<urn:s>", "<urn:p>", '"10"'), ("<urn:s>", "<urn:p>", '"9"')])
        answers[literals] = {match.subscription_id: [str(*row.values()) for row in match.bindings] for match in report}
    assert answers["lenient"] == {"compared": ["10"], "least": ["9"], "total": ["19"], "ordered": ["10"]}
    assert answers["sparql"]["least"] == ["10"]
    assert answers["sparql"]["ordered"] == ["9"]
    assert "compared" not in answers["sparql"]


@pytest.mark.parametrize("matcher", ["gm", "naive"])
def test_the_required_part_reads_literals_as_leniently_as_the_query(matcher: str) -> None:
    engine = Engine(matcher=matcher, literals="lenient")
    for id, test in {"equal": '?y = "10"', "both": '?y > 9 && ?y = "10.00"', "other": '?y = "12"'}.items():
        engine.add(f"SELECT ?x {{ ?x <urn:p> ?y OPTIONAL {{ ?x <urn:z> ?z }} FILTER({test}) }}", id=id)
    assert set(engine.match([("<urn:a>", "<urn:p>", '"10.0"')]).subscription_ids) == {"equal", "both"}
