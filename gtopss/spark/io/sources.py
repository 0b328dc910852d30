"""From what a person names to tables: files, directories, archives and N-Quads read in the executors, Parquet by Spark.

The driver only lists. Each executor reads its share through `feeds.isolation`, in a process of its own under a limit
of memory and time: whatever a document does to a parser, it becomes a row among the errors, and the job goes on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import SourceDocument
from gtopss.spark.io.archives import ReadUnit, is_quads, read_documents, read_quads_chunks, split_file
from gtopss.spark.io.table_schemas import (
    READ_ROWS,
    READ_ROWS_ARROW,
    PublicationTables,
    arrow_batch,
    error_row,
    errors_table,
    publication_row,
    read_publications_table,
)

ROWS = 2_000
"""Publications that are handed to Spark at once."""
TASKS_PER_CORE = 4
"""So that a core which got the slow documents does not keep the others waiting."""
MIN_TASK_BYTES = 4 * 2**20
"""A task with less than this is hardly worth its start."""

_UNITS = "units array<struct<path string, start bigint, end bigint, size bigint>>"


def read_sources(spark: SparkSession, sources: Sequence[str | Path]) -> PublicationTables:
    """The publications of files, directories, archives and Parquet tables, and an error for each refused document.

    Both come of one pass, in which each document is parsed once; `release()` when both are written.
    """
    tables: list[DataFrame] = []
    files: list[Path] = []
    missing: list[dict[str, Any]] = []
    for source in map(str, sources):
        path = Path(source)
        if is_parquet(source):
            tables.append(read_publications_table(spark, source))
        elif path.is_dir():
            files += (each for each in sorted(path.rglob("*")) if each.is_file() and not _is_hidden(each, path))
        elif path.is_file():
            files.append(path)
        else:
            reason = MalformedPublication("there is no such file or directory", publication_id=source)
            missing.append(error_row(reason, source=source))
    units = [unit for file in files for unit in split_file(file)]
    parts = [_read_documents(spark, [unit for unit in units if not is_quads(unit.path)])]
    if quads := [unit for unit in units if is_quads(unit.path)]:
        parts.append(_read_quads(spark, quads))
    read = PublicationTables.of(reduce(DataFrame.unionAll, parts))
    publications = reduce(DataFrame.unionAll, tables if tables and not units else [read.publications, *tables])
    errors = read.errors.unionAll(errors_table(spark, missing)) if missing else read.errors
    return PublicationTables(publications, errors, read.kept)


def is_parquet(source: str) -> bool:
    """A Parquet file, or a directory of them (or anything that only Spark can open, such as `hdfs://...`)."""
    if "://" in source or source.endswith(".parquet"):
        return True
    path = Path(source)
    return path.is_dir() and next(path.rglob("*.parquet"), None) is not None


def _is_hidden(file: Path, top: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(top).parts)


def _read_documents(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    return _shared_out(spark, units).mapInArrow(_read_units, READ_ROWS)


def _read_quads(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    """N-Quads are cut anywhere, so that a graph may come in two pieces: they are put together again by its name."""
    read = _shared_out(spark, units).mapInArrow(_read_pieces, READ_ROWS)
    whole = read.groupBy("source", "publication_id", "error", "place").agg(
        F.first("published_at").alias("published_at"), F.flatten(F.collect_list("triples")).alias("triples")
    )
    return whole.select(*READ_ROWS.fieldNames())


def _shared_out(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    """A row for each task, with units of about the same bytes: the largest first, each to whoever has least."""
    cores = spark.sparkContext.defaultParallelism
    shares_of_bytes = 1 + sum(unit.size for unit in units) // MIN_TASK_BYTES
    count = max(1, min(TASKS_PER_CORE * cores, shares_of_bytes, len(units)))
    shares: list[list[ReadUnit]] = [[] for _ in range(count)]
    least = [(0, number) for number in range(count)]
    for unit in sorted(units, key=lambda unit: -unit.size):
        size, number = heapq.heappop(least)
        shares[number].append(unit)
        heapq.heappush(least, (size + unit.size, number))
    rows = [(list(map(tuple, share)),) for share in shares]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, count), _UNITS)


def _units_in(batches: Iterable[pa.RecordBatch]) -> Iterator[ReadUnit]:
    for batch in batches:
        for share in batch.column("units").to_pylist():
            yield from (ReadUnit(**each) for each in share)


def _read_units(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return read_publication_batches(
        (document, None) for unit in _units_in(batches) for document in read_documents(unit)
    )


def _read_pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return read_publication_batches(piece for unit in _units_in(batches) for piece in read_quads_chunks(unit))


@cache
def _reader() -> IsolatedReader:
    """The reader of this executor process: its worker takes a second or two to start, so it is kept from task to task.

    The worker ends with the process that feeds it, when the pipe between them does.
    """
    return IsolatedReader(read=_read)


def _read(data: bytes, *, source: str | None = None) -> ParsedDocument:
    """A piece of N-Quads may begin with what looks like a narrower syntax: there the name decides."""
    return read_document(data, source=source, format="nquads" if source and is_quads(source) else None)


def read_publication_batches(documents: Iterable[tuple[SourceDocument, str | None]]) -> Iterator[pa.RecordBatch]:
    """Documents, each with its place in a file, as batches of ARRIVED."""
    rows: list[dict[str, Any]] = []
    for document, place in documents:
        try:
            if document.error is not None:
                raise document.error
            feed = _reader().read_document(document.data, source=document.name)
        except GtopssError as error:
            rows.append(error_row(error, source=document.name, place=place))
        else:
            rows += map(publication_row, feed.publications)
        if len(rows) >= ROWS:
            yield arrow_batch(rows, READ_ROWS_ARROW)
            rows = []
    if rows:
        yield arrow_batch(rows, READ_ROWS_ARROW)
