"""What is learned of predicates and conjunctions: selectivity, cost, drift, dependence.

The paper assumes that selectivities are "known or can be learned online through the past matching history" (DEBS 2007,
section 3). Here they are counts with a prior, which is the operator's own declaration. Three assumptions of the paper
may fail, and are looked after:

- *drift*: beyond `HORIZON` observations the oldest fade. Where the last `SHORT` differ from the long run by more than
  chance allows, the long run is forgotten, and the drift is reported;
- *dependence*: predicates are taken to be independent. A conjunction that matches more or less often than the product
  of its predicates' selectivities says is reported. All conjunctions are decided for every publication, so that this
  is counted without bias;
- *bias*: a predicate is asked when others have not settled its subscriptions, so that what is learned is its chance
  under these circumstances. That is the chance that the order needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from gtopss.operators import kernels
from gtopss.operators.arrays import Integers, Reals

PRIOR = 2.0
"""Observations that a declared selectivity is worth."""
HORIZON = 1000.0
SHORT = 50.0
DEVIATIONS = 4.0
"""Standard deviations that are not chance any more."""
_SURE = 0.001  # no estimate is nearer to 0 or 1 than this: what never happened may still happen


class Drift(NamedTuple):
    """A predicate whose selectivity has changed."""

    predicate: int
    before: float
    now: float


class Dependence(NamedTuple):
    """A conjunction that does not match as often as it would if its predicates were independent."""

    conjunction: int
    expected: float
    matched: int


class Statistics:
    """Arrays by predicate number and by conjunction number; both grow as numbers are given out."""

    def __init__(self) -> None:
        self._prior = numpy.empty(0)
        self._trues = numpy.empty(0)
        self._total = numpy.empty(0)
        self._recent = numpy.empty(0)
        self._charge = numpy.empty(0)
        self._charges = numpy.empty(0)
        self._seconds = numpy.empty(0)
        self._timed = numpy.empty(0)
        self._expected = numpy.empty(0)
        self._matched = numpy.empty(0)
        self.drifts: list[Drift] = []
        self.observations = 0

    def new_predicate(self, number: int, selectivity: float, cost: float) -> None:
        """Forget what was known of a number, and start from the operator's declaration."""
        arrays = ("_prior", "_trues", "_total", "_recent", "_charge", "_charges", "_seconds", "_timed")
        values = (selectivity, 0.0, 0.0, selectivity, cost, PRIOR, 0.0, 0.0)
        for name, value in zip(arrays, values, strict=True):
            setattr(self, name, _with(getattr(self, name), number, value))
        if self.drifts:
            self.drifts = [drift for drift in self.drifts if drift.predicate != number]

    def new_conjunction(self, number: int) -> None:
        self._expected = _with(self._expected, number, 0.0)
        self._matched = _with(self._matched, number, 0.0)

    def selectivity(self, predicates: Integers) -> Reals:
        trues, total = self._trues[predicates], self._total[predicates]
        estimate = (trues + PRIOR * self._prior[predicates]) / (total + PRIOR)
        return numpy.clip(estimate, _SURE, 1.0 - _SURE)

    def cost(self, predicates: Integers, second: float) -> Reals:
        """The expected cost of a call; `second` is what a second of its time is worth, in the same unit."""
        charge: Reals = self._charge[predicates]
        return charge + second * self._seconds[predicates] if second else charge

    def observe(self, answers: Sequence[tuple[int, int, float]]) -> None:
        """One publication's answers: predicate, TRUE or FALSE, and the call's seconds (0 if there was no call)."""
        if not answers:
            return
        predicates, outcomes, seconds = zip(*answers, strict=True)
        kernels.learn(
            numpy.array(predicates, numpy.int32), numpy.array(outcomes, numpy.int8), numpy.array(seconds),
            self._trues, self._total, self._recent, self._seconds, self._timed, HORIZON, SHORT,
        )  # fmt: skip
        before, self.observations = self.observations, self.observations + len(answers)
        if before // 1024 < self.observations // 1024:
            self._look_for_drift()

    def observe_charge(self, predicate: int, charge: float) -> None:
        """What a call really cost."""
        self._charges[predicate] = min(self._charges[predicate] + 1.0, SHORT)
        self._charge[predicate] += (charge - self._charge[predicate]) / self._charges[predicate]

    def expect(self, unit_start: Integers, unit_predicates: Integers, chances: Reals, conjunctions: Integers) -> None:
        kernels.expect_matches(unit_start, unit_predicates, chances, conjunctions, self._expected)

    def matched(self, conjunctions: Sequence[int]) -> None:
        """All predicates of a unit of these were true."""
        for conjunction in conjunctions:
            self._matched[conjunction] += 1

    def dependent(self, conjunctions: Sequence[int]) -> list[Dependence]:
        """Those of the conjunctions whose matches tell that their predicates depend on one another."""
        found = []
        for number in conjunctions:
            expected, matched = float(self._expected[number]), int(self._matched[number])
            seen = max(expected, matched) >= 5.0
            if seen and abs(matched - expected) > DEVIATIONS * math.sqrt(max(expected, 1.0)):
                found.append(Dependence(number, expected, matched))
        return found

    def _look_for_drift(self) -> None:
        """Compare the last SHORT observations with the long run; forget the long run where they disagree."""
        enough = numpy.flatnonzero(self._total >= 4 * SHORT)
        long = self._trues[enough] / self._total[enough]
        deviation = numpy.sqrt(numpy.clip(long * (1.0 - long), 1.0 / SHORT, None) / (SHORT / 2.0))
        for number in enough[numpy.abs(self._recent[enough] - long) > DEVIATIONS * deviation].tolist():
            now = float(self._recent[number])
            self.drifts.append(Drift(number, float(self._trues[number] / self._total[number]), now))
            self._trues[number], self._total[number] = now * SHORT, SHORT
        del self.drifts[:-1000]


def _with(array: Reals, number: int, value: float) -> Reals:
    """The array with room for `number`, and the value there."""
    if number >= len(array):
        grown = numpy.zeros(max(16, 2 * number))
        grown[: len(array)] = array
        array = grown
    array[number] = value
    return array
