"""Expression evaluation: an expression is compiled to a closure at registration, and called once per row.

A constraint fails a row when it is false and when it has a type error (SPARQL 1.1, section 17.2: FILTER removes
both); `||` and `&&` follow SPARQL's three-valued logic, in which another argument may decide despite an error.
A budget that is spent ends the search instead (`budget`): it neither passes nor fails a row.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Set
from dataclasses import dataclass, field

from gtopss.errors import InvalidSubscription
from gtopss.model.expressions import Call, Expression, variables
from gtopss.model.matches import Counters
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import Term, is_variable
from gtopss.semantics.budget import CHARACTERS_PER_STEP, STEPS_PER_NODE
from gtopss.semantics.context import MAX_SHARED_RESULTS, EvaluationContext, Evaluator, RowValues
from gtopss.semantics.functions import DEFINITIONS, SIGNS, Function
from gtopss.semantics.lenient_literals import read_literal
from gtopss.semantics.special_forms import constant, constant_pattern
from gtopss.semantics.values import TypeMismatch, Value, effective_boolean, term_of, value_of

EVALUATION_ERRORS = (TypeMismatch, ArithmeticError, ValueError)
"""Errors that fail a row. Only TypeMismatch is expected; the others would be a defect, and must not stop a stream."""

_BYTES_PER_NODE = 600  # a closure and its cells
_BYTES_PER_INSTRUCTION = 40  # a program forwards and backwards


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class CompiledTest:
    """A compiled constraint or value constraint, compared by identity."""

    call: Call
    variables: frozenset[Term]
    evaluate: Evaluator = field(repr=False)

    @property
    def steps(self) -> int:
        """The steps of one evaluation, by the size of the expression."""
        return expression_steps(self.call)

    def holds(self, values: RowValues, context: EvaluationContext) -> bool:
        """Return whether the row passes; a type error fails it. Raises BudgetExceeded."""
        try:
            return effective_boolean(self.evaluate(values, context))
        except EVALUATION_ERRORS:
            return False

    def holds_shared(self, values: RowValues, context: EvaluationContext) -> bool:
        """Return what `holds` returned for the same values in this publication, if it was called before.

        This is the sharing of constraints that the G-ToPSS paper announces (section 6): whoever asks, a constraint is
        evaluated once for each value. Subscriptions share the compiled constraint (`compile_expressions`).
        """
        results = context.shared_results
        key = (self, *map(values.get, self.variables))
        known = results.get(key)
        if known is None:
            if len(results) >= MAX_SHARED_RESULTS:
                results.clear()
            known = results[key] = self.holds(values, context)
        return known


@dataclass(frozen=True, slots=True)
class BranchExpressions:
    """The compiled expressions of a branch: values to compute from a row, then constraints that the row must pass."""

    binds: tuple[tuple[Term, Evaluator], ...]
    tests: tuple[CompiledTest, ...]
    steps: int = 0
    """The steps of one row, by the size of the expressions."""
    size: int = 0
    """About how many bytes the compiled expressions take."""

    def check(self, values: dict[Term, Term], context: EvaluationContext, counters: Counters | None = None) -> bool:
        """Add the computed values of a row to `values`, and return whether it passes all tests.

        Raises BudgetExceeded: then it is not known whether the row passes.
        """
        kept = self.bind(values, context)
        for test in self.tests:
            if counters is not None:
                counters.constraints_tested += 1
            if not test.holds_shared(values, context):
                return False
        context.budget.keep(kept)
        return True

    def bind(self, values: dict[Term, Term], context: EvaluationContext) -> int:
        """Start a row: add the computed values to `values` in place. One with a type error stays unbound.

        Return the characters of new terms, which a solution keeps. Raises BudgetExceeded.
        """
        context.start_row(self.steps)
        kept = 0
        for name, evaluate in self.binds:
            try:
                value = evaluate(values, context)
                made = term_of(value)
                if value.term is None or all(made is not known for known in values.values()):
                    context.budget.add_text(len(made))
                    kept += len(made)
            except EVALUATION_ERRORS:
                continue
            values[name] = made
        return kept


def check_expressions(subscription: Subscription) -> None:
    """Raise InvalidSubscription if an expression calls an unknown function, or a function in a wrong way."""
    for branch in subscription.branches:
        for tree in (*branch.where, *(bind.expression for bind in branch.binds), *_edge_constraints(branch)):
            _check_expression(subscription.id, tree)


def _check_expression(subscription_id: str, tree: Expression) -> None:
    """Raise InvalidSubscription if an expression cannot be compiled. Only special forms are compiled for that."""
    stack = [tree]
    try:
        while stack:
            node = stack.pop()
            if isinstance(node, Call):
                function = _definition(node)
                if function.special_form is not None:
                    function.special_form(node, compile_expression)
                else:
                    stack += node.arguments
    except ValueError as error:
        raise _invalid(subscription_id, tree, error) from None


def _invalid(subscription_id: str, tree: Expression, error: ValueError) -> InvalidSubscription:
    shown = str(tree)
    place = shown if len(shown) <= 200 else f"{shown[:200]}..."
    return InvalidSubscription(subscription_id, f"in {place}: {error}")


def uses_now(subscription: Subscription) -> bool:
    """Return whether some expression calls NOW(), so that a publication needs a time."""
    return _uses(subscription, "NOW")


def uses_has(subscription: Subscription) -> bool:
    """Return whether some expression calls `has`, so that it needs the whole publication and not one row of it."""
    return _uses(subscription, "HAS")


def _uses(subscription: Subscription, function: str) -> bool:
    if subscription.query is not None and _calls(subscription.query, function):
        return True
    return any(
        _calls(tree, function)
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


def compile_expressions(
    subscription_id: str,
    branch: Branch,
    *,
    skipped: Set[Call] = frozenset(),
    shared: MutableMapping[Call, CompiledTest] | None = None,
) -> BranchExpressions:
    """Compile the binds and constraints of a branch; raise InvalidSubscription if one cannot be evaluated.

    Constraints in `skipped` are left out. Equal constraints of several branches become one object if they are compiled
    with the same `shared`, and then share their results.
    """

    def compiled(tree: Expression) -> Evaluator:
        try:
            return compile_expression(tree)
        except ValueError as error:
            raise _invalid(subscription_id, tree, error) from None

    def compiled_test(test: Call) -> CompiledTest:
        made = shared.get(test) if shared is not None else None
        if made is None:
            made = CompiledTest(test, variables(test), compiled(test))
            if shared is not None:
                shared[test] = made
        return made

    tests = [test for test in branch.constraints() if test not in skipped]
    trees = (*tests, *(bind.expression for bind in branch.binds))
    return BranchExpressions(
        tuple((bind.variable, compiled(bind.expression)) for bind in branch.binds),
        tuple(map(compiled_test, tests)),
        sum(map(expression_steps, trees)),
        sum(map(_compiled_bytes, trees)),
    )


def _compiled_bytes(tree: Expression) -> int:
    """Return about how many bytes an expression takes when it is compiled."""
    size, stack = 0, list[Expression]([tree])
    while stack:
        node = stack.pop()
        size += _BYTES_PER_NODE
        if not isinstance(node, Call):
            size += len(node)
            continue
        stack += node.arguments
        if node.function in ("REGEX", "REPLACE") and (pattern := constant_pattern(node)) is not None:
            size += _BYTES_PER_INSTRUCTION * int(pattern.program.programsize)
    return size


def expression_steps(tree: Expression) -> int:
    """Return the steps of evaluating an expression once, by its size. The constants of IN count as one: they are a set.

    >>> expression_steps(Call("+", (Term("?x"), Term("?y"))))
    30
    """
    steps, stack = 0, list[Expression]([tree])
    while stack:
        node = stack.pop()
        steps += STEPS_PER_NODE
        if not isinstance(node, Call):
            steps += len(node) // CHARACTERS_PER_STEP
        elif node.function in ("in", "not in"):
            stack += [each for each in node.arguments if isinstance(each, Call) or is_variable(each)]
        else:
            stack += node.arguments
    return steps


def compile_expression(tree: Expression) -> Evaluator:
    """Compile an expression; raise ValueError with the reason if it can never be evaluated."""
    if not isinstance(tree, Call):
        return _variable(tree) if is_variable(tree) else constant(value_of(tree))
    function = _definition(tree)
    if function.special_form is not None:
        return function.special_form(tree, compile_expression)
    apply = function.apply
    assert apply is not None
    arguments = [compile_expression(argument) for argument in tree.arguments]
    if tree.function not in SIGNS:
        return _charged(function, arguments)
    if len(arguments) == 1:
        (only,) = arguments
        if function.reads_literals:
            return lambda values, context: apply(context.operand(only(values, context)))
        return lambda values, context: apply(only(values, context))
    return _binary(function, *arguments)


def _binary(function: Function, first: Evaluator, second: Evaluator) -> Evaluator:
    """Return the evaluator of a sign with two operands: a comparison, or arithmetic."""
    apply, takes_budget = function.apply, function.takes_budget
    assert apply is not None

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        one, other = first(values, context), second(values, context)
        if context.is_lenient:
            one, other = read_literal(one), read_literal(other)
        return apply(context.budget, one, other) if takes_budget else apply(one, other)

    return evaluate


def _charged(function: Function, arguments: list[Evaluator]) -> Evaluator:
    """Return the evaluator of a function whose result may be a text, for which the budget pays."""
    apply, takes_budget, reads_literals = function.apply, function.takes_budget, function.reads_literals
    assert apply is not None

    def evaluate(values: RowValues, context: EvaluationContext) -> Value:
        given = [argument(values, context) for argument in arguments]
        if reads_literals and context.is_lenient:
            given = [read_literal(each) for each in given]
        made = apply(context.budget, *given) if takes_budget else apply(*given)
        context.budget.charge_result(made.data)
        return made

    return evaluate


def _definition(call: Call) -> Function:
    """Return the function of a call. Raise ValueError if there is none, or if it takes another number of arguments."""
    function = DEFINITIONS.get(call.function)
    if function is None:
        raise ValueError(f"there is no function {call.function!r}")
    least, most, given = function.least, function.most, len(call.arguments)
    if given < least or (most is not None and given > most):
        expected = str(least) if most == least else f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{call.function} takes {expected} arguments, not {given}")
    return function


def _variable(name: Term) -> Evaluator:
    def read(values: RowValues, context: EvaluationContext) -> Value:
        bound = values.get(name)
        if bound is None:
            raise TypeMismatch(f"{name} is not bound")
        return context.value_of(bound)

    return read
