"""Convert publications and errors to rows, Arrow batches and Spark tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  (the name that Spark's documentation uses)
from pyspark.sql.types import BinaryType

from gtopss.errors import GtopssError
from gtopss.model import Publication
from gtopss.spark.errors import InvalidTable
from gtopss.spark.io.table_schemas import (
    ERRORS,
    PAYLOAD,
    PUBLICATIONS,
    PUBLICATIONS_WITH_PAYLOADS,
    READ_ROWS_ARROW,
)


def publication_row(publication: Publication) -> dict[str, Any]:
    """Return a publication as a row of READ_ROWS."""
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
    """Return an error as a row of READ_ROWS, MATCH_ROWS or ERRORS. Ids and line default to the error's own."""
    line = getattr(error, "line", None)
    return {
        "source": source,
        "publication_id": publication_id or getattr(error, "publication_id", None),
        "subscription_id": subscription_id or getattr(error, "subscription_id", None),
        "error": str(error),
        "place": place or (f"line {line}" if line is not None else None),
    }


def arrow_batch(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Convert rows to one Arrow batch. A column that a row lacks is null."""
    return pa.RecordBatch.from_arrays(
        [pa.array([row.get(field.name) for row in rows], field.type) for field in schema], schema=schema
    )


def publications_table(spark: SparkSession, publications: Iterable[Publication]) -> DataFrame:
    """Convert publications in the driver's memory to a table. Raises InvalidTable for a payload that is not bytes.

    The table has a column of payloads if some publication has one.
    """
    given = list(publications)
    table = pa.Table.from_batches([arrow_batch([publication_row(each) for each in given], READ_ROWS_ARROW)])
    table = table.select(PUBLICATIONS.fieldNames())
    if all(each.payload is None for each in given):
        return spark.createDataFrame(table, schema=PUBLICATIONS)
    for each in given:
        if not isinstance(each.payload, (bytes, type(None))):
            reason = f"the payload of {each.id} is a {type(each.payload).__name__}: a table holds bytes"
            raise InvalidTable("publications", reason)
    payloads = pa.array([each.payload for each in given], pa.binary())
    return spark.createDataFrame(table.append_column(PAYLOAD, payloads), schema=PUBLICATIONS_WITH_PAYLOADS)


def errors_table(spark: SparkSession, rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Convert error rows in the driver's memory to a table."""
    return spark.createDataFrame([tuple(row.get(name) for name in ERRORS.fieldNames()) for row in rows], ERRORS)


def read_publications_table(spark: SparkSession, path: str | Path) -> DataFrame:
    """Read a Parquet table of publications. Raises InvalidTable without ids or triples; source and time may lack.

    A table with fewer parts than the session has cores is distributed anew: a small file is one part, however many
    publications it holds.
    """
    return publication_columns(spread(spark.read.parquet(str(path))), str(path))


def publication_columns(table: DataFrame, name: str) -> DataFrame:
    """Return the columns of PUBLICATIONS of a table. Raises InvalidTable without ids or triples."""
    columns = []
    for field in PUBLICATIONS.fields:
        if field.name in table.columns:
            columns.append(F.col(field.name).cast(field.dataType).alias(field.name))
        elif field.name in ("source", "published_at"):
            columns.append(F.lit(None).cast(field.dataType).alias(field.name))
        else:
            raise InvalidTable(name, f"it has no column {field.name}: publications are {PUBLICATIONS.simpleString()}")
    if PAYLOAD in table.columns:
        columns.append(F.col(PAYLOAD).cast(BinaryType()).alias(PAYLOAD))
    return table.select(*columns)


def spread(table: DataFrame) -> DataFrame:
    """Distribute a table of files to all cores, if it has fewer parts than there are cores."""
    cores = table.sparkSession.sparkContext.defaultParallelism
    return table.repartition(cores) if table.rdd.getNumPartitions() < cores else table
