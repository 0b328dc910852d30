"""What the equality predicates of a subscription settle, and the clusters they are kept in.

An equality fixes the binding of its attribute, so every other predicate on that attribute (`contains` excepted, which
asks the whole set) is decided when the subscription is inserted: it follows, or the subscription can never match.

`EqualityClusters` is Le Subscribe's *eqsubmatch* (section 3.1, "Equality-preferred approach"): subscriptions whose
equalities are over the same attributes form a cluster, the cluster's schema, which is hashed by their values.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple, TypeAlias

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema

Key: TypeAlias = tuple[Value, ...]


class Settled(NamedTuple):
    """A subscription's equalities, and the predicates that they leave open."""

    equal: dict[str, Value]
    open: tuple[Predicate, ...]


def settle(subscription: AttributeSubscription, schema: Schema) -> Settled | None:
    """The parts of a subscription; None if its equalities contradict its other predicates."""
    equal: dict[str, Value] = {}
    for predicate in subscription.predicates:
        if (
            predicate.operator is Operator.EQUAL
            and equal.setdefault(predicate.attribute, predicate.value) != predicate.value
        ):
            return None
    unsettled = []
    for predicate in subscription.predicates:
        if predicate.operator is Operator.CONTAINS or predicate.attribute not in equal:
            unsettled.append(predicate)
        elif not schema.domain(predicate.attribute).holds(
            equal[predicate.attribute], predicate.operator, predicate.value
        ):
            return None
    return Settled(equal, tuple(unsettled))


class EqualityClusters:
    """Slots of subscriptions by the attributes and values of their equalities."""

    def __init__(self) -> None:
        self._clusters: dict[tuple[str, ...], dict[Key, dict[int, None]]] = {}

    def add(self, equal: dict[str, Value], slot: int) -> None:
        schema = tuple(sorted(equal))
        key = tuple(equal[name] for name in schema)
        self._clusters.setdefault(schema, {}).setdefault(key, {})[slot] = None

    def discard(self, equal: dict[str, Value], slot: int) -> None:
        schema = tuple(sorted(equal))
        key = tuple(equal[name] for name in schema)
        cluster = self._clusters[schema]
        del cluster[key][slot]
        if not cluster[key]:
            del cluster[key]
            if not cluster:
                del self._clusters[schema]

    def satisfied(self, event: Event, counters: AttributeCounters) -> Iterator[int]:
        """The slots whose equalities the event satisfies, each once: its key has one value per attribute."""
        for schema, cluster in self._clusters.items():
            counters.nodes += 1
            values = [event.values.get(name) for name in schema]
            if None in values:
                continue
            for key in product(*(each for each in values if each is not None)):
                counters.predicates += 1
                yield from cluster.get(key, ())
