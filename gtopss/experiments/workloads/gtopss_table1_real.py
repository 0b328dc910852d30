"""The workload of Table 1 with real feeds and news in place of random graphs.

Matching subscriptions are subgraphs of one feed item, overlapping ones of another item, and the rest of arbitrary
items. The parameters of the table that real graphs determine (numbers of nodes, edges and labels) are ignored.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

from gtopss.experiments.workloads.connected_subgraph import connected_subgraph
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, subscription_with_stars
from gtopss.experiments.workloads.workload import Workload
from gtopss.model import Publication, Subscription, Term
from gtopss.model.terms import is_blank
from gtopss.reading.documents import read_document
from gtopss.sample_data import sample_data
from ontology import Taxonomy, load

MIN_SOURCE_TRIPLES = 20
"""Triples that a publication must have for a pattern of a dozen edges to be drawn from it."""


def real_table1(table: GtopssTable1) -> Workload:
    """Return a feed item with subscriptions drawn from it, from another item, and from all items."""
    everything = shipped_publications()
    generator = random.Random(table.seed)
    large = [each for each in everything if len(each.triples) >= MIN_SOURCE_TRIPLES]
    matched, shared = generator.sample(large, 2)
    topics = media_topics() if table.constrained else Taxonomy()
    made = tuple(_subscriptions(table, matched, shared, everything, topics, generator))

    def items(count: int) -> list[Publication]:
        others = random.Random(f"{table.seed} other publications")
        return [matched, *(others.choice(large) for _ in range(1, count))]

    title = "Table 1 with real feeds and news"
    return Workload("table1-real", title, table.subscriptions, lambda: iter(made), items, topics)


def _subscriptions(
    table: GtopssTable1,
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
        edges = connected_subgraph(source.triples, table.subscription_edges, generator, nodes=nodes)
        others = [_object_with_text(any_other, generator) for _ in range(table.stars if table.constrained else 0)]
        yield subscription_with_stars(f"s{number}", edges, table, others, topics, generator)


def _object_with_text(publication: Publication, generator: random.Random) -> Term:
    """Return an object of a publication that is an IRI or a literal, so that its text can be compared."""
    return generator.choice([o for _, _, o in publication.triples if not is_blank(o)])


@lru_cache(maxsize=1)
def shipped_publications() -> tuple[Publication, ...]:
    """Return every item of the shipped feeds and news."""
    paths = [*sorted(sample_data("feeds").iterdir()), sample_data("news", "news.nq")]
    return tuple(each for path in paths for each in read_document(path.read_bytes(), source=str(path)).publications)


@lru_cache(maxsize=1)
def media_topics() -> Taxonomy:
    """Return the taxonomy of the topics of the shipped news."""
    return load(sample_data("ontologies", "iptc-mediatopics-en-GB.ttl"))
