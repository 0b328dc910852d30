from __future__ import annotations

from pyspark.sql import SparkSession

from gtopss import Engine
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE
from gtopss.spark.io.rows import publications_table
from gtopss.spark.plans.compilation import compile_subscriptions
from gtopss.spark.plans.residual_checks import check_residuals
from gtopss.spark.plans.triple_graphs import number_rows, separate_publications
from ontology import Taxonomy

TYPED = Publication("p", [("<urn:tom>", RDF_TYPE, "<urn:Cat>")])


def test_rows_are_filtered_and_their_values_computed_in_python(spark: SparkSession) -> None:
    engine = Engine(taxonomy=Taxonomy([("urn:Cat", "urn:Animal")]))
    engine.taxonomy.add_label("urn:Cat", "Katze", "de")
    engine.add("SELECT ?n ?m { ?x <urn:n> ?n FILTER (?n + 1 > 5) BIND (?n * 2 AS ?m) }", id="sum")
    engine.add("SELECT ?x { ?x <urn:q> ?y FILTER (isA(?x, <urn:Animal>) = (STRLEN(?y) > 2)) }", id="typed")
    engine.add("SELECT ?t { ?x <urn:t> ?t FILTER labelled(?t, <urn:Animal>) }", id="labelled")
    compiled = compile_subscriptions(engine, "test", python=True)
    branches = {branch.member.subscription.id: branch for branch in compiled.branches()}
    graph = separate_publications(number_rows(publications_table(spark, [TYPED])))
    scope = graph.items.first()["scope"]  # type: ignore[index]
    integer = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    values = {
        "sum": [{"?x": "<urn:a>", "?n": integer.format(4)}, {"?x": "<urn:a>", "?n": integer.format(5)}],
        "typed": [{"?x": "<urn:tom>", "?y": '"abc"'}, {"?x": "<urn:rex>", "?y": '"abc"'}],
        "labelled": [{"?x": "<urn:tom>", "?t": '"KATZE"'}, {"?x": "<urn:tom>", "?t": '"Hund"'}],
    }
    rows = [
        (scope, branches[id].member.number, [row[str(name)] for name in branches[id].member.variables])
        for id, some in values.items()
        for row in some
    ]
    table = spark.createDataFrame(rows, "scope bigint, number int, values array<string>")
    checked = check_residuals(table, branches.values(), graph, engine.taxonomy).collect()
    ids = {branch.member.number: id for id, branch in branches.items()}
    assert {(ids[row.number], tuple((pair.name, pair.value) for pair in row.pairs)) for row in checked} == {
        ("sum", (("n", integer.format(5)), ("m", integer.format(10)))),
        ("typed", (("x", "<urn:tom>"),)),
        ("labelled", (("t", '"KATZE"'),)),
    }
