"""Two orders of chains of our own, beside the paper's Sub-Order (`sub_order`).

Both evaluate next the chain that is expected to decide most subscriptions per cost, as planned in advance.
`linked_gain_order` keeps the pairs of section 4.2.5: a chain waits for the chain that Kruskal's algorithm puts before
it. `gain_order` ignores the pairs; it is the control that shows what they contribute.
"""

from __future__ import annotations

from gtopss.operators.chain_order import COMPARED_NEIGHBOURS, order_by_gain
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.planned_chains import PlannedChains


class LinkedGainOrder(PlannedChains):
    """Evaluates chains by expected gain, each after the chain that a saving puts before it.

    For each predicate, planning compares a chain with its next `neighbours` chains in P/C order.
    """

    description = "the chain expected to decide most subscriptions per cost, after its predecessor in a saving pair"

    def __init__(self, neighbours: int = COMPARED_NEIGHBOURS) -> None:
        super().__init__()
        self.neighbours = neighbours

    def order_chains(self, graph: PredicateGraph) -> Integers:
        return order_by_gain(graph, neighbours=self.neighbours)


class GainOrder(LinkedGainOrder):
    """Evaluates chains by expected gain alone."""

    description = "the chain expected to decide most subscriptions per cost, in the planned order"

    def __init__(self) -> None:
        super().__init__(neighbours=0)
