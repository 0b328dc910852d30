"""The same experiments on what people published: subscriptions drawn from the constants of real feeds and news.

Table 1's steps with real graphs in place of random ones: matching subscriptions are subgraphs of one feed item,
overlapping ones of another item, and the rest of items anywhere. What a real graph has not (its number of nodes, edges
and labels are what they are) is not taken from the table.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import gtopss
from gtopss.errors import GtopssError
from gtopss.experiments.workloads.table1_generator import Table1, Workload, subgraph, with_stars
from gtopss.model import Publication, Subscription, Term
from gtopss.model.terms import is_blank
from gtopss.reading.documents import read_document
from ontology import Taxonomy, load

DATA = Path(gtopss.__file__).parent.parent / "data"
LARGE = 20
"""Triples of a publication that a pattern of a dozen edges can be drawn from."""


def real(table: Table1) -> Workload:
    """One feed item and subscriptions drawn from it, from another, and from all."""
    everything = publications()
    generator = random.Random(table.seed)
    large = [each for each in everything if len(each.triples) >= LARGE]
    matched, shared = generator.sample(large, 2)
    topics = media_topics() if table.constrained else Taxonomy()
    made = tuple(_subscriptions(table, matched, shared, everything, topics, generator))
    return Workload(matched, made, topics)


def _subscriptions(
    table: Table1,
    matched: Publication,
    shared: Publication,
    everything: tuple[Publication, ...],
    topics: Taxonomy,
    generator: random.Random,
) -> Iterator[Subscription]:
    nodes = table.subscription_nodes or table.subscription_edges
    for number in range(table.subscriptions):
        share = number / table.subscriptions
        any_other = generator.choice(everything)
        source = matched if share < table.matching else shared if share < table.matching + table.overlap else any_other
        edges = subgraph(source.triples, nodes, table.subscription_edges, generator)
        others = [_named(any_other, generator) for _ in range(table.stars if table.constrained else 0)]
        yield with_stars(f"s{number}", edges, table, others, topics, generator)


def _named(publication: Publication, generator: random.Random) -> Term:
    """A node of a publication that has a text to compare with."""
    return generator.choice([o for _, _, o in publication.triples if not is_blank(o)])


@lru_cache(maxsize=1)
def publications() -> tuple[Publication, ...]:
    """Every item of the shipped feeds and news."""
    if not (DATA / "feeds").is_dir():
        raise GtopssError(f"there is no folder {DATA / 'feeds'}: --data real runs in a clone of the repository")
    paths = [*sorted((DATA / "feeds").iterdir()), DATA / "news" / "news.nq"]
    return tuple(each for path in paths for each in read_document(path.read_bytes(), source=str(path)).publications)


@lru_cache(maxsize=1)
def media_topics() -> Taxonomy:
    """The taxonomy that the news' topics are from."""
    return load(DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl")
