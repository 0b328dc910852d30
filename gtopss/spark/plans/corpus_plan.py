"""Corpus scope: all publications are one graph, and a pattern may span items and feeds.

The same author in two feeds, a link that another item has, a topic that both have: no publication holds such a pattern,
so the engine, which sees one at a time, cannot answer it. Motifs can: the vertices are then named by their terms alone.
A match's publication is `corpus`; blank nodes stay apart by the publication that they are of.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.io.table_schemas import MatchTables
from gtopss.spark.plans.compilation import compile_subscriptions
from gtopss.spark.plans.graphframes_plan import find_motifs
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.triple_graphs import CORPUS, merged_graph, merged_publication

__all__ = ["CORPUS", "corpus_plan", "merged_publication"]


def corpus_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """The matches in the union of all publications: those of the engine for `merged_publication`."""
    return match_shapes(
        spark,
        merged_graph(spark, publications),
        engine,
        compile_subscriptions(engine, "corpus", python=True),
        find_motifs,
    )
