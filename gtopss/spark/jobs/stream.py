"""The stream: a spool's documents, batch by batch, matched and written exactly once.

    spool ──(SpoolSource: numbers)──> publications, errors ──(engine)──> matches, errors ──> Batches
                                                                 ▲
                                                   Versions: the newest subscriptions

Spark's checkpoint keeps which numbers a batch has; `Batches` keeps which version it is matched by and whether it is
done. Between batches new subscriptions are picked up.
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
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.spool_data_source import DATA_SOURCE_NAME, DEFAULT_BATCH_DOCUMENTS, SpoolSource
from gtopss.spark.io.table_schemas import PublicationTables, errors_table
from gtopss.spark.plans.engine_plan import match_with_shipped_engines
from gtopss.spark.runtime.engine_versions import EngineVersions
from gtopss.spark.runtime.shipped_engines import ship_saved_engine


@dataclass(frozen=True, slots=True)
class Progress:
    """A batch that is done, and how far behind the spool it leaves us."""

    batch: CompletedBatch
    documents: int
    waiting: int
    age: float
    """Seconds that the oldest document has been waiting."""

    def __str__(self) -> str:
        lag = f"{self.waiting} documents wait, the oldest for {self.age:.0f} s" if self.waiting else "nothing waits"
        return (
            f"batch {self.batch.batch_id}: {self.documents} documents, {self.batch.publications} publications, "
            f"{self.batch.matches} matches, {self.batch.errors} errors in {self.batch.seconds:.1f} s "
            f"(subscriptions {self.batch.version}); {lag}"
        )


def run_stream(
    spark: SparkSession,
    spool: Path,
    out: Path,
    versions: EngineVersions,
    *,
    once: bool = False,
    every: float = 5.0,
    documents: int = DEFAULT_BATCH_DOCUMENTS,
    tell: Callable[[Progress], None] = lambda progress: None,
    warn: Callable[[str], None] = lambda message: None,
) -> None:
    """Match what is in the spool, and, unless `once`, what comes into it, until Ctrl-C or an error."""
    batches = BatchLog(out)
    with batches.held():
        versions.newest()  # subscriptions that cannot be read are said now, not in the middle of a batch
        spark.dataSource.register(SpoolSource)
        frame = spark.readStream.format(DATA_SOURCE_NAME).option("documents", documents).load(str(spool))
        writer = frame.writeStream.option("checkpointLocation", str(out / "checkpoint"))
        writer = writer.foreachBatch(_Runner(batches, versions, warn))
        writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{every:g} seconds")
        query = writer.start()
        try:
            _follow(query, Spool(spool), batches, tell)
        finally:
            query.stop()


class _Runner:
    """One batch from its documents to its manifest."""

    def __init__(self, batches: BatchLog, versions: EngineVersions, warn: Callable[[str], None]) -> None:
        self._batches, self._versions, self._warn = batches, versions, warn
        self._operator_settings = versions.operator_settings.packed()

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        started = time.monotonic()
        begun = self._batches.begin(batch_id, self._newest(batch_id))
        version = begun.version
        before = self._batches.version_of(batch_id - 1)
        self._versions.keep_only(filter(None, (version, before)))
        spark = frame.sparkSession
        publication_tables = PublicationTables.of(frame)
        shipped = ship_saved_engine(spark, self._versions.path(version), self._operator_settings, name=version)
        match_tables = match_with_shipped_engines(publication_tables.publications, shipped, now=begun.at)
        errors = publication_tables.errors.unionAll(match_tables.errors)
        if version != before:
            errors = errors.unionAll(errors_table(spark, self._versions.refused(version)))
        counts = {"publications": publication_tables.publications.count()}
        for name, table in (("matches", match_tables.matches), ("errors", errors)):
            count = Observation()  # counted while it is written: a batch is mostly the jobs that it takes
            rows = table.coalesce(1).observe(count, F.count(F.lit(1)).alias("rows"))
            rows.write.mode("overwrite").parquet(self._batches.table_path(name, batch_id))
            counts[name] = count.get["rows"]
        seconds = round(time.monotonic() - started, 3)
        self._batches.finish(CompletedBatch(batch_id, version, **counts, seconds=seconds, finished_at=_now()))
        match_tables.release()
        publication_tables.release()

    def _newest(self, batch_id: int) -> str:
        """The newest version; while it cannot be made, because somebody is just writing it, the last one."""
        try:
            return self._versions.newest()
        except (GtopssError, OSError) as error:
            last = self._batches.version_of(batch_id - 1)
            if last is None:
                raise
            self._warn(f"the subscriptions cannot be read now, those of the last batch are used: {error}")
            return last


def _follow(query: StreamingQuery, spool: Spool, batches: BatchLog, tell: Callable[[Progress], None]) -> None:
    """Tell of each batch when it is done, until the query ends; raises what ended it."""
    told = -1
    running = True
    while running:
        running = not query.awaitTermination(1)
        done = {batch.batch_id: batch for batch in batches.finished()[-100:]} if query.recentProgress else {}
        for each in query.recentProgress:
            if each.batchId > told and each.batchId in done and each.numInputRows >= 0:
                told = each.batchId
                tell(_progress(each, done[told], spool))


def _progress(each: StreamingQueryProgress, batch: CompletedBatch, spool: Spool) -> Progress:
    start, end = map(_number, (each.sources[0].startOffset, each.sources[0].endOffset))
    waiting = spool.latest(end) - end
    age = 0.0
    if waiting:
        with suppress(InvalidSpool):  # whoever reads it will say so
            age = (datetime.now(UTC) - spool.get(end + 1).arrived_at).total_seconds()
    return Progress(batch, end - start, waiting, age)


def _number(offset: str | None) -> int:
    """Of an offset in JSON; there is none before the first batch."""
    read = json.loads(offset or "null")
    return int(read["number"]) if read else 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
