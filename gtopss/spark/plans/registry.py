"""The table of plans by name: three ways to find the same matches, with different costs.

To add a plan, write a function of type `SparkPlan` in a module of its own, and add its name here and in `names.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, get_args

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.spark.errors import UnknownPlan
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.plans.names import PlanName, ScopeName

SparkPlan: TypeAlias = Callable[[SparkSession, DataFrame, Engine], MatchTables]
"""A plan: matches a table of publications with the subscriptions of an engine."""


def _graphframes(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.graphframes_plan import graphframes_plan  # imports graphframes, which is optional

    return graphframes_plan(spark, publications, engine)


def _relational(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.relational_plan import relational_plan

    return relational_plan(spark, publications, engine)


def _corpus_motifs(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.corpus_plan import corpus_motifs

    return corpus_motifs(spark, publications, engine)


def _corpus(spark: SparkSession, publications: DataFrame, engine: Engine) -> MatchTables:
    from gtopss.spark.plans.corpus_plan import corpus_plan

    return corpus_plan(spark, publications, engine)


PLANS: dict[PlanName, SparkPlan] = {"engine": engine_plan, "graphframes": _graphframes, "relational": _relational}
"""The plans for patterns within one publication."""

PLANS_NEEDING_GRAPHFRAMES: frozenset[PlanName] = frozenset({"graphframes"})
"""The plans that need GraphFrames' JVM part in the session."""


def plan_by_name(name: str, scope: str = "publication") -> SparkPlan:
    """Return the plan with this name. In corpus scope, joins unless it is `graphframes`. Raises UnknownPlan."""
    plan = next((plan for known, plan in PLANS.items() if known == name), None)
    if plan is None:
        raise UnknownPlan(name, PLANS)
    if scope not in get_args(ScopeName):
        raise UnknownPlan(scope, get_args(ScopeName))
    if scope == "corpus":
        return _corpus_motifs if name in PLANS_NEEDING_GRAPHFRAMES else _corpus
    return plan


def needs_graphframes(name: str, scope: str = "publication") -> bool:
    """Return whether a plan needs GraphFrames' JVM part in the session."""
    return name in PLANS_NEEDING_GRAPHFRAMES
