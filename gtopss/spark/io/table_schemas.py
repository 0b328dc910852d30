"""The tables: publications in, matches and errors out. A term is its N-Triples text, with its datatype and language.

One row is one publication, and its triples are a list of (s, p, o): in Arrow that is what the engine reads in a batch.
A reader's or matcher's pass over its input gives both results and errors, and must not be run twice to have both: so it
makes one mixed table, in which `error` says what a row is; `Arrivals.of` and `Outcome.of` keep it and take it apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  (as all of Spark's documentation has it)
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from gtopss.errors import GtopssError
from gtopss.model import Publication
from gtopss.spark.errors import InvalidTable

_TEXT = StringType()
TRIPLE = StructType([StructField(name, _TEXT) for name in ("s", "p", "o")])
PUBLICATIONS = StructType(
    [
        StructField("publication_id", _TEXT),
        StructField("source", _TEXT),
        StructField("published_at", TimestampType()),
        StructField("triples", ArrayType(TRIPLE)),
    ]
)
MATCHES = StructType(
    [
        StructField("publication_id", _TEXT),
        StructField("source", _TEXT),
        StructField("published_at", TimestampType()),
        StructField("subscription_id", _TEXT),
        StructField("bindings", MapType(_TEXT, _TEXT)),
        StructField("truncated", BooleanType()),
    ]
)
ERRORS = StructType(
    [StructField(name, _TEXT) for name in ("source", "publication_id", "subscription_id", "error", "place")]
)

_WENT_WRONG = [StructField("error", _TEXT), StructField("place", _TEXT)]
READ_ROWS = StructType([*PUBLICATIONS.fields, *_WENT_WRONG])
MATCH_ROWS = StructType([*MATCHES.fields, *_WENT_WRONG])

_ARROW = {
    "published_at": pa.timestamp("us", tz="UTC"),
    "triples": pa.list_(pa.struct([("s", pa.string()), ("p", pa.string()), ("o", pa.string())])),
    "bindings": pa.map_(pa.string(), pa.string()),
    "truncated": pa.bool_(),
}


def arrow_schema(schema: StructType) -> pa.Schema:
    """The same columns as Arrow has them."""
    return pa.schema([(name, _ARROW.get(name, pa.string())) for name in schema.fieldNames()])


READ_ROWS_ARROW = arrow_schema(READ_ROWS)
MATCH_ROWS_ARROW = arrow_schema(MATCH_ROWS)


@dataclass(frozen=True, slots=True)
class PublicationTables:
    """What was read: publications, and an error for each document that was refused."""

    publications: DataFrame
    errors: DataFrame
    kept: tuple[DataFrame, ...] = ()

    @classmethod
    def of(cls, arrived: DataFrame) -> PublicationTables:
        kept = arrived.persist()
        return cls(kept.where("error IS NULL").select(*PUBLICATIONS.fieldNames()), select_errors(kept), (kept,))

    def release(self) -> None:
        """Forget what the pass found; the tables would run it again."""
        for each in self.kept:
            each.unpersist()


@dataclass(frozen=True, slots=True)
class MatchTables:
    """What a plan found: a row for each solution, and an error for each subscription or publication given up."""

    matches: DataFrame
    errors: DataFrame
    kept: tuple[DataFrame, ...] = ()

    @classmethod
    def of(cls, matched: DataFrame) -> MatchTables:
        kept = matched.persist()
        return cls(kept.where("error IS NULL").select(*MATCHES.fieldNames()), select_errors(kept), (kept,))

    def release(self) -> None:
        """Forget what the pass found; the tables would run it again."""
        for each in self.kept:
            each.unpersist()


def select_errors(mixed: DataFrame) -> DataFrame:
    """The rows of a mixed table that are errors."""
    columns = [
        F.col(name) if name in mixed.columns else F.lit(None).cast("string").alias(name) for name in ERRORS.fieldNames()
    ]
    return mixed.where("error IS NOT NULL").select(*columns)


def publication_row(publication: Publication) -> dict[str, Any]:
    """A publication as a row of ARRIVED."""
    return {
        "publication_id": publication.id,
        "source": publication.source,
        "published_at": publication.published_at,
        "triples": [{"s": s, "p": p, "o": o} for s, p, o in publication.triples],
    }


def error_row(
    error: GtopssError | str,
    *,
    source: str | None = None,
    place: str | None = None,
    publication_id: str | None = None,
    subscription_id: str | None = None,
) -> dict[str, Any]:
    """An error as a row of a mixed table, or of ERRORS."""
    named = publication_id or getattr(error, "publication_id", None)
    line = getattr(error, "line", None)
    return {
        "source": source,
        "publication_id": named,
        "subscription_id": subscription_id or getattr(error, "subscription_id", None),
        "error": str(error),
        "place": place or (f"line {line}" if line is not None else None),
    }


def arrow_batch(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as one Arrow batch; a column that a row does not have is null."""
    return pa.RecordBatch.from_arrays(
        [pa.array([row.get(field.name) for row in rows], field.type) for field in schema], schema=schema
    )


def publications_table(spark: SparkSession, publications: Iterable[Publication]) -> DataFrame:
    """Publications that this process already has, as a table."""
    table = pa.Table.from_batches([arrow_batch([publication_row(each) for each in publications], READ_ROWS_ARROW)])
    return spark.createDataFrame(table.select(PUBLICATIONS.fieldNames()), schema=PUBLICATIONS)


def errors_table(spark: SparkSession, rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Errors that this process already has, as a table."""
    return spark.createDataFrame([tuple(row.get(name) for name in ERRORS.fieldNames()) for row in rows], ERRORS)


def read_publications_table(spark: SparkSession, path: str | Path) -> DataFrame:
    """A Parquet table of publications. Id and triples must be there; source and time may be missing."""
    table = spark.read.parquet(str(path))
    columns = []
    for field in PUBLICATIONS.fields:
        if field.name in table.columns:
            columns.append(F.col(field.name).cast(field.dataType).alias(field.name))
        elif field.name in ("source", "published_at"):
            columns.append(F.lit(None).cast(field.dataType).alias(field.name))
        else:
            raise InvalidTable(path, f"it has no column {field.name}: publications are {PUBLICATIONS.simpleString()}")
    return table.select(*columns)
