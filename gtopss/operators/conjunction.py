"""The operator part of one branch: S(P, VC), predicates and value constraints (DEBS 2007, sections 2.1 and 2.2).

A publication matches if one substitution of all variables satisfies every predicate and every value constraint. The
rows of the answers are joined with each other and with a row of the graph pattern; the value constraints are tested on
the result. A join is cheap beside a call, but its size is a product: it stops at `MAX_JOINED_ROWS` combinations, and
the conjunction then stays undecided rather than incomplete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.errors import InvalidSubscription, UnknownVariable
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.expressions import variables
from gtopss.operators.declaration import Operator, Rows
from gtopss.operators.limits import MAX_JOINED_ROWS
from gtopss.operators.predicates import PredicateUse, resolve_call
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions

Values: TypeAlias = Mapping[Term, Term]
"""A row: a value for each variable."""


class JoinTooLarge(Exception):
    """The join of the answers has more than `MAX_JOINED_ROWS` combinations."""


@dataclass(frozen=True, slots=True)
class Conjunction:
    """The predicates and value constraints of one branch."""

    subscription_id: str
    uses: tuple[PredicateUse, ...]
    expressions: BranchExpressions = field(repr=False)
    bound: frozenset[Term]
    value: float = 1.0
    """The value of deciding it, relative to other conjunctions, when a budget does not suffice for all."""

    @property
    def needs_join(self) -> bool:
        """Whether a row may fail although all predicates hold."""
        return bool(self.expressions.tests or self.expressions.binds or any(each.outputs for each in self.uses))

    @property
    def has_inputs(self) -> bool:
        """Whether its calls depend on the row of the pattern."""
        return any(each.predicate.has_inputs for each in self.uses)

    def solutions(
        self, rows: Iterable[Values], answers: Sequence[Rows | None], context: EvaluationContext
    ) -> Iterator[Values]:
        """Join the pattern's rows with the answers, one per use (None if unknown), and test the value constraints.

        An unknown answer joins with everything, and value constraints that read its outputs are skipped. If there is
        no solution, the conjunction therefore fails whatever the unknown answers would have been. Raises JoinTooLarge
        and BudgetExceeded.
        """
        known = [(each.outputs, found) for each, found in zip(self.uses, answers, strict=True) if found is not None]
        missing = {
            name
            for each, found in zip(self.uses, answers, strict=True)
            if found is None
            for name in each.outputs
            if name not in self.bound and not any(name in outputs for outputs, _ in known)
        }
        tests = self.expressions.tests
        if missing:
            unreadable = missing | {name for name, _ in self.expressions.binds}  # a BIND may read what is missing
            tests = tuple(test for test in tests if not test.variables & unreadable)
        joined = 0
        for row in rows:
            for values in _join(dict(row), known, 0):
                joined += 1
                if joined > MAX_JOINED_ROWS:
                    raise JoinTooLarge
                kept = self.expressions.bind(values, context)
                if all(test.holds(values, context) for test in tests):
                    context.budget.keep(kept)
                    yield values


def compile_conjunction(
    subscription_id: str,
    calls: Iterable[Call],
    operators: Mapping[str, Operator],
    *,
    bound: Iterable[Term] = (),
    where: Iterable[Call] = (),
    binds: Iterable[tuple[Term, Expression]] = (),
    value: float = 1.0,
) -> Conjunction:
    """Check and compile the operator part of a branch. `bound` are the variables that its pattern binds.

    Raises UnknownOperator, WrongArity, UnboundArgument and, for the value constraints, UnknownVariable.
    """
    pattern_variables = frozenset(bound)
    resolved = (resolve_call(subscription_id, call, operators, pattern_variables) for call in calls)
    uses = tuple(dict.fromkeys(resolved))
    branch = Branch([], where, binds)
    known = {*pattern_variables, *(name for each in uses for name in each.outputs)}
    for bind in branch.binds:
        _refuse_unknown(subscription_id, variables(bind.expression), f"the value of {bind.variable}", known)
        known.add(bind.variable)
    for test in branch.where:
        _refuse_unknown(subscription_id, variables(test), f"the value constraint {test}", known)
    expressions = compile_expressions(subscription_id, branch)
    return Conjunction(subscription_id, uses, expressions, pattern_variables, _exact_value(subscription_id, value))


def _exact_value(subscription_id: str, value: float) -> float:
    """Round the value to a multiple of 2**-20: sums of such numbers are exact, so that demand returns to exactly 0."""
    if not 1e-6 <= value <= 1e6:
        raise InvalidSubscription(subscription_id, f"its value {value} must be from 0.000001 to 1000000")
    return round(value * 2**20) / 2**20


def _refuse_unknown(subscription_id: str, names: frozenset[Term], place: str, known: set[Term]) -> None:
    for name in sorted(names - known):
        raise UnknownVariable(subscription_id, name, place, sorted(known))


def _join(
    values: dict[Term, Term], known: Sequence[tuple[tuple[Term, ...], Rows]], place: int
) -> Iterator[dict[Term, Term]]:
    """Extend a row in every possible way by one row of each answer."""
    if place == len(known):
        yield dict(values)
        return
    names, rows = known[place]
    for row in rows:
        extended = dict(values)
        if all(extended.setdefault(name, value) == value for name, value in zip(names, row, strict=True)):
            yield from _join(extended, known, place + 1)
