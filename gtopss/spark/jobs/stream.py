"""The stream: match a spool's documents batch by batch, and write each batch exactly once.

    spool ──> BatchLog.begin ──> publications, errors ──(engine plan)──> matches, errors ──> BatchLog.complete
                                                            ▲
                                              EngineVersions: the newest subscriptions

`BatchLog` is the checkpoint: before a batch runs, it records the document numbers, the engine version and the time;
after it, that the tables are complete. A batch that fails (an executor is lost, a file cannot be read) runs again with
the same. New subscriptions are picked up between batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model.display import counted
from gtopss.spark.errors import InvalidSpool, MissingSource, NothingRead, StorageUnavailable
from gtopss.spark.failures import job_failure
from gtopss.spark.io.batch_log import BatchLog, BatchStart, CompletedBatch
from gtopss.spark.io.output import write_table
from gtopss.spark.io.result_tables import MatchTables, PublicationTables
from gtopss.spark.io.rows import errors_table
from gtopss.spark.io.spool import Spool
from gtopss.spark.io.spool_reading import DEFAULT_BATCH_DOCUMENTS, read_batch
from gtopss.spark.io.storage import Storage, open_storage
from gtopss.spark.plans.engine_plan import match_rows, ship_divided
from gtopss.spark.runtime.engine_shards import shards_needed
from gtopss.spark.runtime.engine_versions import EngineVersions
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.shipped_engines import ShippedEngine, ship_saved_engine
from gtopss.spark.runtime.shipped_operators import pack_operators

MAX_ATTEMPTS = 3  # to run a batch, in one run of a stream; Spark has tried each task several times before


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
            verb = "waits" if self.waiting == 1 else "wait"
            lag = f"{counted(self.waiting, 'document')} {verb}, the oldest for {self.oldest_waiting_seconds:.0f} s"
        done = (
            counted(self.documents, "document"),
            counted(self.batch.publications, "publication"),
            counted(self.batch.matches, "match", "matches"),
            counted(self.batch.errors, "error"),
        )
        return (
            f"batch {self.batch.batch_id}: {', '.join(done)} in {self.batch.seconds:.1f} s "
            f"(subscriptions {self.batch.version}); {lag}"
        )


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How a stream runs, and who is told about it."""

    once: bool = False  # end when all documents of the spool are matched
    interval_seconds: float = 5.0  # between looks at the spool, without `once`, and before a failed batch runs again
    batch_documents: int = DEFAULT_BATCH_DOCUMENTS  # at most in one batch
    on_progress: Callable[[StreamProgress], None] = lambda progress: None  # called after each batch
    on_warning: Callable[[str], None] = lambda message: None
    sleep: Callable[[float], None] = time.sleep


_DEFAULT_OPTIONS = StreamOptions()


def run_stream(
    spark: SparkSession,
    spool: Path | str,
    out: Path | str | Storage,
    versions: EngineVersions,
    options: StreamOptions = _DEFAULT_OPTIONS,
) -> None:
    """Match the documents of a spool, and those that arrive, until Ctrl-C or an error; with `once`, until its end.

    Raises GtopssError if another stream writes to `out`, if there is no spool, or if the subscriptions cannot be read;
    NothingRead if there is none, because documents would count as read without having been matched; and SparkJobFailed
    if a batch fails again and again. Nothing of that batch counts: the next run begins with it.
    """
    results = out if isinstance(out, Storage) else open_storage(spark, out)
    folder = open_storage(spark, spool)
    if not folder.exists():
        raise MissingSource(spool, "spool")
    log = BatchLog(results)
    with log.lock():
        newest = versions.newest()  # report unreadable subscriptions now, not in the middle of a batch
        if not versions.count(newest):
            raise NothingRead("there is no subscription to match: none was found, or all were refused")
        _Stream(spark, Spool(folder), log, versions, options).run()


