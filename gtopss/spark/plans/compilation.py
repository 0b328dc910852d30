"""An engine's subscriptions made ready for Spark: grouped by shape, their tests as SQL, and what must be refused.

A subscription is refused as a whole, with the reason, before anything runs: half of an answer would be a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import InvalidSubscription, UnsupportedSubscription
from gtopss.language import rewrite_subscription
from gtopss.model import Call, Subscription, Term
from gtopss.model.expressions import IS_A, Expression
from gtopss.model.terms import is_variable
from gtopss.semantics import compile_expressions, uses_now
from gtopss.spark.io.table_schemas import error_row
from gtopss.spark.plans.shapes import Shape, ShapeGroup, ShapeMember, group_by_shape
from gtopss.spark.plans.sql_conditions import NotExpressibleInSql, SqlConditions
from gtopss.spark.plans.term_columns import CONSTANT_READING

_REPORTED = pa.list_(pa.struct([("name", pa.string()), ("place", pa.int32()), ("constant", pa.string())]))


class ReportedVariable(NamedTuple):
    """A variable that a match reports: the value at a place of the shape, or a constant."""

    name: str
    place: int | None
    constant: Term | None


@dataclass(frozen=True, slots=True)
class CompiledBranch:
    """A member with its tests."""

    member: ShapeMember
    condition: str
    conditions: SqlConditions
    reported: tuple[ReportedVariable, ...]
    unsaid: tuple[Call, ...] = ()  # tests that SQL cannot say
    computes: bool = False  # values that SQL cannot compute

    @property
    def residual(self) -> bool:
        """Whether its rows must be checked in Python."""
        return self.computes or bool(self.unsaid)


@dataclass(slots=True)
class CompiledShape:
    """The entries of one shape. `variants` are their distinct conditions: entries of one differ only in constants."""

    shape: Shape
    shape_group: ShapeGroup
    entries: list[CompiledBranch]

    @property
    def variants(self) -> dict[str, int]:
        conditions = dict.fromkeys(entry.condition for entry in self.entries)
        return {condition: number for number, condition in enumerate(conditions)}

    @property
    def residual(self) -> bool:
        return any(entry.residual for entry in self.entries)

    def parameters(self, spark: SparkSession) -> DataFrame:
        """The table of what tells the entries apart: `number`, the constants `c0`, `c1`, ..., `variant`, `tested`."""
        variants = self.variants
        columns: dict[str, pa.Array] = {
            "number": pa.array([entry.member.number for entry in self.entries], pa.int32()),
            "variant": pa.array([variants[entry.condition] for entry in self.entries], pa.int32()),
            "tested": pa.array([entry.conditions.tested for entry in self.entries], pa.list_(CONSTANT_READING)),
        }
        for place in range(self.shape.constants):
            columns[f"c{place}"] = pa.array([entry.member.constants[place] for entry in self.entries], pa.string())
        return spark.createDataFrame(pa.table(columns))


@dataclass(slots=True)
class CompiledSubscriptions:
    classes: list[CompiledShape] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)

    def entries(self) -> Iterable[CompiledBranch]:
        return (entry for each in self.classes for entry in each.entries)

    def asked(self) -> set[tuple[str, Term]]:
        """The (relation, class) pairs of the is-a tests."""
        return {pair for entry in self.entries() for pair in entry.conditions.classes}

    def members(self, spark: SparkSession) -> DataFrame:
        """Who the entries are, and what they report."""
        entries = list(self.entries())
        columns = {
            "number": pa.array([entry.member.number for entry in entries], pa.int32()),
            "subscription_id": pa.array([entry.member.subscription.id for entry in entries], pa.string()),
            "is_distinct": pa.array([entry.member.subscription.distinct for entry in entries], pa.bool_()),
            "reported": pa.array([[each._asdict() for each in entry.reported] for entry in entries], _REPORTED),
        }
        return spark.createDataFrame(pa.table(columns))


def compile_subscriptions(engine: Engine, plan: str, *, python: bool) -> CompiledSubscriptions:
    """The engine's subscriptions for a plan; with `python`, what SQL cannot say is left to a last step in Python."""
    made = CompiledSubscriptions()
    accepted = []
    for subscription in engine.subscriptions():
        try:
            accepted += _accepted(engine, subscription, plan, python)
        except InvalidSubscription as error:
            made.refused.append(error_row(error, subscription_id=subscription.id))
    for shape_group in group_by_shape(accepted):
        entries = [_entry(member, plan, python) for member in shape_group.members]
        made.classes.append(CompiledShape(shape_group.shape, shape_group, entries))
    return made


def _accepted(engine: Engine, subscription: Subscription, plan: str, python: bool) -> list[Subscription]:
    """The subscription as it is to be matched, if it can ever match and the plan can answer it."""
    if engine.config.entailment is not None:
        raise UnsupportedSubscription(subscription.id, plan, "publications are matched as they are, without entailment")
    if uses_now(subscription):
        raise UnsupportedSubscription(
            subscription.id, plan, "NOW is when a publication arrives, and those of a table have long done so"
        )
    for branch in subscription.branches:
        try:
            compile_expressions(subscription.id, branch)
        except InvalidSubscription as error:
            raise UnsupportedSubscription(subscription.id, plan, f"it asks an operator ({error})") from None
    normal = rewrite_subscription(subscription).subscription
    if normal is None:
        return []
    for member in (member for each in group_by_shape([_with_edges(normal, plan)]) for member in each.members):
        _entry(member, plan, python)
    return [normal]


def _with_edges(subscription: Subscription, plan: str) -> Subscription:
    if not all(branch.tuples for branch in subscription.branches):
        raise UnsupportedSubscription(subscription.id, plan, "a branch without 5-tuples joins nothing")
    return subscription


def _entry(member: ShapeMember, plan: str, python: bool) -> CompiledBranch:
    conditions = SqlConditions({name: place for place, name in enumerate(member.variables)})
    said, unsaid = [], []
    for test in member.branch.constraints():
        before = len(conditions.tested)
        try:
            said.append(conditions.condition(test))
        except NotExpressibleInSql as reason:
            if not python:
                raise UnsupportedSubscription(member.subscription.id, plan, f"Spark SQL cannot say {reason}") from None
            del conditions.tested[before:]
            unsaid.append(test)
    values = _values(member)
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
    return CompiledBranch(member, " AND ".join(said) or "true", conditions, reported, tuple(unsaid), computes)


def _values(member: ShapeMember) -> dict[Term, Term]:
    """What each column of the branch stands for, a variable of its edges or a constant; without computed values."""
    values: dict[Term, Term] = {name: name for name in member.variables}
    for name, tree in member.branch.binds:
        if not isinstance(tree, Call) and (value := values.get(tree) if is_variable(tree) else tree) is not None:
            values[name] = value
    return values


def asks_is_a(tests: Iterable[Expression]) -> bool:
    """Whether some test asks for a class."""
    return any(isinstance(test, Call) and (test.function in IS_A or asks_is_a(test.arguments)) for test in tests)
