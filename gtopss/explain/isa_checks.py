"""Explain the is-a parts of a constraint: the path up the taxonomy, or what the term is instead."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.explain.explanation import IsACheck
from gtopss.explain.limits import MAX_CLASSES_SHOWN
from gtopss.explain.operands import compile_operands, operand_terms
from gtopss.explain.triple_index import Row
from gtopss.model import Call, Expression, Term
from gtopss.model.expressions import IS_A
from gtopss.model.terms import iri_text, is_iri
from gtopss.semantics import EvaluationContext
from gtopss.semantics.is_a import IS_A_FUNCTIONS

_START = "?"
"""The start of a path in place of the term, which may be a literal or a blank node. No class has this name."""


def isa_checks(expression: Expression, values: Row, context: EvaluationContext) -> Iterator[IsACheck]:
    """Yield each is-a call inside an expression, evaluated on a row."""
    if not isinstance(expression, Call):
        return
    if expression.function in IS_A and len(expression.arguments) == 2:
        operands = operand_terms(compile_operands(*expression.arguments), values, context)
        if operands is not None:
            yield _isa_check(expression.function, *operands, context)
    for argument in expression.arguments:
        yield from isa_checks(argument, values, context)


def _isa_check(function: str, term: Term, cls: Term, context: EvaluationContext) -> IsACheck:
    answer = IS_A_FUNCTIONS[function](term, cls, context)
    lower, upper = (cls, term) if function == "ancestorOf" else (term, cls)
    path, type_is_stated = _path(function if answer else "isA", lower, upper, context)
    parents = () if answer else tuple(_asserted_classes(lower, context))[:MAX_CLASSES_SHOWN]
    return IsACheck(function, term, cls, answer, path, type_is_stated, parents)


def _path(function: str, lower: Term, upper: Term, context: EvaluationContext) -> tuple[tuple[Term, ...], bool]:
    """Return a path from the lower to the upper term, and whether its first step is stated by the publication."""
    if is_iri(lower) and is_iri(upper) and (path := _taxonomy_path(function, lower, upper, context)):
        return path, False
    if lower == upper and function not in ("directlyA", "instanceOf"):
        return (lower,), False
    if function == "directlyA":
        return (lower, upper), True
    path = _stated_path(lower, upper, context)
    return path, bool(path)


def _taxonomy_path(function: str, lower: Term, upper: Term, context: EvaluationContext) -> tuple[Term, ...]:
    """Return a path made of the taxonomy's edges alone; empty if there is none."""
    taxonomy, low, up = context.taxonomy, iri_text(lower), iri_text(upper)
    if function == "directlyA":
        return (lower, upper) if taxonomy.directly_a(low, up) else ()
    if function == "instanceOf":
        return tuple(map(_term, taxonomy.path_by_types(low, sorted(taxonomy.types(low)), up)))
    return tuple(map(_term, taxonomy.path(low, up)))


def _stated_path(lower: Term, upper: Term, context: EvaluationContext) -> tuple[Term, ...]:
    """Return the shortest path that begins with a type which the publication states; empty if there is none."""
    types = context.stated_types(lower)
    if upper in types:
        return lower, upper
    if not is_iri(upper):
        return ()
    classes = (iri_text(each) for each in types if is_iri(each) and each != lower)
    path = context.taxonomy.path_by_types(_START, classes, iri_text(upper))
    return (lower, *map(_term, path[1:])) if path else ()


def _asserted_classes(term: Term, context: EvaluationContext) -> Iterator[Term]:
    """Yield the asserted classes of a term: first those that the publication states, then the taxonomy's."""
    stated = dict.fromkeys(context.stated_types(term))
    yield from stated
    if is_iri(term):
        yield from (cls for cls in map(_term, sorted(context.taxonomy.parents(iri_text(term)))) if cls not in stated)


def _term(name: str) -> Term:
    """Convert a taxonomy's name to a term. The names of blank nodes begin with `_:`."""
    return Term(name) if name.startswith("_:") else Term(f"<{name}>")
