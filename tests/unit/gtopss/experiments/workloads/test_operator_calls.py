"""The paper's workloads, and its experiments at a small size."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest

from gtopss.experiments.papers.experiment import Curves, Scale
from gtopss.experiments.papers.operators import DISJOINT, GREEDY, IN_USE, NEEDED, OPERATORS, counts, disjoint, measure
from gtopss.experiments.workloads.operator_calls import SELECTIVITIES, Selectivity, Table1, events, problem
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES

SMALL = Table1(subscriptions=600, predicates=300)


@pytest.mark.parametrize("selectivity", SELECTIVITIES)
@pytest.mark.parametrize("popularity", ["uniform", "zipf"])
def test_table_1_is_kept(selectivity: Selectivity, popularity: str) -> None:
    table = replace(SMALL, selectivity=selectivity, popularity=popularity)  # type: ignore[arg-type]
    generator = numpy.random.default_rng(7)
    made = problem(table, generator)
    units = [made.predicates_of(unit) for unit in range(made.instance_count)]
    assert len(units) == 600
    assert {len(unit) for unit in units} == {3, 4, 5}
    assert all(len(set(unit)) == len(unit) for unit in units)
    expected = numpy.mean([numpy.prod(made.selectivity[unit]) for unit in units])
    assert expected == pytest.approx(0.002, rel=0.01)
    for truth in events(made, 3, generator):
        assert set(truth.tolist()) <= {0, 1}


def test_popularity_is_not_told_by_the_number() -> None:
    made = problem(SMALL, numpy.random.default_rng(7))
    popularity = numpy.diff(made.predicate_start)
    assert abs(numpy.corrcoef(popularity, numpy.arange(300))[0, 1]) < 0.2
    assert popularity.max() > 10 * numpy.median(popularity)


def test_counts_repeat_and_lie_between_the_bounds() -> None:
    scale = Scale(quick=True)
    one = measure(600, scale, table_at=lambda x: SMALL, claims={})
    assert one == measure(600, scale, table_at=lambda x: SMALL, claims={})
    at = {point.curve: point.y for point in one}
    for name in STRATEGIES:
        assert at[NEEDED] <= at[name] <= at[IN_USE]
    assert at[NEEDED] <= at[GREEDY]
    assert at[DISJOINT] <= at["adaptive"]
    assert at["adaptive"] < at["sub_order"] < at["sequential"] < at["naive"]


def test_disjoint_subscriptions() -> None:
    assert disjoint(PredicateGraph.from_lists([[0, 1], [1, 2], [3], [2, 4]], [0.5] * 5)) == 3


def test_all_strategies_decide_alike_or_nothing_is_counted() -> None:
    made = problem(SMALL, numpy.random.default_rng(7))
    orders = {name: make().plan(made) for name, make in STRATEGIES.items()}
    truth = next(events(made, 1, numpy.random.default_rng(8)))
    assert set(counts(made, truth, orders)) == set(STRATEGIES)


def test_every_experiment_has_a_name_and_checks_of_its_own() -> None:
    assert len({each.name for each in OPERATORS}) == len(OPERATORS) == 16
    for each in OPERATORS:
        assert each.name.startswith("operators-")
        findings = [check.holds(Curves([])) for check in each.checks]
        assert all(finding.agrees is None for finding in findings)
