"""A spool as a Python data source of Spark's structured streaming: offsets are the spool's numbers.

A replayed batch reads the same numbers again, and so the same documents; what they hold is parsed in the executors, as
in bulk.
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
from gtopss.spark.io.sources import read_publication_batches
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.table_schemas import READ_ROWS

DATA_SOURCE_NAME = "gtopss-spool"
DEFAULT_BATCH_DOCUMENTS = 200
"""Documents of one batch, unless the option `documents` says otherwise."""
MIN_TASK_DOCUMENTS = 25
"""Documents of one task, at least; there are never more than `TASKS`."""
MAX_BATCH_TASKS = 8


class SpoolRange(InputPartition):
    """The documents that one task reads: after `start`, up to and with `end`."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


class SpoolSource(DataSource):
    """`spark.readStream.format("gtopss-spool").option("path", ...)`: publications, and errors, as ARRIVED has them."""

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
        self._until: int | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"number": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxFiles(self._documents)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._until = Spool(self._folder).latest()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        after = start["number"]
        end = self._until if self._until is not None else Spool(self._folder).latest(after)
        if isinstance(limit, ReadMaxFiles):
            end = min(end, after + limit.max_files)
        return {"number": max(after, end)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        first, last = start["number"], end["number"]
        share = max(MIN_TASK_DOCUMENTS, -(-(last - first) // MAX_BATCH_TASKS))
        return [SpoolRange(each, min(each + share, last)) for each in range(first, last, share)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, SpoolRange)
        return read_publication_batches(_documents(self._folder, partition))


def _documents(folder: str, numbers: SpoolRange) -> Iterator[tuple[SourceDocument, str]]:
    spool = Spool(folder)
    for number in range(numbers.start + 1, numbers.end + 1):
        place = f"number {number} of the spool"
        try:
            yield spool.get(number).document, place
        except InvalidSpool as error:
            yield SourceDocument(f"{folder}, {place}", error=error), place
