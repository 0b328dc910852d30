"""Compare what two subscriptions match: does one of them match whatever the other does?

A branch covers another if its variables can be mapped to terms of the other so that each of its edges and constraints
is one of the other's (a homomorphism of conjunctive queries; Chandra and Merlin, STOC 1977). Then every solution of
the other has a solution of this one in it. A subscription covers another if each branch of the other is covered by one
of its branches. Two that cover each other are equal.

The answer "covers" is always right. The answer "does not cover" may be wrong: constraints are compared as they are
written after rewriting, so that `?x > 5` does not cover `?x > 6`, and the search for a mapping is bounded. What is
selected does not count, because it does not decide what matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gtopss.model import Branch, Call, Subscription, Term
from gtopss.model.expressions import Expression
from gtopss.model.terms import is_variable

MAX_COVER_STEPS = 10_000
"""Edges that are compared to find out whether one subscription covers another; beyond that it is taken not to."""


class _Steps:
    """The steps that are left for one comparison."""

    def __init__(self) -> None:
        self.left = MAX_COVER_STEPS

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


def covers(one: Subscription, other: Subscription) -> bool:
    """Return whether `one` is known to match every publication that `other` matches. Both were rewritten.

    >>> wide = Subscription("wide", [("?x", "<urn:p>", "?y")])
    >>> narrow = Subscription("narrow", [("?a", "<urn:p>", "<urn:b>"), ("?a", "<urn:q>", "?c")])
    >>> covers(wide, narrow), covers(narrow, wide)
    (True, False)
    """
    steps = _Steps()
    return all(any(_branch_covers(mine, theirs, steps) for mine in one.branches) for theirs in other.branches)


def _branch_covers(one: Branch, other: Branch, steps: _Steps) -> bool:
    if one.binds or one.operator_outputs():
        return one == other
    edges = other.edges()
    known = set(other.written_constraints())
    for mapping in _mappings(list(one.edges()), edges, {}, steps):
        if all(_mapped(test, mapping) in known for test in one.written_constraints()):
            return True
    return False


def _mappings(
    left: list[tuple[Term, Term, Term]],
    edges: tuple[tuple[Term, Term, Term], ...],
    mapping: dict[Term, Term],
    steps: _Steps,
) -> Iterator[dict[Term, Term]]:
    """Yield the ways to map the variables of the edges that are left so that each becomes one of `edges`."""
    if not left:
        yield mapping
        return
    for edge in edges:
        if not steps.take():
            return
        extended = _extended(left[0], edge, mapping)
        if extended is not None:
            yield from _mappings(left[1:], edges, extended, steps)


def _extended(
    pattern: tuple[Term, Term, Term], edge: tuple[Term, Term, Term], mapping: Mapping[Term, Term]
) -> dict[Term, Term] | None:
    made = dict(mapping)
    for part, target in zip(pattern, edge, strict=True):
        if not is_variable(part):
            if part != target:
                return None
        elif made.setdefault(part, target) != target:
            return None
    return made


def _mapped(tree: Expression, mapping: Mapping[Term, Term]) -> Expression:
    if isinstance(tree, Call):
        return Call(tree.function, tuple(_mapped(each, mapping) for each in tree.arguments))
    return mapping.get(tree, tree)
