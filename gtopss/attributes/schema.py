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

The schema only grows, so what was consistent stays so, and matchers that hold it see the extensions at once ("the
effect of a schema modification is global").

Two readings, where the text is at odds with itself. R2 asks for a pair (A, V) for each element of R, optional ones too,
while the paper's example leaves out the optional `material`: here V may be empty, that is, missing, if A is optional.
And the paper says that its e2, which lacks a mandatory attribute, breaks R3 as well as R2; but every pair that e2 has
is one that R2 asks for, so that R2 alone is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gtopss.attributes.domains import Domain, EventTypes, Kind, Operator
from gtopss.attributes.errors import InconsistentEvent, InvalidEvent, InvalidSchema, Violation
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.errors import InvalidSubscription

EVENT_TYPE = "event_type"
"""The distinguished attribute: which event types an event belongs to."""


@dataclass(frozen=True, slots=True)
class Field:
    """The paper's (A, n, u): an attribute, whether events must have it, and whether it may have several values."""

    attribute: str
    mandatory: bool = True
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The paper's (E, R): the event types that a publisher's events belong to, and what it says of them."""

    types: frozenset[str]
    fields: tuple[Field, ...]

    def __init__(self, types: Iterable[str], fields: Iterable[Field]) -> None:
        object.__setattr__(self, "types", frozenset(types))
        object.__setattr__(self, "fields", tuple(fields))


class Schema:
    """Attributes with their domains, and event types with their attributes.

    >>> from gtopss.attributes.domains import NumericDomain
    >>> schema = Schema()
    >>> schema.create_domain(NumericDomain("money"))
    >>> schema.create_attribute("price", "money")
    >>> schema.create_event_type("antiques", [Field("price")])
    >>> schema.check(Event({"event_type": "antiques", "price": 200}))
    """

    def __init__(self) -> None:
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
        """The paper's dom; only for an attribute of the schema."""
        return self._attributes[attribute]

    # --- the four extension rules --------------------------------------------------------------------------

    def create_domain(self, domain: Domain) -> None:
        if domain.name in self._domains:
            raise InvalidSchema(domain.name, "there is a domain of that name")
        self._domains[domain.name] = domain

    def create_attribute(self, name: str, domain: str) -> None:
        if name in self._attributes:
            raise InvalidSchema(name, "there is an attribute of that name")
        if domain not in self._domains:
            raise InvalidSchema(name, f"there is no domain {domain!r}: create_domain adds it")
        self._attributes[name] = self._domains[domain]

    def extend_event_type(self, event_type: str, field: Field) -> None:
        if event_type not in self._event_types:
            raise InvalidSchema(event_type, "there is no such event type: create_event_type adds it")
        if field.mandatory:
            reason = f"{field.attribute!r} must be optional: events that are published already lack it"
            raise InvalidSchema(event_type, reason)
        if field.attribute in self._event_types[event_type]:
            raise InvalidSchema(event_type, f"it has the attribute {field.attribute!r}")
        self._known(event_type, field)
        self._event_types[event_type][field.attribute] = field

    def create_event_type(self, name: str, fields: Iterable[Field]) -> None:
        if name in self._event_types:
            raise InvalidSchema(name, "there is an event type of that name")
        made: dict[str, Field] = {}
        for field in fields:
            self._known(name, field)
            if field.attribute in made:
                raise InvalidSchema(name, f"it has the attribute {field.attribute!r} twice")
            made[field.attribute] = field
        self._event_types[name] = made

    def _known(self, event_type: str, field: Field) -> None:
        if field.attribute not in self._attributes or field.attribute == EVENT_TYPE:
            reason = f"there is no attribute {field.attribute!r} to describe events by: create_attribute adds it"
            raise InvalidSchema(event_type, reason)

    # --- views ---------------------------------------------------------------------------------------------

    def view(self, *event_types: str) -> View:
        """The widest view of some event types: mandatory and multiple win over optional and unique (property 3)."""
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
        """Raises InvalidSchema unless the view has the paper's three properties."""
        widest = {field.attribute: field for field in self.view(*sorted(view.types)).fields}
        name = f"view of {', '.join(sorted(view.types))}"
        chosen = {field.attribute: field for field in view.fields}
        if len(chosen) < len(view.fields):
            raise InvalidSchema(name, "property 3: an attribute stands in it twice")
        for field in view.fields:
            if field.attribute not in widest:
                raise InvalidSchema(name, f"property 2: no type of it has the attribute {field.attribute!r}")
            if field != widest[field.attribute]:
                reason = f"property 3: {field.attribute!r} must be annotated as its event types together say"
                raise InvalidSchema(name, reason)
        for field in widest.values():
            if field.mandatory and field.attribute not in chosen:
                raise InvalidSchema(name, f"property 1: the mandatory attribute {field.attribute!r} is missing")

    # --- events and subscriptions --------------------------------------------------------------------------

    def check(self, event: Event, view: View | None = None) -> None:
        """Raises InconsistentEvent unless the event is an instance of the view (the widest of its own types)."""
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
            view = self.view(*sorted(map(str, types)))
        else:
            self.check_view(view)
            if types != view.types:
                yield Violation("R1", EVENT_TYPE, f"must be {sorted(view.types)}, the event types of the view")
        fields = {field.attribute: field for field in view.fields}
        for field in view.fields:
            values = event.values.get(field.attribute, frozenset())
            if not values and field.mandatory:
                yield Violation("R2", field.attribute, "is mandatory and missing")
            if len(values) > 1 and not field.multiple:
                yield Violation("R2", field.attribute, f"is unique and has {len(values)} values")
            outside = sorted((value for value in values if value not in self.domain(field.attribute)), key=repr)
            if outside:
                yield Violation("R2", field.attribute, f"has {outside[0]!r}, which is not in its domain")
        for name in event.values:
            if name != EVENT_TYPE and name not in fields:
                yield Violation("R3", name, "is not in the view")

    def check_values(self, event: Event) -> None:
        """Raises InvalidEvent unless every value is in its attribute's domain: what matching relies on."""
        for name, values in event.values.items():
            domain = self._attributes.get(name)
            if domain is None:
                raise InvalidEvent(name, "the schema lacks it: create_attribute adds it")
            for value in values:
                if value not in domain:
                    raise InvalidEvent(name, f"{value!r} is not in its domain {domain.name!r}")

    def check_subscription(self, subscription: AttributeSubscription) -> None:
        """Raises InvalidSubscription unless every test can be asked of its attributes."""
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
            return "contains asks for a value, not for an attribute"
        other = self.domain(test.right)
        if domain is other or domain.kind == other.kind in (Kind.NUMERIC, Kind.STRING):
            return None
        return f"the domains {domain.name!r} and {other.name!r} cannot be compared"
