"""Random attribute subscriptions and events, over domains so small that things really match."""

from __future__ import annotations

from hypothesis import strategies as st

from gtopss.attributes import (
    AttributeCapabilities,
    AttributeSubscription,
    Comparison,
    DomainKind,
    EnumeratedDomain,
    Event,
    Field,
    HierarchicalDomain,
    NumericDomain,
    Operator,
    Predicate,
    Schema,
    StringDomain,
    Value,
)
from ontology import Taxonomy

FURNITURE = Taxonomy(
    [
        ("table", "furniture"),
        ("dining table", "table"),
        ("chair", "furniture"),
        ("armchair", "chair"),
        ("sofa bed", "chair"),
        ("sofa bed", "bed"),
        ("bed", "furniture"),
    ],
    [("my chair", "armchair"), ("armchair", "product line")],  # instances do not chain: my chair is no product line
)
VALUES: dict[str, list[Value]] = {
    "n": [0, 1, 2, 3, 4],
    "m": [0, 1, 2, 3, 4],
    "x": [-1, 0, 0.5, 2, 1e300],
    "s": ["", "a", "ab", "b"],
    "t": ["", "a", "ab", "b"],
    "size": ["S", "M", "L", "one-size"],
    "colour": ["red", "green"],
    "kind": ["furniture", "table", "dining table", "chair", "armchair", "sofa bed", "my chair", "product line"],
    "event_type": ["antiques", "toys"],
}


def schema() -> Schema:
    made = Schema()
    made.create_domain(NumericDomain("small", 0, 4, whole=True))
    made.create_domain(NumericDomain("number"))
    made.create_domain(StringDomain("text"))
    made.create_domain(EnumeratedDomain("size", VALUES["size"], [("S", "M"), ("M", "L")]))  # type: ignore[arg-type]
    made.create_domain(EnumeratedDomain("colour", VALUES["colour"]))  # type: ignore[arg-type]
    made.create_domain(HierarchicalDomain("furniture", FURNITURE))
    domains = {"n": "small", "m": "small", "x": "number", "s": "text", "t": "text", "size": "size", "colour": "colour"}
    for name, domain in (domains | {"kind": "furniture"}).items():
        made.create_attribute(name, domain)
    for event_type in VALUES["event_type"]:
        made.create_event_type(str(event_type), [Field("n", mandatory=False, multiple=True)])
    return made


SCHEMA = schema()


def events(names: list[str] | None = None) -> st.SearchStrategy[Event]:
    """Missing, single and multiple values."""
    chosen = names or list(VALUES)
    sets = {name: st.lists(st.sampled_from(VALUES[name]), max_size=3) for name in chosen}
    return st.fixed_dictionaries({}, optional=sets).map(Event)


def subscriptions(capabilities: AttributeCapabilities, most: int = 6) -> st.SearchStrategy[list[AttributeSubscription]]:
    """Subscriptions within what a matcher declares; some alike, some contradicting themselves."""
    bodies = st.lists(_tests(capabilities), min_size=1, max_size=4)
    return st.lists(bodies, min_size=1, max_size=most).map(
        lambda made: [AttributeSubscription(f"s{number}", body) for number, body in enumerate(made)]
    )


def _tests(capabilities: AttributeCapabilities) -> st.SearchStrategy[Predicate | Comparison]:
    predicates = []
    for name, values in VALUES.items():
        domain = SCHEMA.domain(name)
        if not capabilities.infinite_domains and domain.values() is None:
            continue
        for operator in sorted(capabilities.operators.get(domain.kind, frozenset()) & domain.operators):
            predicates.append(st.builds(Predicate, st.just(name), st.just(operator), st.sampled_from(values)))
    if not capabilities.comparisons:
        return st.one_of(predicates)
    pairs = st.sampled_from([("n", "m"), ("m", "n"), ("n", "x"), ("s", "t"), ("x", "x")])
    signs = st.sampled_from(sorted(SCHEMA.domain("n").operators - {Operator.CONTAINS}))
    compared = st.builds(lambda pair, sign: Comparison(pair[0], sign, pair[1]), pairs, signs)
    return st.one_of(*predicates, compared)


def everything() -> AttributeCapabilities:
    """All that the language has."""
    return AttributeCapabilities({kind: frozenset(Operator) for kind in DomainKind}, comparisons=True)
