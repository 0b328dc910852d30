"""The workload of the operator experiments."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest

from gtopss.experiments.workloads.operator_calls import (
    SELECTIVITIES,
    OperatorTable1,
    Selectivity,
    random_events,
    random_predicate_graph,
)

SMALL = OperatorTable1(subscriptions=600, predicates=300)


@pytest.mark.parametrize("selectivity", SELECTIVITIES)
@pytest.mark.parametrize("popularity", ["uniform", "zipf"])
def test_a_predicate_graph_has_the_parameters_of_table_1(selectivity: Selectivity, popularity: str) -> None:
    table = replace(SMALL, selectivity=selectivity, popularity=popularity)  # type: ignore[arg-type]
    generator = numpy.random.default_rng(7)
    made = random_predicate_graph(table, generator)
    units = [made.predicates_of(unit) for unit in range(made.instance_count)]
    assert len(units) == 600
    assert {len(unit) for unit in units} == {3, 4, 5}
    assert all(len(set(unit)) == len(unit) for unit in units)
    expected = numpy.mean([numpy.prod(made.selectivity[unit]) for unit in units])
    assert expected == pytest.approx(0.002, rel=0.01)
    for truth in random_events(made, 3, generator):
        assert set(truth.tolist()) <= {0, 1}


def test_the_number_of_a_predicate_does_not_reveal_its_popularity() -> None:
    made = random_predicate_graph(SMALL, numpy.random.default_rng(7))
    popularity = numpy.diff(made.predicate_start)
    assert abs(numpy.corrcoef(popularity, numpy.arange(300))[0, 1]) < 0.2
    assert popularity.max() > 10 * numpy.median(popularity)
