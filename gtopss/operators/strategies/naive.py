"""Naive, the paper's baseline (DEBS 2007, section 5.2): subscriptions one by one, with a memory.

"For each subscription [it] evaluates its predicates until either one of them becomes false or all of them are
evaluated", and re-uses old answers. It does not look whether an answer that it has would settle a later subscription:
of that one it asks the predicates in their order all the same.
"""

from __future__ import annotations

import numpy

from gtopss.operators import kernels
from gtopss.operators.arrays import Integers
from gtopss.operators.board import Board, Problem
from gtopss.operators.strategies.protocol import Run


class Naive:
    asks = "the next predicate of the first undecided subscription, as written"
    plans = False
    sorts = False

    def plan(self, problem: Problem) -> Integers | None:
        return None

    def begin(self, board: Board, order: Integers | None) -> Run:
        problem = board.problem
        cursor = numpy.zeros(1, numpy.int64)
        arrays = (problem.unit_start, problem.unit_predicates, board.asked, board.truth)
        return Run(kernels.next_naive, (cursor, *arrays))
