"""Experiments are resumed, not repeated, and write JSON and a plot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.experiments import Instrument, doubling_experiment, silent

from gtopss.experiments.papers.experiment import ExperimentSettings
from gtopss.experiments.papers.run_experiment import run_experiment


def test_an_interrupted_run_keeps_its_points_and_resumes(tmp_path: Path) -> None:
    interrupted = Instrument(fails_at=2)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(doubling_experiment(interrupted), ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    assert [point["x"] for point in json.loads((tmp_path / "doubling.json").read_text())["points"]] == [1, 1]
    second = Instrument()
    result = run_experiment(doubling_experiment(second), ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    assert second.measured_xs == [2, 3]
    assert result["measured"] == [1, 2, 3]
    assert len(result["points"]) == 6


def test_a_fresh_run_measures_everything_again(tmp_path: Path) -> None:
    for fresh, expected in ((False, [1, 2, 3]), (False, []), (True, [1, 2, 3])):
        instrument = Instrument()
        run_experiment(doubling_experiment(instrument), ExperimentSettings(), tmp_path, fresh=fresh, progress=silent)
        assert instrument.measured_xs == expected


@pytest.mark.parametrize("changed", [{"curves": ("one",)}, {"parameters": {"labels": 5}}])
def test_a_result_with_other_curves_or_parameters_is_not_continued(tmp_path: Path, changed: dict[str, object]) -> None:
    run_experiment(doubling_experiment(Instrument()), ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    instrument = Instrument()
    run_experiment(
        replace(doubling_experiment(instrument), **changed),
        ExperimentSettings(),
        tmp_path,
        fresh=False,
        progress=silent,
    )
    assert instrument.measured_xs == [1, 2, 3]


def test_another_seed_measures_again_and_other_data_has_another_file(tmp_path: Path) -> None:
    for settings in (
        ExperimentSettings(),
        ExperimentSettings(seed=1),
        ExperimentSettings(data="real"),
        ExperimentSettings(quick=True),
    ):
        instrument = Instrument()
        run_experiment(doubling_experiment(instrument), settings, tmp_path, fresh=False, progress=silent)
        assert instrument.measured_xs == list(settings.choose((1, 2), (1, 2, 3)))
    assert {path.stem for path in tmp_path.glob("*.json")} == {"doubling", "doubling-real", "doubling-quick"}


def test_the_json_has_conditions_points_and_findings(tmp_path: Path) -> None:
    run_experiment(
        doubling_experiment(Instrument()), ExperimentSettings(seed=7, repeats=3), tmp_path, fresh=False, progress=silent
    )
    result = json.loads((tmp_path / "doubling.json").read_text())
    assert result["experiment"] == "doubling"
    assert (result["seed"], result["repeats"], result["quick"], result["data"]) == (7, 3, False, "synthetic")
    assert {"gtopss", "rdflib", "networkx"} <= result["versions"].keys()
    assert result["machine"]
    assert result["python"]
    assert result["points"][0] == {"curve": "one", "x": 1, "y": 2, "measurements": {"matches": 1}}
    assert result["findings"] == [
        {"statement": "it grows linearly", "verdict": "agrees", "numbers": "2 ms per apple, R² 1.000"},
        {"statement": "gm too", "verdict": "not measured", "numbers": ""},
    ]


def test_the_plot_is_deterministic_and_has_the_curves_and_the_papers_sentence(tmp_path: Path) -> None:
    plots = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        run_experiment(doubling_experiment(Instrument()), ExperimentSettings(), folder, fresh=False, progress=silent)
        plots.append((folder / "doubling.svg").read_text())
    assert plots[0] == plots[1]
    for text in ("Figure 1: doubling", "apples", "one", "other", "The paper: it doubles."):
        assert text in plots[0]
