"""Linked chains, and the order in which to evaluate them (DEBS 2007, section 4.2).

The text that we have lacks sections 4.2.1 and 4.2.2, which define the linked-chain structure and the procedure over it.
We reconstructed them from the sections that refer to them: a chain is a subscription's predicates sorted by
selectivity, the least likely on top; an equivalence link joins equal predicates of two chains; the chains are evaluated
one after the other, each from its top until a node fails, and every answer is passed along the links, which ends all
chains that contain a failed node.

Section 4.2.5 then orders the chains by what each pair's order saves (`chain_costs.cost_difference`). The printed
procedure has four problems:

- it sorts the pairs by *increasing* weight and takes the *least* first, which would fix the least important order
  first. This module takes the largest saving first;
- it forbids a vertex of degree three, which still lets two pairs point at one chain and so does not give a sequence.
  Here a chain has at most one successor and one predecessor;
- it goes on "until the selected edges cover all vertices" of a complete graph in which pairs that share nothing have
  weight zero, so that the pieces are joined in an arbitrary order. Here the next chain is the one that is expected to
  decide most subscriptions per cost, among those whose predecessor is already placed;
- it compares all pairs, half a billion at 80,000 subscriptions. Here, for each predicate, a chain is compared with its
  next `neighbours` chains in P/C order. Chains far apart are ordered through those between them.

Sorting needs a rule for equal selectivities, or links may cross: they are sorted by popularity, then by number.
"""

from __future__ import annotations

import numpy

from gtopss.operators.kernels import chain_order as kernels
from gtopss.operators.kernels.arrays import GraphArrays, Integers

COMPARED_NEIGHBOURS = 4
"""Chains that a chain is compared with, for each of its predicates. More take longer to plan and save little."""


def order_chains(graph: GraphArrays, *, neighbours: int = COMPARED_NEIGHBOURS) -> Integers:
    """Return the chains (instances of the graph) in the order in which to evaluate them."""
    rank = rank_predicates(graph)
    nodes = kernels.sort_chains(graph.instance_start, graph.instance_predicates, rank)
    first, second, saved = kernels.pair_savings(graph, nodes, rank, neighbours)
    chains = len(graph.instance_start) - 1
    successor, predecessor = kernels.link_chains(chains, first, second, kernels.sort_descending(saved))
    return kernels.concatenate_chains(graph, nodes, successor, predecessor)


def rank_predicates(graph: GraphArrays) -> Integers:
    """Return each predicate's position when all are sorted by c / (1 - p), then by popularity, then by number."""
    popularity = numpy.diff(graph.predicate_start)
    with numpy.errstate(divide="ignore"):
        ratio = graph.cost / (1.0 - graph.selectivity)
    order = numpy.lexsort((-popularity, ratio))
    rank = numpy.empty(len(order), numpy.int32)
    rank[order] = numpy.arange(len(order), dtype=numpy.int32)
    return rank
