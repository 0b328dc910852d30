"""The plan of plain joins: a shape's edges joined one by one, with no Python on the executors.

The first edge, the one with the fewest open ends, is the access edge: the triples that have its constants meet the rows
of the parameter table. Every other edge is joined on the publication and on all that is known by then; one that names
nothing new is a semi-join.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.table_schemas import MatchTables
from gtopss.spark.plans.compilation import CompiledShape, compile_subscriptions
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.shapes import Part
from gtopss.spark.plans.triple_graphs import ScopedTriples, separate_graphs

MAX_PREFILTER_CONSTANTS = 500  # constants in one place; more are left to the join, and not looked for beforehand
MAX_BROADCAST_BRANCHES = 100_000  # entries of a shape; more are not sent to every executor


def relational_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """The matches within each publication. What Spark SQL cannot say exactly is an error, never a guess."""
    return match_shapes(
        spark,
        separate_graphs(publications),
        engine,
        compile_subscriptions(engine, "relational", python=False),
        join_edges,
    )


def join_edges(graph: ScopedTriples, each: CompiledShape, parameters: DataFrame) -> DataFrame:
    """The shape's edges, joined: a row for each entry and each way to satisfy its edges."""
    rows = broadcast_if_small(parameters, each)
    known = {f"${place}" for place in range(each.shape.constants)}
    for number, edge in enumerate(each.shape.edges):
        names = dict(zip("spo", edge, strict=True))
        triples = _candidates(graph, each, names).select(
            *(F.col(name).alias(f"t_{name}") for name in ("scope", *"spo"))
        )
        on = [F.col(f"t_{name}") == _column(part) for name, part in names.items() if part in known]
        if number:
            on.append(F.col("t_scope") == F.col("scope"))
        new = {part: f"t_{name}" for name, part in names.items() if part not in known}
        if number and not new:
            rows = rows.join(triples, on, "left_semi")
            continue
        rows = (
            triples.join(rows, on) if on and not number else rows.join(triples, on) if on else triples.crossJoin(rows)
        )
        rows = rows if number else rows.withColumn("scope", F.col("t_scope"))
        rows = rows.withColumns({f"v{part[1:]}": F.col(name) for part, name in new.items()})
        rows = rows.drop("t_scope", "t_s", "t_p", "t_o")
        known.update(new)
    return rows


def broadcast_if_small(parameters: DataFrame, each: CompiledShape) -> DataFrame:
    """The parameters, sent to where the triples are unless there are too many."""
    return parameters if len(each.entries) > MAX_BROADCAST_BRANCHES else F.broadcast(parameters)


def matches_some_constant(column: Column, each: CompiledShape, part: Part) -> Column | None:
    """That a column holds a constant which some entry has in this place: what needs no join to be dropped."""
    if part[0] != "$":
        return None
    terms = each.shape_group.terms(part)
    return column.isin(sorted(terms)) if len(terms) <= MAX_PREFILTER_CONSTANTS else None


def _candidates(graph: ScopedTriples, each: CompiledShape, names: dict[str, Part]) -> DataFrame:
    """The triples that may be this edge: with constants that are asked for, and equal where its ends are."""
    triples = graph.triples
    for name, part in names.items():
        if (test := matches_some_constant(F.col(name), each, part)) is not None:
            triples = triples.where(test)
    for one, other in ("sp", "so", "po"):
        if names[one] == names[other] and names[one][0] == "?":
            triples = triples.where(F.col(one) == F.col(other))
    return triples


def _column(part: Part) -> Column:
    return F.col(f"{'c' if part[0] == '$' else 'v'}{part[1:]}")
