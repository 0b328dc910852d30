"""Compile an engine's subscriptions for the plans by shape: group them, translate filters to SQL, refuse the rest.

A subscription is refused as a whole, with the reason, before anything runs: part of its matches would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import InvalidSubscription, UnsupportedSubscription
from gtopss.language import rewrite_subscription
from gtopss.model import Call, Subscription, Term
from gtopss.model.expressions import TAXONOMY_FUNCTIONS, Expression
from gtopss.model.terms import is_variable
from gtopss.semantics import compile_expressions, uses_has, uses_now
from gtopss.semantics.lenient_constants import reads_literals
from gtopss.spark.io.rows import error_row
from gtopss.spark.plans.shapes import Shape, ShapeGroup, ShapeMember, group_by_shape
from gtopss.spark.plans.sql_conditions import NotExpressibleInSql, SqlConditions
from gtopss.spark.plans.term_columns import CONSTANT_READING

CORPUS_PLAN = "corpus"
"""The name of the plans for corpus scope in messages."""
_INSTEAD_OF_CORPUS = "match within publications, by the plan engine (--scope publication)"
_REPORTED = pa.list_(pa.struct([("name", pa.string()), ("place", pa.int32()), ("constant", pa.string())]))


class ReportedVariable(NamedTuple):
    """A variable that a match reports: the value at a place of the shape, or a constant."""

    name: str
    place: int | None
    constant: Term | None


@dataclass(frozen=True, slots=True)
class CompiledBranch:
    """A branch of a subscription with its filters as SQL."""

    member: ShapeMember
    condition: str
    conditions: SqlConditions
    reported: tuple[ReportedVariable, ...]
    residual_filters: tuple[Call, ...] = ()  # that SQL cannot express
    has_computed_values: bool = False  # that SQL cannot compute

    @property
    def is_residual(self) -> bool:
        """Whether its rows must be checked in Python."""
        return self.has_computed_values or bool(self.residual_filters)

    def residual_expressions(self) -> Iterator[Expression]:
        """Yield all expressions that are evaluated in Python."""
        yield from self.residual_filters
        yield from (tree for _, tree in self.member.branch.binds)


@dataclass(slots=True)
class CompiledShape:
    """The branches of one shape. `variants` are their distinct conditions: branches of one differ only in constants."""

    group: ShapeGroup
    branches: list[CompiledBranch]

    @property
    def shape(self) -> Shape:
        return self.group.shape

    @property
    def variants(self) -> dict[str, int]:
        conditions = dict.fromkeys(branch.condition for branch in self.branches)
        return {condition: number for number, condition in enumerate(conditions)}

    def parameters(self, spark: SparkSession) -> DataFrame:
        """Return the table of what differs between branches: number, constants `c0`, `c1`, ..., variant, tested.

        `residual` says whether the rows of a branch must be checked in Python.
        """
        variants = self.variants
        columns: dict[str, pa.Array] = {
            "number": pa.array([branch.member.number for branch in self.branches], pa.int32()),
            "variant": pa.array([variants[branch.condition] for branch in self.branches], pa.int32()),
            "residual": pa.array([branch.is_residual for branch in self.branches], pa.bool_()),
            "tested": pa.array([branch.conditions.tested for branch in self.branches], pa.list_(CONSTANT_READING)),
        }
        for place in range(self.shape.constants):
            columns[f"c{place}"] = pa.array([branch.member.constants[place] for branch in self.branches], pa.string())
        return spark.createDataFrame(pa.table(columns))


@dataclass(slots=True)
class CompiledSubscriptions:
    """All shapes, and one row of errors for each refused subscription."""

    shapes: list[CompiledShape] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)

    def branches(self) -> Iterator[CompiledBranch]:
        return (branch for shape in self.shapes for branch in shape.branches)

    def is_a_tests(self) -> set[tuple[str, Term]]:
        """Return the (relation, class) pairs of all is-a tests in SQL."""
        return {pair for branch in self.branches() for pair in branch.conditions.classes}

    def members_table(self, spark: SparkSession) -> DataFrame:
        """Return the table of the branches' subscriptions and of what they report."""
        branches = list(self.branches())
        columns = {
            "number": pa.array([branch.member.number for branch in branches], pa.int32()),
            "subscription_id": pa.array([branch.member.subscription.id for branch in branches], pa.string()),
            "is_distinct": pa.array([branch.member.subscription.distinct for branch in branches], pa.bool_()),
            "reported": pa.array([[each._asdict() for each in branch.reported] for branch in branches], _REPORTED),
        }
        return spark.createDataFrame(pa.table(columns))


