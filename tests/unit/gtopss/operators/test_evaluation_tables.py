"""The two tables beside plain ones."""

from __future__ import annotations

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_evaluation import PlainTables, graphs

from gtopss.operators.evaluation_tables import FALSE, TRUE, UNANSWERED, UNKNOWN, EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES


@given(made=graphs(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_tables_agree_with_the_plain_ones_after_every_answer(
    made: tuple[PredicateGraph, list[int]], data: st.DataObject
) -> None:
    graph, _ = made
    tables, plain = EvaluationTables(graph), PlainTables(graph)
    for predicate in data.draw(st.permutations(range(graph.predicate_count))):
        truth = data.draw(st.sampled_from([TRUE, FALSE, UNKNOWN]))
        assert sorted(tables.enter_answer(predicate, truth)) == plain.answer(predicate, truth)
        assert set(numpy.flatnonzero(tables.undecided).tolist()) == plain.undecided
        for other in numpy.flatnonzero(tables.truth == UNANSWERED).tolist():
            assert tables.demand[other] == plain.demand(other)
            assert tables.final_demand[other] == plain.final(other)


def test_a_dropped_instance_has_no_demand() -> None:
    tables = EvaluationTables(PredicateGraph.from_lists([[0, 1], [1]], [0.5, 0.5]))
    tables.drop(1)
    assert (tables.demand.tolist(), tables.final_demand.tolist()) == ([1.0, 1.0], [0.0, 0.0])
    tables.drop(0)
    assert not tables.undecided.any()
    assert STRATEGIES["adaptive"]().start(tables, None).next_predicate() == -1
