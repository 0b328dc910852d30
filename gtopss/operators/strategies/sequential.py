"""Sequential (DEBS 2007, section 4.1, Algorithm 1): at most d times the fewest calls possible.

It marks an undecided subscription, "arbitrarily", and evaluates all its predicates that some undecided subscription
has, even after the marked one is decided. Here "arbitrarily" means in the order of registration and of writing. With
different costs the bound is d times Cmax/Cmin (section 4.3).

The paper has two mistakes. Line 15 adds a predicate to the evaluated ones, E, even if line 9 skips it; here only
predicates that were evaluated count. The calls are the same, since no undecided subscription has a skipped predicate.
Claim (iii) of the proof says T \\ S where Y is meant.
"""

from __future__ import annotations

import numpy

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.next_predicate import next_sequential
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import PredicateSelector


class Sequential:
    """Evaluates all useful predicates of one subscription before it goes to the next."""

    description = "all predicates of the first undecided subscription that an undecided subscription has, as written"
    has_planned_order = False
    uses_estimates = False
    cost_rule: CostRule = "expected"

    def plan(self, graph: PredicateGraph) -> Integers | None:
        return None

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        cursor, graph = numpy.zeros(2, numpy.int64), tables.graph
        arrays = (
            graph.instance_start, graph.instance_predicates, tables.undecided, tables.started, graph.predicate_start,
            graph.predicate_instances,
        )  # fmt: skip
        return PredicateSelector(next_sequential, (cursor, *arrays))
