"""Choose the predicate to evaluate next: one loop per strategy. -1 means none, or none before a pending call returns.

A `cursor` remembers where the last search ended, so that a publication takes linear time in all.
"""

from __future__ import annotations

from typing import Any

from gtopss.compiled import compiled, inner
from gtopss.operators.kernels.arrays import FALSE, UNANSWERED, Counts, Flags, GainArrays, Integers, Reals
from gtopss.operators.kernels.heap import pop, push, sift_down


@compiled
def next_naive(
    cursor: Counts, instance_start: Integers, instance_predicates: Integers, started: Flags, truth: Flags
) -> int:
    """Return the first predicate without a call of the first instance that its own answers, in order, do not decide."""
    instance = cursor[0]
    while instance < len(instance_start) - 1:
        is_pending = False
        for at in range(instance_start[instance], instance_start[instance + 1]):
            predicate = instance_predicates[at]
            if not started[predicate]:
                return int(predicate)
            if truth[predicate] == UNANSWERED:
                is_pending = True
                break
            if truth[predicate] == FALSE:
                break
        if not is_pending and instance == cursor[0]:
            cursor[0] += 1
        instance += 1
    return -1


@compiled
def next_sequential(
    cursor: Counts,
    instance_start: Integers,
    instance_predicates: Integers,
    undecided: Flags,
    started: Flags,
    predicate_start: Integers,
    predicate_instances: Integers,
) -> int:
    """Return the next predicate by Algorithm 1. `cursor` holds the marked instance q and the position in it."""
    while cursor[0] < len(instance_start) - 1:
        instance = cursor[0]
        if cursor[1] > 0 or undecided[instance]:
            while cursor[1] < instance_start[instance + 1] - instance_start[instance]:
                predicate = instance_predicates[instance_start[instance] + cursor[1]]
                cursor[1] += 1
                if started[predicate]:
                    continue
                for other in predicate_instances[predicate_start[predicate] : predicate_start[predicate + 1]]:
                    if undecided[other]:
                        return int(predicate)
        cursor[0] += 1
        cursor[1] = 0
    return -1


@compiled
def next_in_chains(
    cursor: Counts,
    order: Integers,
    instance_start: Integers,
    nodes: Integers,
    undecided: Flags,
    started: Flags,
    truth: Flags,
) -> int:
    """Return the topmost node without a call of the first undecided chain in `order` that has no pending call."""
    place = cursor[0]
    while place < len(order):
        instance = order[place]
        is_pending = False
        if undecided[instance]:
            for at in range(instance_start[instance], instance_start[instance + 1]):
                predicate = nodes[at]
                if not started[predicate]:
                    return int(predicate)
                if truth[predicate] == UNANSWERED:
                    is_pending = True
                    break
        if not is_pending and place == cursor[0]:
            cursor[0] += 1
        place += 1
    return -1


@inner
def expected_gain(predicate: int, arrays: GainArrays) -> float:
    """Return the value that an answer is expected to decide, per cost.

    A false answer decides all undecided instances of the predicate, a true one those that lack no other answer.
    """
    chance = arrays.selectivity[predicate]
    gain = (1.0 - chance) * arrays.demand[predicate] + chance * arrays.final_demand[predicate]
    return float(gain / arrays.cost[predicate])


@compiled
def fill_heap(keys: Reals, items: Integers, gain_arrays: tuple[Any, ...]) -> int:
    """Put all predicates on a heap, the greatest expected gain on top, and return its size."""
    arrays = GainArrays(*gain_arrays)
    size = 0
    for predicate in range(len(arrays.demand)):
        size = push(keys, items, size, expected_gain(predicate, arrays), predicate)
    return size


@compiled
def next_adaptive(
    heap: tuple[Counts, Reals, Integers],
    raised_list: tuple[Integers, Counts],
    gain_arrays: tuple[Any, ...],
    started: Flags,
) -> int:
    """Return the predicate of greatest expected gain. `heap` holds its size, keys and items.

    A gain that fell is corrected when it comes up; a gain that rose is pushed a second time.
    """
    size, keys, items = heap
    raised, list_lengths = raised_list
    arrays = GainArrays(*gain_arrays)
    for predicate in raised[: list_lengths[1]]:
        if not started[predicate]:
            size[0] = push(keys, items, size[0], expected_gain(predicate, arrays), predicate)
    list_lengths[1] = 0
    while size[0] > 0:
        key, predicate = keys[0], items[0]
        gain = expected_gain(predicate, arrays)
        if started[predicate] or arrays.demand[predicate] <= 0.0:
            size[0] = pop(keys, items, size[0])
        elif gain < key:
            keys[0] = gain
            sift_down(keys, items, size[0])
        else:
            size[0] = pop(keys, items, size[0])
            return int(predicate)
    return -1
