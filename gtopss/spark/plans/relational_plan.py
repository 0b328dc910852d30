"""Match by plain joins: the edges of a shape are joined one by one, with no Python per row.

The first edge, the one with the fewest variables, is the access edge: triples with its constants meet the rows of the
parameter table. Every other edge is joined on the publication and on all variables known by then. An edge that binds no
new variable is a semi-join.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession
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
        triples = _candidates(graph, shape, names)
        on = [f"t_{name} = {_column(part)}" for name, part in names.items() if part in known]
        if number:
            on += graph.in_one_scope("t_scope", "scope")
        condition = F.expr(" AND ".join(on)) if on else None
        how = "inner" if on else "cross"
        new = {part: f"t_{name}" for name, part in names.items() if part not in known}
        if number and not new:
            rows = rows.join(triples, condition, "left_semi")
            continue
        kept = rows.columns if number else [*rows.columns, "t_scope AS scope"]
        joined = rows.join(triples, condition, how) if number else triples.join(rows, condition, how)
        rows = joined.selectExpr(*kept, *(f"{name} AS v{part[1:]}" for part, name in new.items()))
        known.update(new)
    return rows


def broadcast_if_small(parameters: DataFrame, shape: CompiledShape) -> DataFrame:
    """Mark the parameter table for a broadcast join, unless it has too many rows."""
    return parameters if len(shape.branches) > MAX_BROADCAST_BRANCHES else F.broadcast(parameters)


def equals_some_constant(column: str, shape: CompiledShape, part: Part) -> str | None:
    """Return the SQL condition that a column holds a constant which some branch has in this place.

    It drops triples before the join. None if the place is a variable, or has too many constants.
    """
    if part[0] != "$":
        return None
    terms = shape.group.terms(part)
    return one_of(column, terms) if len(terms) <= MAX_PREFILTER_CONSTANTS else None


def one_of(value: str, texts: Iterable[str]) -> str:
    """Return the SQL condition that a value is one of these texts.

    It is SQL because PySpark's `isin` makes a call to the JVM for each text, which is slow.

    >>> print(one_of("p", ["it's", "its"]))
    p IN (CAST(X'69742773' AS STRING), 'its')
    """
    return f"{value} IN ({', '.join(map(_text_literal, sorted(texts)))})"


def _text_literal(text: str) -> str:
    """Return a text as SQL: in hexadecimal digits if the session's settings decide what one of its characters means.

    `spark.sql.parser.escapedStringLiterals` decides about backslashes, `spark.sql.variable.substitute` about `${name}`.
    """
    if any(special in text for special in "\\'$"):
        return f"CAST(X'{text.encode().hex()}' AS STRING)"
    return f"'{text}'"


def _candidates(graph: ScopedTriples, shape: CompiledShape, names: dict[str, Part]) -> DataFrame:
    """Return the triples that may be this edge: with constants of some branch, and equal where its variables are.

    Their columns are `t_scope`, `t_s`, `t_p` and `t_o`.
    """
    conditions = [equals_some_constant(name, shape, part) for name, part in names.items()]
    conditions += [f"{one} = {other}" for one, other in ("sp", "so", "po") if names[one] == names[other]]
    needed = " AND ".join(condition for condition in conditions if condition is not None)
    triples = graph.triples.where(needed) if needed else graph.triples
    return triples.selectExpr(*(f"{name} AS t_{name}" for name in ("scope", *"spo")))


def _column(part: Part) -> str:
    return f"{'c' if part[0] == '$' else 'v'}{part[1:]}"
