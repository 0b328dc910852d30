"""The check of a query before it is registered: its shape, and whether its expressions can be evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.algebra.aggregation import AGGREGATES
from gtopss.algebra.patterns import OPERATORS
from gtopss.algebra.steps import STEPS
from gtopss.errors import InvalidSubscription
from gtopss.model import Call, Expression
from gtopss.model.algebra import (
    FORMS,
    MAX_QUERY_DEPTH,
    MAX_QUERY_TERMS,
    PATTERNS,
    UNDEFINED,
    as_call,
    as_term,
    edges_of,
    text_of,
)
from gtopss.model.expressions import call_depth, leaf_terms
from gtopss.semantics.evaluate import compile_expression


def check_query(subscription_id: str, query: Call) -> None:
    """Raise InvalidSubscription if a query is not as `gtopss.model.algebra` says, or cannot be evaluated."""
    try:
        if call_depth(query) > MAX_QUERY_DEPTH or sum(1 for _ in leaf_terms(query)) > MAX_QUERY_TERMS:
            raise ValueError(f"it has more than {MAX_QUERY_TERMS} terms, or nests deeper than {MAX_QUERY_DEPTH}")
        for expression in expressions_in(query):
            try:
                compile_expression(expression)
            except ValueError as error:
                raise ValueError(f"in {str(expression)[:200]}: {error}") from None
    except (ValueError, IndexError, TypeError, KeyError) as error:
        raise InvalidSubscription(subscription_id, f"{error}") from None


def expressions_in(query: Call) -> Iterator[Expression]:
    """Yield the expressions of a query, those inside of EXISTS too. Raises ValueError for a wrong shape."""
    if query.function in FORMS:
        pattern, *others = query.arguments
        yield from _in_pattern(as_call(pattern))
        for each in others:
            _check_terms(as_call(each), 3) if query.function == "CONSTRUCT" else as_term(each)
    else:
        yield from _in_pattern(query)


def _in_pattern(pattern: Call) -> Iterator[Expression]:
    if pattern.function not in OPERATORS:
        raise ValueError(f"{pattern.function} stands where a pattern must be")
    if pattern.function == "GROUP":
        for step in pattern.arguments:
            yield from _in_step(as_call(step))
        return
    inner, *others = pattern.arguments
    yield from _in_pattern(as_call(inner))
    match pattern.function:
        case "SELECT":
            _check_terms(as_call(others[0]))
        case "ORDER":
            for key in others:
                yield from _in_expression(as_call(key).arguments[0])
        case "SLICE":
            int(text_of(others[0]))
            if others[1] != UNDEFINED:
                int(text_of(others[1]))
        case "AGGREGATES":
            for key in as_call(others[0]).arguments:
                tree, name = as_call(key).arguments
                as_term(name)
                yield from _in_expression(tree)
            for each in others[1:]:
                call, name = as_call(each).arguments
                as_term(name)
                function, kind, argument, *separator = as_call(call).arguments
                if text_of(function) not in AGGREGATES or text_of(kind) not in ("distinct", "all"):
                    raise ValueError(f"{text_of(function)} is not an aggregate")
                for text in separator:
                    text_of(text)
                if argument != Call("ALL", ()):
                    yield from _in_expression(argument)


def _in_step(step: Call) -> Iterator[Expression]:
    if step.function not in STEPS:
        raise ValueError(f"{step.function} is not a step of a group")
    match step.function:
        case "TRIPLES":
            if len(edges_of(step)) < len(step.arguments):
                raise ValueError("TRIPLES has only triple patterns")
            for each in step.arguments:
                _check_terms(as_call(each), 3)
        case "PATH":
            subject, path, object_ = step.arguments
            as_term(subject), as_term(object_)
            _check_path(path)
        case "ROWS":
            for each in step.arguments:
                yield from _in_step(as_call(each))
        case "JOIN" | "MINUS" | "UNION":
            for each in step.arguments:
                yield from _in_pattern(as_call(each))
        case "OPTIONAL":
            pattern, condition = step.arguments
            yield from _in_pattern(as_call(pattern))
            if condition != UNDEFINED:
                yield from _in_expression(condition)
        case "GRAPH":
            as_term(step.arguments[0])
            yield from _in_pattern(as_call(step.arguments[1]))
        case "BIND":
            tree, name = step.arguments
            as_term(name)
            yield from _in_expression(tree)
        case "VALUES":
            names, *rows = step.arguments
            _check_terms(as_call(names))
            for row in rows:
                if len(as_call(row).arguments) != len(as_call(names).arguments):
                    raise ValueError("a row of VALUES has another number of values than variables")
        case "FILTER":
            yield from _in_expression(step.arguments[0])


def _in_expression(expression: Expression) -> Iterator[Expression]:
    """Yield an expression, and those of the patterns in it."""
    yield expression
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            if node.function == "EXISTS":
                (pattern,) = node.arguments
                yield from _in_pattern(as_call(pattern))
            elif node.function in PATTERNS:
                raise ValueError(f"{node.function} stands in an expression")
            else:
                stack += node.arguments


def _check_terms(call: Call, count: int | None = None) -> None:
    if count is not None and len(call.arguments) != count:
        raise ValueError(f"{call.function} has {len(call.arguments)} terms, not {count}")
    for each in call.arguments:
        as_term(each)


def _check_path(path: Expression) -> None:
    if not isinstance(path, Call):
        return
    match path.function:
        case "INVERSE":
            _check_path(path.arguments[0])
        case "SEQUENCE" | "ALTERNATIVE":
            for each in path.arguments:
                _check_path(each)
        case "NOT":
            for each in path.arguments:
                _check_terms(as_call(each))
        case "REPEAT":
            inner, sign = path.arguments
            _check_path(inner)
            if text_of(sign) not in ("?", "*", "+"):
                raise ValueError(f"{text_of(sign)} is not a repetition")
        case _:
            raise ValueError(f"{path.function} is not a property path")
