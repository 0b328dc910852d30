"""What a branch asks of operators: S(P, VC), predicates and value constraints (DEBS 2007, sections 2.1 and 2.2).

A publication matches when one substitution of all variables satisfies every predicate and every value constraint. The
answers' bindings are joined with each other and with the graph pattern's row, and the value constraints are tested on
what results. Joining is cheap beside the calls, but it multiplies: it stops at `MAX_WORK` combinations, and then the
conjunction is left open rather than cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.errors import InvalidSubscription, UnknownVariable
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.expressions import variables
from gtopss.operators.declaration import Operator, Rows
from gtopss.operators.predicates import Use, use
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions

MAX_WORK = 100_000

Values: TypeAlias = Mapping[Term, Term]
Answers: TypeAlias = Sequence[Rows | None]
"""For each use its bindings; None where the answer is unknown."""


class JoinTooLarge(Exception):
    """The answers' bindings multiply beyond `MAX_WORK`."""


@dataclass(frozen=True, slots=True)
class Conjunction:
    """The predicates and value constraints of one branch."""

    subscription_id: str
    uses: tuple[Use, ...]
    rules: BranchExpressions = field(repr=False)
    bound: frozenset[Term]
    value: float = 1.0
    """What settling it is worth, beside the others, when a budget does not suffice for all."""

    @property
    def is_plain(self) -> bool:
        """Whether every row passes once all predicates hold: nothing is joined, nothing tested."""
        return not (self.rules.tests or self.rules.binds or any(each.outputs for each in self.uses))

    @property
    def is_closed(self) -> bool:
        """Whether it asks the same of every row of its pattern."""
        return all(each.predicate.is_closed for each in self.uses)

    def solutions(
        self, rows: Iterable[Values], answers: Answers, scope: EvaluationContext
    ) -> Iterator[dict[Term, Term]]:
        """The rows that the answers and value constraints leave.

        An unknown answer joins with everything, and a value constraint that reads what it would bind is passed: so
        where nothing is left, the conjunction fails whatever the unknown answers would have been.
        """
        known = [(each.outputs, found) for each, found in zip(self.uses, answers, strict=True) if found is not None]
        missing = {
            name
            for each, found in zip(self.uses, answers, strict=True)
            if found is None
            for name in each.outputs
            if name not in self.bound and not any(name in outputs for outputs, _ in known)
        }
        tests = self.rules.tests
        if missing:
            tests = tuple(test for test in tests if not test.variables & self._reading(missing))
        work = 0
        for row in rows:
            for values in _joined(dict(row), known, 0):
                work += 1
                if work > MAX_WORK:
                    raise JoinTooLarge
                self.rules.bind(values, scope)
                if all(test.holds(values, scope) for test in tests):
                    yield values

    def _reading(self, missing: set[Term]) -> set[Term]:
        """The missing variables and those computed after them: a BIND may read what is missing."""
        return missing | {name for name, _ in self.rules.binds}


def conjunction(
    subscription_id: str,
    calls: Iterable[Call],
    operators: Mapping[str, Operator],
    *,
    bound: Iterable[Term] = (),
    where: Iterable[Call] = (),
    binds: Iterable[tuple[Term, Expression]] = (),
    value: float = 1.0,
) -> Conjunction:
    """Check and compile what a branch asks of operators. `bound` are the variables that its pattern binds.

    Raises UnknownOperator, WrongArity, UnboundArgument and, for the value constraints, UnknownVariable.
    """
    given = frozenset(bound)
    uses = tuple(dict.fromkeys(use(subscription_id, call, operators, given) for call in calls))
    branch = Branch([], where, binds)
    known = {*given, *(name for each in uses for name in each.outputs)}
    for bind in branch.binds:
        _refuse_unknown(subscription_id, variables(bind.expression), f"the value of {bind.variable}", known)
        known.add(bind.variable)
    for test in branch.where:
        _refuse_unknown(subscription_id, variables(test), f"the value constraint {test}", known)
    return Conjunction(
        subscription_id, uses, compile_expressions(subscription_id, branch), given, _exact(subscription_id, value)
    )


def _exact(subscription_id: str, value: float) -> float:
    """The value as a multiple of a small power of two: sums of such, less what was added, are exactly nothing."""
    if not 1e-6 <= value <= 1e6:
        raise InvalidSubscription(subscription_id, f"its value {value} must be from 0.000001 to 1000000")
    return round(value * 2**20) / 2**20


def _refuse_unknown(subscription_id: str, names: frozenset[Term], place: str, known: set[Term]) -> None:
    for name in sorted(names - known):
        raise UnknownVariable(subscription_id, name, place, sorted(known))


def _joined(
    values: dict[Term, Term], known: Sequence[tuple[tuple[Term, ...], Rows]], place: int
) -> Iterator[dict[Term, Term]]:
    """Every way to extend a row by one of the bindings of each answer."""
    if place == len(known):
        yield dict(values)
        return
    names, rows = known[place]
    for row in rows:
        extended = dict(values)
        if all(extended.setdefault(name, value) == value for name, value in zip(names, row, strict=True)):
            yield from _joined(extended, known, place + 1)
