"""The attribute papers' experiments run, agree among themselves, and come to findings."""

from __future__ import annotations

import random

import pytest

from gtopss.experiments.papers import agreement
from gtopss.experiments.papers.experiment import Experiment, Scale
from gtopss.experiments.papers.gryphon import GRYPHON
from gtopss.experiments.papers.le_subscribe import LE_SUBSCRIBE
from gtopss.experiments.papers.run import findings
from gtopss.experiments.papers.topss import TOPSS
from gtopss.experiments.workloads.attribute_events import W4, Gryphon, LeSubscribe

ALL = (*LE_SUBSCRIBE, *GRYPHON, *TOPSS)
TINY = {"p": (0, 1), "values of an attribute with equalities": (1, 50)}


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is timed here is not looked at."""
    monkeypatch.setattr(agreement, "ENOUGH", 0)


def test_names_are_unique_and_there_is_no_real_data() -> None:
    assert len({each.name for each in ALL}) == len(ALL)
    assert all(not each.xs(Scale(data="real")) for each in ALL)


@pytest.mark.parametrize(
    "experiment",
    [each for each in ALL if each.figure not in ("Figure 10", "Section 4")],
    ids=lambda each: str(each.name),
)
def test_an_experiment_measures_its_curves_and_comes_to_findings(experiment: Experiment) -> None:
    scale = Scale(quick=True, repeats=1)
    points = [point for x in TINY.get(experiment.x_label, (100, 300)) for point in experiment.measure(x, scale)]
    assert {point.curve for point in points} == set(experiment.curves)
    assert all(point.y >= 0 for point in points)
    assert all(fact in point.facts for point in points for fact in experiment.also if point.facts)
    for statement, finding in findings(experiment, points):
        assert statement
        assert finding.verdict in ("agrees", "differs", "not measured")


@pytest.mark.parametrize("workload", [LeSubscribe(), Gryphon(), W4], ids=lambda each: type(each).__name__)
def test_a_seed_fixes_a_workload(workload: LeSubscribe | Gryphon) -> None:
    one, other = (list(workload.subscriptions(20, random.Random(7))) for _ in range(2))
    assert one == other
    schema = workload.schema()
    for each in one:
        schema.check_subscription(each)
    for event in workload.events(20, random.Random(7)):
        schema.check_values(event)
