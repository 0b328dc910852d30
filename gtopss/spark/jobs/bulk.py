"""The bulk job: sources in, tables out.

sources ──(read_sources)──> publications ──(a plan)──> matches
                  └───────────> errors <────┘

out/publications    what was read of documents (Parquet sources are used as they are)
out/matches         a row for each solution
out/errors          what was refused: documents, publications, subscriptions
out/summary.json    written last
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
from gtopss.spark.io.sources import is_parquet, read_sources
from gtopss.spark.io.table_schemas import ERRORS, MATCHES, PUBLICATIONS, errors_table
from gtopss.spark.plans.registry import plan_by_name


@dataclass(frozen=True, slots=True)
class Summary:
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
    def rate(self) -> float:
        """Publications a second, matching and writing."""
        return self.publications / max(self.matching_seconds, 1e-9)


def run_bulk(
    spark: SparkSession,
    sources: Sequence[str | Path],
    engine: Engine,
    out: Path,
    *,
    plan: str = "engine",
    scope: str = "publication",
    refused: Iterable[Mapping[str, Any]] = (),
    tell: Callable[[str], None] = lambda step: None,
) -> Summary:
    """Read the sources, match them by a plan, and write the tables. `refused` are errors that the caller has already.

    What an earlier run wrote into `out` is replaced.
    """
    chosen = plan_by_name(plan, scope)
    if (out / "batches").exists():
        raise GtopssError(f"{out}: a stream writes here: choose another folder for a bulk job")
    out.mkdir(parents=True, exist_ok=True)
    (out / "summary.json").unlink(missing_ok=True)
    started = time.monotonic()
    tell("reading")
    publications, errors = _read(spark, sources, out)
    read = time.monotonic()
    tell("matching")
    match_tables = chosen(spark, publications, engine)
    matches = _write(match_tables.matches, out / "matches").cache()
    _write(errors.unionAll(match_tables.errors).unionAll(errors_table(spark, refused)), out / "errors")
    match_tables.release()
    matched = time.monotonic()
    tell("counting")
    summary = Summary(
        plan=plan,
        scope=scope,
        subscriptions=len(engine),
        publications=publications.count(),
        matched=matches.select("publication_id", "source", "subscription_id").distinct().count(),
        rows=matches.count(),
        errors=spark.read.schema(ERRORS).parquet(str(out / "errors")).count(),
        reading_seconds=round(read - started, 3),
        matching_seconds=round(matched - read, 3),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    matches.unpersist()
    (out / "summary.json").write_text(json.dumps(asdict(summary), indent=2) + "\n")
    return summary


def _read(spark: SparkSession, sources: Sequence[str | Path], out: Path) -> tuple[DataFrame, DataFrame]:
    """The publications as a table on disk, so that documents are parsed once; and what was refused."""
    for source in map(str, sources):
        if "://" not in source and out.resolve() in (Path(source).resolve(), *Path(source).resolve().parents):
            raise GtopssError(f"{source} is in {out}, which is written anew: choose another folder")
    publication_tables = read_sources(spark, sources)
    if all(is_parquet(str(source)) for source in sources):
        return publication_tables.publications, publication_tables.errors
    publications = _write(publication_tables.publications, out / "publications")
    errors = spark.createDataFrame(publication_tables.errors.collect(), ERRORS)
    publication_tables.release()
    return publications, errors


def _write(table: DataFrame, path: Path) -> DataFrame:
    schema = {"publications": PUBLICATIONS, "matches": MATCHES, "errors": ERRORS}[path.name]
    table.write.mode("overwrite").parquet(str(path))
    return table.sparkSession.read.schema(schema).parquet(str(path))
