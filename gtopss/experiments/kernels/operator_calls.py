"""Loops of the DEBS 2007 experiments: draw subscriptions, count calls, count disjoint subscriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from gtopss.compiled import compiled
from gtopss.operators.kernels.arrays import Counts, Flags, Integers
from gtopss.operators.kernels.evaluation_tables import enter_answer


@compiled
def count_calls(
    kernel: Callable[..., int], arguments: tuple[Any, ...], tables: tuple[Any, ...], started: Flags, truth: Flags
) -> int:
    """Evaluate one event with known answers and return the number of calls.

    `kernel` and `arguments` are those of a `PredicateSelector`, `tables` are the fields of `TableArrays`.
    """
    count = 0
    while True:
        predicate = kernel(*arguments)
        if predicate < 0:
            return count
        started[predicate] = 1
        enter_answer(predicate, truth[predicate], tables)
        count += 1


@compiled
def count_disjoint(instance_start: Integers, instance_predicates: Integers, predicates: int, order: Counts) -> int:
    """Count subscriptions that share no predicate with one another, chosen greedily in `order`."""
    used = numpy.zeros(predicates, numpy.int8)
    count = 0
    for instance in order:
        members = instance_predicates[instance_start[instance] : instance_start[instance + 1]]
        if used[members].max() == 0:
            used[members] = 1
            count += 1
    return count


@compiled
def find_repeated(start: Integers, drawn: Integers) -> Integers:
    """Return the positions of predicates that occur earlier in the same subscription."""
    places = numpy.empty(len(drawn), numpy.int32)
    count = 0
    for subscription in range(len(start) - 1):
        for at in range(start[subscription], start[subscription + 1]):
            for before in range(start[subscription], at):
                if drawn[before] == drawn[at]:
                    places[count] = at
                    count += 1
                    break
    return places[:count].copy()
