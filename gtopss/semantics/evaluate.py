"""Expressions made runnable: compiled once at registration, then asked once per row.

A test fails a row when it is false and when it has a type error (SPARQL 1.1, section 17.2: FILTER removes
both); `||` and `&&` follow SPARQL's three-valued table, in which an error may be outvoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.errors import InvalidSubscription
from gtopss.model.expressions import Call, Expression, variables
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import Term, is_variable
from gtopss.semantics.dates import date_time_value
from gtopss.semantics.functions import FUNCTIONS
from gtopss.semantics.is_a import IS_A_FUNCTIONS, EvaluationContext
from gtopss.semantics.regex import compile_regex
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    TypeMismatch,
    Value,
    ValueKind,
    effective_boolean,
    equal,
    term_of,
    value_of,
)

Values: TypeAlias = Mapping[Term, Term]
EVALUATION_ERRORS = (TypeMismatch, ArithmeticError, ValueError)
"""What fails a row. Only TypeMismatch should arise; the others would be our mistake, and must not stop a stream."""

Evaluator: TypeAlias = Callable[[Values, EvaluationContext], Value]


@dataclass(frozen=True, slots=True)
class CompiledTest:
    """A constraint or value constraint, ready to be asked."""

    __test__ = False  # not one of pytest's

    call: Call
    variables: frozenset[Term]
    evaluate: Evaluator = field(repr=False, compare=False)

    def holds(self, values: Values, scope: EvaluationContext) -> bool:
        try:
            return effective_boolean(self.evaluate(values, scope))
        except EVALUATION_ERRORS:
            return False


@dataclass(frozen=True, slots=True)
class BranchExpressions:
    """All that a branch asks of a row beyond its edges: values to compute, then tests to pass."""

    binds: tuple[tuple[Term, Evaluator], ...]
    tests: tuple[CompiledTest, ...]

    def bind(self, values: dict[Term, Term], scope: EvaluationContext) -> None:
        """Add the computed values to the row's; one with a type error stays unbound."""
        for name, evaluate in self.binds:
            try:
                values[name] = term_of(evaluate(values, scope))
            except EVALUATION_ERRORS:
                continue


def check_expressions(subscription: Subscription) -> None:
    """Refuse a subscription whose expressions name what does not exist, before any matcher sees it."""
    for branch in subscription.branches:
        if branch.where or branch.binds or any(each.constraints() for each in branch.tuples):
            compile_expressions(subscription.id, branch)


def uses_now(subscription: Subscription) -> bool:
    """Whether some expression reads the publication's time."""
    return any(
        _mentions(tree, "NOW")
        for branch in subscription.branches
        for tree in (*branch.where, *(bind.expression for bind in branch.binds), *_on_ends(branch))
    )


def _on_ends(branch: Branch) -> Iterator[Call]:
    for each in branch.tuples:
        if each.subject_constraints or each.object_constraints:
            yield from each.constraints()


def _mentions(tree: Expression, function: str) -> bool:
    if not isinstance(tree, Call):
        return False
    return tree.function == function or any(_mentions(argument, function) for argument in tree.arguments)


def compile_error(tree: Expression) -> str | None:
    """Why an expression cannot be compiled; None if it can."""
    try:
        _compile(tree)
    except ValueError as error:
        return str(error)
    return None


def compile_expressions(subscription_id: str, branch: Branch) -> BranchExpressions:
    """The branch's binds and constraints, compiled."""

    def compiled(tree: Expression) -> Evaluator:
        try:
            return _compile(tree)
        except ValueError as error:
            raise InvalidSubscription(subscription_id, f"in {tree}: {error}") from None

    return BranchExpressions(
        tuple((bind.variable, compiled(bind.expression)) for bind in branch.binds),
        tuple(CompiledTest(test, variables(test), compiled(test)) for test in branch.constraints()),
    )


def _compile(tree: Expression) -> Evaluator:
    if not isinstance(tree, Call):
        return _variable(tree) if is_variable(tree) else _constant(value_of(tree))
    if special := _SPECIAL.get(tree.function):
        return special(tree)
    if tree.function in IS_A_FUNCTIONS:
        return _question(tree)
    if tree.function not in FUNCTIONS:
        raise ValueError(f"there is no function {tree.function!r}")
    function = FUNCTIONS[tree.function]
    _need(tree, function.least, function.most)
    arguments = [_compile(argument) for argument in tree.arguments]
    apply = function.apply
    if len(arguments) == 2:
        first, second = arguments
        return lambda values, scope: apply(first(values, scope), second(values, scope))
    return lambda values, scope: apply(*(argument(values, scope) for argument in arguments))


def _need(tree: Call, least: int, most: int | None) -> None:
    given = len(tree.arguments)
    if given < least or (most is not None and given > most):
        wanted = str(least) if most == least else f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{tree.function} takes {wanted} arguments, not {given}")


def _constant(value: Value) -> Evaluator:
    return lambda values, scope: value


def _variable(name: Term) -> Evaluator:
    def read(values: Values, scope: EvaluationContext) -> Value:
        bound = values.get(name)
        if bound is None:
            raise TypeMismatch(f"{name} is not bound")
        return value_of(bound)

    return read


