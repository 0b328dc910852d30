"""Bounds on the calls and the cost that decide a publication. `call_bounds` explains them."""

from __future__ import annotations

import numpy

from gtopss.compiled import compiled, inner
from gtopss.operators.kernels.arrays import Flags, GraphArrays, Integers, Reals
from gtopss.operators.kernels.heap import pop, push


@compiled
def dual_bound(instance_start: Integers, instance_predicates: Integers, truth: Flags, price_left: Reals) -> float:
    """Return what failing instances can pay, those with the fewest false predicates first.

    `price_left` holds each predicate's price, and is reduced by what was paid.
    """
    failing = numpy.zeros(len(instance_start) - 1, numpy.int32)
    for instance in range(len(failing)):
        for at in range(instance_start[instance], instance_start[instance + 1]):
            failing[instance] += truth[instance_predicates[at]] == 0
    paid = 0.0
    for instance in numpy.argsort(failing, kind="mergesort"):
        if failing[instance] == 0:
            continue
        least = numpy.inf
        for at in range(instance_start[instance], instance_start[instance + 1]):
            if truth[instance_predicates[at]] == 0:
                least = min(least, price_left[instance_predicates[at]])
        paid += least
        for at in range(instance_start[instance], instance_start[instance + 1]):
            if truth[instance_predicates[at]] == 0:
                price_left[instance_predicates[at]] -= least
    return paid


@compiled
def lower_and_upper_bound(graph: GraphArrays, truth: Flags) -> tuple[int, int]:
    """Bound the fewest calls that decide all instances."""
    start = graph.instance_start
    instances, predicates = len(start) - 1, len(truth)
    failing = numpy.zeros(instances, numpy.int32)  # the number of false predicates of an instance
    needed = numpy.zeros(predicates, numpy.int8)
    decides = numpy.zeros(predicates)  # the number of instances that a false predicate decides
    for instance in range(instances):
        members = graph.instance_predicates[start[instance] : start[instance + 1]]
        for predicate in members:
            if not truth[predicate]:
                failing[instance] += 1
                decides[predicate] += 1.0
        if failing[instance] == 0:
            needed[members] = 1
    must = needed.sum()
    return must + _count_disjoint(graph, failing, truth), must + _greedy_cover(graph, failing, decides, truth)


@inner
def _count_disjoint(graph: GraphArrays, failing: Integers, truth: Flags) -> int:
    """Count instances without a common false predicate, trying those with the fewest first."""
    start = graph.instance_start
    used = numpy.zeros(len(truth), numpy.int8)
    count = 0
    for length in range(1, failing.max() + 1 if len(failing) else 0):
        for instance in range(len(start) - 1):
            if failing[instance] != length:
                continue
            members = graph.instance_predicates[start[instance] : start[instance + 1]]
            is_free = True
            for predicate in members:
                is_free = is_free and (truth[predicate] == 1 or used[predicate] == 0)
            if is_free:
                count += 1
                used[members] = 1
    return count


@inner
def _greedy_cover(graph: GraphArrays, failing: Integers, decides: Reals, truth: Flags) -> int:
    """Count false predicates, the one that decides most instances first, until all instances are decided."""
    start = graph.instance_start
    keys, items = numpy.empty(len(decides)), numpy.empty(len(decides), numpy.int32)
    size = count = 0
    for predicate in range(len(decides)):
        if decides[predicate] > 0.0:
            size = push(keys, items, size, decides[predicate], predicate)
    undecided = failing > 0
    while size > 0:
        key, predicate = keys[0], items[0]
        size = pop(keys, items, size)
        if decides[predicate] < key:
            if decides[predicate] > 0.0:
                size = push(keys, items, size, decides[predicate], predicate)
            continue
        count += 1
        first, end = graph.predicate_start[predicate], graph.predicate_start[predicate + 1]
        for instance in graph.predicate_instances[first:end]:
            if undecided[instance]:
                undecided[instance] = False
                for other in graph.instance_predicates[start[instance] : start[instance + 1]]:
                    if not truth[other]:
                        decides[other] -= 1.0
    return count
