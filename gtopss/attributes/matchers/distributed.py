"""Le Subscribe's three algorithms on several processors (section 5).

The clusters, one for each attribute and operator, are spread over workers, which count the satisfied predicates of each
subscription in their clusters (`cluster_workers`). "Finally, these several counting data structures will be collected
by a last processor who will process them in order to compute the matched subscriptions by comparing the total number of
satisfied predicates of each subscription with its number of predicates." The last processor is the caller's.

"A similar approach can be followed on the other two algorithms. The several equality clusters can also be deployed by
the several available processors and be processed separately at each processor." With equality-preferred, the workers
also return the subscriptions whose equalities hold, and only these and those without an equality are compared. With
quarantining, the worker that has the equality cluster of a subscription evaluates its other predicates too.

A new cluster goes to the worker with the fewest predicates. An attribute with several values counts with its best
value, as in `fair_predicate`; its clusters may be on different workers, which therefore count each value separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.cluster_workers import (
    BoundPredicate,
    ClusterWorker,
    Hits,
    PartialCounts,
    Worker,
    WorkerProcess,
)
from gtopss.attributes.matchers.equalities import EqualitySplit, split_equalities
from gtopss.attributes.matchers.subscription_slots import SlotSet, SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size

DistributedAlgorithm: TypeAlias = Literal["fair-predicate", "equality-preferred", "quarantining"]


class DistributedMatcher:
    """One of Le Subscribe's algorithms, with each cluster in one of several workers.

    With `processes`, each worker is a process; `close` ends them. A process has a copy of the domains.
    """

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(
        self,
        schema: Schema,
        algorithm: DistributedAlgorithm = "fair-predicate",
        *,
        workers: int = 2,
        processes: bool = False,
    ) -> None:
        self._schema, self._algorithm = schema, algorithm
        self._subscriptions = RegisteredSubscriptions(f"{algorithm}-distributed", self.capabilities, schema)
        self._slots = SubscriptionSlots(one_byte=True)
        self._counted = SlotSet()  # subscriptions of which every predicate is counted: those without an equality
        self._workers: list[Worker] = [WorkerProcess() if processes else ClusterWorker() for _ in range(workers)]
        self._predicates = [0] * workers
        self._worker_of: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        split = self._split(subscription)
        if split is None:
            return
        slot = self._slots.allocate(subscription.id, len(split.remaining))
        for worker, predicates in self._by_worker(self._counted_predicates(split)).items():
            self._workers[worker].insert(self._bound(predicates), slot)
            self._predicates[worker] += len(predicates)
        if split.equalities:
            worker = self._worker_for(tuple(sorted(split.equalities)), self._predicates)
            self._workers[worker].insert_equalities(split.equalities, self._bound(self._verified(split)), slot)
            self._predicates[worker] += len(split.equalities)
        else:
            self._counted.add(slot)

    def remove(self, subscription_id: str) -> None:
        split = self._split(self._subscriptions.remove(subscription_id))
        if split is None:
            return
        slot = self._slots.release(subscription_id)
        for worker, predicates in self._by_worker(self._counted_predicates(split)).items():
            self._workers[worker].remove(predicates, slot)
            self._predicates[worker] -= len(predicates)
        if split.equalities:
            worker = self._worker_for(tuple(sorted(split.equalities)), self._predicates)
            self._workers[worker].remove_equalities(split.equalities, slot)
            self._predicates[worker] -= len(split.equalities)
        self._counted.discard(slot)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        for worker in self._workers:
            worker.start_count(event, len(self._slots), self._slots.count_type)
        parts = [worker.finish_count() for worker in self._workers]
        counters = AttributeCounters()
        for part in parts:
            counters.predicates += part.counters.predicates
            counters.additions += part.counters.additions
            counters.nodes += part.counters.nodes
        hits, required = _collect(parts), self._slots.required_hits()
        if self._algorithm == "fair-predicate":
            counters.comparisons = len(self._subscriptions)
            return AttributeReport(self._slots.ids(np.flatnonzero(hits == required).tolist()), counters)
        found = np.concatenate([part.found for part in parts])
        if self._algorithm == "quarantining":
            candidates, matched = self._counted.as_array(), found.tolist()
        else:
            candidates, matched = np.concatenate([found, self._counted.as_array()]), []
        counters.comparisons = len(candidates)
        complete = hits[candidates] == required[candidates]
        return AttributeReport(self._slots.ids([*matched, *candidates[complete].tolist()]), counters)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.close()

    def structure_bytes(self) -> int:
        """Return the bytes of the data structures, of workers in this process only."""
        parts = (self._slots, self._counted, self._workers, self._worker_of)
        return deep_size(*parts, without=(self._schema, *self._schema.domains))

    def _split(self, subscription: AttributeSubscription) -> EqualitySplit | None:
        if self._algorithm == "fair-predicate":
            return EqualitySplit({}, subscription.predicates)
        return split_equalities(subscription, self._schema)

    def _counted_predicates(self, split: EqualitySplit) -> Sequence[Predicate]:
        return () if self._verified(split) else split.remaining

    def _verified(self, split: EqualitySplit) -> Sequence[Predicate]:
        """Return the predicates that the worker with the equality cluster evaluates itself."""
        return split.remaining if self._algorithm == "quarantining" and split.equalities else ()

    def _bound(self, predicates: Iterable[Predicate]) -> list[BoundPredicate]:
        return [(each, self._schema.domain(each.attribute)) for each in predicates]

    def _by_worker(self, predicates: Sequence[Predicate]) -> dict[int, list[Predicate]]:
        chosen: defaultdict[int, list[Predicate]] = defaultdict(list)
        for predicate in predicates:
            load = [number + len(chosen[worker]) for worker, number in enumerate(self._predicates)]
            chosen[self._worker_for((predicate.attribute, predicate.operator), load)].append(predicate)
        return chosen

    def _worker_for(self, cluster: Hashable, load: Sequence[int]) -> int:
        """Return the worker of a cluster; a new one goes to the worker with the least load."""
        if cluster not in self._worker_of:
            self._worker_of[cluster] = load.index(min(load))
        return self._worker_of[cluster]


def _collect(parts: Sequence[PartialCounts]) -> Hits:
    """Return the total hits by slot."""
    total = parts[0].common
    for part in parts[1:]:
        total = total + part.common
    by_value: defaultdict[str, dict[object, Hits]] = defaultdict(dict)
    for part in parts:
        for (attribute, value), hits in part.by_value.items():
            known = by_value[attribute].get(value)
            by_value[attribute][value] = hits if known is None else known + hits
    for values in by_value.values():
        total = total + np.maximum.reduce(list(values.values()))
    return total
