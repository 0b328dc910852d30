"""Sub-Order (DEBS 2007, section 4.2): chains sorted by selectivity, walked in an order planned beforehand.

The plan, what is reconstructed of it and what is mended, is in `chains`; the formulas behind it are in `costs`.
"""

from __future__ import annotations

import numpy

from gtopss.operators import chains, kernels
from gtopss.operators.arrays import Integers
from gtopss.operators.board import Board, Problem
from gtopss.operators.strategies.protocol import Run


class SubOrder:
    """`nearest` is how many chains, on each side in P/C order, a chain is compared with for each predicate."""

    asks = "down the chain of the next undecided subscription, in the planned order"
    plans = True
    sorts = True

    def __init__(self, nearest: int = chains.NEAREST) -> None:
        self.nearest = nearest
        self._sorted: tuple[Integers, Integers] | None = None

    def plan(self, problem: Problem) -> Integers:
        self._sorted = None
        return chains.order_chains(
            problem.unit_start, problem.unit_predicates, problem.predicate_start, problem.predicate_units,
            problem.selectivity, problem.cost, nearest=self.nearest,
        )  # fmt: skip

    def begin(self, board: Board, order: Integers | None) -> Run:
        if order is None:
            order = self.plan(board.problem)
        cursor, nodes = numpy.zeros(1, numpy.int64), self._nodes(board.problem)
        arrays = (order, board.problem.unit_start, nodes, board.undecided, board.asked, board.truth)
        return Run(kernels.next_in_chains, (cursor, *arrays))

    def _nodes(self, problem: Problem) -> Integers:
        """The sorted chains; those of the same subscriptions are sorted once per plan."""
        if self._sorted is None or self._sorted[0] is not problem.unit_predicates:
            rank = chains.ranks(problem.selectivity, problem.cost, numpy.diff(problem.predicate_start))
            nodes = chains.sort_chains(problem.unit_start, problem.unit_predicates, rank)
            self._sorted = problem.unit_predicates, nodes
        return self._sorted[1]
