"""The operator experiments at a small size."""

from __future__ import annotations

import numpy
import pytest

from gtopss.experiments.papers.experiment import Curves, ExperimentSettings
from gtopss.experiments.papers.operator_bookkeeping import OPERATOR_BOOKKEEPING
from gtopss.experiments.papers.operator_calls import (
    DISJOINT,
    GREEDY,
    IN_USE,
    NEEDED,
    OPERATOR_CALLS,
    counts,
    disjoint,
    measure,
)
from gtopss.experiments.workloads.operator_calls import OperatorTable1, random_events, random_predicate_graph
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES

SMALL = OperatorTable1(subscriptions=600, predicates=300)


@pytest.mark.slow
def test_counts_are_deterministic_and_between_the_bounds() -> None:
    settings = ExperimentSettings(quick=True)
    one = measure(600, settings, table_at=lambda x: SMALL, claims={})
    assert one == measure(600, settings, table_at=lambda x: SMALL, claims={})
    at = {point.curve: point.y for point in one}
    for name in STRATEGIES:
        assert at[NEEDED] <= at[name] <= at[IN_USE]
    assert at[NEEDED] <= at[GREEDY]
    assert at[DISJOINT] <= at["adaptive"]
    assert at["adaptive"] < at["linked_gain_order"] < at["sequential"] < at["naive"]


def test_disjoint_counts_subscriptions_without_common_predicates() -> None:
    assert disjoint(PredicateGraph.from_lists([[0, 1], [1, 2], [3], [2, 4]], [0.5] * 5)) == 3


def test_calls_are_counted_for_every_strategy() -> None:
    made = random_predicate_graph(SMALL, numpy.random.default_rng(7))
    orders = {name: make().plan(made) for name, make in STRATEGIES.items()}
    truth = next(random_events(made, 1, numpy.random.default_rng(8)))
    assert set(counts(made, truth, orders)) == set(STRATEGIES)


def test_operator_experiments_have_unique_names_and_checks() -> None:
    experiments = (*OPERATOR_CALLS, OPERATOR_BOOKKEEPING)
    assert len({each.name for each in experiments}) == len(experiments) == 19
    for each in experiments:
        assert each.name.startswith("operators-")
        findings = [check.holds(Curves([])) for check in each.checks]
        assert all(finding.agrees is None for finding in findings)
