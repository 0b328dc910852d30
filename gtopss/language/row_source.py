"""Mark the part of a query whose solutions an index finds itself: its rows, from which the evaluation goes on.

The first basic graph pattern of a query, with filters on its variables, is mostly all that its required part is. Then
the rows of the required part are the solutions of that pattern, and need not be joined again. In the marked query the
step `ROWS(TRIPLES(...), FILTER(...), ...)` stands in place of the pattern and these filters.

A negation of one triple pattern, such as `NOT EXISTS { ?x <urn:retracted> ?date }`, becomes the constraint
`!STATED(?x, <urn:retracted>)` of the required part.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gtopss.language.conjunction import Conjunction
from gtopss.language.required import members_needed, required_parts
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.algebra import FORMS, as_call, edges_of
from gtopss.model.expressions import calls_in, leaf_terms, substitute, variables
from gtopss.model.terms import RDFS, is_iri, is_literal, is_variable

RDFS_MEMBER = Term(f"<{RDFS}member>")  # stands for several properties
_AROUND = FORMS | {"SELECT", "AGGREGATES", "ORDER", "DISTINCT", "SLICE"}


class RowSource(NamedTuple):
    """A query with a step ROWS, and the branches whose rows are the solutions of this step."""

    query: Call
    branches: tuple[Branch, ...]


def find_row_source(query: Call) -> RowSource | None:
    """Return a query with its row source marked; None if the rows of its required part are not those of a pattern."""
    group = _first_group(query)
    if group is None:
        return None
    first = as_call(group.arguments[0])
    known = {part for edge in edges_of(first) for part in edge if is_variable(part)}
    parts = required_parts(group)
    if not known or not _are_alike(parts, required_parts(query)):
        return None
    decided, left = [first], list[Expression]()
    uses = Counter(leaf_terms(query))
    for step in map(as_call, group.arguments[1:]):
        negated = _negated_edge(step, known, uses)
        if negated is not None:
            for part in parts:
                part.tests.append(Call("!", (negated,)))
        if negated is not None or _is_decided(step, known):
            decided.append(step)
        else:
            left.append(step)
    marked = Call("GROUP", (Call("ROWS", tuple(decided)), *left))
    return RowSource(_replaced(query, group, marked), tuple(part.to_branch() for part in parts))


def _first_group(pattern: Call) -> Call | None:
    """Return the group in which the evaluation begins, if it begins with triples."""
    while pattern.arguments:
        first = pattern.arguments[0]
        if not isinstance(first, Call):
            return None
        if pattern.function in _AROUND:
            if _is_one_group(first):
                return None
            pattern = first
        elif pattern.function == "GROUP" and first.function == "JOIN":
            inner = as_call(first.arguments[0])
            if _is_one_group(inner) and members_needed(map(as_call, pattern.arguments)) is None:
                return None
            pattern = inner
        elif pattern.function == "GROUP" and first.function == "TRIPLES":
            return pattern
        else:
            return None
    return None


def _is_one_group(pattern: Call) -> bool:
    """Return whether a pattern has aggregates without GROUP BY: it has a solution even where there are no rows."""
    return pattern.function == "AGGREGATES" and not as_call(pattern.arguments[1]).arguments


def _are_alike(group: list[Conjunction], whole: list[Conjunction]) -> bool:
    """Return whether a query requires its first group and nothing else, up to the names of variables.

    With more, the rows of the required part would be fewer than the solutions of the group.
    """
    literals = any(is_literal(edge[0]) for part in group for edge in part.edges)
    return bool(group) and not literals and list(map(_form, group)) == list(map(_form, whole))


def _form(part: Conjunction) -> tuple[object, ...]:
    """Return a conjunction with variables that are numbered as they occur, to compare it with another."""
    numbers: dict[Term, Term] = {}
    ends = (end for edge in part.edges for end in edge)
    for name in (*ends, *part.binds, *(name for test in part.tests for name in leaf_terms(test))):
        if is_variable(name):
            numbers.setdefault(name, Term(f"?{len(numbers)}"))
    edges = [tuple(numbers.get(end, end) for end in edge) for edge in part.edges]
    binds = [(numbers[name], substitute(tree, numbers)) for name, tree in part.binds.items()]
    return edges, binds, [substitute(test, numbers) for test in part.tests]


def _is_decided(step: Call, known: set[Term]) -> bool:
    """Return whether a step is a filter that the required part has: on the variables of the triples alone."""
    if step.function != "FILTER" or any(call.function == "EXISTS" for call in calls_in(step.arguments)):
        return False
    return variables(step.arguments[0]) <= known


def _negated_edge(step: Call, known: set[Term], uses: Counter[Term]) -> Call | None:
    """Return the triple that must not be there, for NOT EXISTS and MINUS of one triple pattern; None for other steps.

    Its object is a constant, or a variable that the query has nowhere else, so that it is any object.
    """
    match step:
        case Call("FILTER", (Call("!", (Call("EXISTS", (pattern,)),)),)) | Call("MINUS", (pattern,)):
            pass
        case _:
            return None
    match pattern:
        case Call("GROUP", (Call("TRIPLES", (Call("TRIPLE", (subject, property, object_)),)),)):
            pass
        case _:
            return None
    if subject not in known or isinstance(property, Call) or not is_iri(property) or property == RDFS_MEMBER:
        return None
    if isinstance(object_, Call):
        return None
    if not is_variable(object_):
        return Call("STATED", (subject, property, object_))
    return Call("STATED", (subject, property)) if uses[object_] == 1 else None


def _replaced(pattern: Call, group: Call, marked: Call) -> Call:
    """Return a query with another group in which the evaluation begins."""
    if pattern is group:
        return marked
    first, *others = pattern.arguments
    return Call(pattern.function, (_replaced(as_call(first), group, marked), *others))
