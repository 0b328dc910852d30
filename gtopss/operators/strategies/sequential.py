"""Sequential (DEBS 2007, section 4.1, Algorithm 1): at most d times the fewest calls possible.

An undecided subscription is marked, "arbitrarily", and all its predicates are asked for which some undecided
subscription has a use: also after the marked one itself is decided. Arbitrary is the order of registration, and of
writing, here. With different costs the bound is d times Cmax/Cmin (section 4.3).

The proof has a slip of names: claim (iii) speaks of T \\ S, where Y is meant.
"""

from __future__ import annotations

import numpy

from gtopss.operators import kernels
from gtopss.operators.arrays import Integers
from gtopss.operators.board import Board, Problem
from gtopss.operators.strategies.protocol import Run


class Sequential:
    asks = "all predicates of the first undecided subscription that somebody undecided has, as written"
    plans = False
    sorts = False

    def plan(self, problem: Problem) -> Integers | None:
        return None

    def begin(self, board: Board, order: Integers | None) -> Run:
        problem = board.problem
        cursor = numpy.zeros(2, numpy.int64)
        arrays = (
            problem.unit_start, problem.unit_predicates, board.undecided, board.asked, problem.predicate_start,
            problem.predicate_units,
        )  # fmt: skip
        return Run(kernels.next_sequential, (cursor, *arrays))
