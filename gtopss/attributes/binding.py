"""Decide whether an event satisfies a subscription. Every matcher is tested against this definition.

Le Subscribe, section 2.3: the event "provides a binding for every attribute occurring in s and all predicates of s are
true with respect to this binding". A binding gives each attribute one of its values, so `{3, 20}` does not satisfy
`> 5 and < 10`. Only `contains` tests the whole set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import DomainLookup, Operator, Value
from gtopss.attributes.events import Event, Values
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.attributes.schema import Schema


def satisfies(event: Event, subscription: AttributeSubscription, schema: Schema, counters: AttributeCounters) -> bool:
    """Return whether one binding of the event's values satisfies the subscription.

    Each predicate removes values from its attribute; comparisons then choose among the remaining ones.
    """
    narrowed = _narrowed(event, subscription.predicates, schema, counters)
    if narrowed is None:
        return False
    return not subscription.comparisons or _bindable(event, subscription.comparisons, narrowed, schema, counters)


def all_hold(event: Event, predicates: Sequence[Predicate], schema: DomainLookup, counters: AttributeCounters) -> bool:
    """Return whether one binding satisfies all of these predicates."""
    return _narrowed(event, predicates, schema, counters) is not None


def _narrowed(
    event: Event, predicates: Sequence[Predicate], schema: DomainLookup, counters: AttributeCounters
) -> dict[str, Values] | None:
    """Return the remaining values of the multi-valued attributes, or None as soon as one predicate fails."""
    narrowed: dict[str, Values] = {}
    for predicate in predicates:
        values = event.values.get(predicate.attribute)
        counters.predicates += 1
        if values is None or not _narrow(predicate, values, narrowed, schema):
            return None
    return narrowed


def _narrow(predicate: Predicate, values: Values, narrowed: dict[str, Values], schema: DomainLookup) -> bool:
    """Remove the values that fail the predicate from `narrowed`; return whether any remain."""
    if predicate.operator is Operator.CONTAINS:
        return predicate.value in values
    domain = schema.domain(predicate.attribute)
    if len(values) == 1:
        (value,) = values
        return domain.holds(value, predicate.operator, predicate.value)
    candidates = narrowed.get(predicate.attribute, values)
    remaining = frozenset(value for value in candidates if domain.holds(value, predicate.operator, predicate.value))
    narrowed[predicate.attribute] = remaining
    return bool(remaining)


def _bindable(
    event: Event,
    comparisons: Sequence[Comparison],
    narrowed: Mapping[str, Values],
    schema: Schema,
    counters: AttributeCounters,
) -> bool:
    """Return whether some binding satisfies all comparisons; attributes are bound one after the other."""
    names = list(dict.fromkeys(name for each in comparisons for name in (each.left, each.right)))
    if not all(name in event.values for name in names):
        return False

    def bind(bound: dict[str, Value]) -> bool:
        if len(bound) == len(names):
            return True
        name = names[len(bound)]
        for value in narrowed.get(name, event.values[name]):
            extended = {**bound, name: value}
            if _consistent(extended, name, comparisons, schema, counters) and bind(extended):
                return True
        return False

    return bind({})


def _consistent(
    bound: Mapping[str, Value],
    newest: str,
    comparisons: Sequence[Comparison],
    schema: Schema,
    counters: AttributeCounters,
) -> bool:
    """Return whether the comparisons between bound attributes hold, of those that involve the newest one."""
    for each in comparisons:
        if newest in (each.left, each.right) and each.left in bound and each.right in bound:
            counters.predicates += 1
            if not schema.domain(each.left).holds(bound[each.left], each.operator, bound[each.right]):
                return False
    return True
