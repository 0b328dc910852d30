"""Test every subscription against every publication by backtracking: the plainest matcher.

It has no index over subscriptions and shares nothing between them; it only uses the constants of a subscription and
what is bound already. It shares no code with `gm`, so that it can be its oracle. (The paper's own "naive" of
Figure 9(h) treats every node as a variable; that is another curve.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from gtopss.matching.match_collector import MatchCollector
from gtopss.matching.matcher import MatcherLimits, OneByOneMatcher
from gtopss.model import (
    Branch,
    Counters,
    MatchReport,
    Publication,
    Solution,
    Subscription,
    Term,
    Triple,
)
from gtopss.model.terms import is_variable
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy


class NaiveMatcher(OneByOneMatcher):
    """Test each subscription in turn. For one thread at a time."""

    name = "naive"

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._expressions: dict[str, list[BranchExpressions]] = {}

    def _insert(self, subscription: Subscription) -> None:
        self._expressions[subscription.id] = [
            compile_expressions(subscription.id, branch) for branch in subscription.branches
        ]

    def _discard(self, subscription: Subscription) -> None:
        del self._expressions[subscription.id]

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        counters, context = Counters(), self._context(publication)
        collector = MatchCollector(context, row_limit)
        for subscription in self._subscriptions.values():
            found = (
                solution
                for branch, branch_expressions in zip(
                    subscription.branches, self._expressions[subscription.id], strict=True
                )
                for solution in solutions(branch, branch_expressions, context, counters)
            )
            collector.add(subscription, found)
        return collector.report(counters)


def solutions(
    branch: Branch, expressions: BranchExpressions, context: EvaluationContext, counters: Counters
) -> Iterator[Solution]:
    """Yield every substitution that makes all edges triples of the publication and all tests true.

    Depth-first with a stack of iterators in place of recursion: a pattern may be longer than Python's stack.
    """
    edges = _most_bound_first(branch)
    triples = context.publication.triples
    counters.candidates += 1
    stack: list[Iterator[dict[Term, Term]]] = [iter([{}])]
    while stack:
        values = next(stack[-1], None)
        if values is None:
            stack.pop()
        elif len(stack) <= len(edges):
            stack.append(_extensions(edges[len(stack) - 1], values, triples, counters))
        else:
            counters.joined += 1
            if expressions.check(values, context, counters):
                yield Solution.of(branch, values)


def _extensions(
    edge: Triple, values: dict[Term, Term], triples: tuple[Triple, ...], counters: Counters
) -> Iterator[dict[Term, Term]]:
    """Yield the ways to make one edge a triple of the publication."""
    expected = [values.get(part, part) for part in edge]
    for triple in triples:
        counters.edges_probed += 1
        extended = dict(values)
        for part, value in zip(expected, triple, strict=True):
            if is_variable(part):
                if extended.setdefault(part, value) != value:
                    break
            elif part != value:
                break
        else:
            yield extended


def _most_bound_first(branch: Branch) -> list[Triple]:
    """Order edges so that each next one has as many constants and bound variables as possible."""
    left, ordered, bound = list(branch.edges()), list[Triple](), set[Term]()
    while left:
        edge = max(left, key=lambda each: sum(not is_variable(part) or part in bound for part in each))
        left.remove(edge)
        ordered.append(edge)
        bound.update(edge)
    return ordered
