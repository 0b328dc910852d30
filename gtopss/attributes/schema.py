"""The integrated event schema (Le Subscribe, section 2): domains, attributes, event types, views, consistency.

| paper                          | here                                                          |
|--------------------------------|---------------------------------------------------------------|
| S = (A, ET, D, dom, event type, E) | `Schema`                                                  |
| (A, n, u) of an event schema   | `Field(attribute, mandatory, multiple)`                       |
| view (E, R)                    | `View(types, fields)`                                         |
| event instance, rules R1-R3    | `Schema.check(event, view)`                                   |
| domain creation rule           | `Schema.create_domain`                                        |
| attribute creation rule        | `Schema.create_attribute`                                     |
| event schema extension rule    | `Schema.extend_event_type`                                    |
| event schema creation rule     | `Schema.create_event_type`                                    |

The schema only grows, so a consistent event stays consistent, and matchers that share the schema see extensions
immediately ("the effect of a schema modification is global"). The schema is not thread-safe.

R2 requires a pair (A, V) for each element of R, mandatory or optional; V may be empty if A is multiple. An event that
omits an optional attribute is therefore an instance of a view that omits it, which property 1 allows. `check` without a
view looks for any view of the event's types: the one with all mandatory attributes and those that the event has.

"The only way to issue a publication is to express it in the form of an event instance" (section 2.2): every matcher of
a `Schema(instances_only=True)` refuses other events. Otherwise a matcher needs only values in their domains.

The paper contradicts itself in one place: it says that its e2, which lacks a mandatory attribute, breaks R3 as well as
R2; but every pair of e2 is one that R2 requires, so only R2 is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gtopss.attributes.domains import Domain, DomainKind, EventTypes, Operator
from gtopss.attributes.errors import InconsistentEvent, InvalidEvent, InvalidSchema, Violation
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.errors import InvalidSubscription

EVENT_TYPE = "event_type"
"""The distinguished attribute whose values are the event types of an event."""


@dataclass(frozen=True, slots=True)
class Field:
    """The paper's (A, n, u): an attribute, whether events must have it, and whether it may have several values."""

    attribute: str
    mandatory: bool = True
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The paper's (E, R): the event types of a publisher's events, and the attributes that the publisher provides."""

    types: frozenset[str]
    fields: tuple[Field, ...]

    def __init__(self, types: Iterable[str], fields: Iterable[Field]) -> None:
        object.__setattr__(self, "types", frozenset(types))
        object.__setattr__(self, "fields", tuple(fields))


class Schema:
    """Attributes with their domains, and event types with their attributes.

    With `instances_only`, an event must be an instance of a view of its event types to be matched.

    >>> from gtopss.attributes.domains import NumericDomain
    >>> schema = Schema()
    >>> schema.create_domain(NumericDomain("money"))
    >>> schema.create_attribute("price", "money")
    >>> schema.create_event_type("antiques", [Field("price")])
    >>> schema.check(Event({"event_type": "antiques", "price": 200}))
    """

    def __init__(self, *, instances_only: bool = False) -> None:
        self._instances_only = instances_only
        self._event_types: dict[str, dict[str, Field]] = {}
        event_types = EventTypes(EVENT_TYPE, self._event_types)
        self._domains: dict[str, Domain] = {EVENT_TYPE: event_types}
        self._attributes: dict[str, Domain] = {EVENT_TYPE: event_types}

    # --- contents ------------------------------------------------------------------------------------------

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(self._attributes)

    @property
    def domains(self) -> tuple[Domain, ...]:
        return tuple(self._domains.values())

    @property
    def event_types(self) -> Mapping[str, tuple[Field, ...]]:
        return {name: tuple(fields.values()) for name, fields in self._event_types.items()}

    def domain(self, attribute: str) -> Domain:
        """Return the domain of an attribute, the paper's dom; KeyError if the schema lacks the attribute."""
        return self._attributes[attribute]

    # --- the four extension rules --------------------------------------------------------------------------

    def create_domain(self, domain: Domain) -> None:
        if domain.name in self._domains:
            raise InvalidSchema(domain.name, "a domain of that name exists")
        self._domains[domain.name] = domain

    def create_attribute(self, name: str, domain: str) -> None:
        if name in self._attributes:
            raise InvalidSchema(name, "an attribute of that name exists")
        if domain not in self._domains:
            raise InvalidSchema(name, f"there is no domain {domain!r}: add it with create_domain")
        self._attributes[name] = self._domains[domain]

    def extend_event_type(self, event_type: str, field: Field) -> None:
        if event_type not in self._event_types:
            raise InvalidSchema(event_type, "there is no such event type: add it with create_event_type")
        if field.mandatory:
            reason = f"{field.attribute!r} must be optional, because events published earlier do not have it"
            raise InvalidSchema(event_type, reason)
        if field.attribute in self._event_types[event_type]:
            raise InvalidSchema(event_type, f"it already has the attribute {field.attribute!r}")
        self._check_attribute(event_type, field)
        self._event_types[event_type][field.attribute] = field

    def create_event_type(self, name: str, fields: Iterable[Field]) -> None:
        if name in self._event_types:
            raise InvalidSchema(name, "an event type of that name exists")
        by_attribute: dict[str, Field] = {}
        for field in fields:
            self._check_attribute(name, field)
            if field.attribute in by_attribute:
                raise InvalidSchema(name, f"it has the attribute {field.attribute!r} twice")
            by_attribute[field.attribute] = field
        self._event_types[name] = by_attribute

    def _check_attribute(self, event_type: str, field: Field) -> None:
        if field.attribute not in self._attributes or field.attribute == EVENT_TYPE:
            reason = f"there is no attribute {field.attribute!r} for event types: add it with create_attribute"
            raise InvalidSchema(event_type, reason)

    # --- views ---------------------------------------------------------------------------------------------

    def view(self, *event_types: str) -> View:
        """Return the widest view of some event types.

        Mandatory overrides optional, and multiple overrides unique (property 3).
        """
        fields: dict[str, Field] = {}
        for event_type in event_types:
            if event_type not in self._event_types:
                raise InvalidSchema(event_type, "there is no such event type")
            for field in self._event_types[event_type].values():
                known = fields.get(field.attribute, field)
                fields[field.attribute] = Field(
                    field.attribute, known.mandatory or field.mandatory, known.multiple or field.multiple
                )
        return View(event_types, fields.values())

    def check_view(self, view: View) -> None:
        """Raise InvalidSchema unless the view has the paper's three properties."""
        widest = {field.attribute: field for field in self.view(*sorted(view.types)).fields}
        name = f"view of {', '.join(sorted(view.types))}"
        chosen = {field.attribute: field for field in view.fields}
        if len(chosen) < len(view.fields):
            raise InvalidSchema(name, "property 3: it has an attribute twice")
        for field in view.fields:
            if field.attribute not in widest:
                raise InvalidSchema(name, f"property 2: none of its event types has the attribute {field.attribute!r}")
            if field != widest[field.attribute]:
                reason = f"property 3: {field.attribute!r} must be as mandatory and as multiple as its event types say"
                raise InvalidSchema(name, reason)
        for field in widest.values():
            if field.mandatory and field.attribute not in chosen:
                raise InvalidSchema(name, f"property 1: the mandatory attribute {field.attribute!r} is missing")

    # --- events and subscriptions --------------------------------------------------------------------------

    def check(self, event: Event, view: View | None = None) -> None:
        """Raise InconsistentEvent unless the event is an instance of the view (default: any view of its types)."""
        violations = list(self._violations(event, view))
        if violations:
            raise InconsistentEvent(violations)

    def _violations(self, event: Event, view: View | None) -> Iterator[Violation]:
        types = event.values.get(EVENT_TYPE, frozenset())
        unknown = sorted(str(each) for each in types if each not in self._event_types)
        if not types or unknown:
            yield Violation("R1", EVENT_TYPE, f"names no event type {unknown[0]!r}" if unknown else "is missing")
            return
        if view is None:
            widest = self.view(*sorted(map(str, types)))
            view = View(
                widest.types,
                [field for field in widest.fields if field.mandatory or field.attribute in event.named],
            )
        else:
            self.check_view(view)
            if types != view.types:
                yield Violation("R1", EVENT_TYPE, f"must be {sorted(view.types)}, the event types of the view")
        fields = {field.attribute: field for field in view.fields}
        for field in view.fields:
            values = event.values.get(field.attribute, frozenset())
            if field.attribute not in event.named:
                kind = "mandatory" if field.mandatory else "in the view"
                yield Violation("R2", field.attribute, f"is {kind} and missing")
            elif len(values) != 1 and not field.multiple:
                yield Violation("R2", field.attribute, f"is unique and has {len(values)} values")
            outside = sorted((value for value in values if value not in self.domain(field.attribute)), key=repr)
            if outside:
                yield Violation("R2", field.attribute, f"has {outside[0]!r}, which is not in its domain")
        for name in sorted(event.named):
            if name != EVENT_TYPE and name not in fields:
                yield Violation("R3", name, "is not in the view")

    def check_published(self, event: Event) -> None:
        """Raise InvalidEvent unless the event may be matched.

        Every value must be in its attribute's domain, which matching relies on; with `instances_only`, the event must
        be an event instance.
        """
        if self._instances_only:
            self.check(event)
        for name, values in event.values.items():
            domain = self._attributes.get(name)
            if domain is None:
                raise InvalidEvent(name, "it is not in the schema: add it with create_attribute")
            for value in values:
                if value not in domain:
                    raise InvalidEvent(name, f"{value!r} is not in its domain {domain.name!r}")

    def check_subscription(self, subscription: AttributeSubscription) -> None:
        """Raise InvalidSubscription unless every test applies to its attributes."""
        for test in subscription.tests:
            problem = self._problem(test)
            if problem:
                raise InvalidSubscription(subscription.id, f"{test}: {problem}")

    def _problem(self, test: Predicate | Comparison) -> str | None:
        names = (test.attribute,) if isinstance(test, Predicate) else (test.left, test.right)
        for name in names:
            if name not in self._attributes:
                return f"the schema has no attribute {name!r}"
        domain = self.domain(names[0])
        if test.operator not in domain.operators:
            return f"the {domain.kind} domain {domain.name!r} has no operator {test.operator}"
        if isinstance(test, Predicate):
            return None if test.value in domain else f"{test.value!r} is not in the domain {domain.name!r}"
        if test.operator is Operator.CONTAINS:
            return "contains needs a value, not an attribute"

        other = self.domain(test.right)
        if domain is other or domain.kind == other.kind in (DomainKind.NUMERIC, DomainKind.STRING):
            return None
        return f"the domains {domain.name!r} and {other.name!r} cannot be compared"
