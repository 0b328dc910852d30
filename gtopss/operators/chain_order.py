"""Linked chains, and the order in which to evaluate them (DEBS 2007, section 4.2).

The text that we have lacks section 4.2.1 and most of 4.2.2, which define linked chains and the procedure over them. We
reconstructed them from the sections that refer to them: a chain is a subscription's predicates sorted by selectivity,
the least likely on top; an equivalence link joins equal predicates of two chains; the chains are evaluated one after
the other, each from its top until a node fails, and every answer is passed along the links, which ends all chains that
contain a failed node.

Section 4.2.5 orders the chains by what each pair's order saves (`chain_costs.cost_difference`). `order_as_printed` is
that procedure, with the least changes that make it give an order:

| paper                                           | `order_as_printed`                                              |
|-------------------------------------------------|-----------------------------------------------------------------|
| vertex of V                                     | a chain                                                         |
| W(u, v), "the cost savings of evaluating u      | `pair_savings`; of the two edges of a pair, only the one that   |
| before v"                                       | saves something, since the other would undo it                  |
| "increasing order of their weights", "the       | decreasing weight, the greatest saving first. As printed, the   |
| least-weight edge"                              | least important order would be fixed first                      |
| no vertex "of degree three or more"             | at most one edge leaves a chain and at most one enters it. As   |
|                                                 | printed, two edges may point at one chain, which is no sequence |
| no cycle, "unless the number of selected edges  | no cycle at all. As printed, the last edge closes a tour, which |
| equals the number of vertices"                  | has no first chain                                              |
| the complete graph                              | all pairs that share a predicate, if these are no more than     |
|                                                 | `MAX_COMPARED_PAIRS`; otherwise, for each predicate, a chain    |
|                                                 | is compared with as many next chains in P/C order as fit        |
| "until the selected edges cover all vertices"   | the paths that result are joined in the order of registration   |
|                                                 | (`join_paths`), because the edges that are left save nothing    |

`order_by_gain` is ours. It takes the paths apart again: the next chain is the one that is expected to decide most
subscriptions per cost, among those whose predecessor is already placed. With `neighbours=0` there are no pairs and no
predecessors, which shows what the pairs contribute.

Sorting needs a rule for equal selectivities, or links may cross. The paper has none: `order_as_printed` sorts them by
number, an arbitrary rule that is the same in all chains. Ours sorts them by popularity first, which gains as much as
everything else if all selectivities are equal.
"""

from __future__ import annotations

import numpy

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.kernels import chain_order as kernels
from gtopss.operators.kernels.arrays import GraphArrays, Integers

MAX_COMPARED_PAIRS = 500_000
"""Pairs of chains that a plan of Sub-Order compares. Above it, chains are compared with their neighbours only.

On the workload that Figures 6 to 8 have in common, comparing all 52 million pairs changes the calls by at most 1.4%
(`gtopss.experiments.papers.operator_pairs`).
"""
COMPARED_NEIGHBOURS = 4
"""Chains that `order_by_gain` compares a chain with, for each of its predicates. More take longer and save little."""


def order_as_printed(
    graph: GraphArrays, *, cost_rule: CostRule = "printed", max_pairs: int = MAX_COMPARED_PAIRS
) -> Integers:
    """Return the chains (instances of the graph) in the order of section 4.2.5."""
    neighbours = affordable_neighbours(graph, max_pairs)
    successor, predecessor, _ = _link(graph, cost_rule, neighbours)
    return kernels.join_paths(successor, predecessor)


def order_by_gain(graph: GraphArrays, *, neighbours: int = COMPARED_NEIGHBOURS) -> Integers:
    """Return the chains by what they are expected to decide per cost, each after its predecessor."""
    successor, predecessor, nodes = _link(graph, "expected", neighbours)
    return kernels.sort_by_gain(graph, nodes, successor, predecessor)


def rank_predicates(graph: GraphArrays, cost_rule: CostRule = "expected") -> Integers:
    """Return each predicate's position in all chains.

    The rule "printed" sorts by p (section 4.2), then by number. The rule "expected" sorts by c / (1 - p), which is the
    same if all costs are equal, then by popularity, then by number.
    """
    if cost_rule == "printed":
        order = numpy.argsort(graph.selectivity, kind="stable")
    else:
        with numpy.errstate(divide="ignore"):
            key = graph.cost / (1.0 - graph.selectivity)
        order = numpy.lexsort((-numpy.diff(graph.predicate_start), key))
    rank = numpy.empty(len(order), numpy.int32)
    rank[order] = numpy.arange(len(order), dtype=numpy.int32)
    return rank


def affordable_neighbours(graph: GraphArrays, max_pairs: int) -> int:
    """Return the greatest number of neighbours per predicate with at most `max_pairs` pairs, at least 1."""
    most = max(int(numpy.diff(graph.predicate_start).max(initial=0)) - 1, 1)
    least = 1
    while least < most:
        middle = (least + most + 1) // 2
        if kernels.count_pairs(graph.predicate_start, middle) <= max_pairs:
            least = middle
        else:
            most = middle - 1
    return least


def _link(graph: GraphArrays, cost_rule: CostRule, neighbours: int) -> tuple[Integers, Integers, Integers]:
    """Return each chain's successor and predecessor, and all chains, sorted."""
    rank = rank_predicates(graph, cost_rule)
    nodes = kernels.sort_chains(graph.instance_start, graph.instance_predicates, rank)
    weights = (graph.selectivity, graph.cost)
    if cost_rule == "printed":
        weights = (graph.selectivity * graph.cost, numpy.ones(len(graph.cost)))
    first, second, saved = kernels.pair_savings(graph, nodes, rank, weights, neighbours)
    chains = len(graph.instance_start) - 1
    return *kernels.link_chains(chains, first, second, kernels.sort_descending(saved)), nodes
