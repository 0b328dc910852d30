"""The stream: match a spool's documents batch by batch, and write each batch exactly once.

    spool ──(SpoolSource: numbers)──> publications, errors ──(engine plan)──> matches, errors ──> BatchLog
                                                                 ▲
                                                   EngineVersions: the newest subscriptions

Spark's checkpoint holds the document numbers of a batch. `BatchLog` holds the engine version of a batch, and whether it
is complete. New subscriptions are picked up between batches.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

from gtopss.errors import GtopssError
from gtopss.spark.errors import InvalidSpool
from gtopss.spark.io.batch_log import BatchLog, CompletedBatch
from gtopss.spark.io.output import write_table
from gtopss.spark.io.result_tables import PublicationTables
from gtopss.spark.io.rows import errors_table
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.spool_data_source import DATA_SOURCE_NAME, DEFAULT_BATCH_DOCUMENTS, SpoolSource
from gtopss.spark.plans.engine_plan import match_with_shipped_engines
from gtopss.spark.runtime.engine_versions import EngineVersions
from gtopss.spark.runtime.shipped_engines import ship_saved_engine
from gtopss.spark.runtime.shipped_operators import pack_operators


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """A completed batch, and the documents that wait in the spool after it."""

    batch: CompletedBatch
    documents: int
    waiting: int
    oldest_waiting_seconds: float

    def __str__(self) -> str:
        lag = "no documents wait"
        if self.waiting:
            lag = f"{self.waiting} documents wait, the oldest for {self.oldest_waiting_seconds:.0f} s"
        return (
            f"batch {self.batch.batch_id}: {self.documents} documents, {self.batch.publications} publications, "
            f"{self.batch.matches} matches, {self.batch.errors} errors in {self.batch.seconds:.1f} s "
            f"(subscriptions {self.batch.version}); {lag}"
        )


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How a stream runs, and who is told about it."""

    once: bool = False  # end when all documents of the spool are matched
    interval_seconds: float = 5.0  # between looks at the spool, without `once`
    batch_documents: int = DEFAULT_BATCH_DOCUMENTS  # at most in one batch
    on_progress: Callable[[StreamProgress], None] = lambda progress: None  # called after each batch
    on_warning: Callable[[str], None] = lambda message: None


_DEFAULT_OPTIONS = StreamOptions()


def run_stream(
    spark: SparkSession, spool: Path, out: Path, versions: EngineVersions, options: StreamOptions = _DEFAULT_OPTIONS
) -> None:
    """Match the documents of a spool, and those that arrive, until Ctrl-C or an error; with `once`, until its end.

    Raises GtopssError if another stream writes to `out`, or if the subscriptions cannot be read.
    """
    log = BatchLog(out)
    with log.lock():
        versions.newest()  # report unreadable subscriptions now, not in the middle of a batch
        spark.dataSource.register(SpoolSource)
        frame = spark.readStream.format(DATA_SOURCE_NAME).option("documents", options.batch_documents).load(str(spool))
        writer = frame.writeStream.option("checkpointLocation", str(out / "checkpoint"))
        writer = writer.foreachBatch(_BatchRunner(log, versions, options.on_warning))
        if options.once:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{options.interval_seconds:g} seconds")
        query = writer.start()
        try:
            _follow(query, Spool(spool), log, options.on_progress)
        finally:
            query.stop()


class _BatchRunner:
    """Runs one batch: from its documents to its entry in the log."""

    def __init__(self, log: BatchLog, versions: EngineVersions, on_warning: Callable[[str], None]) -> None:
        self._log, self._versions, self._on_warning = log, versions, on_warning
        self._operators = pack_operators(versions.operators)

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        started = time.monotonic()
        start = self._log.begin(batch_id, self._newest_version(batch_id))
        version = start.version
        previous = self._log.version_of(batch_id - 1)
        self._versions.delete_except(filter(None, (version, previous)))
        spark = frame.sparkSession
        read = PublicationTables.split(frame)
        shipped = ship_saved_engine(spark, self._versions.path(version), self._operators, name=version)
        found = match_with_shipped_engines(read.publications, shipped, now=start.at)
        errors = read.errors.unionAll(found.errors)
        if version != previous:
            errors = errors.unionAll(errors_table(spark, self._versions.refused(version)))
        counts = {"publications": read.publications.count()}
        for name, table in (("matches", found.matches), ("errors", errors)):
            count = Observation()  # counts while writing: most of a batch's time is the number of its jobs
            rows = table.coalesce(1).observe(count, F.count(F.lit(1)).alias("rows"))
            write_table(rows, self._log.table_path(name, batch_id))
            counts[name] = count.get["rows"]
        seconds = round(time.monotonic() - started, 3)
        finished_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._log.complete(CompletedBatch(batch_id, version, **counts, seconds=seconds, finished_at=finished_at))
        found.release()
        read.release()

    def _newest_version(self, batch_id: int) -> str:
        """Return the newest version, or the last batch's if it cannot be made now, for files being written."""
        try:
            return self._versions.newest()
        except (GtopssError, OSError) as error:
            last = self._log.version_of(batch_id - 1)
            if last is None:
                raise
            self._on_warning(f"the subscriptions cannot be read now, those of the last batch are used: {error}")
            return last


def _follow(query: StreamingQuery, spool: Spool, log: BatchLog, on_progress: Callable[[StreamProgress], None]) -> None:
    """Report each batch when it is complete, until the query ends. Raises the error that ended it."""
    last_reported = -1
    running = True
    while running:
        running = not query.awaitTermination(1)
        completed = {batch.batch_id: batch for batch in log.completed()[-100:]} if query.recentProgress else {}
        for each in query.recentProgress:
            if each.batchId > last_reported and each.batchId in completed and each.numInputRows >= 0:
                last_reported = each.batchId
                on_progress(_progress(each, completed[last_reported], spool))


def _progress(each: StreamingQueryProgress, batch: CompletedBatch, spool: Spool) -> StreamProgress:
    start, end = map(_number_of_offset, (each.sources[0].startOffset, each.sources[0].endOffset))
    waiting = spool.latest(end) - end
    oldest_waiting_seconds = 0.0
    if waiting:
        with suppress(InvalidSpool):  # the batch that reads it reports it
            arrived_at = spool.get(end + 1).arrived_at
            oldest_waiting_seconds = (datetime.now(UTC) - arrived_at).total_seconds()
    return StreamProgress(batch, end - start, waiting, oldest_waiting_seconds)


def _number_of_offset(offset: str | None) -> int:
    """Return the spool number of an offset in JSON; there is none before the first batch."""
    read = json.loads(offset or "null")
    return int(read["number"]) if read else 0
