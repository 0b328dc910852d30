"""The variables that a pattern makes visible around it (SPARQL 1.1, section 18.2.1)."""

from __future__ import annotations

from sparqlish.ast import (
    Bind,
    Element,
    Filter,
    Graph,
    Group,
    Minus,
    Optional,
    PathPattern,
    Query,
    SubSelect,
    Triple,
    Union,
    Values,
    Variable,
)

__all__ = ["selected_variables", "visible_variables"]


def visible_variables(element: Element) -> dict[Variable, None]:
    """Return the variables that an element may bind, in the written order; a filter and MINUS bind none."""
    match element:
        case Triple(subject, predicate, object_):
            return {part: None for part in (subject, predicate, object_) if isinstance(part, Variable)}
        case PathPattern(subject, _, object_):
            return {part: None for part in (subject, object_) if isinstance(part, Variable)}
        case Bind():
            return {element.variable: None}
        case Values():
            return dict.fromkeys(element.variables)
        case Union():
            return {name: None for branch in element.branches for name in visible_variables(branch)}
        case Group():
            return {name: None for inner in element.elements for name in visible_variables(inner)}
        case Optional():
            return visible_variables(element.group)
        case Graph(name, group):
            named = {name: None} if isinstance(name, Variable) else {}
            return named | visible_variables(group)
        case SubSelect(query):
            return dict.fromkeys(selected_variables(query))
        case Filter() | Minus():
            return {}


def selected_variables(query: Query) -> tuple[Variable, ...]:
    """Return the variables that a query selects; those of its pattern for `*`."""
    return tuple(visible_variables(query.where)) if query.variables is None else query.variables
