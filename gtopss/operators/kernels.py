"""The compiled loops of a publication's bookkeeping. Their plain twin is in `test_kernels.py`.

The paper's two hash tables (DEBS 2007, section 5.1) as flat arrays: U subscriptions (rather, units: see `board`), P
predicates, n the sum of the subscriptions' lengths.

| array                                   | shape    | meaning                                                       |
|-----------------------------------------|----------|---------------------------------------------------------------|
| `unit_start`, `unit_predicates`         | U + 1, n | each unit's predicates, as written                            |
| `predicate_start`, `predicate_units`    | P + 1, n | each predicate's units                                        |
| `undecided`, `remaining`                | U        | table 1: is it unresolved, and how many answers it lacks      |
| `demand`                                | P        | table 2: how much the unresolved units that have it are worth |
| `final`                                 | P        | of that, what lacks no other answer                           |
| `asked`, `truth`                        | P        | 1 once a call is on its way; UNKNOWN, FALSE, TRUE, or OPEN    |
| `value`                                 | U        | what settling it is worth                                     |
"""

from __future__ import annotations

import numpy

from gtopss.operators.arrays import Counts, Flags, Integers, Reals, compiled
from gtopss.operators.heap import pop, push, sink

OPEN, UNKNOWN, FALSE, TRUE = -2, -1, 0, 1


@compiled
def transpose(unit_start: Integers, unit_predicates: Integers, predicates: int) -> tuple[Integers, Integers]:
    """Each predicate's units, in order: a counting sort."""
    start = numpy.zeros(predicates + 1, numpy.int32)
    for predicate in unit_predicates:
        start[predicate + 1] += 1
    for predicate in range(predicates):
        start[predicate + 1] += start[predicate]
    place = start[:-1].copy()
    units = numpy.empty(len(unit_predicates), numpy.int32)
    for unit in range(len(unit_start) - 1):
        for at in range(unit_start[unit], unit_start[unit + 1]):
            predicate = unit_predicates[at]
            units[place[predicate]] = unit
            place[predicate] += 1
    return start, units


@compiled
def gather(
    begin: Integers, end: Integers, predicates: Integers, chosen: Integers, number: Integers
) -> tuple[Integers, Integers, Integers]:
    """Some of the registered conjunctions as units, their predicates numbered anew from 0.

    Conjunction i has `predicates[begin[i]:end[i]]`; `number` is scratch, -1 everywhere before and after. Returns
    `unit_start`, `unit_predicates`, and the registered number of each predicate.
    """
    start = numpy.zeros(len(chosen) + 1, numpy.int32)
    for unit in range(len(chosen)):
        start[unit + 1] = start[unit] + end[chosen[unit]] - begin[chosen[unit]]
    made = numpy.empty(start[-1], numpy.int32)
    old = numpy.empty(start[-1], numpy.int32)
    count = to = 0
    for conjunction in chosen:
        for at in range(begin[conjunction], end[conjunction]):
            predicate = predicates[at]
            if number[predicate] < 0:
                number[predicate] = count
                old[count] = predicate
                count += 1
            made[to] = number[predicate]
            to += 1
    for predicate in old[:count]:
        number[predicate] = -1
    return start, made, old[:count].copy()


@compiled
def demands(unit_start: Integers, unit_predicates: Integers, value: Reals, demand: Reals, final: Reals) -> None:
    """Table 2 as a publication begins."""
    for unit in range(len(unit_start) - 1):
        first, end = unit_start[unit], unit_start[unit + 1]
        for at in range(first, end):
            demand[unit_predicates[at]] += value[unit]
        if end - first == 1:
            final[unit_predicates[first]] += value[unit]


@compiled
def settle(
    predicate: int,
    answer: int,
    unit_start: Integers,
    unit_predicates: Integers,
    predicate_start: Integers,
    predicate_units: Integers,
    value: Reals,
    undecided: Flags,
    remaining: Integers,
    demand: Reals,
    final: Reals,
    truth: Flags,
    complete: Integers,
    raised: Integers,
    counts: Counts,
) -> int:
    """Enter an answer in both tables; returns how many units have all their answers and were not looked at yet.

    Those are listed in `complete`, and the predicates whose `final` grew in `raised`; `counts` holds both lengths, and
    the readers reset them. A false answer settles its units without listing them: nothing is left to do for them.
    """
    truth[predicate] = answer
    for at in range(predicate_start[predicate], predicate_start[predicate + 1]):
        unit = predicate_units[at]
        if not undecided[unit]:
            continue
        if answer == FALSE:
            undecided[unit] = 0
            for other in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
                demand[other] -= value[unit]
            continue
        remaining[unit] -= 1
        if remaining[unit] == 0:
            undecided[unit] = 0
            complete[counts[0]] = unit
            counts[0] += 1
        elif remaining[unit] == 1:
            for other in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
                if truth[other] == OPEN:
                    final[other] += value[unit]
                    raised[counts[1]] = other
                    counts[1] += 1
    return int(counts[0])


@compiled
def drop(
    unit: int,
    unit_start: Integers,
    unit_predicates: Integers,
    value: Reals,
    undecided: Flags,
    remaining: Integers,
    demand: Reals,
    final: Reals,
    truth: Flags,
) -> None:
    """A unit whose answer nobody needs any more."""
    if not undecided[unit]:
        return
    undecided[unit] = 0
    for other in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
        demand[other] -= value[unit]
        if remaining[unit] == 1 and truth[other] == OPEN:
            final[other] -= value[unit]


