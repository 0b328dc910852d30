"""Match all publications as one graph, so that a pattern may span items and feeds.

Two feeds with the same author, an item that links to another, a topic that two items share: no single publication
contains such a pattern, and the engine sees one publication at a time. In this plan vertices are identified by their
terms alone, so joins find it. The publication of a match is `corpus`. Blank nodes of two publications stay distinct.

The edges are joined as in the relational plan, which needs no jar and is faster than motifs; what SQL cannot express is
checked in Python, as in the plan of motifs. `corpus_motifs` finds the same by GraphFrames.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.compilation import CORPUS_PLAN, compile_subscriptions
from gtopss.spark.plans.relational_plan import join_edges
from gtopss.spark.plans.shape_matching import match_shapes
from gtopss.spark.plans.triple_graphs import CORPUS, merge_publications, merged_publication

__all__ = ["CORPUS", "corpus_motifs", "corpus_plan", "merged_publication"]


def corpus_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """Return the matches in the union of all publications: those of the engine for `merged_publication`."""
    compiled = compile_subscriptions(engine, CORPUS_PLAN, python=True)
    return match_shapes(publications, engine, compiled, join_edges, merge_publications)


def corpus_motifs(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    """Return the same matches, found by GraphFrames motifs. The session needs GraphFrames' JVM part."""
    from gtopss.spark.plans.graphframes_plan import find_motifs  # imports graphframes, which is optional

    compiled = compile_subscriptions(engine, CORPUS_PLAN, python=True)
    return match_shapes(publications, engine, compiled, find_motifs, merge_publications)
