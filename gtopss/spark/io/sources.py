"""Read sources into tables: files, directories, archives and N-Quads in the executors, Parquet by Spark itself.

The driver lists files and gives the executors complete locations. Local files are read by the executors' Python, those
of other file systems (`hdfs://`, `s3a://`) by Spark. Each executor process parses documents in a worker process of its
own, with limits on memory and time (`gtopss.reading.isolation`). A document that crashes its parser becomes a row of
errors, and the job continues; a file that cannot be read fails its task, which Spark runs again.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.errors import GtopssError
from gtopss.reading.documents import ParsedDocument, read_document
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import SourceDocument
from gtopss.spark.errors import MissingSource
from gtopss.spark.io.archives import (
    CHUNK_BYTES,
    ReadUnit,
    is_quads,
    read_content,
    read_quads_chunks,
    read_unit,
    split_file,
)
from gtopss.spark.io.result_tables import PublicationTables
from gtopss.spark.io.rows import arrow_batch, error_row, publication_row, read_publications_table
from gtopss.spark.io.storage import HadoopStorage, local_path, resolve
from gtopss.spark.io.table_schemas import READ_ROWS, READ_ROWS_ARROW
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.worker_functions import worker_function
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

MAX_ARROW_BATCH_ROWS = 2_000  # publications; a task passes them to Spark in batches of about this size
TASKS_PER_CORE = 4  # more tasks than cores, so that one core with slow documents does not delay the job
MIN_TASK_BYTES = 4 * 2**20  # of documents in one task; fewer are not worth starting a task

_UNITS_SCHEMA = "units array<struct<path string, start bigint, end bigint, size bigint>>"


class _Listed(NamedTuple):
    """What the sources name: tables, and files by the way they are read."""

    tables: list[str]
    units: list[ReadUnit]  # of local files
    remote: list[str]  # files of other file systems


def read_sources(spark: SparkSession, sources: Sequence[str | Path]) -> PublicationTables:
    """Read the publications of files, directories, archives and Parquet tables, local or at a URL that Hadoop knows.

    A document that cannot be read is a row of errors. Both tables come from one pass, which parses each document once:
    call `release()` on the result when both are written. Raises MissingSource if there is nothing at a location, and
    InvalidTable for a Parquet table that lacks ids or triples.
    """
    listed = _list_sources(spark, sources)
    tables = [read_publications_table(spark, each) for each in listed.tables]
    parts = []
    if documents := [unit for unit in listed.units if not is_quads(unit.path)]:
        parts.append(_distribute(spark, documents).mapInArrow(worker_function(_read_units), READ_ROWS))
    if quads := [unit for unit in listed.units if is_quads(unit.path)]:
        parts.append(_merge_graphs(_distribute(spark, quads).mapInArrow(worker_function(_read_chunks), READ_ROWS)))
    if contents := [each for each in listed.remote if not is_quads(each)]:
        read = spark.read.format("binaryFile").load([without_globs(each) for each in contents])
        parts.append(parse_contents(read.selectExpr("path AS name", "content")))
    if lines := [each for each in listed.remote if is_quads(each)]:
        read = spark.read.option("lineSep", "\n").text([without_globs(each) for each in lines])
        named = read.select(F.input_file_name().alias("name"), "value")
        parts.append(_merge_graphs(named.mapInArrow(worker_function(_read_lines), READ_ROWS)))
    empty = spark.createDataFrame([], READ_ROWS)
    read_rows = PublicationTables.split(reduce(DataFrame.unionAll, parts or [empty]))
    read_tables = [read_rows.publications, *tables] if parts or not tables else tables
    publications = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), read_tables)  # some have payloads
    return PublicationTables(publications, read_rows.errors, read_rows.cached)


def parse_contents(documents: DataFrame) -> DataFrame:
    """Parse a table of documents (`name`, `content` as bytes) in the executors. The result is READ_ROWS."""
    return documents.select("name", "content").mapInArrow(worker_function(_read_contents), READ_ROWS)


def without_globs(location: str) -> str:
    """Return a location in which Spark sees no pattern: characters such as `*` are escaped.

    >>> without_globs("hdfs://host/a[1]/b")
    'hdfs://host/a\\\\[1\\\\]/b'
    """
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", location)


def _list_sources(spark: SparkSession, sources: Sequence[str | Path]) -> _Listed:
    listed = _Listed([], [], [])
    for source in sources:
        location = resolve(spark, source)
        path = local_path(location)
        if path is None:
            _list_remote(spark, location, listed)
        elif is_parquet(spark, location):
            listed.tables.append(f"file://{path}")
        elif path.is_dir():
            files = (each for each in sorted(path.rglob("*")) if each.is_file() and not _is_hidden(each, path))
            listed.units.extend(unit for file in files for unit in split_file(file))
        elif path.is_file():
            listed.units.extend(split_file(path))
        else:
            raise MissingSource(source)
    return listed


def _list_remote(spark: SparkSession, location: str, listed: _Listed) -> None:
    storage = HadoopStorage(spark, location)
    if not storage.exists():
        raise MissingSource(location)
    names = [name for name, _, _ in storage.files()]
    if location.endswith(".parquet") or any(name.endswith(".parquet") for name in names):
        listed.tables.append(location)
    else:
        listed.remote.extend(names)


def is_parquet(spark: SparkSession, source: str | Path) -> bool:
    """Return whether a source is a Parquet file, or a directory of them."""
    location = resolve(spark, source)
    path = local_path(location)
    if location.endswith(".parquet"):
        return True
    if path is None:
        return any(name.endswith(".parquet") for name, _, _ in HadoopStorage(spark, location).files())
    return path.is_dir() and next(path.rglob("*.parquet"), None) is not None


def _is_hidden(file: Path, top: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(top).parts)


def _merge_graphs(read: DataFrame) -> DataFrame:
    """Merge the triples of each graph of N-Quads: a file is cut at any line, so a graph may be in two chunks."""
    merged = read.groupBy("source", "publication_id", "error", "place").agg(
        F.first("published_at").alias("published_at"), F.flatten(F.collect_list("triples")).alias("triples")
    )
    return merged.select(*READ_ROWS.fieldNames())


def _distribute(spark: SparkSession, units: Sequence[ReadUnit]) -> DataFrame:
    """Return one row for each task, with units of about equal total size: each unit goes to the smallest task."""
    count = _task_count(spark, units)
    tasks: list[list[ReadUnit]] = [[] for _ in range(count)]
    smallest_first = [(0, number) for number in range(count)]
    for unit in sorted(units, key=lambda unit: -unit.size):
        size, number = heapq.heappop(smallest_first)
        tasks[number].append(unit)
        heapq.heappush(smallest_first, (size + unit.size, number))
    rows = [(list(map(tuple, task)),) for task in tasks]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, count), _UNITS_SCHEMA)


def _task_count(spark: SparkSession, units: Sequence[ReadUnit]) -> int:
    """Return the number of tasks for units. On a cluster, the size of the units alone decides.

    The executors of a cluster register while the job starts, so that the driver does not know yet how many cores it
    has.
    """
    count = min(1 + sum(unit.size for unit in units) // MIN_TASK_BYTES, len(units))
    if is_local(spark):
        count = min(count, TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
    return max(1, count)


def _units_in(batches: Iterable[pa.RecordBatch]) -> Iterator[ReadUnit]:
    for batch in batches:
        for task in batch.column("units").to_pylist():
            yield from (ReadUnit(**each) for each in task)


def _read_units(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return parse_documents((document, None) for unit in _units_in(batches) for document in read_unit(unit))


def _read_chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return parse_documents(chunk for unit in _units_in(batches) for chunk in read_quads_chunks(unit))


def _read_contents(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    def documents() -> Iterator[tuple[SourceDocument, str | None]]:
        for batch in batches:
            for name, content in zip(batch.column("name"), batch.column("content"), strict=True):
                given = name.as_py() or "a document without a name"
                yield from ((document, None) for document in read_content(given, content.as_py() or b""))

    return parse_documents(documents())


def _read_lines(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join the lines of each file to chunks of N-Quads, and parse them."""

    def chunks() -> Iterator[tuple[SourceDocument, str | None]]:
        name, lines, size = "", list[bytes](), 0
        for batch in batches:
            for line_name, line in zip(
                batch.column("name").to_pylist(), batch.column("value").to_pylist(), strict=True
            ):
                if lines and (line_name != name or size >= CHUNK_BYTES):
                    yield SourceDocument(name, b"\n".join(lines) + b"\n"), None
                    lines, size = [], 0
                name = line_name
                lines.append(line.encode())
                size += len(lines[-1])
        if lines:
            yield SourceDocument(name, b"\n".join(lines) + b"\n"), None

    return parse_documents(chunks())


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
