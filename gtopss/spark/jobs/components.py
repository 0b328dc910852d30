"""Connected components of a graph, by GraphFrames if the session has it, else by joins of DataFrames.

Both return the smallest vertex of each component as its name. GraphFrames alternates large and small stars (Kiveris et
al., *Connected Components in MapReduce and Beyond*, SoCC 2014), which bears vertices with very many neighbours. The
joins let each vertex take the smallest label of its neighbours, and then the label of that label, until nothing
changes; the number of rounds grows with the logarithm of a component's diameter.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.spark.runtime.session import can_load_class, is_local

_ALGORITHM_CLASS = "org.graphframes.lib.ConnectedComponents"
_LOCAL_CHECKPOINTS_CLASS = "org.graphframes.WithLocalCheckpoints"


def find_components(vertices: DataFrame, edges: DataFrame) -> DataFrame:
    """Return (vertex, component) for a table of distinct vertices (vertex) and of edges (a, b) between them."""
    if can_use_graphframes(vertices.sparkSession):
        return components_by_graphframes(vertices, edges)
    return components_by_joins(vertices, edges)


def can_use_graphframes(spark: SparkSession) -> bool:
    """Return whether GraphFrames can find components here: some jars have motifs only.

    Older jars write checkpoints, which on a cluster needs a folder that the user has named (`setCheckpointDir`).
    """
    if not can_load_class(spark, _ALGORITHM_CLASS):
        return False
    return can_load_class(spark, _LOCAL_CHECKPOINTS_CLASS) or is_local(spark) or _has_checkpoint_folder(spark)


def components_by_graphframes(vertices: DataFrame, edges: DataFrame) -> DataFrame:
    """Find components by GraphFrames. Raises what Spark raises where `can_use_graphframes` is false."""
    from graphframes import GraphFrame  # which is optional

    spark = vertices.sparkSession
    graph = GraphFrame(vertices.selectExpr("vertex AS id"), edges.selectExpr("a AS src", "b AS dst"))
    # The Python method sets options that older jars lack.
    algorithm: Any = graph._impl._jvm_graph.connectedComponents()
    algorithm.setCheckpointInterval(1)  # without checkpoints, the plan doubles with each round
    with ExitStack() as folders:
        if can_load_class(spark, _LOCAL_CHECKPOINTS_CLASS):
            algorithm.setUseLocalCheckpoints(True)
        elif not _has_checkpoint_folder(spark):
            spark.sparkContext.setCheckpointDir(folders.enter_context(TemporaryDirectory(prefix="gtopss-components-")))
        found = DataFrame(algorithm.run(), spark)
        named = found.groupBy("component").agg(F.min("id").alias("name"))
        labels = found.join(named, "component").selectExpr("id AS vertex", "name AS component").localCheckpoint()
    found.unpersist()
    return labels


def _has_checkpoint_folder(spark: SparkSession) -> bool:
    folder = spark.sparkContext.getCheckpointDir()
    return folder is not None and (not is_local(spark) or Path(folder.removeprefix("file:")).exists())


def components_by_joins(vertices: DataFrame, edges: DataFrame) -> DataFrame:
    """Find components by joins of DataFrames."""
    both = edges.union(edges.selectExpr("b", "a")).distinct().localCheckpoint()
    labels = vertices.selectExpr("vertex", "vertex AS component").localCheckpoint()
    while True:
        near = (
            both.join(labels.selectExpr("vertex AS b", "component"), "b")
            .groupBy("a")
            .agg(F.min("component").alias("near"))
        )
        taken = labels.join(near, labels.vertex == near.a, "left").selectExpr(
            "vertex", "component AS before", "least(component, near) AS taken"
        )
        jumped = labels.selectExpr("vertex AS taken", "component AS further")
        after = (
            taken.join(jumped, "taken", "left")
            .selectExpr("vertex", "before", "least(taken, further) AS component")
            .localCheckpoint()
        )
        labels = after.select("vertex", "component")
        if after.where("before <> component").isEmpty():
            return labels
