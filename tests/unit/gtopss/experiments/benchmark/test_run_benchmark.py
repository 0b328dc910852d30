"""A run saves each finished part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gtopss.experiments.benchmark import run_benchmark
from gtopss.experiments.benchmark.run_benchmark import BenchmarkPlan
from gtopss.experiments.workloads import TEXT_WORKLOADS, WORKLOADS


def test_an_interrupted_run_saves_its_finished_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_benchmark, "measure_churn", interrupted)
    out = tmp_path / "bench.json"
    plan = BenchmarkPlan({"a": (50,), "h": (50,)}, items=5, seconds=0.01, memory=(), end_to_end=())
    with pytest.raises(KeyboardInterrupt):
        run_benchmark.run_benchmark(
            plan, matcher="reference", peers=["rarest"], feeds=tmp_path, out=out, progress=lambda _: None
        )
    assert [row["size"] for row in json.loads(out.read_text())["points"]] == [50, 50, 50]


def test_every_plan_has_sizes_for_every_workload() -> None:
    for plan in (run_benchmark.FULL_BENCHMARK, run_benchmark.QUICK_BENCHMARK):
        assert set(plan.sizes) == {*WORKLOADS, *TEXT_WORKLOADS, "h", "j"}