def compile_subscriptions(engine: Engine, plan: str, *, python: bool) -> CompiledSubscriptions:
    """Compile the subscriptions of an engine for a plan.

    With `python`, what SQL cannot express is left to a last step in Python; without, it is refused.
    """
    compiled = CompiledSubscriptions()
    accepted = []
    for subscription in engine.subscriptions():
        try:
            accepted += _accept(engine, subscription, plan, python)
        except InvalidSubscription as error:
            compiled.refused.append(error_row(error, subscription_id=subscription.id))
    for group in group_by_shape(accepted):
        branches = [_compile_branch(member, plan, python) for member in group.members]
        compiled.shapes.append(CompiledShape(group, branches))
    return compiled


def _accept(engine: Engine, subscription: Subscription, plan: str, python: bool) -> list[Subscription]:
    """Return the rewritten subscription, or nothing if it can never match. Raises UnsupportedSubscription."""
    if (reason := _refusal(engine, subscription)) is not None:
        instead = _INSTEAD_OF_CORPUS if plan == CORPUS_PLAN else "use the plan engine"
        raise UnsupportedSubscription(subscription.id, plan, f"{reason}: {instead}")
    rewritten = rewrite_subscription(subscription).subscription
    if rewritten is None:
        return []
    if not all(branch.tuples for branch in rewritten.branches):
        raise UnsupportedSubscription(subscription.id, plan, "a branch without 5-tuples joins nothing")
    for group in group_by_shape([rewritten]):
        for member in group.members:
            _compile_branch(member, plan, python)
    return [rewritten]


def _refusal(engine: Engine, subscription: Subscription) -> str | None:
    """Return why a subscription cannot be matched by joins, or None."""
    if engine.config.entailment is not None:
        return "publications are matched as they are, without entailment"
    if subscription.query is not None:
        return "it is more than a graph pattern (OPTIONAL, NOT EXISTS, groups, ...)"
    if engine.config.literals == "lenient" and any(
        reads_literals(tree) for branch in subscription.branches for tree in branch.expressions()
    ):
        return "SQL compares plain literals as texts, and the engine as what they read as"
    if uses_has(subscription):
        return "has looks at all values of a property, and this plan at one row"
    if uses_now(subscription):
        return "NOW is when a publication arrives, and those of a table have long done so"
    for branch in subscription.branches:
        try:
            compile_expressions(subscription.id, branch)
        except InvalidSubscription as error:
            return f"it uses an operator ({error})"
    return None


def _compile_branch(member: ShapeMember, plan: str, python: bool) -> CompiledBranch:
    conditions = SqlConditions({name: place for place, name in enumerate(member.variables)})
    in_sql, residual = [], []
    for test in member.branch.constraints():
        before = len(conditions.tested)
        try:
            in_sql.append(conditions.condition(test))
        except NotExpressibleInSql as reason:
            if not python:
                reason_text = f"Spark SQL cannot express {reason}"
                raise UnsupportedSubscription(member.subscription.id, plan, reason_text) from None
            del conditions.tested[before:]
            residual.append(test)
    values = _known_values(member)
    computes = len(values) < len(member.branch.columns())
    if computes and not python:
        raise UnsupportedSubscription(member.subscription.id, plan, "Spark SQL cannot compute the values of its BIND")
    reported = tuple(
        ReportedVariable(name[1:], conditions.places[value], None)
        if is_variable(value)
        else ReportedVariable(name[1:], None, value)
        for name in member.subscription.select
        if (value := values.get(name)) is not None
    )
    return CompiledBranch(member, " AND ".join(in_sql) or "true", conditions, reported, tuple(residual), computes)


def _known_values(member: ShapeMember) -> dict[Term, Term]:
    """Return the variable of an edge or the constant that each column stands for; computed values are left out."""
    values: dict[Term, Term] = {name: name for name in member.variables}
    for name, tree in member.branch.binds:
        if not isinstance(tree, Call) and (value := values.get(tree) if is_variable(tree) else tree) is not None:
            values[name] = value
    return values


def uses_taxonomy(expressions: Iterable[Expression]) -> bool:
    """Return whether some expression contains an is-a test, or one of labels."""
    return any(
        isinstance(each, Call) and (each.function in TAXONOMY_FUNCTIONS or uses_taxonomy(each.arguments))
        for each in expressions
    )
