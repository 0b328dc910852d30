"""Match by GraphFrames motifs: one motif for each shape, with its constants in a joined table of parameters.

The terms of a publication are vertices, identified by publication and term; its triples are edges with their property.
A motif therefore finds what lies within one publication, for all publications and all subscriptions of a shape at once:

    ?0 $0 $1 . ?0 $2 ?1        (v0)-[e0]->(k1); (v0)-[e1]->(v1)

The edges have the order of the shape: the most selective first, each connected to those before it, because `find`
computes a product where nothing connects. Edges without a common vertex are motifs of their own, joined by publication
and branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphframes import GraphFrame
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.compilation import CompiledShape, compile_subscriptions
from gtopss.spark.plans.relational_plan import MAX_PREFILTER_CONSTANTS, broadcast_if_small, equals_some_constant
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.shapes import Edge, Part
from gtopss.spark.plans.triple_graphs import ScopedTriples


def graphframes_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """Return the matches within each publication. The session needs GraphFrames' JVM part."""
    compiled = compile_subscriptions(engine, "graphframes", python=True)
    return match_shapes(publications, engine, compiled, find_motifs)


def find_motifs(graph: ScopedTriples, shape: CompiledShape, parameters: DataFrame) -> DataFrame:
    """Find the motifs of a shape: one row for each branch and each way to satisfy its edges."""
    parameters = broadcast_if_small(parameters, shape)
    rows: DataFrame | None = None
    for component in shape.shape.components():
        part = _find_component(graph, shape, component, parameters)
        if rows is None:
            rows = part.join(parameters.select("number", "variant", "residual", "tested"), "number")
            continue
        on = [name for name in part.columns if name in rows.columns]
        new = any(name not in on for name in part.columns)
        rows = rows.join(part, on, "inner" if new else "left_semi")
    assert rows is not None
    return rows


def _find_component(
    graph: ScopedTriples, shape: CompiledShape, numbers: Sequence[int], parameters: DataFrame
) -> DataFrame:
    """Find one connected part of a shape: columns `number`, `scope`, and `v<place>` for each of its variables."""
    edges = {number: shape.shape.edges[number] for number in numbers}
    rows: DataFrame = _graph_frame(graph, shape, list(edges.values())).find(motif(edges))
    columns: dict[Part, Column] = {}
    for part in dict.fromkeys(end for s, _, o in edges.values() for end in (s, o)):
        columns[part] = F.col(f"{_vertex(part)}.term")
    for number, (_, part, _) in edges.items():
        property_ = F.col(f"e{number}.p")
        if (condition := equals_some_constant(property_, shape, part)) is not None:
            rows = rows.where(condition)
        if part in columns:
            rows = rows.where(columns[part] == property_)
        columns.setdefault(part, property_)
    for part, column in columns.items():
        if (condition := equals_some_constant(column, shape, part)) is not None:
            rows = rows.where(condition)
    for condition in _constants_of_one_branch(shape, edges, columns):
        rows = rows.where(condition)
    rows = rows.select(
        F.col(f"{_vertex(edges[numbers[0]][0])}.scope").alias("scope"),
        *(column.alias(f"{'v' if part[0] == '?' else 'f'}{part[1:]}") for part, column in columns.items()),
    )
    constants = [part[1:] for part in columns if part[0] == "$"]
    branches = parameters.select("number", *(f"c{place}" for place in constants))
    on = [F.col(f"f{place}") == F.col(f"c{place}") for place in constants]
    matched = rows.join(branches, on) if on else rows.crossJoin(branches)
    return matched.drop(*(f"{letter}{place}" for letter in "fc" for place in constants))


def _constants_of_one_branch(
    shape: CompiledShape, edges: dict[int, Edge], columns: dict[Part, Column]
) -> Iterator[Column]:
    """Yield the conditions that the constants of the first two, three, ... edges belong to one branch.

    The parameters are joined last. Without these conditions, an item with ten properties would first yield every
    combination of four properties of any branch. Spark applies each condition where the last of its edges is joined.
    Terms are concatenated with spaces, which may let too much through; the join with the parameters is exact.
    """
    parts: dict[Part, None] = {}
    for edge in edges.values():
        parts |= dict.fromkeys(part for part in edge if part[0] == "$")
        joined = {" ".join(branch.member.constants[int(part[1:])] for part in parts) for branch in shape.branches}
        if len(parts) > 1 and len(joined) <= MAX_PREFILTER_CONSTANTS:
            yield F.concat_ws(" ", *(columns[part] for part in parts)).isin(sorted(joined))


def motif(edges: dict[int, Edge]) -> str:
    """Return the motif of numbered edges in GraphFrames' notation.

    >>> motif({0: ("?0", "$0", "$1"), 1: ("?0", "$2", "?1")})
    '(v0)-[e0]->(k1); (v0)-[e1]->(v1)'
    """
    return "; ".join(f"({_vertex(s)})-[e{number}]->({_vertex(o)})" for number, (s, _, o) in edges.items())


def _vertex(part: Part) -> str:
    return f"{'v' if part[0] == '?' else 'k'}{part[1:]}"


def _graph_frame(graph: ScopedTriples, shape: CompiledShape, edges: Sequence[Edge]) -> GraphFrame:
    """Return the triples that may be one of these edges as a GraphFrame."""
    triples = graph.triples
    conditions = [equals_some_constant(F.col("p"), shape, part) for _, part, _ in edges]
    if all(condition is not None for condition in conditions):
        properties = {term for _, p, _ in edges for term in shape.group.terms(p)}
        triples = triples.where(F.col("p").isin(sorted(properties)))
    identity = "concat(scope, ' ', {})"
    ends = triples.select("scope", F.explode(F.array("s", "o")).alias("term")).distinct()
    return GraphFrame(
        ends.selectExpr(f"{identity.format('term')} AS id", "scope", "term"),
        triples.selectExpr(f"{identity.format('s')} AS src", f"{identity.format('o')} AS dst", "p"),
    )
