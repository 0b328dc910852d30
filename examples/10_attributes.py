"""Attribute-value publish/subscribe: a schema, subscriptions, all matchers of the papers, and the graph engine."""

from gtopss import Engine
from gtopss.attributes import (
    MATCHERS,
    AttributeSubscription,
    Event,
    Field,
    HierarchicalDomain,
    InconsistentEvent,
    NumericDomain,
    Predicate,
    Schema,
)
from gtopss.attributes.graph_conversion import GraphConverter
from gtopss.errors import UnsupportedSubscription
from ontology import Taxonomy

schema = Schema()
schema.create_domain(NumericDomain("euros", 0, 10_000, whole=True))
furniture = Taxonomy([("table", "furniture"), ("dining table", "table"), ("chair", "furniture")])
schema.create_domain(HierarchicalDomain("categories", furniture))
schema.create_attribute("price", "euros")
schema.create_attribute("category", "categories")
schema.create_event_type("antiques", [Field("price", multiple=True)])
schema.create_event_type("furniture", [Field("category")])

subscriptions = [
    AttributeSubscription("tables", [Predicate("category", "is-a", "table")]),
    AttributeSubscription("mid-price", [Predicate("price", ">", 5), Predicate("price", "<", 10)]),
    AttributeSubscription("antiques", [Predicate("event_type", "contains", "antiques")]),
    AttributeSubscription("twenty", [Predicate("price", "=", 20)]),
]
event = Event({"event_type": ["antiques", "furniture"], "price": [3, 20], "category": "dining table"})
schema.check(event)

converter = GraphConverter(schema)
engine = Engine(matcher="reference", taxonomy=converter.taxonomy)
for subscription in subscriptions:
    engine.add(converter.subscription(subscription))
print("the graph engine:", ", ".join(sorted(engine.match(converter.publication(event, "e1")).subscription_ids)))

for name, make in MATCHERS.items():
    matcher, refused = make(schema), []
    for subscription in subscriptions:
        try:
            matcher.insert(subscription)
        except UnsupportedSubscription:
            refused.append(subscription.id)
    found = sorted(matcher.match(event).subscription_ids)
    print(f"{name}: {', '.join(found)}" + (f" (not supported: {', '.join(refused)})" if refused else ""))

try:
    schema.check(Event({"event_type": ["antiques", "furniture"], "price": 3}))
except InconsistentEvent as error:
    print("refused event:", error)
