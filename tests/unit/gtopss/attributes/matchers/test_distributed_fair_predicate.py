"""The fair predicate algorithm in worker processes. The contract tests cover it with workers in this process."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from support.attribute_strategies import schema

from gtopss.attributes import MATCHERS, AttributeSubscription, Event, Predicate
from gtopss.attributes.matchers.cluster_workers import WorkerProcess
from gtopss.attributes.matchers.distributed_fair_predicate import DistributedFairPredicateMatcher
from gtopss.errors import GtopssError
from gtopss.experiments.workloads.attribute_workloads import LeSubscribeWorkload


@pytest.fixture
def two_processes() -> Iterator[DistributedFairPredicateMatcher]:
    matcher = DistributedFairPredicateMatcher(LeSubscribeWorkload().schema(), workers=2, processes=True)
    yield matcher
    matcher.close()


@pytest.mark.slow
def test_two_processes_give_the_answers_and_do_the_work_of_one(two_processes: DistributedFairPredicateMatcher) -> None:
    workload, generator = LeSubscribeWorkload(), random.Random(5)
    alone = MATCHERS["fair-predicate"](workload.schema())
    subscriptions = list(workload.subscriptions(500, generator))
    for each in subscriptions:
        alone.insert(each)
        two_processes.insert(each)
    for each in subscriptions[::3]:
        alone.remove(each.id)
        two_processes.remove(each.id)
    for event in workload.events(20, generator):
        assert two_processes.match(event) == alone.match(event)


def test_the_clusters_of_one_attribute_may_be_on_different_workers() -> None:
    matcher = DistributedFairPredicateMatcher(schema(), workers=2)
    matcher.insert(AttributeSubscription("between", [Predicate("n", ">", 1), Predicate("n", "<", 3)]))
    matcher.insert(AttributeSubscription("low", [Predicate("n", "<", 2)]))
    assert {str(operator): worker for (_, operator), worker in matcher._worker_of.items()} == {">": 0, "<": 1}
    assert matcher.match(Event({"n": [1, 4]})).subscription_ids == {"low"}  # 4 is above 1, and 1 is below 3
    assert matcher.match(Event({"n": [2, 4]})).subscription_ids == {"between"}


def test_a_worker_process_that_has_ended_is_reported() -> None:
    worker = WorkerProcess()
    worker._process.terminate()
    worker._process.join()
    with pytest.raises(GtopssError, match="make a new matcher"):
        worker.finish_count()
    worker.close()
