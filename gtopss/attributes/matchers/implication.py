"""Which predicates follow from which, on one attribute (Aguilera et al., PODC 1999, section 3: related tests)."""

from __future__ import annotations

from typing import Any

from gtopss.attributes.domains import Domain, Kind, Operator
from gtopss.attributes.predicates import Predicate

_UPPER = (Operator.BELOW, Operator.AT_MOST)
_LOWER = (Operator.ABOVE, Operator.AT_LEAST)


def implies(known: Predicate, asked: Predicate, domain: Domain) -> bool:
    """Whether every value that satisfies `known` satisfies `asked`; sound, and complete on dense orders.

    Over a partial order only an equality implies anything here: is-a through instances does not chain.

    >>> from gtopss.attributes.domains import NumericDomain
    >>> implies(Predicate("a", ">", 7), Predicate("a", ">", 5), NumericDomain("n"))
    True
    """
    if known == asked:
        return True
    if Operator.CONTAINS in (known.operator, asked.operator):
        return False
    if known.operator is Operator.EQUAL:
        return domain.holds(known.value, asked.operator, asked.value)
    if domain.kind not in (Kind.NUMERIC, Kind.STRING):
        return False
    mine: Any = known.value
    its: Any = asked.value
    strict = known.operator in (Operator.BELOW, Operator.ABOVE)
    if known.operator in _UPPER:
        if asked.operator is Operator.AT_MOST:
            return bool(mine <= its)
        if asked.operator in (Operator.BELOW, Operator.UNEQUAL):
            return bool(mine < its or (strict and mine == its))
    if known.operator in _LOWER:
        if asked.operator is Operator.AT_LEAST:
            return bool(mine >= its)
        if asked.operator in (Operator.ABOVE, Operator.UNEQUAL):
            return bool(mine > its or (strict and mine == its))
    return False
