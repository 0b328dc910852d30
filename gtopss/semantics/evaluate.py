"""Expression evaluation: an expression is compiled to a closure at registration, and called once per row.

A constraint fails a row when it is false and when it has a type error (SPARQL 1.1, section 17.2: FILTER removes
both); `||` and `&&` follow SPARQL's three-valued logic, in which another argument may decide despite an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gtopss.errors import InvalidSubscription
from gtopss.model.expressions import Call, Expression, variables
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import Term, is_variable
from gtopss.semantics.context import EvaluationContext, Evaluator, RowValues
from gtopss.semantics.functions import DEFINITIONS, Function
from gtopss.semantics.special_forms import constant
from gtopss.semantics.values import TypeMismatch, Value, effective_boolean, term_of, value_of

EVALUATION_ERRORS = (TypeMismatch, ArithmeticError, ValueError)
"""Errors that fail a row. Only TypeMismatch is expected; the others would be a defect, and must not stop a stream."""


@dataclass(frozen=True, slots=True)
class CompiledTest:
    """A compiled constraint or value constraint."""

    call: Call
    variables: frozenset[Term]
    evaluate: Evaluator = field(repr=False, compare=False)

    def holds(self, values: RowValues, context: EvaluationContext) -> bool:
        """Return whether the row passes; a type error fails it."""
        try:
            return effective_boolean(self.evaluate(values, context))
        except EVALUATION_ERRORS:
            return False


@dataclass(frozen=True, slots=True)
class BranchExpressions:
    """The compiled expressions of a branch: values to compute from a row, then constraints that the row must pass."""

    binds: tuple[tuple[Term, Evaluator], ...]
    tests: tuple[CompiledTest, ...]

    def bind(self, values: dict[Term, Term], context: EvaluationContext) -> None:
        """Add the computed values to `values` in place; one with a type error stays unbound."""
        for name, evaluate in self.binds:
            try:
                values[name] = term_of(evaluate(values, context))
            except EVALUATION_ERRORS:
                continue


def check_expressions(subscription: Subscription) -> None:
    """Raise InvalidSubscription if an expression calls an unknown function, or a function in a wrong way."""
    for branch in subscription.branches:
        if branch.where or branch.binds or any(each.constraints() for each in branch.tuples):
            compile_expressions(subscription.id, branch)


def uses_now(subscription: Subscription) -> bool:
    """Return whether some expression calls NOW(), so that a publication needs a time."""
    return any(
        _calls(tree, "NOW")
        for branch in subscription.branches
        for tree in (*branch.where, *(bind.expression for bind in branch.binds), *_edge_constraints(branch))
    )


def _edge_constraints(branch: Branch) -> Iterator[Call]:
    for each in branch.tuples:
        if each.subject_constraints or each.object_constraints:
            yield from each.constraints()


def _calls(tree: Expression, function: str) -> bool:
    if not isinstance(tree, Call):
        return False
    return tree.function == function or any(_calls(argument, function) for argument in tree.arguments)


def compile_error(tree: Expression) -> str | None:
    """Return the reason why an expression cannot be compiled, or None if it can."""
    try:
        compile_expression(tree)
    except ValueError as error:
        return str(error)
    return None


def compile_expressions(subscription_id: str, branch: Branch) -> BranchExpressions:
    """Compile the binds and constraints of a branch; raise InvalidSubscription if one cannot be evaluated."""

    def compiled(tree: Expression) -> Evaluator:
        try:
            return compile_expression(tree)
        except ValueError as error:
            raise InvalidSubscription(subscription_id, f"in {tree}: {error}") from None

    return BranchExpressions(
        tuple((bind.variable, compiled(bind.expression)) for bind in branch.binds),
        tuple(CompiledTest(test, variables(test), compiled(test)) for test in branch.constraints()),
    )


def compile_expression(tree: Expression) -> Evaluator:
    """Compile an expression; raise ValueError with the reason if it can never be evaluated."""
    if not isinstance(tree, Call):
        return _variable(tree) if is_variable(tree) else constant(value_of(tree))
    function = DEFINITIONS.get(tree.function)
    if function is None:
        raise ValueError(f"there is no function {tree.function!r}")
    _check_argument_count(tree, function)
    if function.special_form is not None:
        return function.special_form(tree, compile_expression)
    apply = function.apply
    assert apply is not None
    arguments = [compile_expression(argument) for argument in tree.arguments]
    if len(arguments) == 1:
        (only,) = arguments
        return lambda values, context: apply(only(values, context))
    if len(arguments) == 2:
        first, second = arguments
        return lambda values, context: apply(first(values, context), second(values, context))
    return lambda values, context: apply(*(argument(values, context) for argument in arguments))


def _check_argument_count(call: Call, function: Function) -> None:
    least, most, given = function.least, function.most, len(call.arguments)
    if given < least or (most is not None and given > most):
        expected = str(least) if most == least else f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{call.function} takes {expected} arguments, not {given}")


def _variable(name: Term) -> Evaluator:
    def read(values: RowValues, context: EvaluationContext) -> Value:
        bound = values.get(name)
        if bound is None:
            raise TypeMismatch(f"{name} is not bound")
        return value_of(bound)

    return read
