"""Components against networkx: chains, stars, loops, parallel edges, vertices without edges."""

from __future__ import annotations

import random
from collections.abc import Callable

import networkx as nx
import pytest
from conftest import SOAK
from pyspark.sql import DataFrame, SparkSession

from gtopss.spark.jobs.components import (
    can_use_graphframes,
    components_by_graphframes,
    components_by_joins,
    find_components,
)

Finder = Callable[[DataFrame, DataFrame], DataFrame]


def made(seed: int) -> nx.Graph:
    generator = random.Random(seed)
    graph = nx.Graph()
    size = generator.randint(1, 60)
    graph.add_nodes_from(f"v{number}" for number in range(size))
    for _ in range(generator.randint(0, size)):
        graph.add_edge(f"v{generator.randrange(size)}", f"v{generator.randrange(size)}")
    nx.add_path(graph, [f"chain{number:02}" for number in generator.sample(range(40), generator.randint(2, 40))])
    nx.add_star(graph, [f"star{number}" for number in range(generator.randint(2, 30))])
    return graph


def check(spark: SparkSession, graph: nx.Graph, find: Finder) -> None:
    edges = [*graph.edges, *((b, a) for a, b in list(graph.edges)[::2])]
    found = find(
        spark.createDataFrame([(each,) for each in graph], "vertex string"),
        spark.createDataFrame(edges, "a string, b string"),
    )
    expected = {vertex: min(each) for each in nx.connected_components(graph) for vertex in each}
    rows = [(row.vertex, row.component) for row in found.collect()]
    assert len(rows) == len(expected)
    assert dict(rows) == expected


@pytest.mark.parametrize("seed", range(10 if SOAK else 1))
def test_components_by_joins(spark: SparkSession, seed: int) -> None:
    check(spark, made(seed), components_by_joins)


@pytest.mark.usefixtures("graphframes")
@pytest.mark.parametrize("seed", range(10 if SOAK else 1))
def test_components_by_graphframes(spark: SparkSession, seed: int) -> None:
    if not can_use_graphframes(spark):
        pytest.skip("this jar of GraphFrames has motifs only")
    check(spark, made(seed), components_by_graphframes)


def test_a_graph_without_edges(spark: SparkSession) -> None:
    graph = nx.Graph()
    graph.add_nodes_from("ab")
    check(spark, graph, find_components)


def test_joins_are_used_where_graphframes_lacks_components(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(vertices: DataFrame, edges: DataFrame) -> DataFrame:
        raise AssertionError("this jar has no connected components")

    monkeypatch.setattr("gtopss.spark.jobs.components.components_by_graphframes", refuse)
    monkeypatch.setattr("gtopss.spark.jobs.components.can_use_graphframes", lambda spark: False)
    check(spark, nx.path_graph(["a", "b", "c"], nx.Graph), find_components)
