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
from gtopss.language.required import required_parts
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.algebra import FORMS, as_call, edges_of
from gtopss.model.expressions import calls_in, leaf_terms, variables
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
            pattern = first
        elif pattern.function == "GROUP" and first.function == "JOIN":
            pattern = as_call(first.arguments[0])
        elif pattern.function == "GROUP" and first.function == "TRIPLES":
            return pattern
        else:
            return None
    return None


def _are_alike(group: list[Conjunction], whole: list[Conjunction]) -> bool:
    """Return whether nothing outside of the group is required: else its rows would be fewer than its solutions."""
    sizes, others = ([(len(p.edges), len(p.tests), len(p.binds)) for p in each] for each in (group, whole))
    literals = any(is_literal(edge[0]) for part in group for edge in part.edges)
    return sizes == others and bool(sizes) and not literals


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
