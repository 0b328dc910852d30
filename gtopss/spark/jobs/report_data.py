"""What there is to say of a job's results, counted by Spark and small enough for a page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.spark.io.batch_log import BatchLog, read_results

MAX_LISTED_ROWS = 20
"""Bars of a plot, and errors of a list."""

_UNITS = (("year", timedelta(days=365 * 8)), ("month", timedelta(days=240)), ("day", timedelta(days=4)))


@dataclass(frozen=True, slots=True)
class ReportData:
    """Matches (pairs of a publication and a subscription), most first; and the errors' beginnings."""

    by_subscription: tuple[tuple[str, int], ...]
    by_source: tuple[tuple[str, int], ...]
    over_time: tuple[tuple[datetime, int], ...]
    time_unit: str
    throughput: tuple[tuple[str, float], ...]  # a step or batch, and its publications a second
    errors: tuple[tuple[str, str, str], ...]  # what, error, place


def collect_report_data(spark: SparkSession, out: Path, throughput: tuple[tuple[str, float], ...] = ()) -> ReportData:
    """The facts of what `gtopss pipeline` wrote into a folder."""
    matches = read_results(spark, out, "matches")
    pairs = matches.select("publication_id", "source", "published_at", "subscription_id").distinct().cache()
    unit = _unit(pairs)
    when = F.date_trunc(unit, "published_at")
    over_time = pairs.where("published_at IS NOT NULL").groupBy(when.alias("at")).count().orderBy("at").collect()
    errors = read_results(spark, out, "errors").limit(MAX_LISTED_ROWS).collect()
    made = ReportData(
        by_subscription=_most(pairs, "subscription_id"),
        by_source=_most(pairs, "source"),
        over_time=tuple((row["at"], row["count"]) for row in over_time),
        time_unit=unit,
        throughput=throughput or _by_batch(out),
        errors=tuple(
            (row.subscription_id or row.source or row.publication_id or "", row.error, row.place or "")
            for row in errors
        ),
    )
    pairs.unpersist()
    return made


def _most(pairs: DataFrame, column: str) -> tuple[tuple[str, int], ...]:
    rows = pairs.groupBy(column).count().orderBy(F.desc("count"), column).limit(MAX_LISTED_ROWS).collect()
    return tuple((row[column] or "unknown", row["count"]) for row in rows)


def _unit(pairs: DataFrame) -> str:
    """The unit in which the matches' time has enough steps for a curve, and not too many."""
    row = pairs.select(F.min("published_at").alias("first"), F.max("published_at").alias("last")).first()
    if row is None or row["first"] is None:
        return "day"
    span = row["last"] - row["first"]
    return next((unit for unit, least in _UNITS if span > least), "hour")


def _by_batch(out: Path) -> tuple[tuple[str, float], ...]:
    if not (out / "batches").exists():
        return ()
    done = BatchLog(out).finished()[-MAX_LISTED_ROWS:]
    return tuple((f"batch {each.batch_id}", each.publications / max(each.seconds, 1e-9)) for each in done)
