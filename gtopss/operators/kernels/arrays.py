"""Array types of the kernels, and the groups of arrays that several kernels share.

The paper's two hash tables (DEBS 2007, section 5.1) are flat arrays here. I is the number of instances (see
`predicate_graph`), P the number of predicates, n the sum of the instances' lengths.

| array                                     | shape    | meaning                                                       |
|-------------------------------------------|----------|---------------------------------------------------------------|
| `instance_start`, `instance_predicates`   | I + 1, n | each instance's predicates, in the order of writing           |
| `predicate_start`, `predicate_instances`  | P + 1, n | each predicate's instances                                    |
| `value`                                   | I        | the benefit of deciding the instance                          |
| `selectivity`, `cost`                     | P        | the probability that it holds; the cost of one call           |
| `undecided`, `remaining`                  | I        | table 1: 1 if undecided; the number of missing answers        |
| `demand`                                  | P        | table 2: total value of the undecided instances that have it  |
| `final_demand`                            | P        | the part of `demand` whose instances lack no other answer     |
| `started`, `truth`                        | P        | 1 once a call was started; UNANSWERED, UNKNOWN, FALSE or TRUE |

Python calls most kernels with plain tuples of arrays: numba takes 2 µs longer to recognise a named tuple. The kernels
turn them into the named tuples below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy
from numpy.typing import NDArray

Integers = NDArray[numpy.int32]
Counts = NDArray[numpy.int64]
Flags = NDArray[numpy.int8]
Reals = NDArray[numpy.float64]

UNANSWERED, UNKNOWN, FALSE, TRUE = -2, -1, 0, 1
"""States of a predicate. UNKNOWN means that its call gave no answer."""


class GraphArrays(NamedTuple):
    """Which instance has which predicates, stored in both directions, and the estimates for both."""

    instance_start: Integers
    instance_predicates: Integers
    predicate_start: Integers
    predicate_instances: Integers
    value: Reals
    selectivity: Reals
    cost: Reals


class TableArrays(NamedTuple):
    """The arrays that entering an answer reads or writes.

    `completed` lists instances that have all their answers, none of them false. `raised` lists predicates whose
    `final_demand` grew. `list_lengths` holds the lengths of both lists; the reader of a list resets its length.
    """

    instance_start: Integers
    instance_predicates: Integers
    predicate_start: Integers
    predicate_instances: Integers
    value: Reals
    undecided: Flags
    remaining: Integers
    demand: Reals
    final_demand: Reals
    truth: Flags
    completed: Integers
    raised: Integers
    list_lengths: Counts


class GainArrays(NamedTuple):
    """The arrays that a predicate's expected gain is computed from."""

    selectivity: Reals
    cost: Reals
    demand: Reals
    final_demand: Reals
