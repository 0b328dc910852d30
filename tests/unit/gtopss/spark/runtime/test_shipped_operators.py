"""Operators in the executors: the engine's answers, each distinct call once for a publication, no failure a no."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest
import rdflib
from pyspark.sql import SparkSession
from support.spark_answers import answers_by, answers_of, read_without_spark
from support.spark_operators import LONG, WORDS, engine_for, registry

from gtopss import Engine
from gtopss.engine.loading import load_engine
from gtopss.errors import InvalidSubscription, NeverMatches
from gtopss.model import Publication
from gtopss.net import Connector
from gtopss.operators import REGISTRY, Registry
from gtopss.operators.shipped.http import http
from gtopss.operators.shipped.owl import owl_instance
from gtopss.operators.shipped.rule import rule
from gtopss.spark.errors import OperatorNotSerializable
from gtopss.spark.io.rows import publications_table
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.plans.relational_plan import relational_plan
from gtopss.spark.runtime.engine_versions import EngineVersions
from gtopss.spark.runtime.shipped_operators import pack_operators, unpack_operators


@pytest.mark.parametrize("shard_count", [1, 2])
def test_operators_in_executors_give_the_engines_answers_with_as_many_calls(
    spark: SparkSession, data: Path, tmp_path: Path, shard_count: int
) -> None:
    calls = tmp_path / "calls"
    engine = engine_for(calls)
    publications = read_without_spark(data / "feeds")
    expected = answers_by(engine, publications)
    assert {subscription for _, subscription, _ in expected} == {"words", "long", "too", "fragile", "plain"}
    by_engine = Counter(calls.read_text().splitlines())
    undecided = {
        (report.publication_id, each.subscription_id)
        for report in engine.match_many(publications)
        for each in report.undecided
    }
    calls.unlink()

    match_tables = engine_plan(spark, publications_table(spark, publications), engine, shard_count=shard_count)
    assert answers_of(match_tables.matches) == expected
    errors = match_tables.errors.collect()
    assert {(row.publication_id, row.subscription_id) for row in errors} == undecided
    assert len(errors) == len(undecided) > 10
    assert all("undecided" in row.error and "no camera" in row.error for row in errors)
    assert Counter(calls.read_text().splitlines()) == by_engine
    match_tables.release()


def test_plans_by_shape_refuse_operators_by_name(spark: SparkSession, tmp_path: Path) -> None:
    engine = engine_for(tmp_path / "calls")
    engine.add("SELECT ?item ?n { ?item rss:title ?t BIND (languageOf(?t) AS ?n) }", id="bound")
    publication = Publication("p", [("<urn:i>", "<http://purl.org/rss/1.0/title>", '"a cat"')])
    match_tables = relational_plan(spark, publications_table(spark, [publication]), engine)
    assert {row.subscription_id for row in match_tables.matches.collect()} == {"plain"}
    reasons = {row.subscription_id: row.error for row in match_tables.errors.collect()}
    assert set(reasons) == {"words", "long", "too", "fragile", "bound"}
    assert all("it uses an operator" in reason for reason in reasons.values())
    assert "hasWords" in reasons["words"]
    assert "languageOf" in reasons["bound"]


def test_operators_that_cannot_be_sent_are_named_if_they_are_used() -> None:
    lock = threading.Lock()
    made = Registry(REGISTRY.values())

    @made.operator("locked", timeout=None)
    def locked(publication: Publication) -> bool:
        with lock:
            return True

    engine = Engine(operators=made)
    engine.add(WORDS, id="words")
    with pytest.warns(NeverMatches):
        engine.add("SELECT ?x { ?x rss:title ?t FILTER (?t > 2 && ?t < 1) FILTER mentions('a') }", id="never")
    assert set(unpack_operators(pack_operators(engine.operators_in_use()))) == {"hasWords", "mentions"}
    engine.add("SELECT ?item { ?item rss:title ?title FILTER locked() }", id="stays")
    with pytest.raises(OperatorNotSerializable, match="'locked' cannot be sent"):
        pack_operators(engine.operators_in_use())


def test_configured_shipped_operators_can_be_sent() -> None:
    made = [
        http("placeOf", "http://a.example/", connector=Connector(), arity=1),
        rule("known", "known(X) :- triple(X, _, _).", predicate="known", arity=1),
        owl_instance(rdflib.Graph()),
    ]
    assert set(unpack_operators(pack_operators(Registry(made)))) == {
        "placeOf",
        "known",
        "owlInstance",
    }


def test_subscription_files_and_saved_engines_may_call_operators(tmp_path: Path) -> None:
    operators = registry(tmp_path / "calls")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "long.rq").write_text(LONG)
    engine, refused, _ = load_engine(tmp_path / "files", None, operators=operators)
    assert (engine.operator_subscription_ids(), refused) == (("long",), ())
    engine.save(tmp_path / "saved")
    versions = EngineVersions(tmp_path / "versions", tmp_path / "saved", operators=operators)
    assert len(Engine.open(versions.path(versions.newest()), operators=operators)) == 1
    with pytest.raises(InvalidSubscription, match=r"'long'.*there is no function 'longerThan'"):
        EngineVersions(tmp_path / "others", tmp_path / "saved").newest()
