"""The measured parts of pages are written from saved JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.experiments import Instrument, doubling_experiment, silent

from gtopss.experiments import result_files
from gtopss.experiments.papers.experiment import ExperimentSettings, Point
from gtopss.experiments.papers.experiment_table import EXPERIMENTS
from gtopss.experiments.papers.result_pages import refresh_page, result_table
from gtopss.experiments.papers.run_experiment import run_experiment


def test_verdicts_of_variants_are_columns_of_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fruit1-red", "fruit1-green", "fruit2-red"):
        made = replace(doubling_experiment(Instrument()), name=name, figure=f"Figure {name[5]}")
        monkeypatch.setitem(EXPERIMENTS, name, made)
        run_experiment(made, ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    page = tmp_path / "page.md"
    page.write_text("Ours.\n<!-- verdicts: fruit -->\nold\n<!-- end -->\n")
    for _ in range(2):
        assert refresh_page(page, tmp_path) == []
        lines = page.read_text().splitlines()
        assert lines[2] == "| figure | statement | red | green |"
        agrees = "**agrees**: 2 ms per apple, R² 1.000"
        assert lines[4:8] == [
            f"| Figure 1 | it grows linearly | {agrees} | {agrees} |",
            "| Figure 1 | gm too | **not measured** | **not measured** |",
            f"| Figure 2 | it grows linearly | {agrees} |  |",
            "| Figure 2 | gm too | **not measured** |  |",
        ]


def test_a_refreshed_page_and_its_json_have_the_same_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = doubling_experiment(Instrument())
    monkeypatch.setitem(EXPERIMENTS, "doubling", made)
    run_experiment(made, ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    newer = replace(made, title="newer", checks=(replace(made.checks[0], statement="it grows steadily"),))
    monkeypatch.setitem(EXPERIMENTS, "doubling", newer)
    page = tmp_path / "page.md"
    page.write_text("<!-- measured: doubling -->\n<!-- end -->\n")
    refresh_page(page, tmp_path)
    saved = result_files.load(tmp_path / "doubling.json")
    assert "| it grows steadily | **agrees** |" in page.read_text()
    assert [each["statement"] for each in saved["findings"]] == ["it grows steadily"]
    assert saved["title"] == "newer"


def test_large_numbers_are_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(doubling_experiment(Instrument()), xs=lambda settings: (0.5, 1_000_000))
    monkeypatch.setitem(EXPERIMENTS, "doubling", made)
    result = run_experiment(made, ExperimentSettings(), tmp_path, fresh=False, progress=silent)
    assert result_table(result)[0] == ["apples", "0.5", "1,000,000"]


def test_bytes_are_shown_as_megabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(x: float, settings: ExperimentSettings) -> list[Point]:
        return [Point("one", x, x, {"bytes": 2_500_000 * x}), Point("other", x, x)]

    made = replace(doubling_experiment(Instrument()), measure=measure, shown_measurements=("bytes",))
    monkeypatch.setitem(EXPERIMENTS, "doubling", made)
    result = run_experiment(made, ExperimentSettings(quick=True), tmp_path, fresh=False, progress=silent)
    assert result_table(result)[1] == [
        ["one", "1", "2"],
        ["other", "1", "2"],
        ["one, megabytes", "2.5", "5"],
        ["other, megabytes", "", ""],
    ]


def test_only_the_measured_parts_of_a_page_are_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "doubling", doubling_experiment(Instrument()))
    run_experiment(EXPERIMENTS["doubling"], ExperimentSettings(), tmp_path / "plots", fresh=False, progress=silent)
    page = tmp_path / "page.md"
    parts = "<!-- measured: doubling -->\nold\n<!-- end -->\n\n<!-- measured: gtopss-9a -->\n<!-- end -->"
    page.write_text(f"# Ours\n\n{parts}\n\nWhat we think.\n")
    for _ in range(2):
        assert refresh_page(page, tmp_path / "plots") == ["gtopss-9a"]
        text = page.read_text()
        assert text.startswith("# Ours\n\n<!-- measured: doubling -->\n**The paper's synthetic workload.**")
        assert text.endswith("<!-- end -->\n\nWhat we think.\n")
        assert "old" not in text
        assert "| apples | 1 | 2 | 3 |" in text
        assert "| other | 5 | 10 | 15 |" in text
        assert "| it grows linearly | **agrees** | 2 ms per apple, R² 1.000 |" in text
        assert "![Figure 1: doubling](plots/doubling.svg)" in text
