"""The experiment on compared pairs at a small size."""

from __future__ import annotations

import pytest

from gtopss.experiments.papers import operator_pairs
from gtopss.experiments.papers.experiment import ExperimentSettings
from gtopss.experiments.papers.operator_pairs import OPERATOR_PAIRS
from gtopss.experiments.workloads.operator_calls import OperatorTable1


def test_the_limit_changes_the_pairs_and_only_the_calls_of_sub_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_pairs, "QUICK_TABLE", OperatorTable1(subscriptions=400, predicates=100))
    settings = ExperimentSettings(quick=True)
    few, all_pairs = (
        {point.curve: point for point in OPERATOR_PAIRS.measure(limit, settings)}
        for limit in (2_000, operator_pairs.ALL_PAIRS)
    )
    assert set(few) == set(all_pairs) == set(OPERATOR_PAIRS.curves)
    for curve in OPERATOR_PAIRS.curves:
        if curve.startswith("sequential"):
            assert few[curve].y == all_pairs[curve].y
        else:
            assert few[curve].measurements["pairs"] <= 2_000 < all_pairs[curve].measurements["pairs"]
            assert few[curve].y != all_pairs[curve].y
