"""The fair predicate algorithm on several processors (Le Subscribe, section 5).

The clusters, one for each attribute and operator, are spread over workers, which count the satisfied predicates of each
subscription in their clusters (`cluster_workers`). "Finally, these several counting data structures will be collected
by a last processor who will process them in order to compute the matched subscriptions by comparing the total number of
satisfied predicates of each subscription with its number of predicates." The last processor is the caller's.

A new cluster goes to the worker with the fewest predicates. An attribute with several values counts with its best
value, as in `fair_predicate`; its clusters may be on different workers, which therefore count each value separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.cluster_workers import ClusterWorker, Hits, PartialCounts, Worker, WorkerProcess
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class DistributedFairPredicateMatcher:
    """Count the satisfied predicates of all subscriptions, each cluster in one of several workers.

    With `processes`, each worker is a process; `close` ends them. A process has a copy of the domains.
    """

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema, *, workers: int = 2, processes: bool = False) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("fair-predicate-distributed", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._workers: list[Worker] = [WorkerProcess() if processes else ClusterWorker() for _ in range(workers)]
        self._predicates = [0] * workers
        self._worker_of: dict[tuple[str, Operator], int] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        slot = self._slots.allocate(subscription.id, len(subscription.predicates))
        for worker, predicates in self._by_worker(subscription).items():
            self._workers[worker].insert([(each, self._schema.domain(each.attribute)) for each in predicates], slot)
            self._predicates[worker] += len(predicates)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        slot = self._slots.release(subscription_id)
        for worker, predicates in self._by_worker(subscription).items():
            self._workers[worker].remove(predicates, slot)
            self._predicates[worker] -= len(predicates)

    def _by_worker(self, subscription: AttributeSubscription) -> dict[int, list[Predicate]]:
        chosen: defaultdict[int, list[Predicate]] = defaultdict(list)
        for predicate in subscription.predicates:
            cluster = predicate.attribute, predicate.operator
            if cluster not in self._worker_of:
                load = [number + len(chosen[worker]) for worker, number in enumerate(self._predicates)]
                self._worker_of[cluster] = load.index(min(load))
            chosen[self._worker_of[cluster]].append(predicate)
        return chosen

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        for worker in self._workers:
            worker.start_count(event, len(self._slots))
        parts = [worker.finish_count() for worker in self._workers]
        counters = AttributeCounters(
            predicates=sum(part.counters.predicates for part in parts),
            additions=sum(part.counters.additions for part in parts),
            comparisons=len(self._subscriptions),
        )
        matched = np.flatnonzero(_collect(parts) == self._slots.required_hits())
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.close()

    def structure_bytes(self) -> int:
        """Return the bytes of the data structures, of workers in this process only."""
        return deep_size(self._slots, self._workers, self._worker_of, without=(self._schema, *self._schema.domains))


def _collect(parts: Sequence[PartialCounts]) -> Hits:
    """Return the total hits by slot."""
    total = np.zeros(len(parts[0].common), np.int64)
    for part in parts:
        total += part.common
    by_value: defaultdict[str, dict[object, Hits]] = defaultdict(dict)
    for part in parts:
        for (attribute, value), hits in part.by_value.items():
            known = by_value[attribute].get(value)
            by_value[attribute][value] = hits.astype(np.int64) if known is None else known + hits
    for values in by_value.values():
        total += np.maximum.reduce(list(values.values()))
    return total
