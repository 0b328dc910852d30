"""The experiments of the table run at a small size, and their checks have findings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gtopss.experiments import timing
from gtopss.experiments.papers import gtopss_departures, gtopss_parameter_sweeps, gtopss_phases, gtopss_stars
from gtopss.experiments.papers.experiment import Experiment, ExperimentSettings
from gtopss.experiments.papers.experiment_table import EXPERIMENTS
from gtopss.experiments.papers.gryphon import GRYPHON
from gtopss.experiments.papers.gryphon_analysis import GRYPHON_ANALYSIS
from gtopss.experiments.papers.le_subscribe import LE_SUBSCRIBE
from gtopss.experiments.papers.le_subscribe_processes import LE_SUBSCRIBE_PROCESSES
from gtopss.experiments.papers.run_experiment import findings
from gtopss.experiments.papers.topss_associations import TOPSS_ASSOCIATIONS
from gtopss.experiments.papers.topss_databases import TOPSS_DATABASES
from gtopss.experiments.papers.topss_predicates import TOPSS_PREDICATES
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1

GRAPH_EXPERIMENTS = [name for name in EXPERIMENTS if name.startswith("gtopss-")]
ATTRIBUTE_EXPERIMENTS = (
    *LE_SUBSCRIBE,
    *LE_SUBSCRIBE_PROCESSES,
    *GRYPHON,
    *GRYPHON_ANALYSIS,
    *TOPSS_PREDICATES,
    *TOPSS_ASSOCIATIONS,
    *TOPSS_DATABASES,
)
TINY = {"attributes": (2, 3), "worker processes": (1, 2)}


@pytest.fixture
def _one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not repeat short tasks: no test looks at their times."""
    monkeypatch.setattr(timing, "MIN_TIMED_SECONDS", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPH_EXPERIMENTS)
def test_a_graph_experiment_measures_its_curves(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (gtopss_parameter_sweeps, gtopss_phases, gtopss_stars, gtopss_departures):
        monkeypatch.setattr(module, "table_for_settings", lambda settings: replace(GtopssTable1(), subscriptions=300))
    monkeypatch.setattr(timing, "MIN_TIMED_SECONDS", 0)
    each = EXPERIMENTS[name]
    settings = ExperimentSettings(quick=True, repeats=1, data="real")
    if name == "gtopss-9f" or not each.xs(settings):
        settings = replace(settings, data="synthetic")
    points = each.measure(each.xs(settings)[0], settings)
    assert {point.curve for point in points} == set(each.curves)
    assert all(point.y > 0 for point in points)
    assert each.paper_says
    assert each.checks
    assert len(each.xs(ExperimentSettings())) >= len(each.xs(ExperimentSettings(quick=True)))


def test_attribute_experiments_have_unique_names_and_no_real_data() -> None:
    assert len({each.name for each in ATTRIBUTE_EXPERIMENTS}) == len(ATTRIBUTE_EXPERIMENTS)
    assert all(not each.xs(ExperimentSettings(data="real")) for each in ATTRIBUTE_EXPERIMENTS)


@pytest.mark.slow
@pytest.mark.usefixtures("_one_round")
@pytest.mark.parametrize(
    "experiment",
    [each for each in ATTRIBUTE_EXPERIMENTS if each.name not in ("le-subscribe-10", "le-subscribe-selectivity")],
    ids=lambda each: str(each.name),
)
def test_an_attribute_experiment_measures_its_curves_and_has_findings(experiment: Experiment) -> None:
    settings = ExperimentSettings(quick=True, repeats=1)
    points = [point for x in TINY.get(experiment.x_label, (100, 300)) for point in experiment.measure(x, settings)]
    assert {point.curve for point in points} == set(experiment.curves)
    assert all(point.y >= 0 for point in points)
    assert all(
        measurement in point.measurements
        for point in points
        for measurement in experiment.shown_measurements
        if point.measurements
    )
    for statement, finding in findings(experiment, points):
        assert statement
        assert finding.verdict in ("agrees", "differs", "not measured")
