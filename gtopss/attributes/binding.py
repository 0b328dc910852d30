"""What it means that an event satisfies a subscription; every matcher is compared with this.

Le Subscribe, section 2.3: the event "provides a binding for every attribute occurring in s and all predicates of s are
true with respect to this binding". A binding gives each attribute one of its values, so `{3, 20}` does not satisfy
`> 5 and < 10`. `contains` alone asks the whole set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator, Value
from gtopss.attributes.events import Event, Values
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.attributes.schema import Schema


def satisfies(event: Event, subscription: AttributeSubscription, schema: Schema, counters: AttributeCounters) -> bool:
    """Each predicate narrows the values its attribute may still be bound to; comparisons then choose among them."""
    left = _narrowed(event, subscription.predicates, schema, counters)
    if left is None:
        return False
    return not subscription.comparisons or _bindable(event, subscription.comparisons, left, schema, counters)


def all_hold(event: Event, predicates: Sequence[Predicate], schema: Schema, counters: AttributeCounters) -> bool:
    """Whether one binding satisfies all of these predicates."""
    return _narrowed(event, predicates, schema, counters) is not None


def _narrowed(
    event: Event, predicates: Sequence[Predicate], schema: Schema, counters: AttributeCounters
) -> dict[str, Values] | None:
    """What is left of the attributes that have several values; None as soon as one predicate fails."""
    left: dict[str, Values] = {}
    for predicate in predicates:
        values = event.values.get(predicate.attribute)
        counters.predicates += 1
        if values is None or not _narrow(predicate, values, left, schema):
            return None
    return left


def _narrow(predicate: Predicate, values: Values, left: dict[str, Values], schema: Schema) -> bool:
    if predicate.operator is Operator.CONTAINS:
        return predicate.value in values
    domain = schema.domain(predicate.attribute)
    if len(values) == 1:
        (value,) = values
        return domain.holds(value, predicate.operator, predicate.value)
    now = left.get(predicate.attribute, values)
    kept = frozenset(value for value in now if domain.holds(value, predicate.operator, predicate.value))
    left[predicate.attribute] = kept
    return bool(kept)


def _bindable(
    event: Event,
    comparisons: Sequence[Comparison],
    left: Mapping[str, Values],
    schema: Schema,
    counters: AttributeCounters,
) -> bool:
    """Whether the attributes of the comparisons can be bound together, one after the other."""
    names = list(dict.fromkeys(name for each in comparisons for name in (each.left, each.right)))
    if not all(name in event.values for name in names):
        return False

    def bind(bound: dict[str, Value]) -> bool:
        if len(bound) == len(names):
            return True
        name = names[len(bound)]
        for value in left.get(name, event.values[name]):
            now = {**bound, name: value}
            if _consistent(now, name, comparisons, schema, counters) and bind(now):
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
    for each in comparisons:
        if newest in (each.left, each.right) and each.left in bound and each.right in bound:
            counters.predicates += 1
            if not schema.domain(each.left).holds(bound[each.left], each.operator, bound[each.right]):
                return False
    return True
