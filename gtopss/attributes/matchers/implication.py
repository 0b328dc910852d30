"""Decide which predicates on one attribute imply which (Aguilera et al., PODC 1999, section 3: related tests)."""

from __future__ import annotations

from typing import Any

from gtopss.attributes.domains import Domain, DomainKind, Operator
from gtopss.attributes.predicates import Predicate

_UPPER = (Operator.BELOW, Operator.AT_MOST)
_LOWER = (Operator.ABOVE, Operator.AT_LEAST)


def implies(known: Predicate, other: Predicate, domain: Domain) -> bool:
    """Return whether every value that satisfies `known` satisfies `other`. Sound; complete on dense orders.

    Over a partial order only an equality implies other predicates, because is-a through instances is not transitive.


    >>> from gtopss.attributes.domains import NumericDomain
    >>> implies(Predicate("a", ">", 7), Predicate("a", ">", 5), NumericDomain("n"))
    True
    """
    if known == other:
        return True
    if Operator.CONTAINS in (known.operator, other.operator):
        return False
    if known.operator is Operator.EQUAL:
        return domain.holds(known.value, other.operator, other.value)
    if domain.kind not in (DomainKind.NUMERIC, DomainKind.STRING):
        return False
    known_value: Any = known.value
    other_value: Any = other.value
    strict = known.operator in (Operator.BELOW, Operator.ABOVE)
    if known.operator in _UPPER:
        if other.operator is Operator.AT_MOST:
            return bool(known_value <= other_value)
        if other.operator in (Operator.BELOW, Operator.UNEQUAL):
            return bool(known_value < other_value or (strict and known_value == other_value))
    if known.operator in _LOWER:
        if other.operator is Operator.AT_LEAST:
            return bool(known_value >= other_value)
        if other.operator in (Operator.ABOVE, Operator.UNEQUAL):
            return bool(known_value > other_value or (strict and known_value == other_value))
    return False
