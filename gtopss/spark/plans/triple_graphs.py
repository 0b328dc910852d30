"""Publications as tables of triples: each a graph of its own, or all of them one.

`scope` keeps publications apart. It is made of all that a publication is, so that two with one id stay two; where all
publications are one graph, it is the same for all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.model import Publication, Term
from gtopss.model.terms import RDF_TYPE, iri_text
from ontology import Taxonomy

CORPUS = "corpus"
"""The id of the publication that all publications are together."""


@dataclass(frozen=True, slots=True)
class ScopedTriples:
    """`triples` (scope, s, p, o), each once, and `items` (scope, publication_id, source, published_at)."""

    triples: DataFrame
    items: DataFrame


def separate_graphs(publications: DataFrame) -> ScopedTriples:
    """Every publication a graph of its own."""
    scoped = publications.withColumn("scope", F.md5(F.to_json(F.struct(*publications.columns))))
    once = scoped.dropDuplicates(["scope"])
    return ScopedTriples(
        once.select("scope", F.explode(F.array_distinct("triples")).alias("t")).select("scope", "t.*"),
        scoped.select("scope", "publication_id", "source", "published_at"),
    )


def merged_graph(spark: SparkSession, publications: DataFrame) -> ScopedTriples:
    """All publications as one graph; a blank node is its publication's own, and named after it."""
    triples = publications.select("publication_id", F.explode("triples").alias("t")).selectExpr(
        f"'{CORPUS}' AS scope", *(f"{_apart(part)} AS {part}" for part in "spo")
    )
    items = spark.range(1).selectExpr(
        f"'{CORPUS}' AS scope",
        f"'{CORPUS}' AS publication_id",
        "CAST(NULL AS STRING) AS source",
        "CAST(NULL AS TIMESTAMP) AS published_at",
    )
    return ScopedTriples(triples.distinct(), items)


def _apart(part: str) -> str:
    own = f"concat('_:g', md5(publication_id), '-', substring(t.{part}, 3))"
    return f"IF(left(t.{part}, 2) = '_:', {own}, t.{part})"


def merged_publication(publications: Iterable[Publication]) -> Publication:
    """What `merged` is, as one publication: corpus scope asks what the engine would answer to it."""
    triples = []
    for publication in publications:
        mark = hashlib.md5(publication.id.encode(), usedforsecurity=False).hexdigest()
        for s, p, o in publication.triples:
            triples.append((_own(s, mark), p, _own(o, mark)))
    return Publication.trusted(CORPUS, triples)


def _own(term: Term, mark: str) -> Term:
    return Term(f"_:g{mark}-{term[2:]}") if term[0] == "_" else term


# --- is-a ------------------------------------------------------------------------------------------------------


def classes(
    spark: SparkSession, graph: ScopedTriples, taxonomy: Taxonomy, asked: Iterable[tuple[str, Term]]
) -> DataFrame:
    """For each node the classes that it is in and somebody asks for: (scope, node, classes), `isA <class>` each.

    A node is in a class by the taxonomy or by a type that the publication states (`semantics.is_a`).
    """
    by_name, by_type = [], []
    for relation, cls in asked:
        label = f"{relation} {cls}"
        by_name += [(label, term) for term in _terms(_NAMED[relation](taxonomy, iri_text(cls)))]
        by_type += [(label, term) for term in _terms(_TYPED[relation](taxonomy, iri_text(cls)))]
    named, typed = (_table(spark, pairs) for pairs in (by_name, by_type))
    nodes = graph.triples.select("scope", F.explode(F.array("s", "p", "o")).alias("node"))
    types = graph.triples.where(F.col("p") == RDF_TYPE).select(
        "scope", F.col("s").alias("node"), F.col("o").alias("type")
    )
    found = nodes.join(F.broadcast(named.withColumnRenamed("term", "node")), "node").select("scope", "node", "label")
    stated = types.join(F.broadcast(typed.withColumnRenamed("term", "type")), "type").select("scope", "node", "label")
    return found.union(stated).groupBy("scope", "node").agg(F.collect_set("label").alias("classes"))


_NAMED: dict[str, Callable[[Taxonomy, str], frozenset[str]]] = {
    "isA": lambda taxonomy, cls: taxonomy.descendants(cls) | {cls},
    "instanceOf": lambda taxonomy, cls: taxonomy.instances(cls),
    "directlyA": lambda taxonomy, cls: taxonomy.children(cls),
}
_TYPED: dict[str, Callable[[Taxonomy, str], frozenset[str]]] = {
    "isA": lambda taxonomy, cls: taxonomy.subclasses(cls) | {cls},
    "instanceOf": lambda taxonomy, cls: taxonomy.subclasses(cls) | {cls},
    "directlyA": lambda taxonomy, cls: frozenset({cls}),
}


def _terms(names: Iterable[str]) -> list[str]:
    """As terms; blank nodes are the taxonomy's own, and no publication can mention them."""
    return [f"<{name}>" for name in names if not name.startswith("_:")]


def _table(spark: SparkSession, pairs: list[tuple[str, str]]) -> DataFrame:
    labels, terms = [label for label, _ in pairs], [term for _, term in pairs]
    return spark.createDataFrame(
        pa.table({"label": pa.array(labels, pa.string()), "term": pa.array(terms, pa.string())})
    )
