"""Publications as tables of triples: each publication a graph of its own, or all of them one graph.

`scope` separates graphs. It is the number of the row, so two publications with one id stay two; if all publications
are one graph, it is 0 for all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.model import Publication, Term
from gtopss.model.terms import RDF_TYPE, iri_text
from gtopss.semantics.class_members import class_members
from ontology import Taxonomy

CORPUS = "corpus"
"""The id of the publication that consists of all publications."""


@dataclass(frozen=True, slots=True)
class ScopedTriples:
    """`triples` (scope, s, p, o) without duplicates, and `items` (scope, publication_id, source, published_at)."""

    triples: DataFrame
    items: DataFrame
    is_one_graph: bool = False  # all scopes are equal, so no join needs to compare them

    def in_one_scope(self, one: str, other: str) -> list[str]:
        """Return the SQL conditions under which two triples with these columns of scopes belong to one graph."""
        return [] if self.is_one_graph else [f"{one} = {other}"]


def number_rows(publications: DataFrame) -> DataFrame:
    """Add the column `scope`, a number for each row. The rows are computed before this returns, so it never changes."""
    return publications.withColumn("scope", F.monotonically_increasing_id()).localCheckpoint()


def separate_publications(numbered: DataFrame) -> ScopedTriples:
    """Make every publication a graph of its own. The triples are computed before this returns."""
    triples = numbered.select("scope", F.explode(F.array_distinct("triples")).alias("t")).select("scope", "t.*")
    return ScopedTriples(
        triples.localCheckpoint(), numbered.select("scope", "publication_id", "source", "published_at")
    )


def merge_publications(numbered: DataFrame) -> ScopedTriples:
    """Make all publications one graph. A blank node is renamed after its publication, so that it stays distinct."""
    triples = numbered.select("publication_id", F.explode("triples").alias("t")).selectExpr(
        "0L AS scope", *(f"{_distinct_blank_node(part)} AS {part}" for part in "spo")
    )
    items = numbered.sparkSession.range(1).selectExpr(
        "0L AS scope",
        f"'{CORPUS}' AS publication_id",
        "CAST(NULL AS STRING) AS source",
        "CAST(NULL AS TIMESTAMP) AS published_at",
    )
    return ScopedTriples(triples.distinct().localCheckpoint(), items, is_one_graph=True)


def _distinct_blank_node(part: str) -> str:
    renamed = f"concat('_:g', md5(publication_id), '-', substring(t.{part}, 3))"
    return f"IF(left(t.{part}, 2) = '_:', {renamed}, t.{part})"


def merged_publication(publications: Iterable[Publication]) -> Publication:
    """Return what `merge_publications` makes, as one publication: corpus scope means the engine's matches for it."""
    triples = []
    for publication in publications:
        mark = hashlib.md5(publication.id.encode(), usedforsecurity=False).hexdigest()
        for s, p, o in publication.triples:
            triples.append((_renamed(s, mark), p, _renamed(o, mark)))
    return Publication.trusted(CORPUS, triples)


def _renamed(term: Term, mark: str) -> Term:
    return Term(f"_:g{mark}-{term[2:]}") if term[0] == "_" else term


# --- is-a ------------------------------------------------------------------------------------------------------


def node_classes(
    spark: SparkSession, graph: ScopedTriples, taxonomy: Taxonomy, tests: Iterable[tuple[str, Term]]
) -> DataFrame:
    """Return the classes of each node that some is-a test names: (scope, node, classes), each as `isA <class>`.

    A node is in a class by the taxonomy, or by a type that the publication states (`semantics.is_a`).
    """
    by_name, by_type = [], []
    for relation, cls in tests:
        label = f"{relation} {cls}"
        members = class_members(taxonomy, relation, iri_text(cls))
        by_name += [(label, f"<{name}>") for name in members.names]
        by_type += [(label, f"<{name}>") for name in members.types]
    named, typed = (_label_table(spark, pairs) for pairs in (by_name, by_type))
    nodes = graph.triples.select("scope", F.explode(F.array("s", "p", "o")).alias("node"))
    types = graph.triples.where(F.col("p") == RDF_TYPE).select(
        "scope", F.col("s").alias("node"), F.col("o").alias("type")
    )
    found = nodes.join(F.broadcast(named.withColumnRenamed("term", "node")), "node").select("scope", "node", "label")
    stated = types.join(F.broadcast(typed.withColumnRenamed("term", "type")), "type").select("scope", "node", "label")
    return found.union(stated).groupBy("scope", "node").agg(F.collect_set("label").alias("classes"))


def _label_table(spark: SparkSession, pairs: list[tuple[str, str]]) -> DataFrame:
    labels, terms = [label for label, _ in pairs], [term for _, term in pairs]
    return spark.createDataFrame(
        pa.table({"label": pa.array(labels, pa.string()), "term": pa.array(terms, pa.string())})
    )
