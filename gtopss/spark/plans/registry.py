"""Every plan by name: three ways to ask Spark the same question. They give the same answers; their costs differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.errors import UnknownPlan
from gtopss.spark.io.table_schemas import MatchTables
from gtopss.spark.plans.engine_plan import engine_plan

SparkPlan: TypeAlias = Callable[[SparkSession, DataFrame, Engine], MatchTables]

SCOPES = ("publication", "corpus")


def _graphframes(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.graphframes_plan import graphframes_plan

    return graphframes_plan(spark, publications, engine)


def _relational(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.relational_plan import relational_plan

    return relational_plan(spark, publications, engine)


def _corpus(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.corpus_plan import corpus_plan

    return corpus_plan(spark, publications, engine)


PLANS: dict[str, SparkPlan] = {"engine": engine_plan, "graphframes": _graphframes, "relational": _relational}
"""For patterns within one publication."""

PLANS_NEEDING_GRAPHFRAMES = frozenset({"graphframes"})
"""Those that need GraphFrames' JVM part in the session."""


def plan_by_name(name: str, scope: str = "publication") -> SparkPlan:
    """The plan of this name; in corpus scope, where a pattern may span publications, there is one plan only."""
    if name not in PLANS:
        raise UnknownPlan(name, PLANS)
    if scope not in SCOPES:
        raise UnknownPlan(scope, SCOPES)
    return _corpus if scope == "corpus" else PLANS[name]