@compiled
def next_naive(cursor: Counts, unit_start: Integers, unit_predicates: Integers, asked: Flags, truth: Flags) -> int:
    """The first predicate that is not asked of the first unit whose own answers, in their order, do not decide it."""
    unit = cursor[0]
    while unit < len(unit_start) - 1:
        waiting = False
        for at in range(unit_start[unit], unit_start[unit + 1]):
            predicate = unit_predicates[at]
            if not asked[predicate]:
                return int(predicate)
            if truth[predicate] == OPEN:
                waiting = True
                break
            if truth[predicate] == FALSE:
                break
        if not waiting and unit == cursor[0]:
            cursor[0] += 1
        unit += 1
    return -1


@compiled
def next_sequential(
    cursor: Counts,
    unit_start: Integers,
    unit_predicates: Integers,
    undecided: Flags,
    asked: Flags,
    predicate_start: Integers,
    predicate_units: Integers,
) -> int:
    """Algorithm 1. `cursor` is the marked unit q and the place in it."""
    while cursor[0] < len(unit_start) - 1:
        unit = cursor[0]
        if cursor[1] > 0 or undecided[unit]:
            while cursor[1] < unit_start[unit + 1] - unit_start[unit]:
                predicate = unit_predicates[unit_start[unit] + cursor[1]]
                cursor[1] += 1
                if asked[predicate]:
                    continue
                for other in predicate_units[predicate_start[predicate] : predicate_start[predicate + 1]]:
                    if undecided[other]:
                        return int(predicate)
        cursor[0] += 1
        cursor[1] = 0
    return -1


@compiled
def next_in_chains(
    cursor: Counts, order: Integers, unit_start: Integers, nodes: Integers, undecided: Flags, asked: Flags, truth: Flags
) -> int:
    """The topmost node that is not asked of the first chain in `order` that is undecided and waits for no answer."""
    place = cursor[0]
    while place < len(order):
        unit = order[place]
        waiting = False
        if undecided[unit]:
            for at in range(unit_start[unit], unit_start[unit + 1]):
                predicate = nodes[at]
                if not asked[predicate]:
                    return int(predicate)
                if truth[predicate] == OPEN:
                    waiting = True
                    break
        if not waiting and place == cursor[0]:
            cursor[0] += 1
        place += 1
    return -1


@compiled
def gain(predicate: int, selectivity: Reals, cost: Reals, demand: Reals, final: Reals) -> float:
    """What an answer is expected to settle, per cost: all units if false, those that lack no other if true."""
    chance = selectivity[predicate]
    return float(((1.0 - chance) * demand[predicate] + chance * final[predicate]) / cost[predicate])


@compiled
def fill_heap(keys: Reals, items: Integers, selectivity: Reals, cost: Reals, demand: Reals, final: Reals) -> int:
    """A heap of all predicates, greatest gain on top; returns its size."""
    size = 0
    for predicate in range(len(demand)):
        size = push(keys, items, size, gain(predicate, selectivity, cost, demand, final), predicate)
    return size


@compiled
def next_adaptive(
    size: Counts,
    keys: Reals,
    items: Integers,
    raised: Integers,
    counts: Counts,
    selectivity: Reals,
    cost: Reals,
    demand: Reals,
    final: Reals,
    asked: Flags,
) -> int:
    """The predicate of greatest gain. Gains that fell are found when they come up; those that rose are pushed again."""
    for predicate in raised[: counts[1]]:
        if not asked[predicate]:
            size[0] = push(keys, items, size[0], gain(predicate, selectivity, cost, demand, final), predicate)
    counts[1] = 0
    while size[0] > 0:
        key, predicate = keys[0], items[0]
        now = gain(predicate, selectivity, cost, demand, final)
        if asked[predicate] or demand[predicate] <= 0.0:
            size[0] = pop(keys, items, size[0])
        elif now < key:
            keys[0] = now
            sink(keys, items, size[0])
        else:
            size[0] = pop(keys, items, size[0])
            return int(predicate)
    return -1


@compiled
def learn(
    predicates: Integers,
    outcomes: Flags,
    took: Reals,
    trues: Reals,
    total: Reals,
    recent: Reals,
    seconds: Reals,
    timed: Reals,
    horizon: float,
    short: float,
) -> None:
    """Count answers; beyond `horizon` (and, for `recent` and `seconds`, `short`) observations the oldest fade."""
    for at in range(len(predicates)):
        predicate, true = predicates[at], float(outcomes[at])
        if total[predicate] >= horizon:
            trues[predicate] *= 1.0 - 1.0 / horizon
            total[predicate] = horizon - 1.0
        trues[predicate] += true
        total[predicate] += 1.0
        recent[predicate] += (true - recent[predicate]) / min(total[predicate], short)
        if took[at] > 0.0:
            timed[predicate] = min(timed[predicate] + 1.0, short)
            seconds[predicate] += (took[at] - seconds[predicate]) / timed[predicate]


@compiled
def expect_matches(
    unit_start: Integers, unit_predicates: Integers, selectivity: Reals, conjunction: Integers, expected: Reals
) -> None:
    """Add each unit's chance of a match, were its predicates independent, to its conjunction's."""
    for unit in range(len(unit_start) - 1):
        chance = 1.0
        for predicate in unit_predicates[unit_start[unit] : unit_start[unit + 1]]:
            chance *= selectivity[predicate]
        expected[conjunction[unit]] += chance
