"""Sub-Order (DEBS 2007, section 4.2): chains sorted by selectivity, evaluated in an order planned in advance.

`chain_order` has the plan of section 4.2.5, and names every change; `chain_costs` has its formulas. With costs it
follows section 4.3 (`cost_rule="printed"`): chains stay sorted by p, and p becomes p times c in the products.
`SubOrder("expected")` uses expected costs and sorts chains by c / (1 - p) instead.
"""

from __future__ import annotations

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.chain_order import MAX_COMPARED_PAIRS, order_as_printed
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.planned_chains import PlannedChains


class SubOrder(PlannedChains):
    """Evaluates chains in the order of the paper. `max_pairs` limits how many pairs a plan compares."""

    description = "the chain of the next undecided subscription from its top, in the order of the paper's section 4.2.5"

    def __init__(self, cost_rule: CostRule = "printed", max_pairs: int = MAX_COMPARED_PAIRS) -> None:
        super().__init__()
        self.cost_rule, self.max_pairs = cost_rule, max_pairs

    def order_chains(self, graph: PredicateGraph) -> Integers:
        return order_as_printed(graph, cost_rule=self.cost_rule, max_pairs=self.max_pairs)
