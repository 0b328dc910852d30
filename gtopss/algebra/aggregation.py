"""GROUP BY and the aggregates (SPARQL 1.1, sections 11 and 18.5.1)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TypeAlias

from gtopss.algebra.evaluation import STEPS_PER_VALUE, Evaluation, Row
from gtopss.algebra.ordering import order_key
from gtopss.model import Call, Expression, Term
from gtopss.model.algebra import as_call, as_term, text_of, text_term
from gtopss.model.terms import is_hidden
from gtopss.semantics import EvaluationContext
from gtopss.semantics.evaluate import EVALUATION_ERRORS
from gtopss.semantics.numbers import arithmetic
from gtopss.semantics.values import TypeMismatch, Value, ValueKind, lexical_form, string_value, term_of, value_of

_add, _divide = arithmetic(operator.add), arithmetic(operator.truediv)
_ZERO = Value(ValueKind.INTEGER, 0)
DEFAULT_SEPARATOR = " "


class Members:
    """The values of an aggregate's expression in one group. `None` stands for a type error or no value."""

    __slots__ = ("rows", "separator", "terms")

    def __init__(self, separator: str) -> None:
        self.terms: list[Term | None] = []
        self.rows = 0
        self.separator = separator

    def all(self) -> list[Term]:
        """Return the terms; raise TypeMismatch if one is missing, because an error fails most aggregates."""
        found = [term for term in self.terms if term is not None]
        if len(found) < len(self.terms):
            raise TypeMismatch("a member of the group has no value")
        return found


def aggregate(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """AGGREGATES: yield one solution per group, with the keys and the aggregates that have a value."""
    keys = [_named(each) for each in as_call(pattern.arguments[1]).arguments]
    compute_keys = [evaluation.computation(tree) for tree, _ in keys]
    wanted = [(_Aggregate(as_call(tree), evaluation), name) for tree, name in map(_named, pattern.arguments[2:])]
    inner = evaluation.only_given([name for tree, name in keys if tree == name])
    groups: dict[tuple[Term | None, ...], list[Members]] = {}
    for row in inner.pattern(as_call(pattern.arguments[0])):
        key = tuple(compute(row) for compute in compute_keys)
        members = groups.get(key)
        if members is None:
            evaluation.spend_solution(row)
            members = groups[key] = [each.members() for each, _ in wanted]
        for (each, _), collected in zip(wanted, members, strict=True):
            each.add(row, collected)
    if not groups and not keys:
        groups[()] = [each.members() for each, _ in wanted]  # without GROUP BY, no solutions are one group
    for key, members in groups.items():
        made = {name: term for (_, name), term in zip(keys, key, strict=True) if term is not None}
        for (each, name), collected in zip(wanted, members, strict=True):
            term = each.result(collected)
            if term is not None:
                made[name] = term
        yield made


def visible_values(row: Row) -> frozenset[tuple[Term, Term]]:
    """Return a row without the values of blank nodes in the pattern, which are no part of a solution."""
    return frozenset((name, term) for name, term in row.items() if not is_hidden(name))


def _named(tree: Expression) -> tuple[Expression, Term]:
    expression, name = as_call(tree).arguments
    return expression, as_term(name)


class _Aggregate:
    """One aggregate of a query: what it collects, and what it makes of it."""

    def __init__(self, call: Call, evaluation: Evaluation) -> None:
        name, kind, argument, *separator = call.arguments
        self.function = AGGREGATES[text_of(name)]
        self.distinct = text_of(kind) == "distinct"
        self.separator = text_of(separator[0]) if separator else DEFAULT_SEPARATOR
        self.counts_rows = argument == Call("ALL", ())
        self._context = evaluation.context
        self._compute = evaluation.computation(text_term("") if self.counts_rows else argument)
        self._seen: dict[int, set[object]] = {}

    def members(self) -> Members:
        return Members(self.separator)

    def add(self, row: Row, members: Members) -> None:
        """Add the value of the expression in one row."""
        self._context.budget.spend(STEPS_PER_VALUE)
        if self.counts_rows:
            if not self.distinct or self._is_new(members, visible_values(row)):
                members.rows += 1
            return
        term = self._compute(row)
        if not self.distinct or self._is_new(members, term):
            members.terms.append(term)

    def _is_new(self, members: Members, key: object) -> bool:
        seen = self._seen.setdefault(id(members), set())
        if key in seen:
            return False
        seen.add(key)
        return True

    def result(self, members: Members) -> Term | None:
        """Return the aggregate of a group; None for a type error."""
        try:
            if self.counts_rows:
                return term_of(Value(ValueKind.INTEGER, members.rows))
            return term_of(self.function(members, self._context))
        except EVALUATION_ERRORS:
            return None


def _count(members: Members, context: EvaluationContext) -> Value:
    """COUNT: the number of members that have a value."""
    return Value(ValueKind.INTEGER, sum(term is not None for term in members.terms))


def _sum(members: Members, context: EvaluationContext) -> Value:
    """SUM: 0 for no members."""
    total = _ZERO
    for term in members.all():
        total = _add(context.budget, total, context.operand(value_of(term)))
    return total


def _average(members: Members, context: EvaluationContext) -> Value:
    """AVG: 0 for no members."""
    if not members.terms:
        return _ZERO
    return _divide(context.budget, _sum(members, context), Value(ValueKind.INTEGER, len(members.terms)))


def _least(members: Members, context: EvaluationContext) -> Value:
    """MIN: the first by the order of ORDER BY."""
    return _extreme(members, min, context)


def _largest(members: Members, context: EvaluationContext) -> Value:
    """MAX: the last by the order of ORDER BY."""
    return _extreme(members, max, context)


def _extreme(members: Members, choose: Callable[..., Term], context: EvaluationContext) -> Value:
    terms = members.all()
    if not terms:
        raise TypeMismatch("the group is empty")
    return value_of(choose(terms, key=lambda term: order_key(term, context)))


def _sample(members: Members, context: EvaluationContext) -> Value:
    """SAMPLE: the first member that has a value."""
    for term in members.terms:
        if term is not None:
            return value_of(term)
    raise TypeMismatch("the group is empty")


def _concatenated(members: Members, context: EvaluationContext) -> Value:
    """GROUP_CONCAT: the texts of the members, with the separator between them."""
    texts = [lexical_form(value_of(term)) for term in members.all()]
    characters = sum(map(len, texts)) + len(members.separator) * max(len(texts) - 1, 0)
    context.budget.reserve(characters)
    context.budget.add_text(characters)
    context.budget.keep(characters)
    return string_value(members.separator.join(texts))


AggregateFunction: TypeAlias = Callable[[Members, EvaluationContext], Value]

AGGREGATES: dict[str, AggregateFunction] = {
    "COUNT": _count,
    "SUM": _sum,
    "AVG": _average,
    "MIN": _least,
    "MAX": _largest,
    "SAMPLE": _sample,
    "GROUP_CONCAT": _concatenated,
}
"""The aggregates by name."""
