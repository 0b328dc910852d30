"""Linked chains: subscriptions as sorted columns of nodes, and the order to walk them in (DEBS 2007, section 4.2).

The text that we have lacks sections 4.2.1 and 4.2.2, the linked-chain structure and the procedure over it. What they
must have said is reconstructed from what refers to them: a chain is a subscription's predicates sorted by selectivity,
the least likely on top; an equivalence link joins equal predicates of two chains; the chains are walked one after the
other, each from its top until a node fails, and every answer goes along the links, which cuts all chains of a node that
failed.

Section 4.2.5 then orders the chains, by the saving that each pair's order brings (`costs.difference`). As printed it

- sorts the pairs by *increasing* weight and takes the *least* first, which would fix the least important order first:
  the largest saving is taken first here;
- forbids a vertex of degree three, which lets two pairs point at one chain and so says nothing about a row: a chain
  has at most one successor and one predecessor here;
- goes on "until the selected edges cover all vertices" of a complete graph in which pairs that share nothing weigh
  nothing, so that the pieces are joined in any order. Here, of the chains whose predecessor is laid, the one goes next
  that is expected to settle most subscriptions per cost;
- compares all pairs, half a billion at 80,000 subscriptions: here, for each predicate, a chain is compared with its
  `nearest` ones in P/C order. Chains far apart in it are ordered through those between them.

Sorting needs a rule for equal selectivities, or links may cross: they go by popularity, then by number. The arrays are
those of `kernels`; `nodes` is `unit_predicates` with every unit sorted, `rank` the place of each predicate in the
common order.
"""

from __future__ import annotations

import math

import numpy

from gtopss.operators.arrays import Counts, Integers, Reals, compiled
from gtopss.operators.heap import pop, push

NEAREST = 4


def order_chains(
    unit_start: Integers,
    unit_predicates: Integers,
    predicate_start: Integers,
    predicate_units: Integers,
    selectivity: Reals,
    cost: Reals,
    *,
    nearest: int = NEAREST,
) -> Integers:
    """The chains in the order to walk them."""
    rank = ranks(selectivity, cost, numpy.diff(predicate_start))
    nodes = sort_chains(unit_start, unit_predicates, rank)
    before, after, saved = savings(
        unit_start, nodes, predicate_start, predicate_units, rank, selectivity, cost, nearest
    )
    successor, predecessor = link(len(unit_start) - 1, before, after, largest_first(saved))
    popularity = numpy.diff(predicate_start).astype(numpy.float64)
    return lay_out(unit_start, nodes, popularity, selectivity, cost, successor, predecessor)


def ranks(selectivity: Reals, cost: Reals, popularity: Integers) -> Integers:
    """Each predicate's place when all are sorted by c / (1 - p), then by popularity, then by number."""
    with numpy.errstate(divide="ignore"):
        ratio = cost / (1.0 - selectivity)
    order = numpy.lexsort((-popularity, ratio))
    rank = numpy.empty(len(order), numpy.int32)
    rank[order] = numpy.arange(len(order), dtype=numpy.int32)
    return rank


@compiled
def sort_chains(unit_start: Integers, unit_predicates: Integers, rank: Integers) -> Integers:
    """Every unit's predicates by their rank, top first."""
    nodes = unit_predicates.copy()
    for unit in range(len(unit_start) - 1):
        for at in range(unit_start[unit] + 1, unit_start[unit + 1]):
            node, to = nodes[at], at
            while to > unit_start[unit] and rank[nodes[to - 1]] > rank[node]:
                nodes[to] = nodes[to - 1]
                to -= 1
            nodes[to] = node
    return nodes


@compiled
def difference(one: Integers, other: Integers, rank: Integers, selectivity: Reals, cost: Reals) -> float:
    """C1 - C2 for two chains of sorted nodes with any number of equivalence links: see `costs.difference`."""
    a = b = 0
    reach_one = reach_other = 1.0  # P: the product of all p above, shared nodes included
    free_one = free_other = 1.0  # that of the nodes above that are not shared
    spent_one = spent_other = 0.0  # C': what the nodes above cost, shared ones left out
    total = 0.0
    while a < len(one) and b < len(other):
        left, right = one[a], other[b]
        if left == right:
            total += (1.0 - selectivity[left]) * (reach_other * spent_one - reach_one * spent_other)
            reach_one *= selectivity[left]
            reach_other *= selectivity[left]
            a += 1
            b += 1
        elif rank[left] < rank[right]:
            spent_one += free_one * cost[left]
            free_one *= selectivity[left]
            reach_one *= selectivity[left]
            a += 1
        else:
            spent_other += free_other * cost[right]
            free_other *= selectivity[right]
            reach_other *= selectivity[right]
            b += 1
    return total


