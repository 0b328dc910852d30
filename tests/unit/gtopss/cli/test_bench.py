"""`gtopss bench` prints, saves and draws its results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.experiments.benchmark.draw_figures import draw_figures


@pytest.mark.slow
def test_bench_prints_saves_and_draws_its_results(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "bench.json"
    command = ["bench", "--workload", "a,h", "--sizes", "50", "--publications", "5", "--peers", "sqlite,rarest"]
    command += ["--matcher", "reference", "--feeds", str(data / "none"), "--out", str(out), "--plots", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "SQLite by shape" in done.output
    assert "not in this run" not in done.output
    result = json.loads(out.read_text())
    assert result["seed"] == 2005
    assert "python" in result
    assert {row["engine"] for row in result["points"]} >= {"reference", "SQLite by shape"}
    assert {path.name for path in tmp_path.glob("*.svg")} == {"time-a.svg", "memory.svg", "churn.svg"}
    assert [path.name for path in draw_figures(result, tmp_path)] == ["time-a.svg", "memory.svg", "churn.svg"]


@pytest.mark.parametrize(
    "options", [["--workload", "z"], ["--sizes", "ten"], ["--peers", "oracle"], ["--out", "/none/at/all.json"]]
)
def test_an_invalid_option_is_named_in_the_error(options: list[str]) -> None:
    done = CliRunner().invoke(app, ["bench", *options])
    assert done.exit_code == 2
    assert options[0] in done.output


def test_the_list_of_workloads_says_what_each_one_is() -> None:
    done = CliRunner().invoke(app, ["bench", "--workload", "list"])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert {line.split()[0] for line in lines} >= {"a", "h", "i-regex", "j", "r", "broker-http"}
    assert all(len(line.split()) > 1 for line in lines)
