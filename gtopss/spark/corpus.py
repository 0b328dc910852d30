"""Corpus scope: all publications are one graph, and a pattern may span items and feeds.

The same author in two feeds, a link that another item has, a topic that both have: no publication holds such a pattern,
so the engine, which sees one at a time, cannot answer it. Motifs can: the vertices are then named by their terms alone.
A match's publication is `corpus`; blank nodes stay apart by the publication that they are of.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.answers import answered
from gtopss.spark.graphs import CORPUS, merged, merged_publication
from gtopss.spark.motifs import found
from gtopss.spark.prepare import prepare
from gtopss.spark.tables import Outcome

__all__ = ["CORPUS", "corpus_plan", "merged_publication"]


def corpus_plan(spark: SparkSession, publications: DataFrame, engine: Engine) -> Outcome:
    """The matches in the union of all publications: those of the engine for `merged_publication`."""
    return answered(spark, merged(spark, publications), engine, prepare(engine, "corpus", python=True), found)
