"""Latency while subscriptions change."""

from __future__ import annotations

import pytest

from gtopss.experiments.benchmark.churn import measure_churn


def test_churn_measures_latencies_and_changes_per_item() -> None:
    found = measure_churn("reference", 1_000, items=300)
    assert found.changes_per_item == pytest.approx(0.01)
    assert found.steady_p50_ms <= found.steady_p99_ms
    assert found.churn_p50_ms <= found.churn_p99_ms
    assert found.add_us > 0
