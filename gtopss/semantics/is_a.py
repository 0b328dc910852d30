"""The is-a functions over the taxonomy and the publication's own types (G-ToPSS, sections 3.2, 3.4 and 4.2).

The paper lists instances in the taxonomy and notes that a publication may state them by a type property; both
count here. Types are not transitive: an instance of a class is not an instance of that class's metaclass.

| function     | paper | meaning                                                                          |
|--------------|-------|----------------------------------------------------------------------------------|
| `isA`        |       | x is C, or a subclass or an instance of C at any depth: the paper's ≤, made reflexive |
| `descendantOf` | ≤   | x lies below C, and is not C                                                     |
| `instanceOf` |       | some type of x is C or below it                                                  |
| `directlyA`  | =     | an asserted edge leads from x to C                                               |
| `ancestorOf` | ≥     | C lies below x, and is not x                                                     |
"""

from __future__ import annotations

from collections.abc import Callable

from gtopss.model.terms import Term, iri_text, is_iri
from gtopss.semantics.budget import STEPS_PER_NODE
from gtopss.semantics.context import EvaluationContext


def is_a(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether the term is the class, or a subclass or an instance of it at any depth."""
    if term == cls:
        return True
    if is_iri(term) and is_iri(cls) and context.taxonomy.is_a(iri_text(term), iri_text(cls)):
        return True
    return _has_stated_type_below(term, cls, context)


def instance_of(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether some type of the term is the class or lies below it."""
    if is_iri(term) and is_iri(cls) and context.taxonomy.instance_of(iri_text(term), iri_text(cls)):
        return True
    return _has_stated_type_below(term, cls, context)


def directly_a(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether an asserted edge leads from the term to the class."""
    if is_iri(term) and is_iri(cls) and context.taxonomy.directly_a(iri_text(term), iri_text(cls)):
        return True
    return cls in context.stated_types(term)


def ancestor_of(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether the class lies below the term, and is neither the term nor equivalent to it."""
    if term == cls or (is_iri(term) and iri_text(cls) in context.taxonomy.equivalents(iri_text(term))):
        return False
    return is_a(cls, term, context)


def descendant_of(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether the term lies below the class, and is neither the class nor equivalent to it."""
    return ancestor_of(cls, term, context)


def _has_stated_type_below(term: Term, cls: Term, context: EvaluationContext) -> bool:
    """Return whether the publication states a type of the term that is the class or lies below it."""
    types = context.stated_types(term)
    context.budget.spend(STEPS_PER_NODE * len(types))
    for stated in types:
        if stated == cls:
            return True
        if is_iri(stated) and is_iri(cls) and context.taxonomy.is_subclass(iri_text(stated), iri_text(cls)):
            return True
    return False


IS_A_FUNCTIONS: dict[str, Callable[[Term, Term, EvaluationContext], bool]] = {
    "isA": is_a,
    "instanceOf": instance_of,
    "directlyA": directly_a,
    "ancestorOf": ancestor_of,
    "descendantOf": descendant_of,
}
