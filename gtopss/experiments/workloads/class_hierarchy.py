"""Subscriptions to classes of schema.org: an item states leaf classes, a subscription tests any class.

A node of an item belongs to about five of more than nine hundred classes, counting superclasses. One class test
therefore matches about one item in two hundred, and two tests one in forty thousand. With a few single tests, some
pairs and any number of triples, a few subscriptions match an item, however many there are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import FiveTuple, Publication, Subscription, Term, Triple
from gtopss.model.expressions import instance_of, is_a
from gtopss.model.terms import RDF_TYPE, iri, literal
from gtopss.sample_data import sample_data
from ontology import Taxonomy
from ontology.loading import load

SCHEMA_ORG_FILE = "schemaorg-30.0-current-https.ttl"
SCHEMA = "https://schema.org/"
ABOUT, AUTHOR, GENRE, NAME = (iri(SCHEMA + name) for name in ("about", "author", "genre", "name"))
ONE_TEST_SUBSCRIPTIONS = 100  # the first subscriptions test one class
TWO_TEST_SUBSCRIPTIONS = 40_000  # the subscriptions up to this number test two classes, later ones three


@cache
def schema_org() -> Taxonomy:
    return load(sample_data("ontologies", SCHEMA_ORG_FILE))


def class_hierarchy(size: int) -> Workload:
    """Test `instanceOf` of an item, its author and its topic, and `isA` of its genre, which is a class itself."""
    taxonomy = schema_org()
    classes = [iri(name) for name in sorted(taxonomy.classes) if name.startswith(SCHEMA)]
    leaves = [cls for cls in classes if not taxonomy.subclasses(cls[1:-1])]

    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator("e", size, "subscriptions")
        for number in range(size):
            yield Subscription(f"s{number}", _edges(number, size, classes, chance))

    def publications(count: int) -> list[Publication]:
        chance = random_generator("e", size, "publications")
        return [Publication.trusted(f"p{i}", _item(i, leaves, chance)) for i in range(count)]

    return Workload("e", "is-a over schema.org", size, subscriptions, publications, taxonomy)


def _edges(number: int, size: int, classes: list[Term], chance: random.Random) -> list[FiveTuple]:
    one, two, three = (chance.choice(classes) for _ in range(3))
    if number < min(ONE_TEST_SUBSCRIPTIONS, size // 2):
        return [FiveTuple("?item", ABOUT, "?topic", (), [instance_of("topic", one)])]
    about = FiveTuple("?item", ABOUT, "?topic", [instance_of("item", one)], [instance_of("topic", two)])
    if number < TWO_TEST_SUBSCRIPTIONS:
        if number % 2:
            return [about]
        return [FiveTuple("?item", GENRE, "?genre", [instance_of("item", one)], [is_a("genre", two)])]
    if number % 2:
        return [about, FiveTuple("?item", AUTHOR, "?who", (), [instance_of("who", three)])]
    return [about, FiveTuple("?item", GENRE, "?genre", (), [is_a("genre", three)])]


def _item(number: int, leaves: list[Term], chance: random.Random) -> list[Triple]:
    item, author = iri(f"urn:item:{number}"), iri(f"urn:author:{chance.randrange(10_000)}")
    topics = [iri(f"urn:topic:{chance.randrange(100_000)}") for _ in range(2)]
    triples = [(thing, RDF_TYPE, chance.choice(leaves)) for thing in (item, author, *topics)]
    triples += [(item, ABOUT, topic) for topic in topics]
    triples += [(item, AUTHOR, author), (item, GENRE, chance.choice(leaves)), (item, GENRE, chance.choice(leaves))]
    return [*triples, (item, NAME, literal(f"Item number {number}"))]
