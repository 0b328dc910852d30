"""The experiment on costs of predicates at a small size."""

from __future__ import annotations

import pytest

from gtopss.experiments.papers.experiment import ExperimentSettings
from gtopss.experiments.papers.operator_costs import EXPECTED_RULE, OPERATOR_COSTS


@pytest.mark.slow
def test_both_cost_rules_agree_only_if_all_costs_are_equal() -> None:
    settings = ExperimentSettings(quick=True)
    equal = {point.curve: point.y for point in OPERATOR_COSTS.measure(1, settings)}
    assert equal["sub_order"] == equal[EXPECTED_RULE]
    different = {point.curve: point.y for point in OPERATOR_COSTS.measure(10, settings)}
    assert set(different) == set(OPERATOR_COSTS.curves)
    assert different["sub_order"] != different[EXPECTED_RULE]
    assert different["adaptive"] < different["naive"]
