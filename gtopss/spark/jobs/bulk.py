"""The bulk job: read sources, match them by a plan, write tables.

sources ──(read_sources)──> publications ──(a plan)──> matches
                  └───────────> errors <────┘

The tables are those of `io/output.py`, and `out/stories` if it is asked for. `out/summary.json` is written last.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.spark.errors import NothingRead
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.output import read_table, write_table
from gtopss.spark.io.rows import errors_table
from gtopss.spark.io.sources import is_parquet, read_sources
from gtopss.spark.io.storage import Storage, open_storage
from gtopss.spark.io.table_schemas import ERRORS
from gtopss.spark.jobs.stories import find_stories, stories_of_matches
from gtopss.spark.plans.engine_plan import engine_plan
from gtopss.spark.plans.registry import plan_by_name


@dataclass(frozen=True, slots=True)
class BulkSummary:
    """What a job did, and how long it took."""

    plan: str
    scope: str
    subscriptions: int
    publications: int
    matched: int  # pairs of a publication and a subscription
    rows: int  # solutions
    errors: int
    reading_seconds: float
    matching_seconds: float
    finished_at: str

    @property
    def publications_per_second(self) -> float:
        """The throughput of matching and writing."""
        return self.publications / max(self.matching_seconds, 1e-9)


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """How a bulk job matches, and what its caller already knows."""

    plan: str = "engine"
    scope: str = "publication"
    stories: bool = False  # also write the stories of each subscription
    refused: Iterable[Mapping[str, Any]] = ()  # rows of errors that the caller found, for the table of errors
    on_step: Callable[[str], None] = lambda step: None  # called with the name of each step when it begins


_DEFAULT_OPTIONS = BulkOptions()


def run_bulk(
    spark: SparkSession,
    sources: Sequence[str | Path],
    engine: Engine,
    out: Path | str,
    options: BulkOptions = _DEFAULT_OPTIONS,
) -> BulkSummary:
    """Read the sources, match them, and write the tables. Results of an earlier run in `out` are replaced.

    Raises GtopssError if a stream writes to `out`, or if a source lies in it; UnknownPlan; MissingSource; and
    NothingRead if there is no subscription or no publication, after the errors are written.
    """
    plan = plan_by_name(options.plan, options.scope)
    folder = open_storage(spark, out)
    if BatchLog.exists_in(folder):
        raise GtopssError(f"{out}: a stream writes here: choose another folder for a bulk job")
    folder.write("summary.json", b"{}")  # also shows that the folder can be written, before anything is read
    folder.delete("summary.json")
    if not len(engine):
        raise NothingRead("there is no subscription to match: none was found, or all were refused")
    started = time.monotonic()
    options.on_step("reading")
    publications, errors = _read(spark, sources, folder)
    read = time.monotonic()
    options.on_step("matching")
    match_tables = plan(spark, publications, engine)
    matches = _write_and_read_back(match_tables.matches, "matches", folder).cache()
    errors = errors.unionAll(match_tables.errors).unionAll(errors_table(spark, options.refused))
    errors = _write_and_read_back(errors, "errors", folder)
    match_tables.release()
    matched = time.monotonic()
    if options.stories:
        options.on_step("finding stories")
        _write_stories(publications, matches, engine, folder, options)
    options.on_step("counting")
    summary = BulkSummary(
        plan=options.plan,
        scope=options.scope,
        subscriptions=len(engine),
        publications=publications.count(),
        matched=matches.select("publication_id", "source", "subscription_id").distinct().count(),
        rows=matches.count(),
        errors=errors.count(),
        reading_seconds=round(read - started, 3),
        matching_seconds=round(matched - read, 3),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    matches.unpersist()
    if not summary.publications:
        raise NothingRead(f"no publication was read; {summary.errors} errors are in {folder.url('errors')}")
    folder.write("summary.json", (json.dumps(asdict(summary), indent=2) + "\n").encode())
    return summary


def _write_stories(
    publications: DataFrame, matches: DataFrame, engine: Engine, out: Storage, options: BulkOptions
) -> None:
    """Write the stories of each subscription. In corpus scope, a match says not which publications it is about."""
    tables = None
    if options.scope == "corpus":
        tables = engine_plan(publications.sparkSession, publications, engine)
        matches = tables.matches
    write_table(stories_of_matches(matches, find_stories(publications)), out.url("stories"))
    if tables is not None:
        tables.release()


def _read(spark: SparkSession, sources: Sequence[str | Path], out: Storage) -> tuple[DataFrame, DataFrame]:
    """Return publications and errors. Publications go through a table on disk, so that documents are parsed once."""
    for source in sources:
        if f"{open_storage(spark, source).url()}/".startswith(f"{out.url()}/"):
            raise GtopssError(f"{source} is in {out}, which is overwritten: choose another folder")
    tables = read_sources(spark, sources)
    if all(is_parquet(spark, source) for source in sources):
        return tables.publications, tables.errors
    publications = _write_and_read_back(tables.publications, "publications", out)
    errors = spark.createDataFrame(tables.errors.collect(), ERRORS)  # one row per refused document: few, and small
    tables.release()
    return publications, errors


def _write_and_read_back(table: DataFrame, name: str, out: Storage) -> DataFrame:
    write_table(table, out.url(name))
    return read_table(table.sparkSession, name, out.url(name))
