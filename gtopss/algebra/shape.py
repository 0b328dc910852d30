"""What the shape of a query says of its solutions: whether it has one wherever its step ROWS has one."""

from __future__ import annotations

from typing import NamedTuple

from gtopss.model import Call, Expression, Term
from gtopss.model.algebra import UNDEFINED, as_call, as_term, is_name, text_of
from gtopss.model.expressions import calls_in
from gtopss.model.terms import is_hidden, is_variable

_KEEP_SOLUTIONS = frozenset(("SELECT", "ORDER", "DISTINCT"))
_NEVER_REMOVE = frozenset(("OPTIONAL", "BIND"))
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class CountTest(NamedTuple):
    """HAVING of one count: a group of rows with equal `keys` whose count compares so with a number."""

    keys: tuple[Term, ...]
    counted: Term | None
    """The variable whose values are counted; None if rows are."""
    distinct: bool
    sign: str
    number: Term


def core_of(query: Call) -> Call:
    """Return the pattern of a SELECT or ASK query that has a solution if and only if the query has one."""
    while True:
        if query.function in _KEEP_SOLUTIONS or query.function == "ASK" or _keeps_first(query):
            query = as_call(query.arguments[0])
        else:
            return query


def _keeps_first(pattern: Call) -> bool:
    """Return whether a pattern is a LIMIT that keeps the first solution."""
    if pattern.function != "SLICE":
        return False
    offset, most = pattern.arguments[1:]
    return int(text_of(offset)) == 0 and (most == UNDEFINED or int(text_of(most)) > 0)


def is_never_empty(pattern: Call) -> bool:
    """Return whether a pattern has a solution wherever its step ROWS has one."""
    pattern = core_of(pattern)
    if pattern.function == "AGGREGATES":
        return is_never_empty(as_call(pattern.arguments[0]))
    if pattern.function != "GROUP" or not pattern.arguments:
        return False
    first, *others = map(as_call, pattern.arguments)
    if any(step.function not in _NEVER_REMOVE for step in others):
        return False
    return first.function == "ROWS" or (first.function == "JOIN" and is_never_empty(as_call(first.arguments[0])))


def count_test(query: Call) -> CountTest | None:
    """Return the test of a query that only groups the solutions of its step ROWS and compares one count."""
    match core_of(query):
        case Call("GROUP", (Call("JOIN", (Call("AGGREGATES", (inner, keys, *aggregates)),)), *steps)):
            pass
        case _:
            return None
    match inner:
        case Call("GROUP", (Call("ROWS"),)):
            pass
        case _:
            return None
    tests = [as_call(step).arguments[0] for step in steps if as_call(step).function == "FILTER"]
    if len(tests) != 1 or any(as_call(step).function not in ("FILTER", "BIND") for step in steps):
        return None
    comparison = _comparison(tests[0])
    pairs = [as_call(key).arguments for key in as_call(keys).arguments]
    if comparison is None or any(tree != name for tree, name in pairs):
        return None
    name, sign, number = comparison
    counted = [call for call, made in (as_call(each).arguments for each in aggregates) if made == name]
    if len(counted) != 1:
        return None
    function, kind, argument, *_ = as_call(counted[0]).arguments
    if text_of(function) != "COUNT" or (isinstance(argument, Call) and argument != Call("ALL", ())):
        return None
    counted_name = None if isinstance(argument, Call) else as_term(argument)
    if counted_name is not None and not is_variable(counted_name):
        return None
    distinct = text_of(kind) == "distinct"
    if distinct and counted_name is None:
        if any(is_name(part) and is_hidden(as_term(part)) for call in calls_in([inner]) for part in call.arguments):
            return None  # rows that differ only in blank nodes of the pattern count once
        distinct = False  # the rows of triples differ
    return CountTest(tuple(as_term(name) for _, name in pairs), counted_name, distinct, sign, number)


def _comparison(test: Expression) -> tuple[Term, str, Term] | None:
    """Return variable, sign and constant of a comparison; None for another test."""
    if not isinstance(test, Call) or test.function not in _MIRRORED:
        return None
    one, other = test.arguments
    if isinstance(one, Call) or isinstance(other, Call) or is_variable(one) == is_variable(other):
        return None
    return (one, test.function, other) if is_variable(one) else (other, _MIRRORED[test.function], one)
