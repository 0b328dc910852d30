"""Expressions made runnable: compiled once at registration, then asked once per row.

A test fails a row when it is false and when it has a type error (SPARQL 1.1, section 17.2: FILTER removes
both); `||` and `&&` follow SPARQL's three-valued table, in which an error may be outvoted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.errors import InvalidSubscription
from gtopss.model.expressions import Call, Expression, variables
from gtopss.model.subscription import Branch, Subscription
from gtopss.model.terms import Term, is_literal, is_variable, literal_parts
from gtopss.semantics.functions import FUNCTIONS, compile_regex, text_of
from gtopss.semantics.isa import QUESTIONS, Scope
from gtopss.semantics.values import (
    FALSE,
    TRUE,
    TypeMismatch,
    Value,
    effective_boolean,
    equal,
    term_of,
    value_of,
)

Values: TypeAlias = Mapping[Term, Term]
Evaluator: TypeAlias = Callable[[Values, Scope], Value]


@dataclass(frozen=True, slots=True)
class Test:
    """A constraint or value constraint, ready to be asked."""

    __test__ = False  # not one of pytest's

    call: Call
    variables: frozenset[Term]
    evaluate: Evaluator = field(repr=False, compare=False)

    def holds(self, values: Values, scope: Scope) -> bool:
        try:
            return effective_boolean(self.evaluate(values, scope))
        except TypeMismatch:
            return False


@dataclass(frozen=True, slots=True)
class Rules:
    """All that a branch asks of a row beyond its edges: values to compute, then tests to pass."""

    binds: tuple[tuple[Term, Evaluator], ...]
    tests: tuple[Test, ...]

    def bind(self, values: dict[Term, Term], scope: Scope) -> None:
        """Add the computed values to the row's; one with a type error stays unbound."""
        for name, evaluate in self.binds:
            try:
                values[name] = term_of(evaluate(values, scope))
            except TypeMismatch:
                continue


def check(subscription: Subscription) -> None:
    """Refuse a subscription whose expressions name what does not exist, before any matcher sees it."""
    for branch in subscription.branches:
        compile_rules(subscription.id, branch)


def compile_rules(subscription_id: str, branch: Branch) -> Rules:
    """The branch's binds and constraints, compiled."""

    def compiled(tree: Expression) -> Evaluator:
        try:
            return _compile(tree)
        except ValueError as error:
            raise InvalidSubscription(subscription_id, f"in {tree}: {error}") from None

    return Rules(
        tuple((bind.variable, compiled(bind.expression)) for bind in branch.binds),
        tuple(Test(test, variables(test), compiled(test)) for test in branch.constraints()),
    )


def _compile(tree: Expression) -> Evaluator:
    if not isinstance(tree, Call):
        return _variable(tree) if is_variable(tree) else _constant(value_of(tree))
    if special := _SPECIAL.get(tree.function):
        return special(tree)
    if tree.function in QUESTIONS:
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
    def read(values: Values, scope: Scope) -> Value:
        bound = values.get(name)
        if bound is None:
            raise TypeMismatch(f"{name} is not bound")
        return value_of(bound)

    return read


def _question(tree: Call) -> Evaluator:
    _need(tree, 2, 2)
    ask = QUESTIONS[tree.function]
    term, cls = map(_compile, tree.arguments)
    return lambda values, scope: (
        TRUE if ask(term_of(term(values, scope)), term_of(cls(values, scope)), scope) else FALSE
    )


def _either(decisive: bool) -> Callable[[Call], Evaluator]:
    """`||` (decided by a true) and `&&` (decided by a false); an error only counts where nothing decides."""

    def compile_logic(tree: Call) -> Evaluator:
        _need(tree, 1, None)
        arguments = [_compile(argument) for argument in tree.arguments]

        def logic(values: Values, scope: Scope) -> Value:
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

    def among(values: Values, scope: Scope) -> Value:
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


def _regex(tree: Call) -> Evaluator:
    """A constant pattern is compiled here, once, and refused here if RE2 cannot run it."""
    _need(tree, 2, 3)
    constants = [_constant_text(argument) for argument in tree.arguments[1:]]
    if None in constants:
        apply = FUNCTIONS["REGEX"].apply
        arguments = [_compile(argument) for argument in tree.arguments]
        return lambda values, scope: apply(*(argument(values, scope) for argument in arguments))
    pattern = compile_regex(*(text for text in constants if text is not None))
    subject = _compile(tree.arguments[0])
    return lambda values, scope: TRUE if pattern.search(text_of(subject(values, scope))) else FALSE


def _constant_text(argument: Expression) -> str | None:
    if isinstance(argument, Call) or not is_literal(argument):
        return None
    return literal_parts(argument)[0]


_SPECIAL: dict[str, Callable[[Call], Evaluator]] = {
    "||": _either(True),
    "&&": _either(False),
    "in": _in,
    "not in": _in,
    "BOUND": _bound,
    "REGEX": _regex,
}
