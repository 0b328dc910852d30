"""Interests in kinds of things, over schema.org: an item states deep classes, a subscription any.

An item's things are of some five classes each, counting those above, of more than nine hundred. So a question about one
class is answered yes by one item in two hundred, two of them by one in forty thousand: a few single questions, some
pairs and any number of triples together want an item a few times, however many there are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gtopss.experiments.workloads.workload import Workload, generator
from gtopss.model import FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.expressions import instance_of, is_a
from gtopss.model.terms import RDF_TYPE, iri, literal
from ontology import Taxonomy
from ontology.load import load

FILE = Path("data/ontologies/schemaorg-30.0-current-https.ttl")
SCHEMA = "https://schema.org/"
ABOUT, AUTHOR, GENRE, NAME = (iri(SCHEMA + name) for name in ("about", "author", "genre", "name"))
SINGLES, PAIRS = 100, 40_000


@cache
def schema_org() -> Taxonomy:
    return load(FILE)


def kinds(size: int) -> Workload:
    """`instanceOf` of an item, its author and what it is about; `isA` of a genre that is a class itself."""
    taxonomy = schema_org()
    classes = [iri(name) for name in sorted(taxonomy.classes) if name.startswith(SCHEMA)]
    leaves = [cls for cls in classes if not taxonomy.subclasses(cls[1:-1])]

    def subscriptions() -> Iterator[Subscription]:
        chance = generator("e", size, "subscriptions")
        for number in range(size):
            yield Subscription(f"s{number}", _wanted(number, size, classes, chance))

    def publications(count: int) -> list[Publication]:
        chance = generator("e", size, "publications")
        return [Publication.trusted(f"p{i}", _item(i, leaves, chance)) for i in range(count)]

    return Workload("e", "is-a over schema.org", size, subscriptions, publications, taxonomy)


def _wanted(number: int, size: int, classes: list[Term], chance: random.Random) -> list[FiveTuple]:
    one, two, three = (chance.choice(classes) for _ in range(3))
    if number < min(SINGLES, size // 2):
        return [FiveTuple("?item", ABOUT, "?topic", (), [instance_of("topic", one)])]
    about = FiveTuple("?item", ABOUT, "?topic", [instance_of("item", one)], [instance_of("topic", two)])
    if number < PAIRS:
        if number % 2:
            return [about]
        return [FiveTuple("?item", GENRE, "?genre", [instance_of("item", one)], [is_a("genre", two)])]
    if number % 2:
        return [about, FiveTuple("?item", AUTHOR, "?who", (), [instance_of("who", three)])]
    return [about, FiveTuple("?item", GENRE, "?genre", (), [is_a("genre", three)])]


def _item(number: int, leaves: list[Term], chance: random.Random) -> list[Triple]:
    item, author = iri(f"urn:item:{number}"), iri(f"urn:author:{chance.randrange(10_000)}")
    topics = [iri(f"urn:topic:{chance.randrange(100_000)}") for _ in range(2)]
    made = [(thing, RDF_TYPE, chance.choice(leaves)) for thing in (item, author, *topics)]
    made += [(item, ABOUT, topic) for topic in topics]
    made += [(item, AUTHOR, author), (item, GENRE, chance.choice(leaves)), (item, GENRE, chance.choice(leaves))]
    return [*made, (item, NAME, literal(f"Item number {number}"))]
