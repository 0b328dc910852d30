"""What is measured, kept and judged; never how fast it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gtopss.cli import app
from gtopss.experiments.benchmark import run as bench_run
from gtopss.experiments.benchmark.churn import churn
from gtopss.experiments.benchmark.end_to_end import end_to_end
from gtopss.experiments.benchmark.figures import draw
from gtopss.experiments.benchmark.measure import Disagreement, Point, compare
from gtopss.experiments.benchmark.memory import memory
from gtopss.experiments.benchmark.run import Plan
from gtopss.experiments.benchmark.targets import verdicts
from gtopss.experiments.peers import PEERS, Peer
from gtopss.experiments.peers.ours import Ours
from gtopss.experiments.workloads import WORKLOADS, few_shapes
from gtopss.model import Publication

EMPTY: dict[str, Any] = {"matcher": "gm", "points": [], "churn": [], "memory": [], "end_to_end": []}


def points(peers: Sequence[Peer], before: dict[str, Point] | None = None) -> list[Point]:
    return compare(few_shapes(100), "reference", peers, before or {}, items=5, seconds=0.01, progress=lambda _: None)


class Forgetful(Ours):
    """Leaves out every answer."""

    def match_many(self, publications: Sequence[Publication]) -> Iterable[tuple[str, ...]]:  # type: ignore[override]
        return [() for _ in publications]


def test_answers_are_compared_before_anything_is_timed() -> None:
    with pytest.raises(Disagreement, match=r"workload a, 100 subscriptions, publication p\d+: only ours: \['s"):
        points([Forgetful("naive")])


def test_each_engine_has_a_point_and_ours_one_more_with_bindings() -> None:
    found = points([PEERS["sqlite"](), PEERS["rarest"]()])
    assert [each.engine for each in found] == [
        "reference", "reference with bindings", "SQLite by shape", "rarest constant, Python",
    ]  # fmt: skip
    assert all(each.ms and each.ours_ms and 3 <= each.items <= 5 and not each.left_out for each in found)


def test_a_peer_that_was_too_slow_is_left_out_with_the_reason() -> None:
    slow = Point("a", "", 10, "naive", items=3, ms=3_000.0)
    *_, last = points([PEERS["naive"]()], {"naive": slow})
    assert last.ms is None
    assert last.left_out == "not run above 10: 3.0 s an item there"


def test_churn_ends_with_as_many_subscriptions_as_it_began() -> None:
    found = churn("reference", 1_000, items=300)
    assert found.changes_an_item == pytest.approx(0.01)
    assert found.still_p50_ms <= found.still_p99_ms
    assert found.churn_p50_ms <= found.churn_p99_ms
    assert found.add_us > 0


def test_bytes_to_matches_and_memory_are_per_item_and_per_subscription() -> None:
    assert end_to_end("reference", 100, items=5).parse_ms > 0
    assert memory("reference", 2_000).process_bytes > 0


def test_targets_are_judged_by_what_was_measured() -> None:
    assert {each.met for each in verdicts(EMPTY)} == {None}
    rows = [
        asdict(Point("a", "", 100_000, name, ms=ms, ours_ms=1.0))
        for name, ms in (("SQLite by shape", 41.0), ("gm", 1.0))
    ]
    slow = {"size": 1_000_000, "add_us": 101.0, "remove_us": 20.0, "churn_p99_ms": 3.0, "still_p99_ms": 1.0}
    judged = {each.target: each for each in verdicts({**EMPTY, "points": rows, "churn": [slow]})}
    assert judged["a, 100,000: SQLite by shape"].met is True
    assert judged["one addition at 1,000,000, us"].met is False
    assert judged["one removal at 1,000,000, us"].met is True
    assert judged["p99 under churn, in p99s without, 1,000,000"].measured == 3.0


def test_the_command_prints_what_it_keeps_and_draws_it(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "bench.json"
    command = ["bench", "--workload", "a,h", "--sizes", "50", "--publications", "5", "--peers", "sqlite,rarest"]
    command += ["--matcher", "reference", "--feeds", str(data / "none"), "--out", str(out), "--plots", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "SQLite by shape" in done.output
    assert "not in this run" in done.output
    result = json.loads(out.read_text())
    assert result["seed"] == 2005
    assert "python" in result
    assert {row["engine"] for row in result["points"]} >= {"reference", "SQLite by shape"}
    assert {path.name for path in tmp_path.glob("*.svg")} == {"time-a.svg", "memory.svg", "churn.svg"}
    assert [path.name for path in draw(result, tmp_path)] == ["time-a.svg", "memory.svg", "churn.svg"]


@pytest.mark.parametrize(
    "options", [["--workload", "z"], ["--sizes", "ten"], ["--peers", "oracle"], ["--out", "/none/at/all.json"]]
)
def test_wrong_options_are_named(options: list[str]) -> None:
    done = CliRunner().invoke(app, ["bench", *options])
    assert done.exit_code == 2
    assert options[0] in done.output


def test_an_interrupted_run_keeps_its_finished_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_run, "churn", interrupted)
    out = tmp_path / "bench.json"
    plan = Plan({"a": (50,), "h": (50,)}, items=5, seconds=0.01, memory=(), end_to_end=())
    with pytest.raises(KeyboardInterrupt):
        bench_run.run(plan, matcher="reference", peers=["rarest"], feeds=tmp_path, out=out, progress=lambda _: None)
    assert [row["size"] for row in json.loads(out.read_text())["points"]] == [50, 50, 50]


def test_every_workload_has_its_sizes() -> None:
    for plan in (bench_run.FULL, bench_run.QUICK):
        assert set(plan.sizes) == {*WORKLOADS, "h"}