def _question(tree: Call) -> Evaluator:
    _need(tree, 2, 2)
    ask = IS_A_FUNCTIONS[tree.function]
    term, cls = map(_compile, tree.arguments)
    return lambda values, scope: (
        TRUE if ask(term_of(term(values, scope)), term_of(cls(values, scope)), scope) else FALSE
    )


def _either(decisive: bool) -> Callable[[Call], Evaluator]:
    """`||` (decided by a true) and `&&` (decided by a false); an error only counts where nothing decides."""

    def compile_logic(tree: Call) -> Evaluator:
        _need(tree, 1, None)
        arguments = [_compile(argument) for argument in tree.arguments]

        def logic(values: Values, scope: EvaluationContext) -> Value:
            error: TypeMismatch | None = None
            for argument in arguments:
                try:
                    if effective_boolean(argument(values, scope)) is decisive:
                        return TRUE if decisive else FALSE
                except TypeMismatch as mismatch:
                    error = mismatch
            if error is not None:
                raise error
            return FALSE if decisive else TRUE

        return logic

    return compile_logic


def _in(tree: Call) -> Evaluator:
    """IN is a chain of `=` joined by `||`."""
    _need(tree, 1, None)
    first, *others = map(_compile, tree.arguments)
    negated = tree.function == "not in"
    if not others:
        return _constant(TRUE if negated else FALSE)

    def among(values: Values, scope: EvaluationContext) -> Value:
        error: TypeMismatch | None = None
        one = first(values, scope)
        for other in others:
            try:
                if equal(one, other(values, scope)):
                    return FALSE if negated else TRUE
            except TypeMismatch as mismatch:
                error = mismatch
        if error is not None:
            raise error
        return TRUE if negated else FALSE

    return among


def _bound(tree: Call) -> Evaluator:
    _need(tree, 1, 1)
    (name,) = tree.arguments
    if isinstance(name, Call) or not is_variable(name):
        raise ValueError("BOUND takes a variable")
    return lambda values, scope: TRUE if name in values else FALSE


def _unbound(tree: Call) -> Evaluator:
    """What a variable out of scope is lowered to, with its name: never a value."""
    _need(tree, 0, 1)

    def fail(values: Values, scope: EvaluationContext) -> Value:
        raise TypeMismatch("the variable is not in scope")

    return fail


def _never(tree: Call) -> Evaluator:
    """What was found impossible before registration (`expressions.never`); its argument is the reason, for people."""
    _need(tree, 1, 1)
    return _constant(FALSE)


def _if(tree: Call) -> Evaluator:
    """Only the chosen branch is evaluated (SPARQL 1.1, 17.4.1.2)."""
    _need(tree, 3, 3)
    condition, then, otherwise = map(_compile, tree.arguments)
    return lambda values, scope: (
        then(values, scope) if effective_boolean(condition(values, scope)) else otherwise(values, scope)
    )


def _coalesce(tree: Call) -> Evaluator:
    """The first argument without an error; of none there is no first."""
    arguments = [_compile(argument) for argument in tree.arguments]

    def first(values: Values, scope: EvaluationContext) -> Value:
        for argument in arguments:
            try:
                return argument(values, scope)
            except TypeMismatch:
                continue
        raise TypeMismatch("every argument of COALESCE has an error")

    return first


def _now(tree: Call) -> Evaluator:
    """A stream's now is when the publication was published: the same answer whenever it is matched again."""
    _need(tree, 0, 0)

    def read(values: Values, scope: EvaluationContext) -> Value:
        if scope.now is None:
            raise TypeMismatch("the publication does not say when it was published")
        return date_time_value(scope.now)

    return read


def _with_pattern(tree: Call) -> Evaluator:
    """REGEX and REPLACE: a constant pattern is compiled here, once, and refused here if RE2 cannot run it."""
    function = FUNCTIONS[tree.function]
    _need(tree, function.least, function.most)
    subject, *others = [_compile(argument) for argument in tree.arguments]
    constants = [_constant_text(argument) for argument in (tree.arguments[1], *tree.arguments[function.least :])]
    texts = [text for text in constants if text is not None]
    if len(texts) < len(constants):
        apply = function.apply
        return lambda values, scope: apply(subject(values, scope), *(other(values, scope) for other in others))
    pattern = compile_regex(*texts)
    if tree.function == "REGEX":
        return lambda values, scope: pattern.found_in(subject(values, scope))
    replacement = others[1]
    return lambda values, scope: pattern.replace(subject(values, scope), replacement(values, scope))


def _constant_text(argument: Expression) -> str | None:
    if isinstance(argument, Call) or is_variable(argument):
        return None
    value = value_of(argument)
    return str(value.data) if value.kind is ValueKind.STRING else None


_SPECIAL: dict[str, Callable[[Call], Evaluator]] = {
    "||": _either(True),
    "&&": _either(False),
    "in": _in,
    "not in": _in,
    "BOUND": _bound,
    "UNBOUND": _unbound,
    "NEVER": _never,
    "IF": _if,
    "COALESCE": _coalesce,
    "NOW": _now,
    "REGEX": _with_pattern,
    "REPLACE": _with_pattern,
}
