"""The plan of motifs: one GraphFrames motif for each shape, its constants in a joined table of parameters.

A publication's terms are vertices, named by publication and term, and its triples are edges with their property. So a
motif finds what lies within one publication, for all publications and all subscriptions of the shape at once:

    ?0 $0 $1 . ?0 $2 ?1        (v0)-[e0]->(k1); (v0)-[e1]->(v1)

The edges stand in the order of the shape, the cheapest first, each hanging on those before it: `find` would otherwise
multiply. Edges without a common vertex are motifs of their own, joined by publication and entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphframes import GraphFrame
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.table_schemas import MatchTables
from gtopss.spark.plans.compilation import CompiledShape, compile_subscriptions
from gtopss.spark.plans.relational_plan import MAX_PREFILTER_CONSTANTS, broadcast_if_small, matches_some_constant
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.shapes import Edge, Part
from gtopss.spark.plans.triple_graphs import ScopedTriples, separate_graphs


def graphframes_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """The matches within each publication, found by motifs; the session needs GraphFrames' JVM part."""
    return match_shapes(
        spark,
        separate_graphs(publications),
        engine,
        compile_subscriptions(engine, "graphframes", python=True),
        find_motifs,
    )


def find_motifs(graph: ScopedTriples, each: CompiledShape, parameters: DataFrame) -> DataFrame:
    """The shape's motifs, found: a row for each entry and each way to satisfy its edges."""
    parameters = broadcast_if_small(parameters, each)
    rows: DataFrame | None = None
    for component in each.shape.components():
        part = _component(graph, each, component, parameters)
        if rows is None:
            rows = part.join(parameters.select("number", "variant", "tested"), "number")
            continue
        on = [name for name in part.columns if name in rows.columns]
        new = any(name not in on for name in part.columns)
        rows = rows.join(part, on, "inner" if new else "left_semi")
    assert rows is not None
    return rows


def _component(graph: ScopedTriples, each: CompiledShape, numbers: Sequence[int], parameters: DataFrame) -> DataFrame:
    """What hangs together of a shape: `number`, `scope`, and `v<place>` of its variables."""
    edges = {number: each.shape.edges[number] for number in numbers}
    rows: DataFrame = _graph_frame(graph, each, list(edges.values())).find(motif(edges))
    columns: dict[Part, Column] = {}
    for part in dict.fromkeys(end for s, _, o in edges.values() for end in (s, o)):
        columns[part] = F.col(f"{_vertex(part)}.term")
    for number, (_, part, _) in edges.items():
        property_ = F.col(f"e{number}.p")
        if (test := matches_some_constant(property_, each, part)) is not None:
            rows = rows.where(test)
        if part in columns:
            rows = rows.where(columns[part] == property_)
        columns.setdefault(part, property_)
    for part, column in columns.items():
        if (test := matches_some_constant(column, each, part)) is not None:
            rows = rows.where(test)
    for test in _together(each, edges, columns):
        rows = rows.where(test)
    rows = rows.select(
        F.col(f"{_vertex(edges[numbers[0]][0])}.scope").alias("scope"),
        *(column.alias(f"{'v' if part[0] == '?' else 'f'}{part[1:]}") for part, column in columns.items()),
    )
    constants = [part[1:] for part in columns if part[0] == "$"]
    wanted = parameters.select("number", *(f"c{place}" for place in constants))
    on = [F.col(f"f{place}") == F.col(f"c{place}") for place in constants]
    matched = rows.join(wanted, on) if on else rows.crossJoin(wanted)
    return matched.drop(*(f"{letter}{place}" for letter in "fc" for place in constants))


def _together(each: CompiledShape, edges: dict[int, Edge], columns: dict[Part, Column]) -> Iterator[Column]:
    """That the constants of the first two, three, ... edges are those of one entry.

    The parameters are joined last, and without this an item with ten properties would first be every four of those that
    anybody asks for. Spark applies each test where the last of its edges is joined. Texts are glued by spaces, which
    may let through too much: the parameters' join sees to it.
    """
    parts: dict[Part, None] = {}
    for edge in edges.values():
        parts |= dict.fromkeys(part for part in edge if part[0] == "$")
        glued = {" ".join(entry.member.constants[int(part[1:])] for part in parts) for entry in each.entries}
        if len(parts) > 1 and len(glued) <= MAX_PREFILTER_CONSTANTS:
            yield F.concat_ws(" ", *(columns[part] for part in parts)).isin(sorted(glued))


def motif(edges: dict[int, Edge]) -> str:
    """
    >>> motif({0: ("?0", "$0", "$1"), 1: ("?0", "$2", "?1")})
    '(v0)-[e0]->(k1); (v0)-[e1]->(v1)'
    """
    return "; ".join(f"({_vertex(s)})-[e{number}]->({_vertex(o)})" for number, (s, _, o) in edges.items())


def _vertex(part: Part) -> str:
    return f"{'v' if part[0] == '?' else 'k'}{part[1:]}"


def _graph_frame(graph: ScopedTriples, each: CompiledShape, edges: Sequence[Edge]) -> GraphFrame:
    """The triples that may be one of these edges, as a graph."""
    triples = graph.triples
    tests = [matches_some_constant(F.col("p"), each, part) for _, part, _ in edges]
    if all(test is not None for test in tests):
        triples = triples.where(
            F.col("p").isin(sorted({term for _, p, _ in edges for term in each.shape_group.terms(p)}))
        )
    identity = "concat(scope, ' ', {})"
    ends = triples.select("scope", F.explode(F.array("s", "o")).alias("term")).distinct()
    return GraphFrame(
        ends.selectExpr(f"{identity.format('term')} AS id", "scope", "term"),
        triples.selectExpr(f"{identity.format('s')} AS src", f"{identity.format('o')} AS dst", "p"),
    )
