"""What the plans by shape have in common: from the joined rows of each shape to matches.

join (each plan's own) ──> classes, readings, conditions ──> (checks in Python) ──> reported values ──> row limit
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple, TypeAlias

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.canonical_terms import canonical_publications
from gtopss.spark.io.result_tables import MatchTables, errors_of
from gtopss.spark.io.rows import errors_table
from gtopss.spark.io.table_schemas import ERRORS, MATCHES
from gtopss.spark.plans.compilation import CompiledShape, CompiledSubscriptions
from gtopss.spark.plans.residual_checks import check_residuals
from gtopss.spark.plans.term_columns import term_readings
from gtopss.spark.plans.triple_graphs import ScopedTriples, node_classes, number_rows, separate_publications

ShapeJoin: TypeAlias = Callable[[ScopedTriples, CompiledShape, DataFrame], DataFrame]
"""Joins the edges of a shape with its parameters: `scope`, the parameters, and `v0`, `v1`, ... for its variables."""
_SOLVED = ("scope", "subscription_id", "is_distinct", "pairs")


def match_shapes(
    publications: DataFrame,
    engine: Engine,
    compiled: CompiledSubscriptions,
    join: ShapeJoin,
    scope: Callable[[DataFrame], ScopedTriples] = separate_publications,
) -> MatchTables:
    """Return the matches of all branches, and an error for each refused subscription and each malformed publication.

    `scope` makes graphs of the publications. The rows of all shapes are one query: Spark runs them side by side, and
    a shape costs no jobs of its own. Only the rows of branches with a residual filter go through Python.
    """
    spark = publications.sparkSession
    read = number_rows(canonical_publications(publications))
    errors = errors_table(spark, compiled.refused).unionByName(errors_of(read))
    if not compiled.shapes:
        return MatchTables(spark.createDataFrame([], MATCHES), errors)
    graph = scope(read.where("error IS NULL"))
    lookups = _lookup_tables(spark, graph, engine, compiled)
    found = reduce(
        DataFrame.union,
        (_filter_rows(join(graph, shape, shape.parameters(spark)), shape, lookups) for shape in compiled.shapes),
    )
    residual = [branch for branch in compiled.branches() if branch.is_residual]
    members = F.broadcast(compiled.members_table(spark))
    if residual:
        found = found.localCheckpoint()
        checked = check_residuals(found.where("residual"), residual, graph, engine.taxonomy).localCheckpoint()
        errors = errors.unionByName(_exceeded(checked, members, graph))
        named = checked.where("error IS NULL").join(members, "number").select(*_SOLVED)
        solved = _report_values(found.where("NOT residual"), members).union(named)
    else:
        solved = _report_values(found, members)
    if any(branch.member.subscription.distinct for branch in compiled.branches()):
        solved = _remove_duplicates(solved)
    limited = _limit_rows(solved, engine.config.row_limit)
    return MatchTables(limited.join(graph.items, "scope").select(*MATCHES.fieldNames()), errors)


def _exceeded(checked: DataFrame, members: DataFrame, graph: ScopedTriples) -> DataFrame:
    """Return an error for each subscription and publication of which a row reached a limit of evaluation."""
    named = checked.where("error IS NOT NULL").join(members.select("number", "subscription_id"), "number")
    first = named.groupBy("scope", "subscription_id").agg(F.first("error").alias("error"))
    return first.join(graph.items, "scope").withColumn("place", F.lit(None).cast("string")).select(*ERRORS.fieldNames())


class _LookupTables(NamedTuple):
    """What conditions read beside their row: the classes of each node, the reading of each term."""

    classes: DataFrame
    readings: DataFrame


def _lookup_tables(
    spark: SparkSession, graph: ScopedTriples, engine: Engine, compiled: CompiledSubscriptions
) -> _LookupTables:
    """Compute the lookup tables that some condition reads; for the others, any table will do."""
    reads_terms = any(branch.conditions.read for branch in compiled.branches())
    terms = graph.triples.select(F.explode(F.array("s", "p", "o")).alias("term"))
    tests = compiled.is_a_tests()
    return _LookupTables(
        node_classes(spark, graph, engine.taxonomy, tests).localCheckpoint() if tests else graph.triples,
        term_readings(terms) if reads_terms else graph.triples,
    )


def _filter_rows(rows: DataFrame, shape: CompiledShape, lookups: _LookupTables) -> DataFrame:
    """Keep the rows that satisfy the SQL condition of their branch: (scope, number, residual, values)."""
    for place in sorted({place for branch in shape.branches for place in branch.conditions.classed}):
        of_place = lookups.classes.selectExpr("scope", f"node AS v{place}", f"classes AS k{place}")
        rows = rows.join(of_place, ["scope", f"v{place}"], "left")
    for place in sorted({place for branch in shape.branches for place in branch.conditions.read}):
        rows = rows.join(lookups.readings.selectExpr(f"term AS v{place}", f"reading AS r{place}"), f"v{place}")
    variants = shape.variants
    if list(variants) != ["true"]:
        cases = " ".join(f"WHEN {number} THEN {condition}" for condition, number in variants.items())
        rows = rows.where(next(iter(variants)) if len(variants) == 1 else f"CASE variant {cases} END")
    values = ", ".join(f"v{place}" for place in range(shape.shape.variables))
    return rows.selectExpr("scope", "number", "residual", f"CAST(array({values}) AS ARRAY<STRING>) AS values")


def _report_values(rows: DataFrame, members: DataFrame) -> DataFrame:
    """Return _SOLVED: the selected variables of each row with their values, in the order of the SELECT clause."""
    value = "coalesce(each.constant, get(values, each.place))"
    pairs = f"transform(reported, each -> named_struct('name', each.name, 'value', {value})) AS pairs"
    return rows.join(members, "number").selectExpr("*", pairs).select(*_SOLVED)


def _remove_duplicates(solved: DataFrame) -> DataFrame:
    """Make equal rows of a subscription with DISTINCT one row; other subscriptions keep their duplicates."""
    counted = solved.groupBy("scope", "subscription_id", "is_distinct", "pairs").agg(F.count("*").alias("times"))
    times = F.when(F.col("is_distinct"), F.lit(1)).otherwise(F.col("times")).cast("int")
    return counted.withColumn("one", F.explode(F.array_repeat(F.lit(True), times)))


def _limit_rows(solved: DataFrame, row_limit: int) -> DataFrame:
    """Keep at most `row_limit` rows of a match, always the same ones. `truncated` says that there are more."""
    match = Window.partitionBy("scope", "subscription_id")
    ranked = solved.withColumn("rank", F.row_number().over(match.orderBy("pairs")))
    ranked = ranked.withColumn("truncated", F.count("*").over(match) > row_limit)
    return ranked.where(F.col("rank") <= row_limit).withColumn("bindings", F.map_from_entries("pairs"))
