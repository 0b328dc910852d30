"""Order linked chains. `gtopss.operators.chain_order` explains the steps, and how they differ from the paper's.

`nodes` is `instance_predicates` with every instance sorted, top first; `rank` is the position of each predicate in the
common order.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy

from gtopss.compiled import compiled, inner
from gtopss.operators.kernels.arrays import Counts, GraphArrays, Integers, Reals
from gtopss.operators.kernels.heap import pop, push

NodeWeights: TypeAlias = tuple[Reals, Reals]
"""By predicate: the factor that stands for its probability in a product, and the cost of its call."""


@compiled
def sort_chains(instance_start: Integers, instance_predicates: Integers, rank: Integers) -> Integers:
    """Return every instance's predicates sorted by rank, top first."""
    nodes = instance_predicates.copy()
    for instance in range(len(instance_start) - 1):
        for at in range(instance_start[instance] + 1, instance_start[instance + 1]):
            node, to = nodes[at], at
            while to > instance_start[instance] and rank[nodes[to - 1]] > rank[node]:
                nodes[to] = nodes[to - 1]
                to -= 1
            nodes[to] = node
    return nodes


@compiled
def cost_difference(one: Integers, other: Integers, rank: Integers, selectivity: Reals, weights: NodeWeights) -> float:
    """Return C1 - C2 for two sorted chains with any number of equivalence links: see `chain_costs.cost_difference`."""
    factor, cost = weights
    a = b = 0
    reach_one = reach_other = 1.0  # P: the product of all p above, shared nodes included
    unshared_one = unshared_other = 1.0  # the product of the p above that are not shared
    spent_one = spent_other = 0.0  # C': the expected cost of the nodes above, shared ones left out
    total = 0.0
    while a < len(one) and b < len(other):
        left, right = one[a], other[b]
        if left == right:
            total += (1.0 - selectivity[left]) * (reach_other * spent_one - reach_one * spent_other)
            reach_one *= factor[left]
            reach_other *= factor[left]
            a += 1
            b += 1
        elif rank[left] < rank[right]:
            spent_one += unshared_one * cost[left]
            unshared_one *= factor[left]
            reach_one *= factor[left]
            a += 1
        else:
            spent_other += unshared_other * cost[right]
            unshared_other *= factor[right]
            reach_other *= factor[right]
            b += 1
    return total


@compiled
def pair_savings(
    graph: GraphArrays, nodes: Integers, rank: Integers, weights: NodeWeights, neighbours: int
) -> tuple[Integers, Integers, Reals]:
    """Return pairs of chains (first, second, what that order saves).

    For each predicate, a chain is compared with its next `neighbours` chains in P/C order.
    """
    start = graph.instance_start
    ratio_of_node = _reach_per_cost(graph.instance_start, nodes, weights)
    pairs = count_pairs(graph.predicate_start, neighbours)
    first = numpy.empty(pairs, numpy.int32)
    second = numpy.empty(pairs, numpy.int32)
    saved = numpy.empty(pairs)
    found = 0
    for predicate in range(len(graph.predicate_start) - 1):
        chains = graph.predicate_instances[graph.predicate_start[predicate] : graph.predicate_start[predicate + 1]]
        ratio = numpy.empty(len(chains))
        for at in range(len(chains)):
            for node in range(start[chains[at]], start[chains[at] + 1]):
                if nodes[node] == predicate:
                    ratio[at] = ratio_of_node[node]
        order = numpy.argsort(-ratio, kind="mergesort")
        for at in range(len(chains)):
            for step in range(1, min(neighbours, len(chains) - 1 - at) + 1):
                one, other = chains[order[at]], chains[order[at + step]]
                difference = cost_difference(
                    nodes[start[one] : start[one + 1]],
                    nodes[start[other] : start[other + 1]],
                    rank,
                    graph.selectivity,
                    weights,
                )
                if difference != 0.0:
                    first[found], second[found] = (one, other) if difference < 0.0 else (other, one)
                    saved[found] = abs(difference)
                    found += 1
    return first[:found], second[:found], saved[:found]


@inner
def _reach_per_cost(instance_start: Integers, nodes: Integers, weights: NodeWeights) -> Reals:
    """Return P/C of every node: the probability to reach it over the expected cost above it."""
    factor, cost = weights
    ratio = numpy.empty(len(nodes))
    for instance in range(len(instance_start) - 1):
        reach, spent = 1.0, 0.0
        for at in range(instance_start[instance], instance_start[instance + 1]):
            ratio[at] = reach / spent if spent > 0.0 else math.inf
            spent += reach * cost[nodes[at]]
            reach *= factor[nodes[at]]
    return ratio


@compiled
def count_pairs(predicate_start: Integers, neighbours: int) -> int:
    """Return the number of pairs that `pair_savings` compares."""
    pairs = 0
    for predicate in range(len(predicate_start) - 1):
        sharing = predicate_start[predicate + 1] - predicate_start[predicate]
        reached = min(neighbours, max(sharing - 1, 0))
        pairs += sharing * reached - reached * (reached + 1) // 2
    return pairs


