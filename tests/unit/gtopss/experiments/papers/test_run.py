"""Experiments are resumed, not repeated; disagreement stops them; JSON and plot come out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gtopss.cli import app
from gtopss.engine import MATCHERS
from gtopss.experiments.papers import contenders, gtopss_stars, phases, table1
from gtopss.experiments.papers.agreement import Disagreement, agree, take_turns
from gtopss.experiments.papers.contenders import enter
from gtopss.experiments.papers.experiment import Check, Experiment, Point, Scale
from gtopss.experiments.papers.page import refresh
from gtopss.experiments.papers.run import run
from gtopss.experiments.papers.statements import linear
from gtopss.experiments.papers.table import EXPERIMENTS
from gtopss.experiments.workloads.table1_generator import Table1, synthetic
from gtopss.model import MatchReport, Publication
from ontology import Taxonomy


@dataclass
class Instrument:
    """Measures nothing, and remembers for which x it was asked."""

    asked: list[float] = field(default_factory=list)
    fails_at: float | None = None

    def measure(self, x: float, scale: Scale) -> Sequence[Point]:
        self.asked.append(x)
        if x == self.fails_at:
            raise KeyboardInterrupt
        return [Point("one", x, 2 * x, {"matches": 1}), Point("other", x, 5 * x)]


def experiment(instrument: Instrument) -> Experiment:
    return Experiment(
        name="doubling",
        paper="Nobody, 2005",
        figure="Figure 1",
        title="doubling",
        says="it doubles.",
        x_label="apples",
        y_label="ms",
        curves=("one", "other"),
        xs=lambda scale: scale.choose((1, 2), (1, 2, 3)),
        measure=instrument.measure,
        checks=(Check("it grows linearly", linear("one", "ms", "apple")), Check("gm too", linear("gm", "ms", "apple"))),
    )


def silent(_: str) -> None:
    pass


def test_an_interrupted_run_keeps_its_points_and_goes_on(tmp_path: Path) -> None:
    interrupted = Instrument(fails_at=2)
    with pytest.raises(KeyboardInterrupt):
        run(experiment(interrupted), Scale(), tmp_path, fresh=False, progress=silent)
    assert [point["x"] for point in json.loads((tmp_path / "doubling.json").read_text())["points"]] == [1, 1]
    second = Instrument()
    result = run(experiment(second), Scale(), tmp_path, fresh=False, progress=silent)
    assert second.asked == [2, 3]
    assert result["measured"] == [1, 2, 3]
    assert len(result["points"]) == 6


def test_fresh_starts_over(tmp_path: Path) -> None:
    for fresh, asked in ((False, [1, 2, 3]), (False, []), (True, [1, 2, 3])):
        instrument = Instrument()
        run(experiment(instrument), Scale(), tmp_path, fresh=fresh, progress=silent)
        assert instrument.asked == asked


@pytest.mark.parametrize("changed", [{"curves": ("one",)}, {"parameters": {"labels": 5}}])
def test_a_result_of_another_question_is_not_continued(tmp_path: Path, changed: dict[str, object]) -> None:
    run(experiment(Instrument()), Scale(), tmp_path, fresh=False, progress=silent)
    instrument = Instrument()
    run(replace(experiment(instrument), **changed), Scale(), tmp_path, fresh=False, progress=silent)
    assert instrument.asked == [1, 2, 3]


def test_another_seed_is_another_question_and_other_data_another_file(tmp_path: Path) -> None:
    for scale in (Scale(), Scale(seed=1), Scale(data="real"), Scale(quick=True)):
        instrument = Instrument()
        run(experiment(instrument), scale, tmp_path, fresh=False, progress=silent)
        assert instrument.asked == list(scale.choose((1, 2), (1, 2, 3)))
    assert {path.stem for path in tmp_path.glob("*.json")} == {"doubling", "doubling-real", "doubling-quick"}


def test_what_the_json_says(tmp_path: Path) -> None:
    run(experiment(Instrument()), Scale(seed=7, repeats=3), tmp_path, fresh=False, progress=silent)
    result = json.loads((tmp_path / "doubling.json").read_text())
    assert result["experiment"] == "doubling"
    assert (result["seed"], result["repeats"], result["quick"], result["data"]) == (7, 3, False, "synthetic")
    assert {"gtopss", "rdflib", "networkx"} <= result["versions"].keys()
    assert result["machine"]
    assert result["python"]
    assert result["points"][0] == {"curve": "one", "x": 1, "y": 2, "facts": {"matches": 1}}
    assert result["findings"] == [
        {"statement": "it grows linearly", "verdict": "agrees", "numbers": "2 ms per apple, R² 1.000"},
        {"statement": "gm too", "verdict": "not measured", "numbers": ""},
    ]


def test_the_plot_has_the_curves_and_the_papers_sentence_and_is_always_the_same(tmp_path: Path) -> None:
    plots = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        run(experiment(Instrument()), Scale(), folder, fresh=False, progress=silent)
        plots.append((folder / "doubling.svg").read_text())
    assert plots[0] == plots[1]
    for text in ("Figure 1: doubling", "apples", "one", "other", "The paper: it doubles."):
        assert text in plots[0]


def test_verdicts_of_a_figures_variants_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fruit1-red", "fruit1-green", "fruit2-red"):
        made = replace(experiment(Instrument()), name=name, figure=f"Figure {name[5]}")
        monkeypatch.setitem(EXPERIMENTS, name, made)
        run(made, Scale(), tmp_path, fresh=False, progress=silent)
    page = tmp_path / "page.md"
    page.write_text("Ours.\n<!-- verdicts: fruit -->\nold\n<!-- end -->\n")
    for _ in range(2):
        assert refresh(page, tmp_path) == []
        lines = page.read_text().splitlines()
        assert lines[2] == "| figure | statement | red | green |"
        agrees = "**agrees**: 2 ms per apple, R² 1.000"
        assert lines[4:8] == [
            f"| Figure 1 | it grows linearly | {agrees} | {agrees} |",
            "| Figure 1 | gm too | **not measured** | **not measured** |",
            f"| Figure 2 | it grows linearly | {agrees} |  |",
            "| Figure 2 | gm too | **not measured** |  |",
        ]


def test_the_page_is_written_from_the_json_and_nothing_else_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPERIMENTS, "doubling", experiment(Instrument()))
    run(EXPERIMENTS["doubling"], Scale(), tmp_path / "plots", fresh=False, progress=silent)
    page = tmp_path / "page.md"
    parts = "<!-- measured: doubling -->\nold\n<!-- end -->\n\n<!-- measured: gtopss-9a -->\n<!-- end -->"
    page.write_text(f"# Ours\n\n{parts}\n\nWhat we think.\n")
    for _ in range(2):
        assert refresh(page, tmp_path / "plots") == ["gtopss-9a"]
        text = page.read_text()
        assert text.startswith("# Ours\n\n<!-- measured: doubling -->\n**The paper's synthetic workload.**")
        assert text.endswith("<!-- end -->\n\nWhat we think.\n")
        assert "old" not in text
        assert "| 3 | 6 | 15 |" in text
        assert "| it grows linearly | **agrees** | 2 ms per apple, R² 1.000 |" in text
        assert "![Figure 1: doubling](plots/doubling.svg)" in text


def test_disagreement_names_both() -> None:
    agree({"one": {1}, "other": {1}}, "here")
    with pytest.raises(Disagreement, match="liar and honest give different answers at 9 subscriptions"):
        agree({"honest": {1}, "liar": set()}, "9 subscriptions")


def test_a_matcher_that_errs_is_found_before_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    def liar(taxonomy: Taxonomy) -> object:
        matcher = MATCHERS["reference"](taxonomy)

        def match(publication: Publication, row_limit: int = 0) -> MatchReport:
            return MatchReport(publication.id, ())

        monkeypatch.setattr(matcher, "match", match)
        return matcher

    monkeypatch.setitem(contenders.VARIANTS, "liar", liar)
    workload = synthetic(replace(Table1(), subscriptions=50, matching=0.1))
    assert [each.name for each in enter(("reference", "nobody", "ops"), workload)] == ["reference", "ops"]
    with pytest.raises(Disagreement, match="liar and reference"):
        enter(("reference", "liar"), workload)


def test_tasks_take_turns_after_a_round_that_is_not_counted() -> None:
    turns: list[str] = []
    times = take_turns({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2)
    assert turns == ["a", "b"] * (times["a"].rounds + 1)
    assert times["a"].rounds >= 2
    assert 0 <= times["a"].least <= times["a"].median


GTOPSS = [name for name in EXPERIMENTS if name.startswith("gtopss-")]


@pytest.mark.parametrize("name", GTOPSS)
def test_every_experiment_measures_what_it_promises(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (table1, phases, gtopss_stars):
        monkeypatch.setattr(module, "table_of", lambda scale: replace(Table1(), subscriptions=300))
    each = EXPERIMENTS[name]
    scale = Scale(quick=True, repeats=1, data="synthetic" if name in ("gtopss-9f", "gtopss-labels") else "real")
    points = each.measure(each.xs(scale)[0], scale)
    assert {point.curve for point in points} == set(each.curves)
    assert all(point.y > 0 for point in points)
    assert each.says
    assert each.checks
    assert len(each.xs(Scale())) >= len(each.xs(Scale(quick=True)))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "doubling", experiment(Instrument()))
    runner = CliRunner()
    listed = runner.invoke(app, ["compare"])
    assert "doubling" in listed.stdout
    done = runner.invoke(app, ["compare", "doubling", "--quick", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "agrees: it grows linearly (2 ms per apple, R² 1.000)" in done.stdout
    assert "doubling-quick 2/2: apples 2" in done.stderr
    assert (tmp_path / "doubling-quick.svg").exists()
    assert runner.invoke(app, ["compare", "nothing"]).exit_code == 2


def test_other_commands_do_not_wait_for_the_experiments() -> None:
    asked = "import sys, gtopss.cli; print([name for name in sys.modules if name.startswith('gtopss.experiments')])"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"
