"""How close a branch came to matching.

The explainer orders branches with this key. To rank subscriptions by how nearly they matched an item, explain each of
them and sort by the key of its first branch.
"""

from __future__ import annotations

from gtopss.explain.explanation import BranchExplanation
from gtopss.feeds.namespaces import RSS
from gtopss.model.terms import RDF_TYPE, is_variable

_IS_AN_ITEM = (RDF_TYPE, f"<{RSS}item>")


def closeness(branch: BranchExplanation) -> tuple[int, ...]:
    """Return a sort key: matches first, then the branches with the fewest missing edges and failing constraints."""
    missing_edges = len(branch.branch.edges()) - len(branch.matched_edges)
    failing_constraints = sum(not check.holds for check in branch.checks())
    return not branch.matched, missing_edges, failing_constraints, -len(branch.matched_edges), branch.number


def is_partly_met(branch: BranchExplanation) -> bool:
    """Return whether a condition holds that few items meet: a constraint that is no negation, or an edge to a constant.

    That the item is an item of a feed does not count.
    """
    return any(check.holds and check.constraint.function != "!" for check in branch.checks()) or any(
        not is_variable(each.edge[2]) and each.edge[1:] != _IS_AN_ITEM for each in branch.matched_edges
    )
