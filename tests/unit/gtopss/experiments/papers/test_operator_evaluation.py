"""Events that several strategies evaluate with known answers."""

from __future__ import annotations

import numpy
import pytest

from gtopss.experiments.answer_agreement import Disagreement
from gtopss.experiments.kernels.operator_calls import count_calls
from gtopss.experiments.papers import operator_evaluation
from gtopss.experiments.papers.operator_evaluation import calls_made, plan_strategies
from gtopss.experiments.workloads.operator_calls import OperatorTable1, random_events, random_predicate_graph
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES

TABLE = OperatorTable1(subscriptions=600, predicates=300)


def test_calls_are_returned_for_every_strategy() -> None:
    graph = random_predicate_graph(TABLE, numpy.random.default_rng(7))
    truth = next(random_events(graph, 1, numpy.random.default_rng(8)))
    made = calls_made(graph, truth, plan_strategies(graph, STRATEGIES))
    assert set(made) == set(STRATEGIES)
    assert 0 < made["adaptive"].sum() < made["naive"].sum()


def test_naive_stops_at_the_first_false_predicate() -> None:
    graph = PredicateGraph.from_lists([[0, 1], [1, 2]], [0.5] * 3)
    truth = numpy.array([1, 0, 1], numpy.int8)
    made = calls_made(graph, truth, plan_strategies(graph, {"naive": STRATEGIES["naive"]}))
    assert made["naive"].tolist() == [1, 1, 0]


def test_strategies_with_different_matches_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = PredicateGraph.from_lists([[0], [1]], [0.5] * 2)
    planned = plan_strategies(graph, {name: STRATEGIES[name] for name in ("naive", "sequential")})
    naive_kernel = planned["naive"][0].start(EvaluationTables(graph), None).kernel
    monkeypatch.setattr(
        operator_evaluation,
        "count_calls",
        lambda kernel, *others: kernel is naive_kernel and count_calls(kernel, *others),
    )
    with pytest.raises(Disagreement):
        calls_made(graph, numpy.ones(2, numpy.int8), planned)
