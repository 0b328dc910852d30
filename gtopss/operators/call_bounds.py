"""Bounds on the calls that decide a publication when the answers are known in advance (DEBS 2007, section 3).

Every predicate of a matching subscription must be evaluated, and at least one false predicate of every other one. That
is a hitting set, which is NP-hard. `call_bounds` therefore gives a lower bound (subscriptions without a common false
predicate need one call each) and an upper bound (greedy); `minimum_cost` gives the exact cost of small cases.

No strategy knows the answers in advance: it must also pay for calls that turn out to be true.
`expected_cost_lower_bound` bounds what any strategy can reach on average.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy

from gtopss.operators.kernels.arrays import Flags
from gtopss.operators.kernels.call_bounds import dual_bound, lower_and_upper_bound
from gtopss.operators.predicate_graph import PredicateGraph


class CallBounds(NamedTuple):
    """Bounds on the fewest calls."""

    lower: int
    upper: int


def call_bounds(graph: PredicateGraph, truth: Flags) -> CallBounds:
    """Bound the fewest calls that decide all instances; `truth` is 1 for each predicate that holds."""
    return CallBounds(*lower_and_upper_bound(graph, truth))


def minimum_cost(graph: PredicateGraph, truth: Flags) -> float:
    """Return the least cost that decides all instances, by trying all sets: for a dozen predicates at most."""
    instances = [graph.predicates_of(instance) for instance in range(graph.instance_count)]
    matching = [instance for instance in instances if all(truth[each] for each in instance)]
    failing = [{each for each in instance if not truth[each]} for instance in instances if instance not in matching]
    needed = {each for instance in matching for each in instance}
    candidates = sorted(set().union(*failing)) if failing else []
    fixed = float(sum(graph.cost[each] for each in needed))
    best = float("inf")
    for size in range(len(candidates) + 1):
        for chosen in map(set, combinations(candidates, size)):
            if all(chosen & instance for instance in failing):
                best = min(best, float(sum(graph.cost[each] for each in chosen)))
    return fixed + best


def expected_cost_lower_bound(graph: PredicateGraph, truth: Flags) -> float:
    """Return a number whose mean over events is at most the mean cost of any strategy that does not know the answers.

    Such a strategy decides to evaluate a predicate before it knows the answer. On average, a call of cost c is
    therefore the same as one of cost c / (1 - p) that is paid only if the answer is false. The false answers must
    reject every subscription that does not match, so the strategy pays on average at least the cheapest set of false
    predicates that does, at these prices. The dual problem bounds the price of that set from below: every failing
    subscription pays what is left of the prices of the predicates that could reject it. The bound holds if predicates
    are independent, as the paper assumes.
    """
    price = graph.cost / numpy.maximum(1.0 - graph.selectivity, 1e-9)
    return dual_bound(graph.instance_start, graph.instance_predicates, truth, price)
