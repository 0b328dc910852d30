"""`gtopss compare` runs, lists and shows experiments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.experiments import Instrument, doubling_experiment
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.cli.compare import _fitting_columns, _select_experiments
from gtopss.experiments.papers.experiment_table import EXPERIMENTS


def test_compare_lists_and_runs_experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "doubling", doubling_experiment(Instrument()))
    runner = CliRunner()
    listed = runner.invoke(app, ["compare"])
    assert "doubling" in listed.stdout
    assert {line.split()[0] for line in listed.stdout.splitlines() if line} >= set(EXPERIMENTS)  # no name is cut
    done = runner.invoke(app, ["compare", "doubling", "--quick", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "agrees: it grows linearly (2 ms per apple, R² 1.000)" in done.stdout
    assert "doubling-quick 2/2: apples 2" in done.stderr
    assert (tmp_path / "doubling-quick.svg").exists()
    assert runner.invoke(app, ["compare", "nothing"]).exit_code == 2


def test_numbers_that_do_not_fit_beside_the_names_are_in_a_second_table() -> None:
    heading, rows = ["apples", *(f"{x},000,000" for x in range(1, 8))], [["one", *("1" * 7)]]
    assert _fitting_columns(heading, rows, 200) == [[1, 2, 3, 4, 5, 6, 7]]
    assert _fitting_columns(heading, rows, 80) == [[1, 2, 3, 4], [5, 6, 7]]
    assert _fitting_columns(heading, rows, 10) == [[each] for each in range(1, 8)]


def test_other_commands_do_not_import_the_experiments() -> None:
    program = "import sys, gtopss.cli; print([name for name in sys.modules if name.startswith('gtopss.experiments')])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_an_unknown_experiment_is_refused_with_a_guess() -> None:
    refused = CliRunner().invoke(app, ["compare", "9g"])
    assert refused.exit_code == 2
    assert "did you mean gtopss-9g?" in " ".join(refused.output.replace("│", " ").split())


def test_a_name_selects_one_experiment_and_its_first_part_all_that_have_it() -> None:
    assert list(_select_experiments(["le-subscribe-9"], EXPERIMENTS)) == [EXPERIMENTS["le-subscribe-9"]]
    figures = _select_experiments(["operators-figure8"], EXPERIMENTS)
    assert [each.name.rpartition("-")[2] for each in figures] == ["equal", "uniform", "skewed"]
