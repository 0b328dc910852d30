from __future__ import annotations

import pytest
from support.postgresql_server import PostgresqlServer

from gtopss.errors import GtopssError
from gtopss.experiments.benchmark import broker_benchmark
from gtopss.experiments.benchmark.broker_benchmark import BROKER_WORKLOADS, POSTGRESQL_VARIABLE, measure_broker


@pytest.mark.slow
def test_each_workload_of_the_broker_has_lines_in_the_table(
    monkeypatch: pytest.MonkeyPatch, postgresql: PostgresqlServer
) -> None:
    monkeypatch.setenv("PATH", "")  # without NATS
    monkeypatch.setenv(POSTGRESQL_VARIABLE, postgresql.new_store_url())
    monkeypatch.setattr(broker_benchmark, "MEMORY_ITEMS_PER_ITEM", 10)
    measured = measure_broker(BROKER_WORKLOADS, subscriptions=200, items=70, progress=lambda text: None)
    rows = [row for lines in measured for row in lines]
    assert len(rows) == 3 + 3 + 1 + 2 + 1 + 1 + 8
    assert all(row["ours"] > 0 for row in rows)
    acknowledged, matched, cpu, *_ = rows
    assert acknowledged["what"] == "publications, 200 subscriptions, gtopss on sqlite: acknowledged"
    assert matched["ours"] <= acknowledged["ours"]
    assert cpu["unit"] == "us"


def test_a_database_that_is_not_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(POSTGRESQL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GtopssError, match=f"set {POSTGRESQL_VARIABLE}"):
        list(measure_broker(["broker-postgresql"], subscriptions=1, items=1, progress=lambda text: None))
