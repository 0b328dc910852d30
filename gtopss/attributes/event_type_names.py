"""Several event types in one matcher, by attribute names concatenated with type names (Le Subscribe, section 5).

"If each event attribute appears in just one event type, it is not necessary to modify the algorithms since each cluster
of predicates defined by the algorithms refers only to predicates of subscriptions related to the same event type. If
this does not happen, each event attribute name can be concatenated with the corresponding event type name. ... This
extra processing (concatenation) can be made automatically during the pre-processing of the subscriptions ... and the
processing of the events to match."

A subscription relates to one event type: it has the predicate `event_type contains T` or `event_type = T`. All its
other attributes must be in the event schema of T, so that only events of type T can satisfy it.

A concatenated name begins with the length of the type's name. Without it, attribute `b.c` of type `a` and attribute `c`
of type `a.b` would have the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from gtopss.attributes.domains import Operator
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import AttributeCapabilities, AttributeMatcher, AttributeReport
from gtopss.attributes.predicates import AttributeSubscription, AttributeTest, Comparison, Predicate
from gtopss.attributes.schema import EVENT_TYPE, Schema
from gtopss.errors import UnsupportedSubscription


class EventTypeMatcher:
    """Give another matcher events and subscriptions whose attribute names carry their event types.

    An event is first checked against its event types; an inconsistent event is refused. The matcher below has a schema
    of its own, which follows the given one.
    """

    def __init__(self, schema: Schema, make: Callable[[Schema], AttributeMatcher]) -> None:
        self._schema = schema
        self._concatenated = Schema()
        self._matcher = make(self._concatenated)
        self._names: set[str] = set()
        """The concatenated names that the concatenated schema has."""
        self._types: set[str] = set()
        """The event types that the concatenated schema has."""

    @property
    def capabilities(self) -> AttributeCapabilities:
        return self._matcher.capabilities

    def __len__(self) -> int:
        return len(self._matcher)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._schema.check_subscription(subscription)
        event_type = self._event_type(subscription)
        tests: list[AttributeTest] = []
        for test in subscription.tests:
            if isinstance(test, Comparison):
                names = (self._declared(event_type, test.left), self._declared(event_type, test.right))
                tests.append(Comparison(names[0], test.operator, names[1]))
            elif test.attribute == EVENT_TYPE:
                self._declare_type(event_type)
                tests.append(Predicate(EVENT_TYPE, Operator.CONTAINS, event_type))
            else:
                tests.append(Predicate(self._declared(event_type, test.attribute), test.operator, test.value))
        self._matcher.insert(AttributeSubscription(subscription.id, tests))

    def remove(self, subscription_id: str) -> None:
        self._matcher.remove(subscription_id)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check(event)
        types = sorted(map(str, event.values[EVENT_TYPE]))
        values = {
            self._declared(event_type, field.attribute): event.values[field.attribute]
            for event_type in types
            for field in self._schema.event_types[event_type]
            if field.attribute in event.values
        }
        for event_type in types:
            self._declare_type(event_type)
        return self._matcher.match(Event({EVENT_TYPE: types, **values}))

    def structure_bytes(self) -> int:
        return self._matcher.structure_bytes()

    def _event_type(self, subscription: AttributeSubscription) -> str:
        """Return the event type of a subscription; raise UnsupportedSubscription if it does not relate to one."""
        named = [test for test in subscription.predicates if test.attribute == EVENT_TYPE]
        fits = len(named) == 1 and named[0].operator in (Operator.CONTAINS, Operator.EQUAL)
        event_type = str(named[0].value) if fits else ""
        known = {EVENT_TYPE, *(field.attribute for field in self._schema.event_types.get(event_type, ()))}
        if not fits:
            reason = f"it must name one event type: add a predicate {EVENT_TYPE} contains ..."
        elif not known.issuperset(subscription.attributes):
            reason = f"the event type {event_type!r} has no attribute {min({*subscription.attributes} - known)!r}"
        else:
            return event_type
        raise UnsupportedSubscription(subscription.id, "event types by concatenated names", reason)

    def _declared(self, event_type: str, attribute: str) -> str:
        """Return the concatenated name, and add it to the schema of the matcher below at its first use."""
        name = f"{len(event_type)} {event_type}.{attribute}"
        if name not in self._names:
            self._names.add(name)
            domain = self._schema.domain(attribute)
            if domain.name not in {each.name for each in self._concatenated.domains}:
                self._concatenated.create_domain(domain)
            self._concatenated.create_attribute(name, domain.name)
        return name

    def _declare_type(self, event_type: str) -> None:
        if event_type not in self._types:
            self._types.add(event_type)
            self._concatenated.create_event_type(event_type, [])
