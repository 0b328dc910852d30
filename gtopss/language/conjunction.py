"""Conjunctions: the edges, binds and constraints that become one branch, and the join of two of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from gtopss.language.convert import operator_outputs
from gtopss.model import Branch, Call, Expression, FiveTuple, Term
from gtopss.model.expressions import impossible_constraint, substitute, variables
from gtopss.model.terms import is_hidden, is_literal

Edge: TypeAlias = tuple[Term, Term, Term]
_NO_VALUE = Call("UNBOUND", ())


@dataclass(slots=True)
class Conjunction:
    """Edges, binds and constraints that must all hold. Mutable while a query is lowered."""

    edges: list[Edge] = field(default_factory=list)
    binds: dict[Term, Expression] = field(default_factory=dict)
    tests: list[Call] = field(default_factory=list)

    def copy(self) -> Conjunction:
        """Return a copy that shares no list or dict with this one."""
        return Conjunction([*self.edges], dict(self.binds), [*self.tests])

    def edge_variables(self) -> set[Term]:
        """Return the variables of the edges."""
        return {part for edge in self.edges for part in edge if part[0] == "?"}

    def bound_variables(self) -> set[Term]:
        """Return the variables that have, or may have, a value."""
        outputs = {name for tree in self.binds.values() for name in operator_outputs(tree)}
        return self.edge_variables() | self.binds.keys() | outputs

    def rename(self, name: Term, new_name: Term) -> None:
        """Rename a bound variable in the binds and constraints, in place."""
        renamed = {name: new_name}
        self.binds = {renamed.get(key, key): substitute(tree, renamed) for key, tree in self.binds.items()}
        self.tests = [_as_call(substitute(test, renamed)) for test in self.tests]

    def to_branch(self) -> Branch:
        """Return the branch; a constraint on one variable goes to an edge that has it, the others to `where`."""
        on_subject: dict[int, list[Call]] = {}
        on_object: dict[int, list[Call]] = {}
        where = [
            impossible_constraint(f"the literal {subject} cannot be a subject")
            for subject, _, _ in self.edges
            if is_literal(subject)
        ]
        ends: dict[Term, tuple[dict[int, list[Call]], int]] = {}
        for number, (subject, _, object_) in enumerate(self.edges):
            ends.setdefault(subject, (on_subject, number))
            ends.setdefault(object_, (on_object, number))
        for test in dict.fromkeys(self.tests):
            names = variables(test)
            end = ends.get(next(iter(names))) if len(names) == 1 else None
            if end is None:
                where.append(test)
            else:
                constraints, number = end
                constraints.setdefault(number, []).append(test)
        tuples = [
            FiveTuple(*edge, on_subject.get(number, ()), on_object.get(number, ()))
            for number, edge in enumerate(self.edges)
            if not is_literal(edge[0])
        ]
        if len(tuples) < len(self.edges):  # impossible: what tests the values of the missing edges says nothing
            known = {name for each in tuples for name in each.variables()} | self.binds.keys()
            where = [test for test in where if variables(test) <= known]
            values = {name: tree if variables(tree) <= known else _NO_VALUE for name, tree in self.binds.items()}
            return Branch(tuples, where, values.items())
        return Branch(tuples, where, self.binds.items())


def join(one: Conjunction, other: Conjunction, new_variable: Callable[[], Term]) -> Conjunction | None:
    """Join two conjunctions; return None if a variable would need two different constants.

    A variable that both bind must have the same value in both. `new_variable` makes the hidden variables that such a
    comparison needs. The arguments are not changed.
    """
    left, right = one.copy(), other.copy()
    agreements: list[Call] = []
    merged: dict[Term, Expression] = {}
    for name in dict.fromkeys((*one.binds, *other.binds)):
        if name in one.binds and name in other.binds:
            mine, yours = one.binds[name], other.binds[name]
            if _is_constant(mine) and _is_constant(yours):
                if mine != yours:
                    return None
                del right.binds[name]
                continue
            first, second = new_variable(), new_variable()
            left.rename(name, first)
            right.rename(name, second)
            agreements.append(_agreement(first, second))
            merged[name] = Call("COALESCE", (first, second))
        elif name in one.binds and name in other.edge_variables():
            agreements.append(_agreement_with_edge(left, name, new_variable))
        elif name in other.binds and name in one.edge_variables():
            agreements.append(_agreement_with_edge(right, name, new_variable))
    return Conjunction(
        left.edges + right.edges,
        {**left.binds, **right.binds, **merged},
        [*left.tests, *right.tests, *agreements],
    )


def _agreement_with_edge(part: Conjunction, name: Term, new_variable: Callable[[], Term]) -> Call:
    """Return the constraint that the value of `name` in this part is the one that an edge of the other part gives it.

    The bind of `name` is removed from `part`, or renamed in it.
    """
    value = part.binds[name]
    if _is_constant(value):
        del part.binds[name]
        return Call("SAMETERM", (name, value))
    hidden = new_variable()
    part.rename(name, hidden)
    return _agreement(hidden, name)


def _agreement(one: Term, other: Term) -> Call:
    """Return SPARQL's compatibility: two values of a variable are the same term, or one of them is missing."""
    missing = [Call("!", (Call("BOUND", (name,)),)) for name in (one, other) if is_hidden(name)]
    return Call("||", (*missing, Call("SAMETERM", (one, other))))


def _is_constant(tree: Expression) -> bool:
    return not isinstance(tree, Call) and tree[0] != "?"


def _as_call(tree: Expression) -> Call:
    assert isinstance(tree, Call)
    return tree
