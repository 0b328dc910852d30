"""Read the documents of a batch from a spool, on any file system. Spark reads the files, and the executors parse them.

A batch that runs again reads the same numbers, and so the same documents. A file that is missing or cannot be read
fails the batch: nothing is recorded of it, and it runs again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from gtopss.errors import GtopssError
from gtopss.reading.sources import SourceDocument
from gtopss.spark.io.batch_log import BatchStart
from gtopss.spark.io.rows import error_row
from gtopss.spark.io.sources import parse_documents, without_globs
from gtopss.spark.io.spool import Spool, file_name, read_spooled
from gtopss.spark.io.table_schemas import READ_ROWS
from gtopss.spark.runtime.worker_functions import worker_function

DEFAULT_BATCH_DOCUMENTS = 200  # at most in one batch of a stream; `--documents` changes it


def read_batch(spark: SparkSession, spool: Spool, start: BatchStart) -> DataFrame:
    """Return the publications and errors of a batch's documents: READ_ROWS."""
    numbers = sorted({*range(start.after + 1, start.through + 1)} - {*start.missing})
    paths = [without_globs(spool.storage.url(file_name(number))) for number in numbers]
    parts = []
    if paths:
        read = spark.read.format("binaryFile").load(paths).select("path", "content")
        parts.append(read.mapInArrow(worker_function(_read_files), READ_ROWS))
    if start.missing:
        rows = [_missing_row(number) for number in start.missing]
        parts.append(
            spark.createDataFrame([tuple(row.get(name) for name in READ_ROWS.fieldNames()) for row in rows], READ_ROWS)
        )
    return reduce(DataFrame.unionAll, parts or [spark.createDataFrame([], READ_ROWS)])


def _missing_row(number: int) -> dict[str, str | None]:
    return error_row("it was deleted from the spool before a stream read it", place=_place(number))


def _place(number: int | str) -> str:
    return f"number {int(number)} of the spool"


def _read_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    def documents() -> Iterator[tuple[SourceDocument, str | None]]:
        for batch in batches:
            for path, content in zip(batch.column("path").to_pylist(), batch.column("content"), strict=True):
                place = _place(path.rpartition("/")[2].partition(".")[0])
                try:
                    yield read_spooled(path, content.as_py()).document, place
                except GtopssError as error:
                    yield SourceDocument(f"{path}", error=error), place

    return parse_documents(documents())
