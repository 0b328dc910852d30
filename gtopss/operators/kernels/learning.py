"""Count answers and expected matches. `learned_statistics` explains what the counts are used for."""

from __future__ import annotations

from typing import NamedTuple

from gtopss.compiled import compiled
from gtopss.operators.kernels.arrays import Flags, Integers, Reals


class Observations(NamedTuple):
    """Answers of one publication: predicate, 1 for true, and the seconds of the call (0 without a call)."""

    predicates: Integers
    truths: Flags
    seconds: Reals


class PredicateCounts(NamedTuple):
    """What was observed, by predicate."""

    true_answers: Reals
    answers: Reals
    recent_selectivity: Reals
    mean_seconds: Reals
    timed_calls: Reals


@compiled
def count_answers(
    observations: tuple[Integers, Flags, Reals], predicate_counts: tuple[Reals, ...], long_run: float, recent: float
) -> None:
    """Count answers. Beyond `long_run` observations (for means: `recent`) the oldest fade.

    The arguments are the fields of `Observations` and `PredicateCounts`.
    """
    observed, counts = Observations(*observations), PredicateCounts(*predicate_counts)
    for at in range(len(observed.predicates)):
        predicate, true = observed.predicates[at], float(observed.truths[at])
        if counts.answers[predicate] >= long_run:
            counts.true_answers[predicate] *= 1.0 - 1.0 / long_run
            counts.answers[predicate] = long_run - 1.0
        counts.true_answers[predicate] += true
        counts.answers[predicate] += 1.0
        weight = min(counts.answers[predicate], recent)
        counts.recent_selectivity[predicate] += (true - counts.recent_selectivity[predicate]) / weight
        if observed.seconds[at] > 0.0:
            counts.timed_calls[predicate] = min(counts.timed_calls[predicate] + 1.0, recent)
            difference = observed.seconds[at] - counts.mean_seconds[predicate]
            counts.mean_seconds[predicate] += difference / counts.timed_calls[predicate]


@compiled
def add_expected_matches(
    instance_start: Integers, instance_predicates: Integers, selectivity: Reals, conjunction: Integers, expected: Reals
) -> None:
    """Add each instance's probability to match, if its predicates are independent, to its conjunction's total."""
    for instance in range(len(instance_start) - 1):
        chance = 1.0
        for predicate in instance_predicates[instance_start[instance] : instance_start[instance + 1]]:
            chance *= selectivity[predicate]
        expected[conjunction[instance]] += chance
