from __future__ import annotations

import pytest

from gtopss.errors import GtopssError
from gtopss.experiments.benchmark.broker_benchmark import POSTGRESQL_VARIABLE, measure_broker


@pytest.mark.slow
def test_the_broker_is_measured_with_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # without NATS
    (row,) = measure_broker(["broker-sqlite"], subscriptions=200, items=70, progress=lambda text: None)
    assert (row["system"], row["subscriptions"], row["publications"]) == ("gtopss on sqlite", 200, 70)
    assert 0 < row["matched_per_second"] <= row["acknowledged_per_second"]


def test_a_database_that_is_not_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(POSTGRESQL_VARIABLE, raising=False)
    with pytest.raises(GtopssError, match=f"set {POSTGRESQL_VARIABLE}"):
        measure_broker(["broker-postgresql"], subscriptions=1, items=1, progress=lambda text: None)
