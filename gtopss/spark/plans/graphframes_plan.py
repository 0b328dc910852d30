"""Match by GraphFrames motifs: one motif for each shape, with its constants in a joined table of parameters.

The terms of a publication are vertices, and its triples are edges with their property and publication. A motif finds a
shape for all publications and all subscriptions at once:

    ?0 $0 $1 . ?0 $2 ?1        ()-[e0]->(); ()-[e1]->()        where e0.src = e1.src and e0.scope = e1.scope

The vertices of the motif have no names. `find` joins a named vertex with the table of vertices, which holds nothing
that the ends of an edge do not say; conditions on the ends are joins of edges alone.

The edges have the order of the shape: the most selective first, each connected to those before it. Edges without a
common vertex are motifs of their own, joined by publication and branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graphframes import GraphFrame
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.engine import Engine
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.compilation import CompiledShape, compile_subscriptions
from gtopss.spark.plans.relational_plan import (
    MAX_PREFILTER_CONSTANTS,
    broadcast_if_small,
    equals_some_constant,
    one_of,
)
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
    first, *others = shape.shape.components()
    rows = _find_component(graph, shape, first, parameters, ("variant", "residual", "tested"))
    for component in others:
        part = _find_component(graph, shape, component, parameters)
        on = [name for name in part.columns if name in rows.columns]
        has_new = any(name not in on for name in part.columns)
        rows = rows.join(part, on, "inner" if has_new else "left_semi")
    return rows


def _find_component(
    graph: ScopedTriples,
    shape: CompiledShape,
    numbers: Sequence[int],
    parameters: DataFrame,
    kept_parameters: Sequence[str] = (),
) -> DataFrame:
    """Find one connected part of a shape: columns `number`, `scope`, and `v<place>` for each of its variables.

    The conditions are one SQL text, because Spark would analyse the whole query again for each condition.
    """
    edges = {number: shape.shape.edges[number] for number in numbers}
    scope = f"e{numbers[0]}.scope"
    columns: dict[Part, str] = {}
    conditions: list[str] = []
    for number, edge in edges.items():
        if number != numbers[0]:
            conditions += graph.in_one_scope(f"e{number}.scope", scope)
        for name, part in zip(("src", "p", "dst"), edge, strict=True):
            column = f"e{number}.{name}"
            if (condition := equals_some_constant(column, shape, part)) is not None:
                conditions.append(condition)
            if columns.setdefault(part, column) != column:
                conditions.append(f"{columns[part]} = {column}")
    conditions += _constants_of_one_branch(shape, edges, columns)
    rows: DataFrame = _graph_frame(graph).find(motif(numbers))
    rows = rows.where(" AND ".join(conditions)) if conditions else rows
    values = [f"{column} AS {'v' if part[0] == '?' else 'f'}{part[1:]}" for part, column in columns.items()]
    constants = [part[1:] for part in columns if part[0] == "$"]
    on = F.expr(" AND ".join(f"f{place} = c{place}" for place in constants)) if constants else None
    found = rows.selectExpr(f"{scope} AS scope", *values)
    matched = found.join(parameters, on, "inner" if constants else "cross")
    variables = [f"v{part[1:]}" for part in columns if part[0] == "?"]
    return matched.select("number", *kept_parameters, "scope", *variables)


def _constants_of_one_branch(shape: CompiledShape, edges: dict[int, Edge], columns: dict[Part, str]) -> Iterator[str]:
    """Yield the SQL conditions that the constants of the first two, three, ... edges belong to one branch.

    The parameters are joined last. Without these conditions, an item with ten properties would first yield every
    combination of four properties of any branch. Spark applies each condition where the last of its edges is joined.
    Terms are concatenated with spaces, which may let too much through; the join with the parameters is exact.
    """
    parts: dict[Part, None] = {}
    for edge in edges.values():
        known = len(parts)
        parts |= dict.fromkeys(part for part in edge if part[0] == "$")
        joined = {" ".join(branch.member.constants[int(part[1:])] for part in parts) for branch in shape.branches}
        if len(parts) > max(1, known) and len(joined) <= MAX_PREFILTER_CONSTANTS:
            yield one_of(f"concat_ws(' ', {', '.join(columns[part] for part in parts)})", joined)


def motif(edges: Iterable[int]) -> str:
    """Return the motif of numbered edges in GraphFrames' notation.

    >>> motif([0, 1])
    '()-[e0]->(); ()-[e1]->()'
    """
    return "; ".join(f"()-[e{number}]->()" for number in edges)


def _graph_frame(graph: ScopedTriples) -> GraphFrame:
    """Return the triples as a GraphFrame. Its vertices are never computed: no motif names one."""
    ends = graph.triples.selectExpr("explode(array(s, o)) AS id").distinct()
    return GraphFrame(ends, graph.triples.selectExpr("s AS src", "o AS dst", "p", "scope"))