class _Stream:
    def __init__(
        self, spark: SparkSession, spool: Spool, log: BatchLog, versions: EngineVersions, options: StreamOptions
    ) -> None:
        self._spark, self._spool, self._log, self._versions, self._options = spark, spool, log, versions, options
        self._operators = pack_operators(versions.operators)
        self._shipped: list[ShippedEngine] = []
        self._shipped_version: str | None = None

    def run(self) -> None:
        done = self._log.completed()
        batch_id, last = done[-1].batch_id + 1 if done else 0, None
        if self._options.once:
            last = max(self._spool.latest(), self._log.read_through())
        try:
            while True:
                start = self._begin(batch_id, last)
                if start is not None:
                    self._run_until_done(batch_id, start)
                    batch_id += 1
                elif self._options.once:
                    return
                else:
                    self._options.sleep(self._options.interval_seconds)
        finally:
            self._destroy_shipped()

    def _begin(self, batch_id: int, last: int | None) -> BatchStart | None:
        """Return what the next batch reads, or None if no document waits. `last` is the highest number to read."""
        before = self._log.start_of(batch_id)
        if before is not None:  # it has not completed: it runs again
            return before
        after = self._log.read_through()
        latest = self._spool.latest()
        if latest < after:
            reason = f"documents up to {after} were read, and the spool has had only {latest}: is it another spool?"
            raise InvalidSpool(self._spool.storage.url(), reason)
        numbers = self._spool.numbers(after)[: self._options.batch_documents]
        numbers = [number for number in numbers if last is None or number <= last]
        if not numbers:
            return None
        missing = tuple(sorted({*range(after + 1, numbers[-1] + 1)} - {*numbers}))
        version = self._newest_version(batch_id)
        return self._log.begin(batch_id, lambda now: BatchStart(version, now, after, numbers[-1], missing))

    def _run_until_done(self, batch_id: int, start: BatchStart) -> None:
        """Run a batch, and again if it fails. Raises the error of the last attempt in one line."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._run_batch(batch_id, start)
            except (PySparkException, StorageUnavailable) as error:
                failure = job_failure(error)
                if attempt == MAX_ATTEMPTS:
                    raise failure from error
                self._options.on_warning(f"batch {batch_id} failed and runs again: {failure}")
            self._options.sleep(self._options.interval_seconds)
        return None

    def _run_batch(self, batch_id: int, start: BatchStart) -> None:
        started = time.monotonic()
        previous = self._log.start_of(batch_id - 1)
        previous_version = previous.version if previous is not None else None
        self._versions.delete_except(filter(None, (start.version, previous_version)))
        spark = self._spark
        read = PublicationTables.split(read_batch(spark, self._spool, start))
        found = MatchTables.split(match_rows(read.publications, self._ship(start.version), start.at))
        try:
            counts = {  # computes both tables on all cores, before they are written by one task each
                "publications": read.publications.count(),
                "matches": found.matches.count(),
            }
            errors = [read.errors, found.errors]
            if start.version != previous_version:
                errors.append(errors_table(spark, self._versions.refused(start.version)))
            refused: DataFrame = reduce(DataFrame.unionAll, errors)
            counts["errors"] = refused.count()
            for name, table in (("matches", found.matches), ("errors", refused)):
                write_table(table.coalesce(1), self._log.table_path(name, batch_id))
        finally:
            found.release()
            read.release()
        seconds = round(time.monotonic() - started, 3)
        finished_at = datetime.now(UTC).isoformat(timespec="seconds")
        done = CompletedBatch(batch_id, start.version, **counts, seconds=seconds, finished_at=finished_at)
        self._log.complete(done)
        self._options.on_progress(self._progress(done, start))

    def _ship(self, version: str) -> list[ShippedEngine]:
        """Return the engine of a version, or its shards: sent once, and freed when the next version is sent."""
        if self._shipped_version != version:
            self._destroy_shipped()
            folder = self._versions.open(version)
            count, engine = 1, None
            if not is_local(self._spark):
                engine = Engine.open(folder, operators=self._versions.operators)
                count = shards_needed(engine)
            if engine is None or count == 1:
                self._shipped = [ship_saved_engine(self._spark, folder, self._operators, name=version)]
            else:
                self._shipped = ship_divided(self._spark, engine, count)
            self._shipped_version = version
        return self._shipped

    def _destroy_shipped(self) -> None:
        for each in self._shipped:
            each.destroy()
        self._shipped, self._shipped_version = [], None

    def _newest_version(self, batch_id: int) -> str:
        """Return the newest version, or the last batch's if it cannot be made now, for files being written."""
        try:
            return self._versions.newest()
        except (GtopssError, OSError) as error:
            last = self._log.start_of(batch_id - 1)
            if last is None:
                raise
            self._options.on_warning(f"the subscriptions cannot be read now, those of the last batch are used: {error}")
            return last.version

    def _progress(self, batch: CompletedBatch, start: BatchStart) -> StreamProgress:
        waiting = self._spool.numbers(start.through)
        oldest_waiting_seconds = 0.0
        if waiting:
            with suppress(InvalidSpool):  # the batch that reads it reports it
                arrived_at = self._spool.get(waiting[0]).arrived_at
                oldest_waiting_seconds = (datetime.now(UTC) - arrived_at).total_seconds()
        documents = start.through - start.after - len(start.missing)
        return StreamProgress(batch, documents, len(waiting), oldest_waiting_seconds)
