"""Split a subscription at its equality predicates, and index subscriptions by their equalities.

An equality fixes the binding of its attribute. Every other predicate on that attribute (except `contains`, which tests
the whole set) is therefore decided at insertion: either it follows, or the subscription can never match.

`EqualityClusters` is Le Subscribe's *eqsubmatch* (section 3.1, "Equality-preferred approach"): subscriptions whose
equalities test the same attributes (the cluster's schema) form a cluster, which is hashed by their values.
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


class EqualitySplit(NamedTuple):
    """The equalities of a subscription, and the predicates that they do not decide."""

    equalities: dict[str, Value]
    remaining: tuple[Predicate, ...]


def split_equalities(subscription: AttributeSubscription, schema: Schema) -> EqualitySplit | None:
    """Split a subscription's predicates; return None if its equalities contradict its other predicates."""
    equalities: dict[str, Value] = {}
    for predicate in subscription.predicates:
        if (
            predicate.operator is Operator.EQUAL
            and equalities.setdefault(predicate.attribute, predicate.value) != predicate.value
        ):
            return None
    remaining = []
    for predicate in subscription.predicates:
        if predicate.operator is Operator.CONTAINS or predicate.attribute not in equalities:
            remaining.append(predicate)
        elif not schema.domain(predicate.attribute).holds(
            equalities[predicate.attribute], predicate.operator, predicate.value
        ):
            return None
    return EqualitySplit(equalities, tuple(remaining))


class EqualityClusters:
    """An index from the attributes and values of equalities to subscription slots."""

    def __init__(self) -> None:
        self._clusters: dict[tuple[str, ...], dict[Key, dict[int, None]]] = {}

    def add(self, equalities: dict[str, Value], slot: int) -> None:
        schema = tuple(sorted(equalities))
        key = tuple(equalities[name] for name in schema)
        self._clusters.setdefault(schema, {}).setdefault(key, {})[slot] = None

    def discard(self, equalities: dict[str, Value], slot: int) -> None:
        schema = tuple(sorted(equalities))
        key = tuple(equalities[name] for name in schema)
        cluster = self._clusters[schema]
        del cluster[key][slot]
        if not cluster[key]:
            del cluster[key]
            if not cluster:
                del self._clusters[schema]

    def satisfied(self, event: Event, counters: AttributeCounters) -> Iterator[int]:
        """Yield the slots whose equalities the event satisfies, each once, since a key has one value per attribute."""
        for schema, cluster in self._clusters.items():
            counters.nodes += 1
            values = [event.values.get(name) for name in schema]
            if None in values:
                continue
            for key in product(*(each for each in values if each is not None)):
                counters.predicates += 1
                yield from cluster.get(key, ())
