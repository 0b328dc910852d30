"""Equalities between terms in a branch, and the replacement of variables: shared by the rules that use them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from gtopss.model import Branch, Call, Expression, FiveTuple, Term
from gtopss.model.expressions import impossible_constraint, substitute, variables
from gtopss.model.terms import is_iri, is_literal, is_variable


def equalities(branch: Branch) -> list[tuple[Call, Term, Term]]:
    """Return each constraint `one = other` or `sameTerm(one, other)` between two different terms."""
    found = dict[Call, tuple[Call, Term, Term]]()
    for test in branch.written_constraints():
        if test.function in ("=", "SAMETERM") and len(test.arguments) == 2:
            one, other = test.arguments
            if not isinstance(one, Call) and not isinstance(other, Call) and one != other:
                found[test] = test, one, other
    return list(found.values())


def replace_variables(branch: Branch, replaced: Mapping[Term, Term], satisfied: AbstractSet[Call]) -> Branch:
    """Replace variables by other terms, and drop the `satisfied` constraints; replaced variables stay reported."""
    tuples: list[FiveTuple] = []
    where: list[Call] = []
    for each in branch.tuples:
        subject, property, object_ = (replaced.get(part, part) for part in each.edge())
        if is_literal(subject) or not (is_iri(property) or is_variable(property)):
            name, value = (each.subject, subject) if is_literal(subject) else (each.property, property)
            where.append(impossible_constraint(f"{value} cannot stand where {name} does"))
            continue
        tests = [_constraint(substitute(test, replaced)) for test in each.constraints() if test not in satisfied]
        on_subject = [test for test in tests if variables(test) == {subject}]
        on_object = [test for test in tests if variables(test) == {object_} and test not in on_subject]
        where.extend(test for test in tests if test not in on_subject and test not in on_object)
        tuples.append(FiveTuple(subject, property, object_, on_subject, on_object))
    where.extend(_constraint(substitute(test, replaced)) for test in branch.where if test not in satisfied)
    binds = [*replaced.items(), *((name, substitute(tree, replaced)) for name, tree in branch.binds)]
    return Branch(tuples, where, binds)


def _constraint(tree: Expression) -> Call:
    """Return an expression as a constraint; a constant is one by its truth value."""
    return tree if isinstance(tree, Call) else Call("&&", (tree,))
