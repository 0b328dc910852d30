"""What all plans by shape have in common: from the joined rows of each shape to matches.

join (each plan's own) ──> classes, readings, conditions ──> (Python's checks) ──> what is reported ──> row limit
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import NamedTuple, TypeAlias

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.table_schemas import MATCHES, MatchTables, errors_table
from gtopss.spark.plans.compilation import CompiledShape, CompiledSubscriptions
from gtopss.spark.plans.residual_checks import check_residuals
from gtopss.spark.plans.term_columns import term_readings
from gtopss.spark.plans.triple_graphs import ScopedTriples, classes

MAX_CONCURRENT_SHAPES = (
    4  # shapes that are planned and run at the same time: one alone would wait for Catalyst more than for Spark
)
ShapeJoin: TypeAlias = Callable[[ScopedTriples, CompiledShape, DataFrame], DataFrame]
"""A shape's edges joined, in a graph, with the shape's parameters: `scope`, the parameters and `v0`, `v1`, ..."""


def match_shapes(
    spark: SparkSession, graph: ScopedTriples, engine: Engine, prepared: CompiledSubscriptions, join: ShapeJoin
) -> MatchTables:
    """The matches of all entries, and an error for each subscription that was refused."""
    graph = ScopedTriples(graph.triples.localCheckpoint(), graph.items)
    tables = _tables(spark, graph, engine, prepared)

    def passed(each: CompiledShape) -> DataFrame:
        return _passed(join(graph, each, each.parameters(spark)), each, tables).localCheckpoint()

    with ThreadPoolExecutor(MAX_CONCURRENT_SHAPES) as pool:
        rows = list(pool.map(passed, prepared.classes))
    plain = [some for some, each in zip(rows, prepared.classes, strict=True) if not each.residual]
    left = [some for some, each in zip(rows, prepared.classes, strict=True) if each.residual]
    members = F.broadcast(prepared.members(spark)) if prepared.classes else None
    found = [_reported(reduce(DataFrame.union, plain), members)] if plain and members is not None else []
    if left:
        entries = [entry for each in prepared.classes if each.residual for entry in each.entries]
        found.append(check_residuals(reduce(DataFrame.union, left), entries, graph, engine.taxonomy))
    errors = errors_table(spark, prepared.refused)
    if not found or members is None:
        return MatchTables(spark.createDataFrame([], MATCHES), errors)
    solved = reduce(DataFrame.union, found).join(members.select("number", "subscription_id", "is_distinct"), "number")
    if any(entry.member.subscription.distinct for entry in prepared.entries()):
        solved = _told_apart(solved)
    return MatchTables(
        _limited(solved, engine.config.row_limit).join(graph.items, "scope").select(*MATCHES.fieldNames()), errors
    )


class _Tables(NamedTuple):
    """What tests read beside their row: each node's classes, each term's reading."""

    classes: DataFrame
    readings: DataFrame


def _tables(spark: SparkSession, graph: ScopedTriples, engine: Engine, prepared: CompiledSubscriptions) -> _Tables:
    read = any(entry.conditions.read for entry in prepared.entries())
    terms = graph.triples.select(F.explode(F.array("s", "p", "o")).alias("term"))
    asked = prepared.asked()
    return _Tables(
        classes(spark, graph, engine.taxonomy, asked).localCheckpoint() if asked else graph.triples,
        term_readings(terms) if read else graph.triples,
    )


def _passed(rows: DataFrame, each: CompiledShape, tables: _Tables) -> DataFrame:
    """The rows that pass what SQL can say of their entry: (scope, number, values)."""
    for place in sorted({place for entry in each.entries for place in entry.conditions.classed}):
        of_place = tables.classes.selectExpr("scope", f"node AS v{place}", f"classes AS k{place}")
        rows = rows.join(of_place, ["scope", f"v{place}"], "left")
    for place in sorted({place for entry in each.entries for place in entry.conditions.read}):
        rows = rows.join(tables.readings.selectExpr(f"term AS v{place}", f"reading AS r{place}"), f"v{place}")
    variants = each.variants
    if list(variants) != ["true"]:
        cases = " ".join(f"WHEN {number} THEN {condition}" for condition, number in variants.items())
        rows = rows.where(next(iter(variants)) if len(variants) == 1 else f"CASE variant {cases} END")
    values = ", ".join(f"v{place}" for place in range(each.shape.variables))
    return rows.selectExpr("scope", "number", f"CAST(array({values}) AS ARRAY<STRING>) AS values")


def _reported(rows: DataFrame, members: DataFrame) -> DataFrame:
    """What a match reports of its rows, in the order in which it was selected."""
    value = "coalesce(each.constant, get(values, each.place))"
    pairs = f"transform(reported, each -> named_struct('name', each.name, 'value', {value})) AS pairs"
    return rows.join(members, "number").selectExpr("scope", "number", pairs)


def _told_apart(solved: DataFrame) -> DataFrame:
    """With DISTINCT, equal rows are one; without, as many as they are."""
    counted = solved.groupBy("scope", "subscription_id", "is_distinct", "pairs").agg(F.count("*").alias("times"))
    times = F.when(F.col("is_distinct"), F.lit(1)).otherwise(F.col("times")).cast("int")
    return counted.withColumn("one", F.explode(F.array_repeat(F.lit(True), times)))


def _limited(solved: DataFrame, row_limit: int) -> DataFrame:
    """No more rows of a match than the limit, always the same ones; `truncated` says that there are more."""
    match = Window.partitionBy("scope", "subscription_id")
    ranked = solved.withColumn("rank", F.row_number().over(match.orderBy("pairs")))
    ranked = ranked.withColumn("truncated", F.count("*").over(match) > row_limit)
    return ranked.where(F.col("rank") <= row_limit).withColumn("bindings", F.map_from_entries("pairs"))
