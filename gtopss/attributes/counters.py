"""Counters of the work that one event takes, in the terms of Le Subscribe's cost formulas (section 3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class AttributeCounters:
    """Counts of one match. A database hides its work, so the database matchers count the rows that a query covers."""

    predicates: int = 0  # a predicate or key tested against a value: the paper's C_p, and the steps of a search
    additions: int = 0  # hit counts raised by one: C_add
    comparisons: int = 0  # hit counts compared with the number required: C_comp
    nodes: int = 0  # nodes of a tree, cells of a list or slots of a table that were visited

    @property
    def work(self) -> int:
        """The sum of all counts, each weighted the same."""
        return self.predicates + self.additions + self.comparisons + self.nodes
