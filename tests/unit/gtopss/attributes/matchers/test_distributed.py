"""Le Subscribe's algorithms in worker processes. The contract tests cover them with workers in this process."""

from __future__ import annotations

import random
from typing import get_args

import pytest
from support.attribute_strategies import schema

from gtopss.attributes import MATCHERS, AttributeSubscription, Event, Predicate
from gtopss.attributes.matchers.cluster_workers import WorkerProcess
from gtopss.attributes.matchers.distributed import DistributedAlgorithm, DistributedMatcher
from gtopss.errors import GtopssError
from gtopss.experiments.workloads.attribute_workloads import LeSubscribeWorkload


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", get_args(DistributedAlgorithm))
def test_two_processes_give_the_answers_and_do_the_work_of_one(algorithm: DistributedAlgorithm) -> None:
    workload, generator = LeSubscribeWorkload(), random.Random(5)
    alone = MATCHERS[algorithm](workload.schema())
    spread = DistributedMatcher(workload.schema(), algorithm, workers=2, processes=True)
    try:
        subscriptions = list(workload.subscriptions(500, generator))
        for each in subscriptions:
            alone.insert(each)
            spread.insert(each)
        for each in subscriptions[::3]:
            alone.remove(each.id)
            spread.remove(each.id)
        for event in workload.events(20, generator):
            assert spread.match(event) == alone.match(event)
    finally:
        spread.close()


@pytest.mark.parametrize("algorithm", ["equality-preferred", "quarantining"])
def test_equality_clusters_are_spread_over_the_workers(algorithm: DistributedAlgorithm) -> None:
    matcher = DistributedMatcher(schema(), algorithm, workers=2)
    matcher.insert(AttributeSubscription("one", [Predicate("n", "=", 1), Predicate("m", ">", 2)]))
    matcher.insert(AttributeSubscription("two", [Predicate("m", "=", 3)]))
    assert set(matcher._worker_of.values()) == {0, 1}
    assert matcher.match(Event({"n": 1, "m": 3})).subscription_ids == {"one", "two"}
    assert matcher.match(Event({"n": 1, "m": 2})).subscription_ids == set()


def test_the_clusters_of_one_attribute_may_be_on_different_workers() -> None:
    matcher = DistributedMatcher(schema(), workers=2)
    matcher.insert(AttributeSubscription("between", [Predicate("n", ">", 1), Predicate("n", "<", 3)]))
    matcher.insert(AttributeSubscription("low", [Predicate("n", "<", 2)]))
    assert matcher._worker_of == {("n", ">"): 0, ("n", "<"): 1}
    assert matcher.match(Event({"n": [1, 4]})).subscription_ids == {"low"}  # 4 is above 1, and 1 is below 3
    assert matcher.match(Event({"n": [2, 4]})).subscription_ids == {"between"}


def test_more_predicates_than_a_byte_counts() -> None:
    matcher = DistributedMatcher(schema(), workers=2)
    matcher.insert(AttributeSubscription("one", [Predicate("x", ">", -1)]))
    matcher.insert(AttributeSubscription("many", [Predicate("x", "!=", value) for value in range(-300, 0)]))
    assert matcher.match(Event({"x": 1})).subscription_ids == {"one", "many"}
    assert matcher.match(Event({"x": -1})).subscription_ids == set()


def test_a_worker_process_that_has_ended_is_reported() -> None:
    worker = WorkerProcess()
    worker._process.terminate()
    worker._process.join()
    with pytest.raises(GtopssError, match="make a new matcher"):
        worker.finish_count()
    worker.close()
