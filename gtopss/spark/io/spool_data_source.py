"""A spool as a Python data source for Spark's structured streaming. Offsets are the spool's numbers.

A batch that runs again reads the same numbers, and so the same documents. The executors parse them, as in a bulk job.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from gtopss.reading.sources import SourceDocument
from gtopss.spark.errors import InvalidSpool
from gtopss.spark.io.sources import parse_documents
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.table_schemas import READ_ROWS

DATA_SOURCE_NAME = "gtopss-spool"
DEFAULT_BATCH_DOCUMENTS = 200  # at most in one batch of a stream; `--documents` or the option `documents` changes it
MIN_TASK_DOCUMENTS = 25  # in one task of a batch; fewer are not worth starting a task
MAX_BATCH_TASKS = 8  # in one batch; larger batches have larger tasks


class SpoolRange(InputPartition):
    """The documents that one task reads: the numbers after `start`, up to and including `end`."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


class SpoolSource(DataSource):
    """The data source: `spark.readStream.format("gtopss-spool").option("path", ...)`. Its rows are READ_ROWS."""

    @classmethod
    def name(cls) -> str:
        return DATA_SOURCE_NAME

    def schema(self) -> StructType:
        return READ_ROWS

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  (Spark's name)
        return _SpoolReader(str(self.options["path"]), int(self.options.get("documents", DEFAULT_BATCH_DOCUMENTS)))


class _SpoolReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, folder: str, documents: int) -> None:
        self._folder, self._documents = folder, documents
        self._last: int | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"number": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxFiles(self._documents)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._last = Spool(self._folder).latest()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        after = start["number"]
        end = self._last if self._last is not None else Spool(self._folder).latest(after)
        if isinstance(limit, ReadMaxFiles):
            end = min(end, after + limit.max_files)
        return {"number": max(after, end)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        first, last = start["number"], end["number"]
        size = max(MIN_TASK_DOCUMENTS, -(-(last - first) // MAX_BATCH_TASKS))
        return [SpoolRange(each, min(each + size, last)) for each in range(first, last, size)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, SpoolRange)
        return parse_documents(_documents(self._folder, partition))


def _documents(folder: str, numbers: SpoolRange) -> Iterator[tuple[SourceDocument, str]]:
    spool = Spool(folder)
    for number in range(numbers.start + 1, numbers.end + 1):
        place = f"number {number} of the spool"
        try:
            yield spool.get(number).document, place
        except InvalidSpool as error:
            yield SourceDocument(f"{folder}, {place}", error=error), place
