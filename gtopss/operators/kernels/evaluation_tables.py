"""Build the paper's two hash tables and enter answers (DEBS 2007, section 5.1). `arrays` explains the arrays.

A plain version, which recomputes everything from sets, is in `tests/support/plain_evaluation.py`.
"""

from __future__ import annotations

from typing import Any

import numpy

from gtopss.compiled import compiled
from gtopss.operators.kernels.arrays import FALSE, UNANSWERED, Integers, Reals, TableArrays


@compiled
def transpose(instance_start: Integers, instance_predicates: Integers, predicates: int) -> tuple[Integers, Integers]:
    """Return each predicate's instances, in ascending order, by a counting sort."""
    start = numpy.zeros(predicates + 1, numpy.int32)
    for predicate in instance_predicates:
        start[predicate + 1] += 1
    for predicate in range(predicates):
        start[predicate + 1] += start[predicate]
    place = start[:-1].copy()
    instances = numpy.empty(len(instance_predicates), numpy.int32)
    for instance in range(len(instance_start) - 1):
        for at in range(instance_start[instance], instance_start[instance + 1]):
            predicate = instance_predicates[at]
            instances[place[predicate]] = instance
            place[predicate] += 1
    return start, instances


@compiled
def gather(
    begin: Integers, end: Integers, predicates: Integers, chosen: Integers, number: Integers
) -> tuple[Integers, Integers, Integers]:
    """Turn some registered conjunctions into instances, with their predicates renumbered from 0.

    Conjunction i has `predicates[begin[i]:end[i]]`. `number` is scratch memory: -1 everywhere before and after. Return
    `instance_start`, `instance_predicates`, and the registered number of each predicate.
    """
    start = numpy.zeros(len(chosen) + 1, numpy.int32)
    for instance in range(len(chosen)):
        start[instance + 1] = start[instance] + end[chosen[instance]] - begin[chosen[instance]]
    renumbered = numpy.empty(start[-1], numpy.int32)
    registered = numpy.empty(start[-1], numpy.int32)
    count = to = 0
    for conjunction in chosen:
        for at in range(begin[conjunction], end[conjunction]):
            predicate = predicates[at]
            if number[predicate] < 0:
                number[predicate] = count
                registered[count] = predicate
                count += 1
            renumbered[to] = number[predicate]
            to += 1
    for predicate in registered[:count]:
        number[predicate] = -1
    return start, renumbered, registered[:count].copy()


@compiled
def count_demand(
    instance_start: Integers, instance_predicates: Integers, value: Reals, demand: Reals, final_demand: Reals
) -> None:
    """Fill table 2 for a publication without answers."""
    for instance in range(len(instance_start) - 1):
        first, end = instance_start[instance], instance_start[instance + 1]
        for at in range(first, end):
            demand[instance_predicates[at]] += value[instance]
        if end - first == 1:
            final_demand[instance_predicates[first]] += value[instance]


@compiled
def enter_answer(predicate: int, answer: int, arrays: tuple[Any, ...]) -> int:
    """Enter an answer in both tables and return the length of the list of completed instances.

    `arrays` are those of `TableArrays`. A false answer decides its instances without listing them: nothing is left to
    do for them.
    """
    tables = TableArrays(*arrays)
    start, predicates, lengths = tables.instance_start, tables.instance_predicates, tables.list_lengths
    tables.truth[predicate] = answer
    for at in range(tables.predicate_start[predicate], tables.predicate_start[predicate + 1]):
        instance = tables.predicate_instances[at]
        if not tables.undecided[instance]:
            continue
        if answer == FALSE:
            tables.undecided[instance] = 0
            for other in predicates[start[instance] : start[instance + 1]]:
                tables.demand[other] -= tables.value[instance]
            continue
        tables.remaining[instance] -= 1
        if tables.remaining[instance] == 0:
            tables.undecided[instance] = 0
            tables.completed[lengths[0]] = instance
            lengths[0] += 1
        elif tables.remaining[instance] == 1:
            for other in predicates[start[instance] : start[instance + 1]]:
                if tables.truth[other] == UNANSWERED:
                    tables.final_demand[other] += tables.value[instance]
                    tables.raised[lengths[1]] = other
                    lengths[1] += 1
    return int(lengths[0])


@compiled
def drop_instance(instance: int, arrays: tuple[Any, ...]) -> None:
    """Remove an instance whose decision is no longer needed. `arrays` are those of `TableArrays`."""
    tables = TableArrays(*arrays)
    if not tables.undecided[instance]:
        return
    tables.undecided[instance] = 0
    first, end = tables.instance_start[instance], tables.instance_start[instance + 1]
    for other in tables.instance_predicates[first:end]:
        tables.demand[other] -= tables.value[instance]
        if tables.remaining[instance] == 1 and tables.truth[other] == UNANSWERED:
            tables.final_demand[other] -= tables.value[instance]
