"""All plans, the engine without Spark, and each other: the same answers, set against set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from conftest import SOAK
from pyspark.sql import SparkSession
from support import plan_cases
from support.plan_cases import Case
from support.spark_answers import answers_by, answers_of

from gtopss import Engine
from gtopss.model import Branch, Publication, Subscription
from gtopss.model.expressions import call, compare, contains, is_a, labelled, regex
from gtopss.spark.io.rows import publications_table
from gtopss.spark.io.table_schemas import PUBLICATIONS
from gtopss.spark.plans.compilation import compile_subscriptions
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.plans.graphframes_plan import find_motifs, graphframes_plan
from gtopss.spark.plans.registry import SparkPlan, plan_by_name
from gtopss.spark.plans.relational_plan import join_edges, relational_plan
from gtopss.spark.plans.shape_matching import ShapeJoin
from gtopss.spark.plans.triple_graphs import number_rows, separate_publications
from ontology import Taxonomy

PLANS: dict[str, SparkPlan] = {"engine": engine_plan, "relational": relational_plan, "graphframes": graphframes_plan}


@pytest.fixture(params=PLANS)
def plan(request: pytest.FixtureRequest) -> SparkPlan:
    if request.param == "graphframes":
        request.getfixturevalue("graphframes")
    return PLANS[request.param]


@pytest.mark.parametrize("case", [plan_cases.department, plan_cases.feeds, plan_cases.generated, plan_cases.texts])
def test_a_plan_answers_as_the_engine_does(spark: SparkSession, plan: SparkPlan, case: Callable[[], Case]) -> None:
    if case is plan_cases.department and plan is not engine_plan and not SOAK:
        pytest.skip("LUBM by joins and by motifs: `make soak`")
    made = case()
    match_tables = plan(spark, publications_table(spark, made.publications), made.engine)
    refused = {row.subscription_id for row in match_tables.errors.collect()}
    expected = made.expected
    assert answers_of(match_tables.matches) == {answer for answer in expected if answer[1] not in refused}
    if plan is not relational_plan and case is plan_cases.feeds:
        assert refused == (set() if plan is engine_plan else {"severe-weather"})  # which calls NOW
    elif plan is not relational_plan or case is plan_cases.department:
        assert not refused
    elif case is plan_cases.feeds:
        by_words = {"gentoo", "money", "mozilla-in-french", "open-source", "xml-tools"}
        assert refused == {"earthquakes-above-2", "maps-of-poland", "severe-weather", "space-in-june", *by_words}
    matched = {subscription for _, subscription, _ in expected}
    assert len(matched) > len(made.engine) / 2  # or nothing was compared


LIKING = Branch([("?x", "<urn:likes>", "?y")])
EITHER = call("||", compare("n", "=", 1), compare("n", ">", 3))
CLASSED_OR_OLD = call("||", is_a("s", "<urn:C>"), compare("n", ">", 5))
SPECIAL = '"it\'s ${spark.app.name} \\"b\\" \\\\n"'
CORNERS = [
    Subscription("property variable", [("?x", "?p", "<urn:b>")]),
    Subscription("property and node", [("?x", "?p", "?y"), ("?p", "<urn:is>", "?z")]),
    Subscription("self-loop", [("?x", "<urn:knows>", "?x")]),
    Subscription("one term thrice", [("?x", "?x", "?x")]),
    Subscription("constants only", [("<urn:a>", "<urn:knows>", "<urn:b>"), ("<urn:b>", "<urn:age>", 5)]),
    Subscription("two parts", [("?x", "<urn:age>", 5), ("?y", "<urn:age>", 6)]),
    Subscription("parallel", [("?x", "<urn:knows>", "?y"), ("?x", "<urn:likes>", "?y")]),
    Subscription("everything", [("?s", "?p", "?o")], select=["p"]),
    Subscription("everything once", [("?s", "?p", "?o")], select=["p"], distinct=True),
    Subscription("either", branches=[Branch([("?x", "<urn:knows>", "<urn:b>")]), LIKING], select=["x"]),
    Subscription("same", [("?x", "<urn:knows>", "?y")], where=[call("SAMETERM", "?y", "<urn:b>")]),
    Subscription("many", [("?s", "<urn:n>", "?n")], where=[compare("n", "<", 7)]),
    Subscription("not", [("?s", "<urn:n>", "?n")], where=[call("!", EITHER)]),
    Subscription("classed or old", [("?s", "<urn:age>", "?n")], where=[CLASSED_OR_OLD]),
    Subscription("quoted", [("?s", "<urn:says>", "?t")], where=[contains("t", 'a "b"\\n')]),
    Subscription("special characters", [("?s", "<urn:says>", SPECIAL)]),
    Subscription("container", [("?s", "<http://www.w3.org/2000/01/rdf-schema#member>", "?x")]),
    Subscription("labelled", [("?s", "<urn:called>", "?t")], where=[labelled("t", "<urn:C>")]),
    Subscription("pattern", [("?s", "<urn:says>", "?t")], where=[regex("t", "^a")]),
    Subscription(
        "computed", branches=[Branch([("?s", "<urn:age>", "?n")], [], [("?m", call("+", "?n", 1))])], select=["m"]
    ),
]
PEOPLE = [
    ("<urn:a>", "<urn:knows>", "<urn:b>"),
    ("<urn:a>", "<urn:likes>", "<urn:b>"),
    ("<urn:b>", "<urn:knows>", "<urn:b>"),
    ("<urn:b>", "<urn:age>", 5),
    ("<urn:c>", "<urn:age>", 6),
    ("<urn:knows>", "<urn:is>", "<urn:Relation>"),
    ("<urn:e>", "<urn:e>", "<urn:e>"),
    ("<urn:c>", "<urn:called>", '"THE  b"@en'),
    ("<urn:c>", "<urn:called>", '"the c"'),
    ("<urn:c>", "<urn:says>", '"a \\"b\\"\\\\n"'),
    ("<urn:c>", "<urn:says>", SPECIAL),
    ("<urn:c>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#_2>", "<urn:b>"),
    *(("<urn:d>", "<urn:n>", number) for number in range(9)),
]


def test_corner_cases_have_the_engines_rows_and_limits(spark: SparkSession, plan: SparkPlan) -> None:
    """Several rows of a match may look alike, and a limit cuts them off: here rows are counted."""
    engine = Engine(taxonomy=Taxonomy(instances=[("urn:b", "urn:C")]), allow_cartesian=True, row_limit=6)
    engine.taxonomy.add_label("urn:b", "The B")
    for each in CORNERS:
        engine.add(each)
    publications = [Publication("people", PEOPLE), Publication("few", PEOPLE[:4]), Publication("none", [])]
    match_tables = plan(spark, publications_table(spark, publications), engine)
    refused = {row.subscription_id for row in match_tables.errors.collect()}
    assert refused == ({"container", "labelled", "pattern", "computed"} if plan is relational_plan else set())
    rows = match_tables.matches.collect()
    counted = Counter((row.publication_id, row.subscription_id, row.truncated) for row in rows)
    matches = [match for report in engine.match_many(publications) for match in report]
    wanted = [match for match in matches if match.subscription_id not in refused]
    assert counted == Counter({(m.publication_id, m.subscription_id, m.truncated): len(m.rows) for m in wanted})
    whole = Counter(
        (row.publication_id, row.subscription_id, frozenset(row.bindings.items())) for row in rows if not row.truncated
    )
    kept = [m for m in wanted if not m.truncated]
    assert whole == Counter((m.publication_id, m.subscription_id, frozenset(r.items())) for m in kept for r in m.rows)
    assert {m.subscription_id for m in matches} == {each.id for each in CORNERS}


@pytest.mark.parametrize("name", ["relational", "graphframes"])
def test_settings_of_sql_texts_do_not_change_the_matches(
    request: pytest.FixtureRequest, spark: SparkSession, name: str
) -> None:
    if name == "graphframes":
        request.getfixturevalue("graphframes")
    engine = Engine()
    engine.add(Subscription("special", [("?s", "<urn:says>", SPECIAL)]))
    publications = [Publication("people", PEOPLE)]
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        found = PLANS[name](spark, publications_table(spark, publications), engine)
        assert answers_of(found.matches) == answers_by(engine, publications) != set()
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")


@pytest.mark.parametrize("join", [join_edges, find_motifs])
def test_no_join_is_a_cartesian_product(request: pytest.FixtureRequest, spark: SparkSession, join: ShapeJoin) -> None:
    """Every join of a shape that hangs together has a condition that Spark can look up."""
    if join is find_motifs:
        request.getfixturevalue("graphframes")
    made = plan_cases.department()
    graph = separate_publications(number_rows(publications_table(spark, made.publications)))
    large = [
        each for each in compile_subscriptions(made.engine, "test", python=True).shapes if len(each.shape.edges) > 2
    ]
    assert len(large) > 2
    for each in large:
        plan = join(graph, each, each.parameters(spark))._jdf.queryExecution().toString()
        assert "CartesianProduct" not in plan
        assert "NestedLoop" not in plan


def test_what_a_plan_cannot_answer_is_an_error_with_its_reason(spark: SparkSession) -> None:
    publications = publications_table(spark, [Publication("p", PEOPLE)])
    engine = Engine(entailment="rdfs")
    engine.add("SELECT ?x { ?x <urn:age> ?n }", id="entailed")
    match_tables = relational_plan(spark, publications, engine)
    assert match_tables.matches.collect() == []
    assert "without entailment" in match_tables.errors.collect()[0].error
    engine = Engine(literals="lenient")
    engine.add("SELECT ?x { ?x <urn:age> ?n FILTER (?n > 5) }", id="lenient")
    engine.add("SELECT ?x { ?x <urn:says> ?t FILTER (isLiteral(?t)) }", id="alike")
    (refused,) = relational_plan(spark, publications, engine).errors.collect()
    assert (refused.subscription_id, "plain literals as texts" in refused.error) == ("lenient", True)
    engine = Engine()
    engine.add("SELECT ?x { ?x <urn:age> ?n FILTER (NOW() > ?n) }", id="now")
    engine.add("SELECT ?x { ?x <urn:says> ?t FILTER (LCASE(?t) = 'a') }", id="lower case")
    engine.add("SELECT ?x { ?x <urn:age> ?n FILTER (!has(?x, <urn:says>, 'a')) }", id="has")
    errors = {row.subscription_id: row.error for row in relational_plan(spark, publications, engine).errors.collect()}
    assert "NOW" in errors["now"]
    assert "use the plan engine" in errors["has"]
    assert "LCASE" in errors["lower case"]


FOREIGN = {
    "typed": ("<urn:a>", "<urn:says>", '"abc"^^<http://www.w3.org/2001/XMLSchema#string>'),
    "language": ("<urn:a>", "<urn:says>", '"abc"@EN'),
    "region": ("<urn:a>", "<urn:says>", '"abc"@en-US'),
    "escaped": ("<urn:a>", "<urn:says>", '"\\u0061bc\\U0000000A"'),
    "apostrophe": ("<urn:a>", "<urn:says>", '"it\\\'s"'),
    "raw": ("<urn:a>", "<urn:says>", '"a\tb\x01"'),
    "as we do": ("<urn:a>", "<urn:says>", '"abc"'),
    "blank": ("_:b.1", "<urn:says>", '"x\\ty"'),
}
REFUSED = {
    "null": ("<urn:a>", None, "<urn:b>"),
    "no IRI": ("<urn:a>", "says", "<urn:b>"),
    "literal": ('"a"', "<urn:says>", "<urn:b>"),
    "open": ("<urn:a>", "<urn:says>", '"abc'),
}


def test_terms_as_others_write_them_match_in_all_plans(spark: SparkSession, plan: SparkPlan) -> None:
    engine = Engine()
    for name, text in {"abc": '"abc"', "abc en": '"abc"@en', "line": '"abc\\n"', "raw": '"a\\tb\\u0001"'}.items():
        engine.add(f"SELECT ?x {{ ?x <urn:says> {text} }}", id=name)
    engine.add("SELECT ?y { ?x <urn:says> ?y FILTER STRSTARTS(?y, 'abc') }", id="starts")
    engine.add("SELECT ?y { ?x <urn:says> ?y FILTER LANGMATCHES(LANG(?y), 'en') }", id="english")
    engine.add("SELECT ?x ?y { ?x <urn:says> ?y }", id="all")
    rows = [(name, None, None, [triple]) for name, triple in {**FOREIGN, **REFUSED}.items()]
    rows += [("list", None, None, None), (None, None, None, [FOREIGN["raw"]]), ("item", None, None, [None])]
    table = spark.createDataFrame(rows, PUBLICATIONS).repartition(2)
    found = plan(spark, table, engine)
    expected = answers_by(engine, [Publication(name, [triple]) for name, triple in FOREIGN.items()])
    assert {subscription for _, subscription, _ in expected} == {each.id for each in engine.subscriptions()}
    assert answers_of(found.matches) == expected
    assert {row.publication_id for row in found.errors.collect()} == {*REFUSED, "list", "item", None}
    found.release()


def test_plans_are_named() -> None:
    assert plan_by_name("engine") is engine_plan
    with pytest.raises(ValueError, match="there is no plan 'fast': choose one of engine, graphframes, relational"):
        plan_by_name("fast")


@pytest.mark.parametrize("name", ["relational", "graphframes"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }",
        "SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?z } }",
        "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(*) > 1)",
        "CONSTRUCT { ?x <urn:q> ?y } { ?x <urn:p> ?y }",
    ],
)
def test_relational_plans_refuse_whole_queries_by_name(name: str, text: str) -> None:
    engine = Engine()
    engine.add(text, id="whole")
    engine.add("SELECT ?x { ?x <urn:p> ?y }", id="plain")
    compiled = compile_subscriptions(engine, name, python=True)
    (row,) = compiled.refused
    assert row["subscription_id"] == "whole"
    assert f"{name}" in row["error"]
    assert "more than a graph pattern" in row["error"]
    assert len(compiled.shapes) == 1


def test_the_engine_plan_evaluates_whole_queries(spark: SparkSession) -> None:
    engine = Engine()
    engine.add("SELECT ?x ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }", id="named")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?z } }", id="not-draft")
    publications = [
        Publication("p1", [("<urn:a>", "<urn:p>", 1), ("<urn:a>", "<urn:n>", 2)]),
        Publication("p2", [("<urn:b>", "<urn:p>", 1), ("<urn:b>", "<urn:d>", 2)]),
    ]
    found = engine_plan(spark, publications_table(spark, publications), engine)
    assert not found.errors.count()
    rows = {(row.publication_id, row.subscription_id) for row in found.matches.collect()}
    assert rows == {("p1", "named"), ("p1", "not-draft"), ("p2", "named")}
