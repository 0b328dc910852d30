"""Contradictions: constraints of a branch that no publication can satisfy together."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from gtopss.model import Branch, Call, Publication, Term
from gtopss.model.expressions import COMPARISONS, TAXONOMY_FUNCTIONS, calls_in, leaf_terms
from gtopss.model.terms import is_variable, literal_parts
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits, compile_expressions
from gtopss.semantics.lenient_literals import LiteralRules
from gtopss.semantics.text_tests import never_occurs
from gtopss.semantics.values import TypeMismatch, equal, less, value_of
from ontology import Taxonomy

MAX_BOUNDS_COMPARED = 100
"""Bounds of one variable that are compared pair by pair; a contradiction beyond them stays unnoticed."""
_WORK = 1_000_000  # steps for a constraint without variables
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# What a publication or the taxonomy decides, so that a call without variables may still be true.
_DEPENDS_ON_CONTEXT = TAXONOMY_FUNCTIONS | {"NOW"}


class _Bound(NamedTuple):
    """A comparison of a variable with a constant, the variable on the left."""

    variable: Term
    sign: str
    constant: Term
    test: Call


def find_contradiction(branch: Branch, *, lenient_literals: bool = False) -> str | None:
    """Return why no publication can satisfy the branch, as far as its constraints show it; None if one might."""
    literals: LiteralRules = "lenient" if lenient_literals else "sparql"
    bounds: dict[Term, list[_Bound]] = {}
    for test in branch.written_constraints():
        if test.function == "NEVER":
            (reason,) = test.arguments
            assert not isinstance(reason, Call)
            return f"never matches: {literal_parts(reason)[0]}"
        if not any(map(is_variable, leaf_terms(test))) and _is_always_false(test, literals):
            return f"never matches: {_reason_of_false(test)}"
        may_be_number = lenient_literals and test.function == "="  # LCASE may change 1E5, and not its value
        if not may_be_number and (reason_of_text := never_occurs(test)) is not None:
            return f"never matches: in {test}, {reason_of_text}"
        bound = _bound(test)
        if bound is not None:
            bounds.setdefault(bound.variable, []).append(bound)
    for of_one_variable in bounds.values():
        for one, other in combinations(of_one_variable[:MAX_BOUNDS_COMPARED], 2):
            if _exclude_each_other(one, other):
                return f"never matches: {one.test} and {other.test}"
    return None


def _reason_of_false(test: Call) -> str:
    calls = (call for call in calls_in([test]) if call.function == "UNBOUND" and call.arguments)
    unbound = dict.fromkeys(call.arguments[0] for call in calls)
    if not unbound:
        return f"{test} is false"
    names = ", ".join(literal_parts(Term(str(name)))[0] for name in unbound)
    return f"{test} is never true, because {names} has no value"


def _bound(test: Call) -> _Bound | None:
    if test.function not in COMPARISONS - {"!="} or len(test.arguments) != 2:
        return None
    one, other = test.arguments
    if isinstance(one, Call) or isinstance(other, Call) or is_variable(one) == is_variable(other):
        return None
    if is_variable(one):
        return _Bound(one, test.function, other, test)
    return _Bound(other, _MIRRORED[test.function], one, test)


def _exclude_each_other(one: _Bound, other: _Bound) -> bool:
    """Return whether two bounds of one variable cannot both hold."""
    left, right = value_of(one.constant), value_of(other.constant)
    try:
        same, below = equal(left, right), less(left, right)
    except TypeMismatch:
        return False  # no common order: nothing is known
    if one.sign == other.sign == "=":
        return not same
    excluded_at_limit = same and not (one.sign[-1] == other.sign[-1] == "=")
    if one.sign in ("<", "<=", "=") and other.sign in (">", ">=", "="):
        return below or excluded_at_limit
    if one.sign in (">", ">=", "=") and other.sign in ("<", "<=", "="):
        return not (below or same) or excluded_at_limit
    return False


def _is_always_false(test: Call, literals: LiteralRules) -> bool:
    """Return whether a constraint without variables is false, whatever the publication and the taxonomy are."""
    if {call.function for call in calls_in([test])} & _DEPENDS_ON_CONTEXT:
        return False
    (compiled,) = compile_expressions("", Branch([], [test])).tests
    try:
        limits = EvaluationLimits(work=_WORK)
        context = EvaluationContext(Publication.trusted("none", ()), Taxonomy(), limits, literals)
        return not compiled.holds({}, context)
    except BudgetExceeded:
        return False  # each publication will say so
