"""Read sources into tables: files, directories, archives and N-Quads in the executors, Parquet by Spark itself.

The driver only lists files. Each executor process parses documents in a worker process of its own, with limits on
memory and time (`gtopss.reading.isolation`). A document that crashes its parser becomes a row of errors, and the job
continues.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.errors import GtopssError, MalformedPublication
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import SourceDocument
from gtopss.spark.io.archives import ReadUnit, is_quads, read_quads_chunks, read_unit, split_file
from gtopss.spark.io.result_tables import PublicationTables
from gtopss.spark.io.rows import arrow_batch, error_row, errors_table, publication_row, read_publications_table
from gtopss.spark.io.table_schemas import READ_ROWS, READ_ROWS_ARROW
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

MAX_ARROW_BATCH_ROWS = 2_000  # publications; a task passes them to Spark in batches of about this size
TASKS_PER_CORE = 4  # more tasks than cores, so that one core with slow documents does not delay the job
MIN_TASK_BYTES = 4 * 2**20  # of documents in one task; fewer are not worth starting a task

_UNITS_SCHEMA = "units array<struct<path string, start bigint, end bigint, size bigint>>"


def read_sources(spark: SparkSession, sources: Sequence[str | Path]) -> PublicationTables:
    """Read the publications of files, directories, archives and Parquet tables.

    A source or document that cannot be read is a row of errors. Both tables come from one pass, which parses each
    document once: call `release()` on the result when both are written. Raises InvalidTable for a Parquet table that
    lacks ids or triples.
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
    read = PublicationTables.split(reduce(DataFrame.unionAll, parts))
    parts = tables if tables and not units else [read.publications, *tables]
    publications = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), parts)  # some may have payloads
    errors = read.errors.unionAll(errors_table(spark, missing)) if missing else read.errors
    return PublicationTables(publications, errors, read.cached)


def is_parquet(source: str) -> bool:
    """Return whether a source is a Parquet file, a directory of them, or a URL that only Spark can open."""
    if "://" in source or source.endswith(".parquet"):
        return True
    path = Path(source)
    return path.is_dir() and next(path.rglob("*.parquet"), None) is not None


def _is_hidden(file: Path, top: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(top).parts)


def _read_documents(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    return _distribute(spark, units).mapInArrow(_read_units, READ_ROWS)


def _read_quads(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    """Read N-Quads, and merge the triples of each graph: a file is cut at any line, so a graph may be in two chunks."""
    read = _distribute(spark, units).mapInArrow(_read_chunks, READ_ROWS)
    merged = read.groupBy("source", "publication_id", "error", "place").agg(
        F.first("published_at").alias("published_at"), F.flatten(F.collect_list("triples")).alias("triples")
    )
    return merged.select(*READ_ROWS.fieldNames())


def _distribute(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    """Return one row for each task, with units of about equal total size: each unit goes to the smallest task."""
    cores = spark.sparkContext.defaultParallelism
    tasks_by_size = 1 + sum(unit.size for unit in units) // MIN_TASK_BYTES
    count = max(1, min(TASKS_PER_CORE * cores, tasks_by_size, len(units)))
    tasks: list[list[ReadUnit]] = [[] for _ in range(count)]
    smallest_first = [(0, number) for number in range(count)]
    for unit in sorted(units, key=lambda unit: -unit.size):
        size, number = heapq.heappop(smallest_first)
        tasks[number].append(unit)
        heapq.heappush(smallest_first, (size + unit.size, number))
    rows = [(list(map(tuple, task)),) for task in tasks]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, count), _UNITS_SCHEMA)


def _units_in(batches: Iterable[pa.RecordBatch]) -> Iterator[ReadUnit]:
    for batch in batches:
        for task in batch.column("units").to_pylist():
            yield from (ReadUnit(**each) for each in task)


def _read_units(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return parse_documents((document, None) for unit in _units_in(batches) for document in read_unit(unit))


def _read_chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return parse_documents(chunk for unit in _units_in(batches) for chunk in read_quads_chunks(unit))


@cache
def _reader() -> IsolatedReader:
    """Return this executor process's reader. Its worker takes a second or two to start, so tasks share it.

    The worker ends when the pipe from this process closes.
    """
    return IsolatedReader(read=_parse)


def _parse(
    data: bytes, *, source: str | None = None, base: str | None = None, limits: DocumentLimits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Parse a document. The name decides for N-Quads: the beginning of a chunk may look like another syntax."""
    format = "nquads" if source and is_quads(source) else None
    return read_document(data, source=source, base=base, format=format, limits=limits)


def parse_documents(documents: Iterable[tuple[SourceDocument, str | None]]) -> Iterator[pa.RecordBatch]:
    """Parse documents, each with its place in a file, and yield batches of READ_ROWS."""
    rows: list[dict[str, Any]] = []
    for document, place in documents:
        try:
            if document.error is not None:
                raise document.error
            feed = _reader().read_document(document.data, source=document.name, base=document.base)
        except GtopssError as error:
            rows.append(error_row(error, source=document.name, place=place))
        else:
            rows += map(publication_row, feed.publications)
        if len(rows) >= MAX_ARROW_BATCH_ROWS:
            yield arrow_batch(rows, READ_ROWS_ARROW)
            rows = []
    if rows:
        yield arrow_batch(rows, READ_ROWS_ARROW)
