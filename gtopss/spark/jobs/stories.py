"""Stories: publications that report the same thing, so that a subscriber hears of it once, with all its items.

Publications are vertices, and a story is a connected component. Two publications are connected if they share

- a link: the id of one, or the object of a link or a relation, is the id, link or relation of the other;
- a topic that few publications have: a common one, such as *sports*, connects nothing;
- nearly the same title: of all their words, at least MIN_TITLE_SIMILARITY are in both (Jaccard).

`components.py` finds the components.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from gtopss.feeds.vocabulary import LINK, PART_OF, TITLE
from gtopss.spark.jobs.components import find_components

MAX_SHARED_PUBLICATIONS = 10  # of one link or topic; one that more publications have connects nothing
MIN_TITLE_WORDS = 4  # different ones; shorter titles, such as "Weather report", connect nothing
MIN_TITLE_SIMILARITY = 0.8
LINKS = (LINK, "<http://purl.org/dc/terms/relation>", "<http://purl.org/dc/terms/references>")
TOPICS = ("<http://purl.org/dc/terms/subject>", "<http://purl.org/dc/elements/1.1/subject>")

ITEM_TRIPLES = (
    "filter(triples, each -> NOT array_contains("
    f"transform(filter(triples, other -> other.p = '{PART_OF}'), other -> other.o), each.s))"
)
"""SQL for the triples of a publication without those about its feed."""
ITEM_TITLE = (
    f"regexp_replace(regexp_replace(try_element_at(filter(triples, each -> each.p = '{TITLE}'), 1).o, "
    r"""r'^"|"[^"]*$', ''), r'\\(?:[tbnrf]|u[0-9A-Fa-f]{4})', ' ')"""
)
"""SQL for the title among triples, as text."""
_WORDS = r"array_distinct(filter(split(lower(title), r'[^\p{L}\p{N}]+'), each -> each <> ''))"


def find_stories(publications: DataFrame) -> DataFrame:
    """Return (publication_id, title, story) for each publication. A story has the smallest id of its publications."""
    items = _items(publications).localCheckpoint()
    links = reduce(
        DataFrame.union, (_linked_by_keys(items, "links"), _linked_by_keys(items, "topics"), _similar(items))
    )
    labels = find_components(items.selectExpr("publication_id AS vertex"), links)
    told = labels.selectExpr("vertex AS publication_id", "component AS story")
    return items.select("publication_id", "title").join(told, "publication_id")


def stories_of_matches(matches: DataFrame, stories: DataFrame) -> DataFrame:
    """Return the stories of each subscription: subscription_id, story, title, items (publication_id, title)."""
    pairs = matches.where("subscription_id IS NOT NULL").select("subscription_id", "publication_id").distinct()
    item = F.struct("publication_id", "title")
    told = (
        pairs.join(stories, "publication_id")
        .groupBy("subscription_id", "story")
        .agg(F.array_sort(F.collect_list(item)).alias("items"))
    )
    return told.selectExpr("subscription_id", "story", "get(items, 0).title AS title", "items")


def _items(publications: DataFrame) -> DataFrame:
    """Return for each publication its title, and the links and topics by which it may be connected."""

    def objects(properties: tuple[str, ...]) -> str:
        wanted = ", ".join(f"'{each}'" for each in properties)
        return f"transform(filter(triples, each -> each.p IN ({wanted})), each -> each.o)"

    one = publications.where("publication_id IS NOT NULL").dropDuplicates(["publication_id"])
    one = one.selectExpr("publication_id", f"{ITEM_TRIPLES} AS triples")
    return one.selectExpr(
        "publication_id",
        f"{ITEM_TITLE} AS title",
        f"array_distinct(concat(array(concat('<', publication_id, '>')), {objects(LINKS)})) AS links",
        f"array_distinct({objects(TOPICS)}) AS topics",
    )


def _linked_by_keys(items: DataFrame, column: str) -> DataFrame:
    """Return edges (a, b) from each publication that has a key to the smallest one, for keys that few have."""
    keys = items.select("publication_id", F.explode(column).alias("key"))
    by_key = Window.partitionBy("key")
    counted = keys.withColumns({"a": F.min("publication_id").over(by_key), "count": F.count("*").over(by_key)})
    return counted.where(f"count BETWEEN 2 AND {MAX_SHARED_PUBLICATIONS} AND a <> publication_id").selectExpr(
        "a", "publication_id AS b"
    )


def _similar(items: DataFrame) -> DataFrame:
    """Return edges between publications with nearly the same title.

    Titles are compared only if they share one of their rarest words: of two sets with a similarity of at least s, the
    rarest |set| - ceil(s |set|) + 1 words of both have one in common (prefix filtering).
    """
    titled = items.selectExpr("publication_id", f"{_WORDS} AS words").where(f"size(words) >= {MIN_TITLE_WORDS}")
    words = titled.select("publication_id", "words", F.explode("words").alias("word"))
    counts = words.groupBy("word").count()
    rank = Window.partitionBy("publication_id").orderBy("count", "word")
    ranked = words.join(counts, "word").withColumn("rank", F.row_number().over(rank))
    prefix = ranked.where(f"rank <= size(words) - ceil({MIN_TITLE_SIMILARITY} * size(words)) + 1").localCheckpoint()
    one, other = (prefix.selectExpr("word", f"publication_id AS {name}", f"words AS {name}_words") for name in "ab")
    similar = f"size(array_intersect(a_words, b_words)) >= {MIN_TITLE_SIMILARITY} * size(array_union(a_words, b_words))"
    return one.join(other, "word").where("a < b").where(similar).select("a", "b").distinct()
