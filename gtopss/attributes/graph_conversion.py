"""Convert attribute events to star-shaped publications, attribute subscriptions to star-shaped patterns, and back.

An event becomes one node with an edge for each attribute and value. A subscription becomes a pattern with one variable
for each attribute, so that all predicates on an attribute test one binding; `contains` becomes a separate edge that
ends in the value. The graph engine can then answer attribute subscriptions, and an attribute matcher star-shaped
patterns, so each can be tested against the other.

| attribute language                     | graph language                                                    |
|----------------------------------------|-------------------------------------------------------------------|
| attribute `price`                      | property `<urn:gtopss:attribute:price>`, variable `?a0`            |
| number                                 | xsd:integer, or xsd:decimal with all its digits: equal values are one term |
| string                                 | a plain literal                                                   |
| value of an enumerated or hierarchical domain | `<urn:gtopss:value:DOMAIN:VALUE>`                          |
| the order of those domains             | subclass and instance edges of `GraphConverter.taxonomy`          |
| `<=`, `is-a`; `<`; `>`; `>=`           | `isA`; `isA` and `!=`; `ancestorOf`; `ancestorOf` or `=`           |
"""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import quote, unquote

from gtopss.attributes.domains import Domain, DomainKind, EnumeratedDomain, HierarchicalDomain, Operator, Value
from gtopss.attributes.errors import InvalidEvent
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription, AttributeTest, Comparison, Predicate
from gtopss.attributes.schema import Schema
from gtopss.errors import InvalidSubscription
from gtopss.model import Call, FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.expressions import COMPARISONS, call, leaf_terms, variables
from gtopss.model.terms import iri, iri_text, is_literal, is_variable, literal, literal_parts, term, variable
from ontology import Taxonomy

_ATTRIBUTE = "urn:gtopss:attribute:"
_VALUE = "urn:gtopss:value:"
_EVENT = variable("event")


