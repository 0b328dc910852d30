"""Stories against networkx on the merged graph, with every pair of publications compared."""

from __future__ import annotations

import random
import re
from itertools import combinations

import networkx as nx
import pytest
from conftest import SOAK
from pyspark.sql import SparkSession
from support import plan_cases

from gtopss.feeds.vocabulary import LINK, PART_OF, TITLE
from gtopss.model import Publication
from gtopss.model.terms import literal, literal_parts
from gtopss.spark.io.rows import publications_table
from gtopss.spark.jobs.stories import (
    LINKS,
    MAX_SHARED_PUBLICATIONS,
    MIN_TITLE_SIMILARITY,
    MIN_TITLE_WORDS,
    TOPICS,
    find_stories,
    stories_of_matches,
)

WORDS = [
    "storm",
    "flood",
    "city",
    "council",
    "vote",
    "budget",
    "open",
    "source",
    "release",
    "kernel",
    "market",
    "shares",
    "fall",
    "rise",
]


def by_networkx(publications: list[Publication]) -> set[frozenset[str]]:
    graph = nx.Graph()
    graph.add_nodes_from(each.id for each in publications)
    keys: dict[tuple[str, str], set[str]] = {}
    titles: dict[str, set[str]] = {}
    for each in publications:
        keys.setdefault(("link", f"<{each.id}>"), set()).add(each.id)
        feeds = {o for _, p, o in each.triples if p == PART_OF}
        for _, p, o in (triple for triple in each.triples if triple[0] not in feeds):
            kind = "link" if p in LINKS else "topic" if p in TOPICS else None
            if kind is not None:
                keys.setdefault((kind, o), set()).add(each.id)
            if p == TITLE:
                titles.setdefault(each.id, set(re.split(r"[^\w]+|_", literal_parts(o)[0].lower())) - {""})
    for shared in keys.values():
        if len(shared) <= MAX_SHARED_PUBLICATIONS:
            graph.add_edges_from(combinations(shared, 2))
    for (a, one), (b, other) in combinations(titles.items(), 2):
        is_long = min(len(one), len(other)) >= MIN_TITLE_WORDS
        if is_long and len(one & other) >= MIN_TITLE_SIMILARITY * len(one | other):
            graph.add_edge(a, b)
    return {frozenset(each) for each in nx.connected_components(graph)}


def by_spark(spark: SparkSession, publications: list[Publication]) -> set[frozenset[str]]:
    stories: dict[str, set[str]] = {}
    for row in find_stories(publications_table(spark, publications)).collect():
        stories.setdefault(row.story, set()).add(row.publication_id)
    assert all(min(members) == name for name, members in stories.items())
    return {frozenset(each) for each in stories.values()}


def made(generator: random.Random, number: int) -> Publication:
    id = f"http://a.example/{number}"
    title = " ".join(generator.sample(WORDS[:8] if number % 3 else WORDS, generator.randint(2, 7)))
    triples = [(f"<{id}>", TITLE, literal(title.title() + generator.choice(["", "!", " -"])))]
    if generator.random() < 0.3:
        triples.append((f"<{id}>", LINK, f"<http://a.example/{generator.randrange(80)}>"))
    if generator.random() < 0.6:
        triples.append((f"<{id}>", TOPICS[0], f"<urn:topic:{int(generator.expovariate(0.1))}>"))
    return Publication(id, triples)


def test_stories_are_the_components_of_the_merged_graph(spark: SparkSession) -> None:
    generator = random.Random(2005)
    publications = [made(generator, number) for number in range(80)]
    expected = by_networkx(publications)
    sizes = sorted(map(len, expected))
    assert sizes[0] == 1
    assert sizes[-1] > 3
    assert by_spark(spark, publications) == expected


def test_a_subscriber_hears_of_a_story_once(spark: SparkSession) -> None:
    titles = [
        "The storm floods the old city",
        "Storm floods the old city",
        "Council votes",
        "The storm floods an old city",
    ]
    publications = [
        Publication(f"p{number}", [("<urn:x>", TITLE, literal(title))]) for number, title in enumerate(titles)
    ]
    stories = find_stories(publications_table(spark, publications))
    matches = spark.createDataFrame(
        [("p0", "s"), ("p0", "s"), ("p1", "s"), ("p2", "s"), ("p1", "t")],
        "publication_id string, subscription_id string",
    )
    told = {
        (row["subscription_id"], tuple(item["publication_id"] for item in row["items"])): row["title"]
        for row in stories_of_matches(matches, stories).collect()
    }
    assert told == {
        ("s", ("p0", "p1")): "The storm floods the old city",
        ("s", ("p2",)): "Council votes",
        ("t", ("p1",)): "Storm floods the old city",
    }


@pytest.mark.skipif(not SOAK, reason="hundreds of publications: `make soak`")
def test_real_feeds_have_stories(spark: SparkSession) -> None:
    publications = list({each.id: each for each in plan_cases.feeds().publications}.values())
    found = by_spark(spark, publications)
    assert found == by_networkx(publications)
    assert max(map(len, found)) > 1
