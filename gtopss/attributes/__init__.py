"""Attribute-value publish/subscribe: the systems of the papers before G-ToPSS, with one language and one protocol.

| module | what it holds |
|---|---|
| `domains`, `predicates`, `events` | the language: values, tests, subscriptions, events |
| `schema` | attributes, event types, views, consistency rules |
| `binding` | what it means that an event satisfies a subscription |
| `matcher`, `counters`, `size` | the protocol, and how work and memory are counted |
| `matchers` | the algorithms, one file each, and the table `MATCHERS` |
| `bridge` | events as star-shaped publications, and back |
| `errors` | what can be wrong with a schema or an event |
"""

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import (
    Domain,
    EnumeratedDomain,
    HierarchicalDomain,
    Kind,
    NumericDomain,
    Operator,
    StringDomain,
    Value,
)
from gtopss.attributes.errors import InconsistentEvent, InvalidEvent, InvalidSchema
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import Abilities, AttributeMatcher, AttributeReport
from gtopss.attributes.matchers import MATCHERS
from gtopss.attributes.predicates import AttributeSubscription, Comparison, Predicate
from gtopss.attributes.schema import EVENT_TYPE, Field, Schema, View

__all__ = [
    "EVENT_TYPE", "MATCHERS", "Abilities", "AttributeCounters", "AttributeMatcher", "AttributeReport",
    "AttributeSubscription", "Comparison", "Domain", "EnumeratedDomain", "Event", "Field", "HierarchicalDomain",
    "InconsistentEvent", "InvalidEvent", "InvalidSchema", "Kind", "NumericDomain", "Operator", "Predicate", "Schema",
    "StringDomain", "Value", "View",
]  # fmt: skip