class GraphConverter:
    """Convert in both directions under one schema. The graph engine needs `taxonomy` to give the same answers."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.taxonomy = Taxonomy()
        for domain in schema.domains:
            if isinstance(domain, EnumeratedDomain):
                for lower, higher in domain.order:
                    self.taxonomy.add_subclass(_name(domain, lower), _name(domain, higher))
            elif isinstance(domain, HierarchicalDomain):
                for child, parent, kind in domain.edges:
                    add = self.taxonomy.add_subclass if kind == "subclass" else self.taxonomy.add_instance
                    add(_name(domain, child), _name(domain, parent))

    # --- attribute language to graph -----------------------------------------------------------------------

    def publication(self, event: Event, id: str) -> Publication:
        """Return the event as a star around one node; raise InvalidEvent if it does not fit the schema."""
        self._schema.check_published(event)
        centre = iri(f"urn:gtopss:event:{quote(id, safe='')}")
        triples: list[Triple] = []
        for name, values in event.values.items():
            domain = self._schema.domain(name)
            made = sorted(_term(value, domain) for value in values)
            triples.extend((centre, _property(name), value) for value in made)
        return Publication.trusted(id, triples)

    def subscription(self, subscription: AttributeSubscription) -> Subscription:
        """Return the subscription as a star with a variable for each tested attribute."""
        self._schema.check_subscription(subscription)
        names = {name: variable(f"a{number}") for number, name in enumerate(subscription.attributes)}
        edges: dict[Triple, list[Call]] = {}
        for predicate in subscription.predicates:
            domain = self._schema.domain(predicate.attribute)
            value = _term(predicate.value, domain)
            if predicate.operator is Operator.CONTAINS:
                edges[_EVENT, _property(predicate.attribute), value] = []
            else:
                bound = names[predicate.attribute]
                edge = (_EVENT, _property(predicate.attribute), bound)
                edges.setdefault(edge, []).append(_test(bound, predicate.operator, value, domain))
        where = []
        for each in subscription.comparisons:
            for name in (each.left, each.right):
                edges.setdefault((_EVENT, _property(name), names[name]), [])
            where.append(_test(names[each.left], each.operator, names[each.right], self._schema.domain(each.left)))
        tuples = [FiveTuple(*edge, [], tests) for edge, tests in edges.items()]
        return Subscription(subscription.id, tuples, where=where)

    # --- graph to attribute language -----------------------------------------------------------------------

    def event(self, publication: Publication) -> Event:
        """Return the event of a star-shaped publication; raise InvalidEvent if it is no star or not of this schema."""
        centres = {subject for subject, _, _ in publication.triples}
        if len(centres) > 1:
            raise InvalidEvent("?", f"publication {publication.id!r} has {len(centres)} subjects; a star has one")
        values: dict[str, list[Value]] = {}
        for _, property, object_ in publication.triples:
            name = self._attribute(property)
            value = None if name is None else _value(object_, self._schema.domain(name))
            if name is None or value is None:
                raise InvalidEvent(name or property, f"{property} {object_} is no attribute and value of the schema")
            values.setdefault(name, []).append(value)
        event = Event(values)
        self._schema.check_published(event)
        return event

    def attribute_subscription(self, subscription: Subscription) -> AttributeSubscription:
        """Return the attribute subscription of a star-shaped pattern; raise InvalidSubscription if it is no star."""
        if len(subscription.branches) != 1 or subscription.branches[0].binds:
            raise InvalidSubscription(subscription.id, "an attribute subscription has one branch and no BIND")
        (branch,) = subscription.branches
        attribute_of: dict[Term, str] = {}
        tests: list[AttributeTest] = []
        for each in branch.tuples:
            name = self._attribute(each.property)
            if name is None or each.subject != branch.tuples[0].subject or not is_variable(each.subject):
                raise InvalidSubscription(subscription.id, f"{each} is no edge of a star over known attributes")
            if not is_variable(each.object):
                value = _value(each.object, self._schema.domain(name))
                if value is None:
                    raise InvalidSubscription(subscription.id, f"the object of {each} is no value of {name!r}")
                tests.append(Predicate(name, Operator.CONTAINS, value))
            elif attribute_of.setdefault(each.object, name) != name:
                raise InvalidSubscription(subscription.id, f"{each.object} is bound to two attributes")
        if len(set(attribute_of.values())) < len(attribute_of):
            raise InvalidSubscription(subscription.id, "an attribute has two variables, so it would have two bindings")
        tested = {name for constraint in branch.constraints() for name in variables(constraint)}
        for untested in attribute_of.keys() - tested:
            reason = f"{untested} is not tested, and an attribute subscription can only test an attribute"
            raise InvalidSubscription(subscription.id, reason)
        for constraint in branch.constraints():
            tests.append(self._read(subscription.id, constraint, attribute_of))
        return AttributeSubscription(subscription.id, tests)

    def _read(self, subscription_id: str, constraint: Call, attribute_of: dict[Term, str]) -> AttributeTest:
        """Return the predicate or comparison of a constraint: the inverse of `_test`."""
        bound = next(filter(is_variable, leaf_terms(constraint)), None)
        if bound is not None and bound in attribute_of:
            name = attribute_of[bound]
            domain = self._schema.domain(name)
            for operator in sorted(domain.operators - {Operator.CONTAINS}):
                for other in leaf_terms(constraint):
                    if _test(bound, operator, other, domain) != constraint:
                        continue
                    if other in attribute_of:
                        return Comparison(name, operator, attribute_of[other])
                    value = _value(other, domain) if not is_variable(other) else None
                    if value is not None:
                        return Predicate(name, operator, value)
        raise InvalidSubscription(subscription_id, f"{constraint} is no predicate on an attribute")

    def _attribute(self, property: Term) -> str | None:
        text = iri_text(property)
        name = unquote(text.removeprefix(_ATTRIBUTE)) if text.startswith(_ATTRIBUTE) else None
        return name if name in self._schema.attributes else None


def _property(attribute: str) -> Term:
    return iri(_ATTRIBUTE + quote(attribute, safe=""))


def _name(domain: Domain, value: str) -> str:
    return f"{_VALUE}{quote(domain.name, safe='')}:{quote(value, safe='')}"


def _term(value: Value, domain: Domain) -> Term:
    if domain.kind in (DomainKind.ENUMERATED, DomainKind.HIERARCHICAL):
        return iri(_name(domain, str(value)))
    if isinstance(value, str):
        return literal(value)
    return term(int(value) if value == int(value) else Decimal(value))


def _value(given: Term, domain: Domain) -> Value | None:
    """Return the domain's value for a term, or None if the term is no value of the domain."""
    value: Value | None = None
    if domain.kind in (DomainKind.ENUMERATED, DomainKind.HIERARCHICAL):
        prefix = _name(domain, "")
        if not is_literal(given) and iri_text(given).startswith(prefix):
            value = unquote(iri_text(given).removeprefix(prefix))
    elif is_literal(given):
        lexical, datatype, language = literal_parts(given)
        kind = datatype.rpartition("#")[2]
        if domain.kind is DomainKind.STRING and kind == "string" and language is None:
            value = lexical
        elif domain.kind is DomainKind.NUMERIC and kind in ("integer", "decimal", "double", "float"):
            try:
                value = int(lexical) if kind == "integer" else float(Decimal(lexical))
            except (ValueError, ArithmeticError):
                value = None
    return value if value is not None and value in domain else None


def _test(bound: Term, operator: Operator, other: Term, domain: Domain) -> Call:
    """Return an attribute test as a graph constraint; the right side is a constant or another variable."""
    if domain.kind in (DomainKind.ENUMERATED, DomainKind.HIERARCHICAL):
        match operator:
            case Operator.AT_MOST | Operator.IS_A:
                return call("isA", bound, other)
            case Operator.BELOW:
                return call("&&", call("isA", bound, other), call("!=", bound, other))
            case Operator.ABOVE:
                return call("ancestorOf", bound, other)
            case Operator.AT_LEAST:
                return call("||", call("ancestorOf", bound, other), call("=", bound, other))
    assert operator.value in COMPARISONS
    return call(operator.value, bound, other)
