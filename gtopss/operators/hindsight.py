"""The fewest calls that could have settled a publication, had the answers been known (DEBS 2007, section 3).

Every predicate of a subscription that matches must be asked, and of every other one at least one that is false: a
hitting set, which is NP-hard. So there are a bound from below (subscriptions that have no false predicate in common
need a call each), one from above (greedy), and for small cases the number itself. With costs, read "cheapest".

Hindsight is more than any strategy has, which must also pay for the calls that happen to say yes. What no strategy can
do better than on average is bounded by `expected_at_least`.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy

from gtopss.operators.arrays import Flags, Integers, Reals, compiled
from gtopss.operators.board import Problem
from gtopss.operators.heap import pop, push


class Bounds(NamedTuple):
    """The fewest calls lie between the two."""

    at_least: int
    at_most: int


def bounds(problem: Problem, truth: Flags) -> Bounds:
    """Bounds on the number of calls; `truth` has 1 for each predicate that holds."""
    arrays = (problem.unit_start, problem.unit_predicates, problem.predicate_start, problem.predicate_units)
    return Bounds(*_bounds(*arrays, truth))


def cheapest(problem: Problem, truth: Flags) -> float:
    """The least cost that settles everything, by trying all sets: for a dozen predicates."""
    units = [problem.of_unit(unit) for unit in range(problem.units)]
    needed = {each for unit in units if all(truth[each] for each in unit) for each in unit}
    failing = [{each for each in unit if not truth[each]} for unit in units if not all(truth[each] for each in unit)]
    candidates = sorted(set().union(*failing)) if failing else []
    fixed = float(sum(problem.cost[each] for each in needed))
    best = float("inf")
    for size in range(len(candidates) + 1):
        for chosen in map(set, combinations(candidates, size)):
            if all(chosen & unit for unit in failing):
                best = min(best, float(sum(problem.cost[each] for each in chosen)))
    return fixed + best


def expected_at_least(problem: Problem, truth: Flags) -> float:
    """A number whose mean over events is at most the mean cost of any strategy that does not know them beforehand.

    Such a strategy decides to ask a predicate before it knows the answer, so that a call of cost c is, in the mean, the
    same as one of cost c / (1 - p) that is paid only for a no. And the noes that it gets must refuse every subscription
    that does not match: in the mean it pays at least the cheapest set of false predicates that does, at these prices.
    That set's price is bounded from below by the dual: every failing subscription pays what the predicates that could
    refuse it have left to ask for. It holds where predicates are independent, as the paper takes them to be.
    """
    price = problem.cost / numpy.maximum(1.0 - problem.selectivity, 1e-9)
    return _dual(problem.unit_start, problem.unit_predicates, truth, price)


@compiled
def _dual(unit_start: Integers, unit_predicates: Integers, truth: Flags, left: Reals) -> float:
    """What failing units can pay, those with fewest false predicates first; `left` is each predicate's price."""
    failing = numpy.zeros(len(unit_start) - 1, numpy.int32)
    for unit in range(len(failing)):
        for at in range(unit_start[unit], unit_start[unit + 1]):
            failing[unit] += truth[unit_predicates[at]] == 0
    paid = 0.0
    for unit in numpy.argsort(failing, kind="mergesort"):
        if failing[unit] == 0:
            continue
        least = numpy.inf
        for at in range(unit_start[unit], unit_start[unit + 1]):
            if truth[unit_predicates[at]] == 0:
                least = min(least, left[unit_predicates[at]])
        paid += least
        for at in range(unit_start[unit], unit_start[unit + 1]):
            if truth[unit_predicates[at]] == 0:
                left[unit_predicates[at]] -= least
    return paid


@compiled
def _bounds(
    unit_start: Integers, unit_predicates: Integers, predicate_start: Integers, predicate_units: Integers, truth: Flags
) -> tuple[int, int]:
    units, predicates = len(unit_start) - 1, len(truth)
    failing = numpy.zeros(units, numpy.int32)  # how many predicates of a unit are false
    needed = numpy.zeros(predicates, numpy.int8)
    popular = numpy.zeros(predicates)  # units that a false predicate would settle
    for unit in range(units):
        members = unit_predicates[unit_start[unit] : unit_start[unit + 1]]
        for predicate in members:
            if not truth[predicate]:
                failing[unit] += 1
                popular[predicate] += 1.0
        if failing[unit] == 0:
            needed[members] = 1
    must = needed.sum()
    return must + _disjoint(unit_start, unit_predicates, failing, truth), must + _greedy(
        unit_start, unit_predicates, predicate_start, predicate_units, failing, popular, truth
    )


@compiled
def _disjoint(unit_start: Integers, unit_predicates: Integers, failing: Integers, truth: Flags) -> int:
    """Units without a false predicate in common, those with fewest tried first."""
    used = numpy.zeros(len(truth), numpy.int8)
    count = 0
    for length in range(1, failing.max() + 1 if len(failing) else 0):
        for unit in range(len(unit_start) - 1):
            if failing[unit] != length:
                continue
            free = True
            for predicate in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
                free = free and (truth[predicate] == 1 or used[predicate] == 0)
            if free:
                count += 1
                used[unit_predicates[unit_start[unit] : unit_start[unit + 1]]] = 1
    return count


@compiled
def _greedy(
    unit_start: Integers,
    unit_predicates: Integers,
    predicate_start: Integers,
    predicate_units: Integers,
    failing: Integers,
    popular: Reals,
    truth: Flags,
) -> int:
    """False predicates, the one that settles most units first, until all are settled."""
    keys, items = numpy.empty(len(popular)), numpy.empty(len(popular), numpy.int32)
    size = count = 0
    for predicate in range(len(popular)):
        if popular[predicate] > 0.0:
            size = push(keys, items, size, popular[predicate], predicate)
    open_units = failing > 0
    while size > 0:
        key, predicate = keys[0], items[0]
        size = pop(keys, items, size)
        if popular[predicate] < key:
            if popular[predicate] > 0.0:
                size = push(keys, items, size, popular[predicate], predicate)
            continue
        count += 1
        for unit in predicate_units[predicate_start[predicate] : predicate_start[predicate + 1]]:
            if open_units[unit]:
                open_units[unit] = False
                for other in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
                    if not truth[other]:
                        popular[other] -= 1.0
    return count
