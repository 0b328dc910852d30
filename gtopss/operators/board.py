"""The paper's two hash tables for one publication (DEBS 2007, section 5.1), as flat arrays.

"The subscription graph is stored twice": subscription to remaining predicates, predicate to unresolved subscriptions.
A `Problem` is that graph as it stands before the first answer; a `Board` is the same as answers come in. What the
paper calls a subscription is a *unit* here: a conjunction whose inputs have values. A conjunction that asks the same of
every row is one unit, another is one unit for each distinct tuple of its inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from gtopss.operators import kernels
from gtopss.operators.arrays import Integers, Reals
from gtopss.operators.kernels import FALSE, OPEN, TRUE, UNKNOWN

__all__ = ["FALSE", "OPEN", "TRUE", "UNKNOWN", "Board", "Problem"]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Which unit has which predicates, and what is known of both. The arrays' shapes are in `kernels`."""

    unit_start: Integers
    unit_predicates: Integers
    predicate_start: Integers
    predicate_units: Integers
    value: Reals
    selectivity: Reals
    cost: Reals

    @classmethod
    def of(
        cls,
        units: Sequence[Sequence[int]],
        selectivity: Sequence[float] | Reals,
        *,
        cost: Sequence[float] | Reals | None = None,
        value: Sequence[float] | Reals | None = None,
    ) -> Problem:
        """From plain lists: each unit's predicates, numbered from 0, none of them twice.

        >>> Problem.of([[0, 1], [1, 2]], [0.5, 0.5, 0.5]).predicate_units.tolist()
        [0, 0, 1, 1]
        """
        start = numpy.zeros(len(units) + 1, numpy.int32)
        numpy.cumsum([len(unit) for unit in units], out=start[1:])
        flat = numpy.array([predicate for unit in units for predicate in unit], numpy.int32)
        return cls.flat(start, flat, selectivity, cost=cost, value=value)

    @classmethod
    def flat(
        cls,
        unit_start: Integers,
        unit_predicates: Integers,
        selectivity: Sequence[float] | Reals,
        *,
        cost: Sequence[float] | Reals | None = None,
        value: Sequence[float] | Reals | None = None,
    ) -> Problem:
        chances = numpy.asarray(selectivity, numpy.float64)
        start, units = kernels.transpose(unit_start, unit_predicates, len(chances))
        costs = numpy.ones(len(chances)) if cost is None else numpy.asarray(cost, numpy.float64)
        worth = numpy.ones(len(unit_start) - 1) if value is None else numpy.asarray(value, numpy.float64)
        return cls(unit_start, unit_predicates, start, units, worth, chances, costs)

    @property
    def units(self) -> int:
        return len(self.unit_start) - 1

    @property
    def predicates(self) -> int:
        return len(self.selectivity)

    @property
    def longest(self) -> int:
        """The paper's d."""
        return int(numpy.diff(self.unit_start).max(initial=0))

    def of_unit(self, unit: int) -> list[int]:
        found: list[int] = self.unit_predicates[self.unit_start[unit] : self.unit_start[unit + 1]].tolist()
        return found

    def with_estimates(self, selectivity: Reals, cost: Reals) -> Problem:
        """The same graph under other estimates."""
        return Problem(
            self.unit_start, self.unit_predicates, self.predicate_start, self.predicate_units, self.value,
            selectivity, cost,
        )  # fmt: skip


class Board:
    """The two tables while a publication is evaluated. Strategies read the arrays; only these methods write them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.undecided = numpy.ones(problem.units, numpy.int8)
        self.remaining = numpy.diff(problem.unit_start)
        self.demand = numpy.zeros(problem.predicates)
        self.final = numpy.zeros(problem.predicates)
        self.asked = numpy.zeros(problem.predicates, numpy.int8)
        self.truth = numpy.full(problem.predicates, OPEN, numpy.int8)
        self.complete = numpy.empty(problem.units, numpy.int32)
        self.raised = numpy.empty(problem.units, numpy.int32)
        self.counts = numpy.zeros(2, numpy.int64)
        kernels.demands(problem.unit_start, problem.unit_predicates, problem.value, self.demand, self.final)
        self.tables: tuple[Any, ...] = (  # what `kernels.settle` takes, in its order
            problem.unit_start, problem.unit_predicates, problem.predicate_start, problem.predicate_units,
            problem.value, self.undecided, self.remaining, self.demand, self.final, self.truth, self.complete,
            self.raised, self.counts,
        )  # fmt: skip

    def ask(self, predicate: int) -> None:
        """A call is on its way; no strategy proposes this predicate again."""
        self.asked[predicate] = 1

    def answer(self, predicate: int, truth: int) -> list[int]:
        """Enter TRUE, FALSE or UNKNOWN. Returns the units that have all their answers now, none of them false.

        An unknown answer is not counted as no: the unit's other predicates may still decide it.
        """
        self.asked[predicate] = 1
        complete = kernels.settle(predicate, truth, *self.tables)
        if complete == 0:
            return []
        units: list[int] = self.complete[:complete].tolist()
        self.counts[0] = 0
        return units

    def drop(self, unit: int) -> None:
        """Nobody needs this unit's answer any more."""
        problem = self.problem
        kernels.drop(
            unit, problem.unit_start, problem.unit_predicates, problem.value, self.undecided, self.remaining,
            self.demand, self.final, self.truth,
        )  # fmt: skip
