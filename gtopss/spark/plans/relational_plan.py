"""Match by plain joins: the edges of a shape are joined one by one, with no Python per row.

The first edge, the one with the fewest variables, is the access edge: triples with its constants meet the rows of the
parameter table. Every other edge is joined on the publication and on all variables known by then. An edge that binds no
new variable is a semi-join.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.compilation import CompiledShape, compile_subscriptions
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.shapes import Part
from gtopss.spark.plans.triple_graphs import ScopedTriples

MAX_PREFILTER_CONSTANTS = 500  # in one place of a shape; with more, triples are not filtered before the join
MAX_BROADCAST_BRANCHES = 100_000  # of one shape; with more, the parameter table is not sent to every executor


def relational_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """Return the matches within each publication. A subscription that SQL cannot express exactly is an error."""
    compiled = compile_subscriptions(engine, "relational", python=False)
    return match_shapes(publications, engine, compiled, join_edges)


def join_edges(graph: ScopedTriples, shape: CompiledShape, parameters: DataFrame) -> DataFrame:
    """Join the edges of a shape: one row for each branch and each way to satisfy its edges."""
    rows = broadcast_if_small(parameters, shape)
    known = {f"${place}" for place in range(shape.shape.constants)}
    for number, edge in enumerate(shape.shape.edges):
        names = dict(zip("spo", edge, strict=True))
        triples = _candidates(graph, shape, names).select(
            *(F.col(name).alias(f"t_{name}") for name in ("scope", *"spo"))
        )
        on = [F.col(f"t_{name}") == _column(part) for name, part in names.items() if part in known]
        if number:
            on += graph.in_one_scope(F.col("t_scope"), F.col("scope"))
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


def broadcast_if_small(parameters: DataFrame, shape: CompiledShape) -> DataFrame:
    """Mark the parameter table for a broadcast join, unless it has too many rows."""
    return parameters if len(shape.branches) > MAX_BROADCAST_BRANCHES else F.broadcast(parameters)


def equals_some_constant(column: Column, shape: CompiledShape, part: Part) -> Column | None:
    """Return the condition that a column holds a constant which some branch has in this place.

    It drops triples before the join. None if the place is a variable, or has too many constants.
    """
    if part[0] != "$":
        return None
    terms = shape.group.terms(part)
    return column.isin(sorted(terms)) if len(terms) <= MAX_PREFILTER_CONSTANTS else None


def _candidates(graph: ScopedTriples, shape: CompiledShape, names: dict[str, Part]) -> DataFrame:
    """Return the triples that may be this edge: with constants of some branch, and equal where its variables are."""
    triples = graph.triples
    for name, part in names.items():
        if (condition := equals_some_constant(F.col(name), shape, part)) is not None:
            triples = triples.where(condition)
    for one, other in ("sp", "so", "po"):
        if names[one] == names[other] and names[one][0] == "?":
            triples = triples.where(F.col(one) == F.col(other))
    return triples


def _column(part: Part) -> Column:
    return F.col(f"{'c' if part[0] == '$' else 'v'}{part[1:]}")
