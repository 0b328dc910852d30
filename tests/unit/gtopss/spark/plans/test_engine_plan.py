from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from conftest import ROOT
from pyspark.sql import SparkSession
from support import plan_cases
from support.spark_answers import answers_by, answers_of, read_without_spark

from gtopss import Engine, Subscription
from gtopss.engine.loading import load_engine
from gtopss.experiments.workloads.gtopss_table1 import (
    GtopssTable1,
    class_taxonomy,
    random_publication,
    random_subscriptions,
)
from gtopss.model import Publication
from gtopss.reading.documents import read_document
from gtopss.spark.io.rows import arrow_batch, publication_row, publications_table
from gtopss.spark.io.table_schemas import MATCHES, PUBLICATIONS, READ_ROWS_ARROW
from gtopss.spark.plans.engine_plan import engine_plan, match_arrow, match_batches, match_with_shipped_engines
from gtopss.spark.runtime.shipped_engines import ShippedEngine, ship_engine


@pytest.fixture(scope="module")
def shipped(data: Path) -> tuple[Engine, list[Publication]]:
    engine, refused, _ = load_engine(data / "subscriptions", data / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    assert not refused
    return engine, read_without_spark(data / "feeds", data / "news" / "news.nq")


@pytest.mark.parametrize("shard_count", [1, 3])
def test_on_the_shipped_feeds_it_answers_as_the_engine(
    spark: SparkSession, shipped: tuple[Engine, list[Publication]], shard_count: int
) -> None:
    engine, publications = shipped
    match_tables = engine_plan(spark, publications_table(spark, publications), engine, shard_count=shard_count)
    expected = answers_by(engine, publications)
    assert len(expected) > 50
    assert answers_of(match_tables.matches) == expected
    assert match_tables.errors.count() == 0
    assert match_tables.matches.schema == MATCHES
    match_tables.release()


def test_lenient_literals_are_compared_as_numbers(spark: SparkSession, data: Path) -> None:
    """Figure 5(c) of the G-ToPSS paper prints "2001", a plain literal."""
    event = (data / "figure5" / "event.ttl").read_text().replace("year       2001", 'year       "2001"')
    publications = publications_table(spark, read_document(event.encode(), format="turtle").publications)
    for literals, expected in (("sparql", set()), ("lenient", {"S1", "S2"})):
        engine = Engine(literals=literals, taxonomy=data / "ontologies" / "bibliography.ttl")
        lines = (data / "figure5" / "subscriptions.jsonl").read_text().splitlines()
        engine.add_many(Subscription.from_json(json.loads(line)) for line in lines)
        match_tables = engine_plan(spark, publications, engine)
        assert {row.subscription_id for row in match_tables.matches.collect()} == expected
        match_tables.release()


@pytest.mark.parametrize("entailment", [None, "rdfs"])
def test_with_constraints_and_is_a_it_answers_as_the_engine(spark: SparkSession, entailment: str | None) -> None:
    table = GtopssTable1(
        publication_nodes=8,
        publication_edges=14,
        subscription_edges=2,
        subscriptions=400,
        matching=0.3,
        constrained=0.7,
        labels=3,
        vocabulary=14,
    )
    generator = random.Random(table.seed)
    publications = [random_publication(table, generator, f"p{number}") for number in range(60)]
    engine = Engine(taxonomy=class_taxonomy(table), entailment="rdfs" if entailment else None)
    assert len(engine.add_many(random_subscriptions(table, publications[0], generator))) < 100  # cartesian ones
    expected = answers_by(engine, publications)
    assert len({(p, s) for p, s, _ in expected}) > 2_000
    match_tables = engine_plan(spark, publications_table(spark, publications).repartition(3), engine)
    assert answers_of(match_tables.matches) == expected
    match_tables.release()


def test_a_subscription_over_its_budget_is_named(spark: SparkSession) -> None:
    engine = Engine(work_limit=2_000)
    engine.add("SELECT ?a ?d { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?d }", id="dear")
    engine.add("SELECT ?a { ?a <urn:p> <urn:n1> }", id="cheap")
    edges = [(f"<urn:n{a}>", "<urn:p>", f"<urn:n{b}>") for a in range(40) for b in range(40)]
    many = Publication("many", edges, source="here")
    few = Publication("few", edges[:5], source="here")
    match_tables = engine_plan(spark, publications_table(spark, [many, few]), engine)
    found = {(row.publication_id, row.subscription_id, row.truncated) for row in match_tables.matches.collect()}
    assert found == {("many", "cheap", False), ("many", "dear", True), ("few", "cheap", False), ("few", "dear", False)}
    (error,) = match_tables.errors.collect()
    assert (error.publication_id, error.subscription_id, error.source) == ("many", "dear", "here")
    assert "matching stopped" in error.error
    match_tables.release()


def test_now_is_the_same_moment_when_a_table_is_read_again(spark: SparkSession) -> None:
    then, moment = datetime(2001, 5, 21, tzinfo=UTC), datetime(2026, 1, 1, 12, tzinfo=UTC)
    triples = [("<urn:a>", "<urn:p>", "<urn:b>")]
    publications = [Publication("timeless", triples), Publication("dated", triples, published_at=then)]
    engine = Engine()
    engine.add("SELECT ?now { ?x <urn:p> ?y BIND (NOW() AS ?now) }", id="now")
    match_tables = match_with_shipped_engines(
        publications_table(spark, publications), ship_engine(spark, engine), now=moment
    )
    found = {row.publication_id: (row.bindings["now"], row.published_at) for row in match_tables.matches.collect()}
    assert all(now.startswith('"2026-01-01T12:00:00') for now, _ in found.values())
    assert {id: time is None for id, (_, time) in found.items()} == {"timeless": True, "dated": False}
    match_tables.release()


def test_rows_that_are_no_publications_are_named(spark: SparkSession) -> None:
    good = [("<urn:a>", "<urn:p>", '"x\\ny"@en')]
    rows = [
        ("good", None, None, good),
        ("empty", None, None, []),
        ("nothing", None, None, None),
        ("literal subject", None, None, [('"a"', "<urn:p>", "<urn:b>")]),
        ("line break", None, None, [("<urn:a>", "<urn:p>", '"x\ny"')]),
        ("null", None, None, [("<urn:a>", None, "<urn:b>")]),
        (None, None, None, good),
    ]
    engine = Engine()
    engine.add("SELECT ?x ?y { ?x <urn:p> ?y }", id="any")
    match_tables = engine_plan(spark, spark.createDataFrame(rows, PUBLICATIONS), engine)
    matched = {row.publication_id: row.bindings for row in match_tables.matches.collect()}
    assert matched["good"] == {"x": "<urn:a>", "y": '"x\\ny"@en'}
    named = {row.publication_id for row in match_tables.errors.collect()}
    assert named == {"literal subject", "line break", "null", "nothing", None}
    assert set(matched) == {"good"}
    match_tables.release()


@pytest.mark.parametrize("case", [plan_cases.department, plan_cases.feeds, plan_cases.generated, plan_cases.texts])
def test_arrow_columns_hold_what_the_reports_say(case: Callable[[], plan_cases.Case]) -> None:
    made = case()
    rows = [publication_row(each) for each in made.publications]
    found = [
        row
        for start in range(0, len(rows), 100)
        for batch in match_arrow(made.engine, arrow_batch(rows, READ_ROWS_ARROW).slice(start, 100), datetime.now(UTC))
        for row in batch.to_pylist()
    ]
    answers = {(row["publication_id"], row["subscription_id"], tuple(sorted(row["bindings"]))) for row in found}
    assert answers == made.expected
    assert {(row["truncated"], row["error"]) for row in found} == {(False, None)}


def test_a_slice_of_a_batch_is_read_right() -> None:
    rows = [
        {"publication_id": f"p{n}", "triples": [{"s": f"<urn:{n}>", "p": "<urn:p>", "o": '"x"'}] * 2} for n in range(9)
    ]
    engine = Engine()
    engine.add("SELECT ?x ?y { ?x <urn:p> ?y }", id="any")
    (batch,) = match_arrow(engine, arrow_batch(rows, READ_ROWS_ARROW).slice(3, 4), datetime.now(UTC))
    assert [(row["publication_id"], row["bindings"]) for row in batch.to_pylist()] == [
        (f"p{n}", [("x", f"<urn:{n}>"), ("y", '"x"')]) for n in range(3, 7)
    ]


def test_a_long_term_in_many_solutions_is_written_within_the_limit() -> None:
    """Without a limit, a column of strings would have more than Arrow's 2 GiB."""
    engine = Engine()
    engine.add("SELECT ?o { ?x <urn:p> ?o ; <urn:q> ?y }", id="s")
    triples = [("<urn:a>", "<urn:q>", f"<urn:{n}>") for n in range(3_000)]
    triples.append(("<urn:a>", "<urn:p>", f'"{"a" * 1_000_000}"'))
    batch = arrow_batch([publication_row(Publication(f"p{n}", triples)) for n in range(4)], READ_ROWS_ARROW)
    shipped = cast("ShippedEngine", SimpleNamespace(engine=lambda: engine))
    found = list(match_batches(shipped, datetime.now(UTC), True, iter([batch])))
    assert [each.num_rows for each in found] == [3 * 16, 16]  # 15 solutions and an error for each
    (reason,) = {row["error"] for each in found for row in each.to_pylist() if row["error"]}
    assert reason == "it reached output_text_limit, so some of its solutions are left out"


def test_operators_receive_payloads_in_executors(spark: SparkSession) -> None:
    engine = Engine()
    engine.add("SELECT ?n { ?x <urn:p> ?y FILTER(faceCount(?n)) FILTER(?n > 0) }", id="faces")
    images = sorted((ROOT / "data" / "images").glob("*.jpg"))
    triples = [("<urn:x>", "<urn:p>", "<urn:y>")]
    events = [Publication(path.stem, triples, payload=path.read_bytes()) for path in images] + [
        Publication("no picture", triples)
    ]
    found = engine_plan(spark, publications_table(spark, events), engine)
    assert [row.publication_id for row in found.matches.collect()] == ["astronaut"]
    assert found.errors.count() == 0