@compiled
def savings(
    unit_start: Integers,
    nodes: Integers,
    predicate_start: Integers,
    predicate_units: Integers,
    rank: Integers,
    selectivity: Reals,
    cost: Reals,
    nearest: int,
) -> tuple[Integers, Integers, Reals]:
    """Pairs of chains (first, second, what that order saves), each chain compared with its `nearest` in P/C order."""
    ratio_of = numpy.empty(len(nodes))
    for unit in range(len(unit_start) - 1):
        reach, spent = 1.0, 0.0
        for at in range(unit_start[unit], unit_start[unit + 1]):
            ratio_of[at] = reach / spent if spent > 0.0 else math.inf
            spent += reach * cost[nodes[at]]
            reach *= selectivity[nodes[at]]
    pairs = 0
    for predicate in range(len(predicate_start) - 1):
        sharing = predicate_start[predicate + 1] - predicate_start[predicate]
        reached = min(nearest, max(sharing - 1, 0))
        pairs += sharing * reached - reached * (reached + 1) // 2
    before = numpy.empty(pairs, numpy.int32)
    after = numpy.empty(pairs, numpy.int32)
    saved = numpy.empty(pairs)
    found = 0
    for predicate in range(len(predicate_start) - 1):
        units = predicate_units[predicate_start[predicate] : predicate_start[predicate + 1]]
        ratio = numpy.empty(len(units))
        for at in range(len(units)):
            for node in range(unit_start[units[at]], unit_start[units[at] + 1]):
                if nodes[node] == predicate:
                    ratio[at] = ratio_of[node]
        order = numpy.argsort(-ratio, kind="mergesort")
        for at in range(len(units)):
            for step in range(1, nearest + 1):
                if at + step >= len(units):
                    break
                one, other = units[order[at]], units[order[at + step]]
                more = difference(
                    nodes[unit_start[one] : unit_start[one + 1]],
                    nodes[unit_start[other] : unit_start[other + 1]],
                    rank,
                    selectivity,
                    cost,
                )
                if more != 0.0:
                    before[found], after[found] = (one, other) if more < 0.0 else (other, one)
                    saved[found] = abs(more)
                    found += 1
    return before[:found], after[:found], saved[:found]


@compiled
def largest_first(saved: Reals) -> Counts:
    """`numpy.argsort(-saved, kind="stable")` of positive numbers, whose order is that of their bits: a radix sort,
    since sorting was half of the plan's time."""
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
def link(units: int, before: Integers, after: Integers, order: Counts) -> tuple[Integers, Integers]:
    """Kruskal's way: take the pairs in `order` unless one already has a successor, the other a predecessor, or a
    circle would close. Returns each unit's successor and predecessor, or -1."""
    successor = numpy.full(units, -1, numpy.int32)
    predecessor = numpy.full(units, -1, numpy.int32)
    above = numpy.arange(units)
    for pair in order:
        first, second = before[pair], after[pair]
        if successor[first] >= 0 or predecessor[second] >= 0:
            continue
        one, other = first, second
        while above[one] != one:
            above[one] = above[above[one]]
            one = above[one]
        while above[other] != other:
            above[other] = above[above[other]]
            other = above[other]
        if one != other:
            above[one] = other
            successor[first], predecessor[second] = second, first
    return successor, predecessor


@compiled
def lay_out(
    unit_start: Integers,
    nodes: Integers,
    demand: Reals,
    selectivity: Reals,
    cost: Reals,
    successor: Integers,
    predecessor: Integers,
) -> Integers:
    """All chains in one row: of those whose predecessor is laid, the one that settles most per cost comes next."""
    units = len(unit_start) - 1
    worth = numpy.zeros(units)
    for unit in range(units):
        reach, spent = 1.0, 0.0
        for at in range(unit_start[unit], unit_start[unit + 1]):
            predicate = nodes[at]
            worth[unit] += reach * (1.0 - selectivity[predicate]) * demand[predicate]
            spent += reach * cost[predicate]
            reach *= selectivity[predicate]
        if spent > 0.0:
            worth[unit] /= spent
    keys, items = numpy.empty(units), numpy.empty(units, numpy.int32)
    order = numpy.empty(units, numpy.int32)
    size = laid = 0
    for unit in range(units):
        if predecessor[unit] < 0:
            size = push(keys, items, size, worth[unit], unit)
    while size > 0:
        unit = items[0]
        size = pop(keys, items, size)
        order[laid] = unit
        laid += 1
        if successor[unit] >= 0:
            size = push(keys, items, size, worth[successor[unit]], successor[unit])
    return order
