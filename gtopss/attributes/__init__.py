"""Attribute-value publish/subscribe: the systems of the papers before G-ToPSS, behind one language and one protocol.

| module | contents |
|---|---|
| `domains`, `predicates`, `events` | the language: values, predicates, subscriptions, events |
| `schema` | attributes, event types, views, consistency rules |
| `binding` | the definition of "an event satisfies a subscription" |
| `matcher`, `counters` | the matcher protocol, and the counters of its work |
| `matchers` | the algorithms, one file each, and the table `MATCHERS` |
| `graph_conversion` | conversion of events to star-shaped publications, and back |
| `errors` | invalid schemas and events |

"""

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import (
    Domain,
    DomainKind,
    EnumeratedDomain,
    HierarchicalDomain,
    NumericDomain,
    Operator,
    StringDomain,
    Value,
)
from gtopss.attributes.errors import InconsistentEvent, InvalidEvent, InvalidSchema
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import AttributeCapabilities, AttributeMatcher, AttributeReport
from gtopss.attributes.matchers import MATCHERS
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.attributes.schema import EVENT_TYPE, Field, Schema, View

__all__ = [
    "EVENT_TYPE",
    "MATCHERS",
    "AttributeCapabilities",
    "AttributeCounters",
    "AttributeMatcher",
    "AttributeReport",
    "AttributeSubscription",
    "Comparison",
    "Domain",
    "DomainKind",
    "EnumeratedDomain",
    "Event",
    "Field",
    "HierarchicalDomain",
    "InconsistentEvent",
    "InvalidEvent",
    "InvalidSchema",
    "NumericDomain",
    "Operator",
    "Predicate",
    "Schema",
    "StringDomain",
    "Value",
    "View",
]  # fmt: skip