@compiled
def sort_descending(saved: Reals) -> Counts:
    """Return `numpy.argsort(-saved, kind="stable")` of positive numbers.

    The bits of positive floats have the same order as the floats. A radix sort, because sorting took half of the
    planning time.
    """
    bits = saved.view(numpy.int64)
    order, other = numpy.arange(len(saved)), numpy.empty(len(saved), numpy.int64)
    for shift in (0, 16, 32, 48):
        start = numpy.zeros(65537, numpy.int64)
        for each in bits:
            start[65536 - (each >> shift & 65535)] += 1
        for digit in range(65536):
            start[digit + 1] += start[digit]
        for pair in order:
            digit = 65535 - (bits[pair] >> shift & 65535)
            other[start[digit]] = pair
            start[digit] += 1
        order, other = other, order
    return order


@compiled
def link_chains(chains: int, first: Integers, second: Integers, order: Counts) -> tuple[Integers, Integers]:
    """Return each chain's successor and predecessor, or -1, chosen as in Kruskal's algorithm.

    Pairs are taken in `order`, unless the first chain already has a successor, the second a predecessor, or the pair
    would close a cycle.
    """
    successor = numpy.full(chains, -1, numpy.int32)
    predecessor = numpy.full(chains, -1, numpy.int32)
    parent = numpy.arange(chains)
    for pair in order:
        before, after = first[pair], second[pair]
        if successor[before] >= 0 or predecessor[after] >= 0:
            continue
        one, other = before, after
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        if one != other:
            parent[one] = other
            successor[before], predecessor[after] = after, before
    return successor, predecessor


@compiled
def join_paths(successor: Integers, predecessor: Integers) -> Integers:
    """Return all chains in one order in which every path of linked chains is whole.

    The last chain of a path is followed by the first chain of another path. The last chains are taken in the order of
    their numbers, and each gets the first chain with the least number that is still free: Kruskal's algorithm on edges
    of equal weight, sorted by their numbers.
    """
    chains = len(successor)
    following = successor.copy()
    first_of_path = numpy.empty(chains, numpy.int32)  # by the last chain of a path
    last_of_path = numpy.empty(chains, numpy.int32)  # by the first chain of a path
    free_after = numpy.full(chains + 1, chains, numpy.int32)  # linked list of free first chains; the entry at 0 leads
    place = 0
    for chain in range(chains):
        if predecessor[chain] < 0:
            free_after[place] = chain
            place = chain + 1
            last = chain
            while successor[last] >= 0:
                last = successor[last]
            first_of_path[last], last_of_path[chain] = chain, last
    for last in range(chains):
        if successor[last] >= 0:
            continue
        before = 0
        if free_after[0] == first_of_path[last]:  # its own path: take the next one
            before = free_after[0] + 1
        joined = free_after[before]
        if joined == chains:
            continue  # it is the only path that is left
        free_after[before] = free_after[joined + 1]
        following[last] = joined
        first, end = first_of_path[last], last_of_path[joined]
        first_of_path[end], last_of_path[first] = first, end
    order = numpy.empty(chains, numpy.int32)
    chain = free_after[0]
    for placed in range(chains):
        order[placed] = chain
        chain = following[chain]
    return order


@compiled
def sort_by_gain(graph: GraphArrays, nodes: Integers, successor: Integers, predecessor: Integers) -> Integers:
    """Return all chains in one order, in which paths of linked chains may be interrupted by other chains.

    The next chain is the one that is expected to decide most subscriptions per cost, among those whose predecessor is
    already placed.
    """
    chains = len(graph.instance_start) - 1
    gain = _decided_per_cost(graph, nodes)
    keys, items = numpy.empty(chains), numpy.empty(chains, numpy.int32)
    order = numpy.empty(chains, numpy.int32)
    size = placed = 0
    for chain in range(chains):
        if predecessor[chain] < 0:
            size = push(keys, items, size, gain[chain], chain)
    while size > 0:
        chain = items[0]
        size = pop(keys, items, size)
        order[placed] = chain
        placed += 1
        if successor[chain] >= 0:
            size = push(keys, items, size, gain[successor[chain]], successor[chain])
    return order


@inner
def _decided_per_cost(graph: GraphArrays, nodes: Integers) -> Reals:
    """Return how many subscriptions each chain is expected to decide, per cost."""
    chains = len(graph.instance_start) - 1
    gain = numpy.zeros(chains)
    for chain in range(chains):
        reach, spent = 1.0, 0.0
        for at in range(graph.instance_start[chain], graph.instance_start[chain + 1]):
            predicate = nodes[at]
            popularity = float(graph.predicate_start[predicate + 1] - graph.predicate_start[predicate])
            gain[chain] += reach * (1.0 - graph.selectivity[predicate]) * popularity
            spent += reach * graph.cost[predicate]
            reach *= graph.selectivity[predicate]
        if spent > 0.0:
            gain[chain] /= spent
    return gain
