"""Rewriting: a subscription with the same meaning and more of it in its edges, where an index finds it.

`RULES` lists the rules in the order in which they are applied; each is a function from a branch to a branch in a module
of its own. A rule returns the branch itself if it has nothing to change. To add a rule, write such a module and add its
function to `RULES`. After the rules, `find_contradiction` names a branch that no publication can satisfy, so that it
can be registered with a warning and is never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from gtopss.language.rewrite.contradictions import find_contradiction
from gtopss.language.rewrite.expand_members import RDFS_MEMBER, add_members, expand_members
from gtopss.language.rewrite.merge_variables import merge_variables
from gtopss.language.rewrite.push_constants import push_constants
from gtopss.model import Branch, Publication, Subscription
from gtopss.model.terms import is_variable

__all__ = ["RULES", "RewriteResult", "Rule", "apply_rules", "rewrite_for_explanation", "rewrite_subscription"]

Rule: TypeAlias = Callable[[Branch], Branch]

RULES: tuple[Rule, ...] = (expand_members, push_constants, merge_variables)
ENTAILMENT_RULES: tuple[Rule, ...] = (push_constants, merge_variables)
"""For publications with RDFS entailment."""
EXPLANATION_RULES: tuple[Rule, ...] = (push_constants, merge_variables)
"""Without `expand_members`, whose hidden variables would mean nothing to the reader of an explanation."""


class RewriteResult(NamedTuple):
    """A subscription of the branches that can match (None if none can), and why the others cannot."""

    subscription: Subscription | None
    impossible: tuple[str, ...]


def rewrite_subscription(
    subscription: Subscription, *, lenient_literals: bool = False, entailed: bool = False
) -> RewriteResult:
    """Apply `RULES` to each branch and drop those that cannot match; an unchanged subscription is returned itself.

    For an engine with lenient literals, the constants of the subscription were read (`lenient_constants`). With RDFS
    entailment (`entailed`) publications have their `rdfs:member` triples, and `rdfs:member` stays in its edge.
    """
    rules = ENTAILMENT_RULES if entailed else RULES
    if all(_has_only_edges(branch) for branch in subscription.branches):
        return RewriteResult(subscription, ())
    possible, impossible = [], []
    for branch in subscription.branches:
        rewritten = apply_rules(branch, rules)
        reason = find_contradiction(rewritten, lenient_literals=lenient_literals)
        if reason is None:
            possible.append(rewritten)
        else:
            impossible.append(reason)
    if not possible:
        return RewriteResult(None, tuple(impossible))
    if tuple(possible) == subscription.branches:
        return RewriteResult(subscription, ())
    known = {name for branch in possible for name in branch.columns()}
    select = [name for name in subscription.select if name in known]
    remaining = Subscription(subscription.id, branches=possible, select=select, distinct=subscription.distinct)
    return RewriteResult(remaining, tuple(impossible))


def apply_rules(branch: Branch, rules: Iterable[Rule]) -> Branch:
    """Apply the rules in their order, and again until none changes the branch: one may make work for another."""
    rules = tuple(rules)
    while True:
        before = branch
        for rule in rules:
            branch = rule(branch)
        if branch is before:
            return branch


def rewrite_for_explanation(
    branches: Iterable[Branch], publication: Publication, *, entailed: bool = False
) -> tuple[Publication, list[Branch]]:
    """Return the branches as a reader should see them, and the publication to explain them by.

    Constants are pushed into the edges, so that a missing one is a missing edge. `rdfs:member` stays in its edge, and
    the publication gets the rdfs:member triples that its containers entail; only if a property variable could match
    those triples, `rdfs:member` is expanded as for matching. With RDFS entailment (`entailed`) it has these triples.
    """
    branches = list(branches)
    edges = [edge for branch in branches for edge in branch.edges()]
    if not entailed and any(edge[1] == RDFS_MEMBER for edge in edges):
        if any(is_variable(edge[1]) for edge in edges):
            branches = [expand_members(branch) for branch in branches]
        else:
            publication = add_members(publication)
    return publication, [apply_rules(branch, EXPLANATION_RULES) for branch in branches]


def _has_only_edges(branch: Branch) -> bool:
    """Return whether no rule can apply: there are no constraints, and no edge is `rdfs:member`."""
    return not branch.where and all(
        each.property != RDFS_MEMBER and not each.subject_constraints and not each.object_constraints
        for each in branch.tuples
    )
