"""Workers that each hold some clusters of predicates (Le Subscribe, section 5).

"The clusters of predicates corresponding to each attribute-comparison operator pair can be distributed by the several
available processors. Each processor will determine, for its assigned clusters, the predicates satisfied by the event to
match and count afterwards the number of satisfied predicates per subscription."

A worker may also hold equality clusters, each with all subscriptions that test the same attributes for equality, and
evaluate the other predicates of those whose equalities hold.

`ClusterWorker` is such a worker in this process; `WorkerProcess` runs one in a process of its own, which returns a byte
for each subscription (eight if a subscription has more than 254 predicates).
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.binding import all_hold
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Domain, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.equalities import EqualityClusters
from gtopss.attributes.matchers.hit_counting import Postings
from gtopss.attributes.matchers.predicate_clusters import PredicateClusters
from gtopss.attributes.matchers.subscription_slots import CountType
from gtopss.attributes.predicates import Predicate
from gtopss.errors import GtopssError

Hits: TypeAlias = NDArray[Any]
BoundPredicate: TypeAlias = tuple[Predicate, Domain]
"""A predicate with the domain of its attribute, which a process needs of the schema."""
_END_TIMEOUT_SECONDS = 5.0


@dataclass(slots=True)
class PartialCounts:
    """The hits of one worker's predicates for one event, by slot."""

    common: Hits
    """The hits of all attributes with one value, and of all `contains`."""
    by_value: dict[tuple[str, Value], Hits]
    """The hits of each value of an attribute with several values."""
    found: Hits
    """The slots whose equalities hold, and whose other predicates that the worker evaluates hold."""
    counters: AttributeCounters = field(default_factory=AttributeCounters)


class Worker(Protocol):
    """Holds the predicates of its clusters. `insert` and `remove` take effect before the next `start_count`."""

    def insert(self, predicates: Sequence[BoundPredicate], slot: int) -> None: ...
    def remove(self, predicates: Sequence[Predicate], slot: int) -> None: ...

    def insert_equalities(self, equalities: dict[str, Value], others: Sequence[BoundPredicate], slot: int) -> None:
        """Insert the equalities of a subscription, and the predicates that are evaluated once these hold."""

    def remove_equalities(self, equalities: dict[str, Value], slot: int) -> None: ...

    def start_count(self, event: Event, slots: int, count_type: CountType) -> None:
        """Start to count the hits of an event, in arrays of a type that is large enough for every slot."""

    def finish_count(self) -> PartialCounts:
        """Return the hits that `start_count` started to count."""
        ...

    def close(self) -> None:
        """End the worker."""


class ClusterWorker:
    """A worker in this process."""

    def __init__(self) -> None:
        self._domains = _Domains()
        self._clusters = PredicateClusters(self._domains)
        self._postings = Postings()
        self._equalities = EqualityClusters()
        self._others: dict[int, tuple[Predicate, ...]] = {}
        self._counted: PartialCounts | None = None

    def insert(self, predicates: Sequence[BoundPredicate], slot: int) -> None:
        for predicate, domain in predicates:
            self._domains.domains[predicate.attribute] = domain
            self._postings.add(self._clusters.insert(predicate), slot)

    def remove(self, predicates: Sequence[Predicate], slot: int) -> None:
        for predicate in predicates:
            self._postings.discard(self._clusters.remove(predicate), slot)

    def insert_equalities(self, equalities: dict[str, Value], others: Sequence[BoundPredicate], slot: int) -> None:
        for predicate, domain in others:
            self._domains.domains[predicate.attribute] = domain
        self._equalities.add(equalities, slot)
        self._others[slot] = tuple(predicate for predicate, _ in others)

    def remove_equalities(self, equalities: dict[str, Value], slot: int) -> None:
        self._equalities.discard(equalities, slot)
        del self._others[slot]

    def start_count(self, event: Event, slots: int, count_type: CountType) -> None:
        counters = AttributeCounters()

        def count(numbers: list[int]) -> Hits:
            return self._postings.count([[numbers]], slots, counters).astype(count_type, copy=False)

        found = [
            slot
            for slot in self._equalities.satisfied(event, counters)
            if all_hold(event, self._others[slot], self._domains, counters)
        ]
        common: list[int] = []
        by_value: dict[tuple[str, Value], Hits] = {}
        for attribute, values in event.values.items():
            groups = self._clusters.satisfied(Event({attribute: values}), counters)
            if len(values) > 1 and groups:
                for value, numbers in zip(values, groups.pop(), strict=True):
                    by_value[attribute, value] = count(numbers)
            common += [number for group in groups for numbers in group for number in numbers]
        self._counted = PartialCounts(count(common), by_value, np.array(found, np.int64), counters)

    def finish_count(self) -> PartialCounts:
        assert self._counted is not None, "call start_count first"
        counted, self._counted = self._counted, None
        return counted

    def close(self) -> None:
        pass


class _Domains:
    """The domains of a worker's attributes, as they were when its last predicate was inserted."""

    def __init__(self) -> None:
        self.domains: dict[str, Domain] = {}

    def domain(self, attribute: str) -> Domain:
        return self.domains[attribute]


class WorkerProcess:
    """A worker in a process of its own. Messages are sent without waiting, so that several workers run at once."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other,), daemon=True)
        self._process.start()
        other.close()

    def insert(self, predicates: Sequence[BoundPredicate], slot: int) -> None:
        self._send("insert", predicates, slot)

    def remove(self, predicates: Sequence[Predicate], slot: int) -> None:
        self._send("remove", predicates, slot)

    def insert_equalities(self, equalities: dict[str, Value], others: Sequence[BoundPredicate], slot: int) -> None:
        self._send("insert_equalities", equalities, others, slot)

    def remove_equalities(self, equalities: dict[str, Value], slot: int) -> None:
        self._send("remove_equalities", equalities, slot)

    def start_count(self, event: Event, slots: int, count_type: CountType) -> None:
        self._send("start_count", event, slots, count_type)

    def finish_count(self) -> PartialCounts:
        try:
            counted: PartialCounts = self._connection.recv()
        except EOFError:
            raise _ended() from None
        return counted

    def close(self) -> None:
        self._connection.close()
        self._process.join(_END_TIMEOUT_SECONDS)
        if self._process.is_alive():
            self._process.terminate()

    def _send(self, *message: object) -> None:
        try:
            self._connection.send(message)
        except OSError:
            raise _ended() from None


def _ended() -> GtopssError:
    return GtopssError("a worker process has ended: make a new matcher, and insert the subscriptions again")


def _serve(connection: Connection) -> None:
    """Run a worker until the other end of the connection is closed."""
    worker = ClusterWorker()
    while True:
        try:
            method, *arguments = connection.recv()
        except EOFError:
            return
        getattr(worker, method)(*arguments)
        if method == "start_count":
            connection.send(worker.finish_count())
