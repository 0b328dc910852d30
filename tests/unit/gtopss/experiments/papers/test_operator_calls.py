"""The operator experiments at a small size."""

from __future__ import annotations

import pytest
from conftest import ROOT

from gtopss.experiments import result_files
from gtopss.experiments.papers.experiment import Curves, ExperimentSettings, Point
from gtopss.experiments.papers.operator_bookkeeping import OPERATOR_BOOKKEEPING
from gtopss.experiments.papers.operator_calls import (
    DISJOINT,
    GREEDY,
    IN_USE,
    NEEDED,
    OPERATOR_CALLS,
    disjoint,
    measure,
    reaches_share,
    within_half_the_guarantee,
)
from gtopss.experiments.papers.operator_costs import OPERATOR_COSTS
from gtopss.experiments.papers.operator_pairs import OPERATOR_PAIRS
from gtopss.experiments.papers.run_experiment import points_of
from gtopss.experiments.workloads.operator_calls import SELECTIVITIES, OperatorTable1, Selectivity
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


def test_a_curve_reaches_a_share_of_a_number_at_every_x() -> None:
    curves = Curves([Point("naive", 5, 95), Point("naive", 11, 80)])
    assert reaches_share("naive", 0.8, 100)(curves).agrees
    assert not reaches_share("naive", 0.9, 100)(curves).agrees


def test_half_the_guarantee_is_half_of_d_times_the_fewest_calls() -> None:
    fewest = [Point(NEEDED, 5, 100), Point(NEEDED, 11, 100)]
    for calls, within in ((250, True), (251, False)):
        curves = Curves([*fewest, Point("sequential", 5, calls), Point("sequential", 11, 550)])
        assert within_half_the_guarantee("sequential")(curves).agrees is within


def test_the_parameters_of_a_figure_are_those_that_do_not_vary_with_x() -> None:
    parameters = {each.name: each.parameters for each in OPERATOR_CALLS}
    assert "subscriptions" not in parameters["operators-figure4-equal"]
    assert parameters["operators-figure4-equal"]["predicates"] == 40_000
    assert parameters["operators-figure4-equal"]["popularity"] == "uniform"
    assert parameters["operators-figure6-popularity-skewed"]["popularity"] == "uniform"
    assert "longest" not in parameters["operators-figure7-uniform"]


@pytest.mark.parametrize("selectivity", SELECTIVITIES)
@pytest.mark.parametrize("name", ["sequential", "sub_order"])
def test_the_papers_strategies_make_fewer_calls_with_zipf_popularity_at_every_size(
    selectivity: Selectivity, name: str
) -> None:
    """Section 5.3.1: Figure 5 against Figure 4, as saved."""
    uniform, zipf = (
        {point.x: point.y for point in points_of(result_files.load(path)) if point.curve == name}
        for path in (ROOT / f"docs/comparisons/operators-figure{number}-{selectivity}.json" for number in (4, 5))
    )
    assert list(uniform) == list(zipf)
    assert all(0.73 <= round(1 - zipf[x] / calls, 2) <= 0.83 for x, calls in uniform.items())


def test_operator_experiments_have_unique_names_and_checks() -> None:
    experiments = (*OPERATOR_CALLS, OPERATOR_PAIRS, OPERATOR_COSTS, OPERATOR_BOOKKEEPING)
    assert len({each.name for each in experiments}) == len(experiments) == 21
    for each in experiments:
        assert each.name.startswith("operators-")
        findings = [check.holds(Curves([])) for check in each.checks]
        assert all(finding.agrees is None for finding in findings)
