"""Rule: a variable that must be one constant term becomes that constant in the edges, where an index finds it.

`?x = <iri>`, `?x = "text"` and `sameTerm(?x, ...)` fix the term and not only its value. `?x = 5` does not: 5.0 would do
as well.
"""

from __future__ import annotations

from gtopss.language.rewrite.equalities import equalities, replace_variables
from gtopss.model import Branch, Call, Term
from gtopss.model.terms import is_variable
from gtopss.semantics.values import ValueKind, value_of

_EQUAL_ONLY_TO_THEMSELVES = (ValueKind.IRI, ValueKind.STRING, ValueKind.LANGUAGE_STRING)


def push_constants(branch: Branch) -> Branch:
    """Replace each variable of the edges that an equality fixes to a constant by that constant."""
    found = equalities(branch)
    if not found:
        return branch
    replaced: dict[Term, Term] = {}
    satisfied: set[Call] = set()
    in_edges = set(branch.variables())
    for test, one, other in found:
        name, constant = (one, other) if is_variable(one) else (other, one)
        if name not in in_edges or is_variable(constant):
            continue
        if test.function != "SAMETERM" and value_of(constant).kind not in _EQUAL_ONLY_TO_THEMSELVES:
            continue
        # A second, different constant stays as a constraint, which will then turn out to be false.
        if replaced.setdefault(name, constant) == constant:
            satisfied.add(test)
    return replace_variables(branch, replaced, satisfied) if replaced else branch
