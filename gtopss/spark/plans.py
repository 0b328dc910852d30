"""Every plan by name: three ways to ask Spark the same question. They give the same answers; their costs differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.errors import UnknownPlan
from gtopss.spark.kernel import kernel_plan
from gtopss.spark.tables import Outcome

Plan: TypeAlias = Callable[[SparkSession, DataFrame, Engine], Outcome]

SCOPES = ("publication", "corpus")


def _graphframes(spark: SparkSession, publications: DataFrame, engine: Engine) -> Outcome:
    from gtopss.spark.motifs import motif_plan

    return motif_plan(spark, publications, engine)


def _relational(spark: SparkSession, publications: DataFrame, engine: Engine) -> Outcome:
    from gtopss.spark.relational import relational_plan

    return relational_plan(spark, publications, engine)


def _corpus(spark: SparkSession, publications: DataFrame, engine: Engine) -> Outcome:
    from gtopss.spark.corpus import corpus_plan

    return corpus_plan(spark, publications, engine)


PLANS: dict[str, Plan] = {"kernel": kernel_plan, "graphframes": _graphframes, "relational": _relational}
"""For patterns within one publication."""

MOTIFS = frozenset({"graphframes"})
"""Those that need GraphFrames' JVM part in the session."""


def plan_named(name: str, scope: str = "publication") -> Plan:
    """The plan of this name; in corpus scope, where a pattern may span publications, there is one plan only."""
    if name not in PLANS:
        raise UnknownPlan(name, PLANS)
    if scope not in SCOPES:
        raise UnknownPlan(scope, SCOPES)
    return _corpus if scope == "corpus" else PLANS[name]
