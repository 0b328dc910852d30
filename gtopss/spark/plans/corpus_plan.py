"""Match all publications as one graph, so that a pattern may span items and feeds.

Two feeds with the same author, an item that links to another, a topic that two items share: no single publication
contains such a pattern, and the engine sees one publication at a time. In this plan vertices are identified by their
terms alone, so motifs find it. The publication of a match is `corpus`. Blank nodes of two publications stay distinct.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.compilation import compile_subscriptions
from gtopss.spark.plans.graphframes_plan import find_motifs
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.triple_graphs import CORPUS, merge_publications, merged_publication

__all__ = ["CORPUS", "corpus_plan", "merged_publication"]


def corpus_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """Return the matches in the union of all publications: those of the engine for `merged_publication`."""
    compiled = compile_subscriptions(engine, "corpus", python=True)
    return match_shapes(spark, merge_publications(spark, publications), engine, compiled, find_motifs)
