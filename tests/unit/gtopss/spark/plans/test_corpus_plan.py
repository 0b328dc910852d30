"""Corpus scope: what spans publications, against the paper's engine on the merged graph."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from support import plan_cases
from support.spark_answers import answers_by, answers_of

from gtopss import Engine
from gtopss.model import Publication
from gtopss.operators.registry import Registry
from gtopss.spark.io.rows import publications_table
from gtopss.spark.plans.corpus_plan import corpus_motifs, corpus_plan, merged_publication
from gtopss.spark.plans.registry import SparkPlan

JOINING_QUERIES = ("q7", "q8", "q9", "q12")
"""Queries whose answers join several subjects, and so several pieces."""
_MEDTOP = "PREFIX medtop: <http://cv.iptc.org/newscodes/mediatopic/>\n"
ACROSS = {
    "same story": "SELECT ?one ?other ?story { ?one dcterms:relation ?story ; dc:publisher 'Reuters' . "
    "?other dcterms:relation ?story ; dc:publisher ?who FILTER (?who != 'Reuters') }",
    "shared topic": "SELECT DISTINCT ?one ?topic { ?one dcterms:subject ?topic ; dc:publisher 'Reuters' . "
    "?other dcterms:subject ?topic ; dc:publisher 'NASDAQ' FILTER isA(?topic, medtop:04000000) }",
    "same author": "SELECT ?one ?other { ?one dc:creator ?who ; rss:title ?a . ?other dc:creator ?who ; rss:title ?b "
    'FILTER REGEX(?a, "team", "i") }',
    "feed by name": "SELECT ?title { ?item dcterms:isPartOf ?feed ; rss:title ?title . ?feed rss:title ?name "
    'FILTER CONTAINS(?name, "Woodward") }',
    "words of feeds": "SELECT ?title { ?item dcterms:isPartOf ?feed ; rss:title ?title . ?feed rss:title ?name "
    'FILTER words(?name, "woodward*") }',
}


def test_a_corpus_of_pieces_is_matched_as_one_publication(spark: SparkSession) -> None:
    engine = plan_cases.lubm_engine(*JOINING_QUERIES)
    pieces = plan_cases.subjects(plan_cases.department().publications[0])
    match_tables = corpus_plan(spark, publications_table(spark, pieces), engine)
    assert match_tables.errors.collect() == []
    found = answers_of(match_tables.matches)
    assert found == answers_by(_reference(engine), [merged_publication(pieces)])
    assert {subscription for _, subscription, _ in found} == set(JOINING_QUERIES)


@pytest.mark.parametrize("plan", [corpus_plan, corpus_motifs])
def test_patterns_span_items_and_feeds(request: pytest.FixtureRequest, spark: SparkSession, plan: SparkPlan) -> None:
    if plan is corpus_motifs:
        request.getfixturevalue("graphframes")
    made = plan_cases.feeds()
    engine = Engine(taxonomy=made.engine.taxonomy)
    for name, text in ACROSS.items():
        engine.add(_MEDTOP + text, id=name)
    publications = made.publications
    expected = answers_by(_reference(engine), [merged_publication(publications)])
    found = answers_of(plan(spark, publications_table(spark, publications), engine).matches)
    assert found == expected
    assert {subscription for _, subscription, _ in found} == set(ACROSS)
    alone = {subscription for _, subscription, _ in answers_by(engine, publications)}
    assert not alone & {"same story", "shared topic"}  # no item holds them: they span two


def test_blank_nodes_of_two_publications_are_two(spark: SparkSession) -> None:
    publications = [Publication(f"p{n}", [("_:b", f"<urn:p{n}>", n), ("_:b", "<urn:q>", "<urn:c>")]) for n in range(2)]
    engine = Engine()
    engine.add("SELECT ?x { ?x <urn:p0> ?a ; <urn:p1> ?b }", id="joined by their label")
    engine.add("SELECT ?x ?y { ?x <urn:p0> ?a ; <urn:q> ?c . ?y <urn:q> ?c ; <urn:p1> ?b }", id="joined by a term")
    found = answers_of(corpus_plan(spark, publications_table(spark, publications), engine).matches)
    assert found == answers_by(engine, [merged_publication(publications)])
    assert {subscription for _, subscription, _ in found} == {"joined by a term"}


def _reference(engine: Engine) -> Engine:
    made = Engine(taxonomy=engine.taxonomy, matcher="reference")
    for each in engine.subscriptions():
        made.add(each)
    return made


def test_a_row_that_reaches_a_limit_is_an_error_of_its_subscription(spark: SparkSession) -> None:
    squares = "".join(f"BIND(?x{n} * ?x{n} AS ?x{n + 1}) " for n in range(30))
    engine = Engine()
    engine.add(f"SELECT ?s {{ ?s <urn:p> ?o BIND(?o + 1 AS ?x0) {squares} }}", id="hostile")
    engine.add("SELECT ?s { ?s <urn:p> ?o FILTER(?o + 1 > 5) }", id="harmless")
    publications = publications_table(spark, [Publication("p", [("<urn:a>", "<urn:p>", 9)])])
    match_tables = corpus_plan(spark, publications, engine)
    assert {row.subscription_id for row in match_tables.matches.collect()} == {"harmless"}
    (error,) = match_tables.errors.collect()
    assert error.subscription_id == "hostile"
    assert "number_limit" in error.error


def test_what_needs_the_engine_is_refused_with_what_to_use(spark: SparkSession) -> None:
    registry = Registry()
    registry.operator("longerThan")(lambda publication, text, size: True)
    publications = publications_table(spark, [Publication("p", [("<urn:a>", "<urn:p>", 9)])])
    entailed, operated = Engine(entailment="rdfs"), Engine(operators=registry)
    entailed.add("SELECT ?s { ?s <urn:p> ?o }", id="entailed")
    operated.add("SELECT ?s { ?s <urn:p> ?o FILTER longerThan(?o, 3) }", id="operated")
    for engine, reason in ((entailed, "without entailment"), (operated, "it uses an operator")):
        (error,) = corpus_plan(spark, publications, engine).errors.collect()
        assert reason in error.error
        assert "match within publications, by the plan engine (--scope publication)" in error.error
