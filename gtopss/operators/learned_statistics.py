"""Learn selectivities and costs of predicates, and detect drift and dependence.

The paper assumes that selectivities are "known or can be learned online through the past matching history" (DEBS 2007,
section 3). Here they are counts with a prior, which is the operator's own declaration. Three assumptions of the paper
may fail:

- *drift*: beyond `LONG_RUN_OBSERVATIONS` the oldest observations fade. If the last `RECENT_OBSERVATIONS` differ from
  the long run by more than chance allows, the long run is forgotten and the drift is reported;
- *dependence*: predicates are assumed to be independent. A conjunction that matches more or less often than the product
  of its predicates' selectivities predicts is reported. All conjunctions are decided for every publication, so this
  count is unbiased;
- *bias*: a predicate is evaluated only if others have not decided its subscriptions, so what is learned is its
  probability under this condition. That is the probability that the order needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from gtopss.operators.kernels import learning
from gtopss.operators.kernels.arrays import Integers, Reals

PRIOR_OBSERVATIONS = 2.0
"""Observations that a declared selectivity or cost counts for."""
LONG_RUN_OBSERVATIONS = 1000.0
"""Observations of a predicate beyond which the oldest fade."""
RECENT_OBSERVATIONS = 50.0
"""Observations of a predicate that the recent selectivity and the mean duration cover."""
SIGNIFICANT_DEVIATIONS = 4.0
"""Standard deviations beyond which a difference is not chance."""
MIN_EXPECTED_MATCHES = 5.0
"""Expected or actual matches below which a conjunction is not tested for dependence."""
DRIFT_CHECK_OBSERVATIONS = 1024
"""Observations of all predicates between two searches for drift."""
MAX_REPORTED_DRIFTS = 1000
"""Drifts that are remembered; older ones are dropped."""
_MIN_PROBABILITY = 0.001  # no estimate is nearer to 0 or 1: what never happened may still happen


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


class LearnedStatistics:
    """Estimates by predicate number and by conjunction number. The arrays grow with the numbers. Not thread-safe."""

    def __init__(self) -> None:
        self._prior_selectivity = numpy.empty(0)
        self._true_answers = numpy.empty(0)
        self._answers = numpy.empty(0)
        self._recent_selectivity = numpy.empty(0)
        self._mean_cost = numpy.empty(0)
        self._costs = numpy.empty(0)
        self._mean_seconds = numpy.empty(0)
        self._timed_calls = numpy.empty(0)
        self._expected_matches = numpy.empty(0)
        self._matches = numpy.empty(0)
        self.drifts: list[Drift] = []
        self.drift_count = 0  # all drifts that were detected, also those that `drifts` no longer has
        self.observations = 0

    def new_predicate(self, number: int, selectivity: float, cost: float) -> None:
        """Start a predicate from its operator's declaration, and forget what was learned for an earlier one."""
        self._prior_selectivity = _set(self._prior_selectivity, number, selectivity)
        self._true_answers = _set(self._true_answers, number, 0.0)
        self._answers = _set(self._answers, number, 0.0)
        self._recent_selectivity = _set(self._recent_selectivity, number, selectivity)
        self._mean_cost = _set(self._mean_cost, number, cost)
        self._costs = _set(self._costs, number, PRIOR_OBSERVATIONS)
        self._mean_seconds = _set(self._mean_seconds, number, 0.0)
        self._timed_calls = _set(self._timed_calls, number, 0.0)
        if self.drifts:
            self.drifts = [drift for drift in self.drifts if drift.predicate != number]

    def new_conjunction(self, number: int) -> None:
        """Start a conjunction without observations."""
        self._expected_matches = _set(self._expected_matches, number, 0.0)
        self._matches = _set(self._matches, number, 0.0)

    def selectivity(self, predicates: Integers) -> Reals:
        """Return the estimated probability that each predicate holds."""
        true_answers, answers = self._true_answers[predicates], self._answers[predicates]
        prior = PRIOR_OBSERVATIONS * self._prior_selectivity[predicates]
        estimate = (true_answers + prior) / (answers + PRIOR_OBSERVATIONS)
        return numpy.clip(estimate, _MIN_PROBABILITY, 1.0 - _MIN_PROBABILITY)

    def cost(self, predicates: Integers, cost_per_second: float) -> Reals:
        """Return the expected cost of a call, including `cost_per_second` for its time."""
        cost: Reals = self._mean_cost[predicates]
        return cost + cost_per_second * self._mean_seconds[predicates] if cost_per_second else cost

    def observe_answers(self, answers: Sequence[tuple[int, int, float]]) -> None:
        """Learn from one publication's answers: predicate, TRUE or FALSE, and the call's seconds (0 without a call)."""
        if not answers:
            return
        predicates, truths, seconds = zip(*answers, strict=True)
        learning.count_answers(
            (numpy.array(predicates, numpy.int32), numpy.array(truths, numpy.int8), numpy.array(seconds)),
            (self._true_answers, self._answers, self._recent_selectivity, self._mean_seconds, self._timed_calls),
            LONG_RUN_OBSERVATIONS,
            RECENT_OBSERVATIONS,
        )
        before, self.observations = self.observations, self.observations + len(answers)
        if before // DRIFT_CHECK_OBSERVATIONS < self.observations // DRIFT_CHECK_OBSERVATIONS:
            self._detect_drift()

    def observe_cost(self, predicate: int, cost: float) -> None:
        """Learn from the actual cost of a call."""
        self._costs[predicate] = min(self._costs[predicate] + 1.0, RECENT_OBSERVATIONS)
        self._mean_cost[predicate] += (cost - self._mean_cost[predicate]) / self._costs[predicate]

    def expect_matches(
        self, instance_start: Integers, instance_predicates: Integers, selectivity: Reals, conjunctions: Integers
    ) -> None:
        """Add the probability of each decided instance to the expected matches of its conjunction."""
        learning.add_expected_matches(
            instance_start, instance_predicates, selectivity, conjunctions, self._expected_matches
        )

    def observe_matches(self, conjunctions: Sequence[int]) -> None:
        """Count instances of these conjunctions all of whose predicates were true."""
        for conjunction in conjunctions:
            self._matches[conjunction] += 1

    def dependent_conjunctions(self, conjunctions: Sequence[int]) -> list[Dependence]:
        """Return those of the conjunctions whose matches show that their predicates depend on one another."""
        found = []
        for number in conjunctions:
            expected, matched = float(self._expected_matches[number]), int(self._matches[number])
            is_tested = max(expected, matched) >= MIN_EXPECTED_MATCHES
            if is_tested and abs(matched - expected) > SIGNIFICANT_DEVIATIONS * math.sqrt(max(expected, 1.0)):
                found.append(Dependence(number, expected, matched))
        return found

    def _detect_drift(self) -> None:
        """Compare recent observations with the long run, and forget the long run where they disagree."""
        recent = RECENT_OBSERVATIONS
        enough = numpy.flatnonzero(self._answers >= 4 * recent)
        long_run = self._true_answers[enough] / self._answers[enough]
        deviation = numpy.sqrt(numpy.clip(long_run * (1.0 - long_run), 1.0 / recent, None) / (recent / 2.0))
        difference = numpy.abs(self._recent_selectivity[enough] - long_run)
        for number in enough[difference > SIGNIFICANT_DEVIATIONS * deviation].tolist():
            now = float(self._recent_selectivity[number])
            self.drift_count += 1
            self.drifts.append(Drift(number, float(self._true_answers[number] / self._answers[number]), now))
            self._true_answers[number], self._answers[number] = now * recent, recent
        del self.drifts[:-MAX_REPORTED_DRIFTS]


def _set(array: Reals, number: int, value: float) -> Reals:
    """Set an entry and return the array, or a larger copy if it was too small."""
    if number >= len(array):
        grown = numpy.zeros(max(16, 2 * number))
        grown[: len(array)] = array
        array = grown
    array[number] = value
    return array
