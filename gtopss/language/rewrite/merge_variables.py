"""Rule: two variables of the edges that must be the same term become one variable.

`sameTerm(?x, ?y)` says so; `?x = ?y` does where one of the two stands for a subject or a property, hence for no
literal: two literals may be equal in value and yet be different terms.
"""

from __future__ import annotations

from gtopss.language.rewrite.equalities import equalities, replace_variables
from gtopss.model import Branch, Call, Term


def merge_variables(branch: Branch) -> Branch:
    """Replace variables of the edges by others that an equality makes the same term."""
    found = equalities(branch)
    if not found:
        return branch
    in_edges = set(branch.variables())
    never_literals = {part for each in branch.tuples for part in (each.subject, each.property)}
    replaced: dict[Term, Term] = {}
    satisfied: set[Call] = set()

    def representative(name: Term) -> Term:
        while name in replaced:
            name = replaced[name]
        return name

    for test, one, other in found:
        if one not in in_edges or other not in in_edges:
            continue
        if test.function != "SAMETERM" and one not in never_literals and other not in never_literals:
            continue
        one, other = representative(one), representative(other)
        if one != other:
            replaced[other] = one
        satisfied.add(test)
    replaced = {name: representative(name) for name in replaced}
    return replace_variables(branch, replaced, satisfied) if replaced else branch
