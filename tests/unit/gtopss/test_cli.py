from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from gtopss import __version__
from gtopss.cli import app

run = CliRunner().invoke


def test_demo_shows_both_subscriptions_with_bindings_and_triples() -> None:
    done = run(app, ["demo"])
    assert done.exit_code == 0
    matched = done.stdout.split("What matched, and why")[1]
    for text in ("S1", "?z = 2001", "S2", "?y = bib:ArnosPaper17", "bib:SIGMOD  bib:year  2001", "2001 > 1999"):
        assert text in matched
    assert "bib:ArnosPaper17 → bib:SIGMODProceedings → bib:ConferenceProceedings → bib:Publication" in matched
    assert "2 of 2 subscriptions matched" in matched


def test_an_error_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from gtopss.cli import main; main()", "demo", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("gtopss: there is no figure5 folder")
    assert len(done.stderr.splitlines()) == 1


def test_version_and_help() -> None:
    assert run(app, ["--version"]).stdout.strip() == f"gtopss {__version__}"
    assert "demo" in run(app, ["--help"]).stdout


def test_bench_compares_answers_and_writes_json(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    done = run(app, ["bench", "--sizes", "50", "--publications", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    result = json.loads(out.read_text())
    assert {point["matcher"] for point in result["points"]} == {"reference", "naive", "sparql"}
    assert len({point["matches"] for point in result["points"]}) == 1
    assert result["workload"]["seed"] == 2005
    assert "python" in result
