"""Count the results of a job with Spark, down to what fits on a report page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from gtopss.model.terms import Term, literal_parts
from gtopss.spark.io.batch_log import BatchLog
from gtopss.spark.io.output import read_results, read_table
from gtopss.spark.io.storage import Storage
from gtopss.spark.jobs.stories import ITEM_TITLE, ITEM_TRIPLES

MAX_LISTED_ROWS = 20  # bars of a plot, and errors of the list; the rest is left out

_TIME_UNITS = (("year", timedelta(days=365 * 8)), ("month", timedelta(days=240)), ("day", timedelta(days=4)))
"""A unit, and the time span above which it is used; below the last, hours."""


class MatchedItem(NamedTuple):
    """A publication that matched, as a page shows it."""

    subscription: str
    title: str
    link: str | None
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class ReportData:
    """Counts of matches (pairs of a publication and a subscription), the largest first, and the first errors."""

    by_subscription: tuple[tuple[str, int], ...]
    by_source: tuple[tuple[str, int], ...]
    over_time: tuple[tuple[datetime, int], ...]
    time_unit: str
    throughput: tuple[tuple[str, float], ...]  # a step or batch, and its publications per second
    errors: tuple[tuple[str, str, str], ...]  # subscription or document, error, place
    items: tuple[MatchedItem, ...] = ()  # the newest matches


def collect_report_data(
    spark: SparkSession, out: Storage, throughput: tuple[tuple[str, float], ...] = ()
) -> ReportData:
    """Count what `gtopss pipeline` wrote to a folder. Without `throughput`, that of the last batches is used."""
    matches = read_results(spark, out, "matches")
    pairs = matches.select("publication_id", "source", "published_at", "subscription_id").distinct().cache()
    unit = _time_unit(pairs)
    when = F.date_trunc(unit, "published_at")
    over_time = pairs.where("published_at IS NOT NULL").groupBy(when.alias("at")).count().orderBy("at").collect()
    errors = read_results(spark, out, "errors").limit(MAX_LISTED_ROWS).collect()
    data = ReportData(
        by_subscription=_largest_counts(pairs, "subscription_id"),
        by_source=_largest_counts(pairs, "source"),
        over_time=tuple((row["at"], row["count"]) for row in over_time),
        time_unit=unit,
        throughput=throughput or _throughput_by_batch(out),
        errors=tuple(
            (row.subscription_id or row.source or row.publication_id or "", row.error, row.place or "")
            for row in errors
        ),
        items=_newest_items(spark, out, matches),
    )
    pairs.unpersist()
    return data


def _newest_items(spark: SparkSession, out: Storage, matches: DataFrame) -> tuple[MatchedItem, ...]:
    """Return the newest matches with their titles: from the publication, or from a variable that is named so."""
    order = (F.desc_nulls_last("published_at"), "publication_id", "subscription_id")
    newest = matches.dropDuplicates(["publication_id", "source", "subscription_id"]).orderBy(*order)
    newest = newest.limit(MAX_LISTED_ROWS).withColumn("title", F.expr("bindings['title']"))
    if out.exists("publications"):
        titles = read_table(spark, "publications", out.url("publications"))
        titles = titles.selectExpr("publication_id", "source", f"{ITEM_TRIPLES} AS triples")
        titles = titles.selectExpr("publication_id", "source", f"{ITEM_TITLE} AS stated")
        newest = newest.join(titles.dropDuplicates(["publication_id", "source"]), ["publication_id", "source"], "left")
        newest = newest.withColumn("title", F.expr("coalesce(stated, title)")).drop("stated")
    rows = newest.orderBy(*order).collect()
    return tuple(
        MatchedItem(row.subscription_id, _text(row.title) or row.publication_id, _link(row), row.published_at)
        for row in rows
    )


def _text(term: str | None) -> str | None:
    return literal_parts(Term(term))[0] if term is not None and term.startswith('"') else term


def _link(row: Row) -> str | None:
    """Return the address of an item: its id or a variable `link`, `item` or `news`, if it is one of the web."""
    terms = [row.bindings.get(name, "")[1:-1] for name in ("link", "item", "news")]
    return next((each for each in (row.publication_id, *terms) if each.startswith(("http://", "https://"))), None)


def _largest_counts(pairs: DataFrame, column: str) -> tuple[tuple[str, int], ...]:
    rows = pairs.groupBy(column).count().orderBy(F.desc("count"), column).limit(MAX_LISTED_ROWS).collect()
    return tuple((row[column] or "unknown", row["count"]) for row in rows)


def _time_unit(pairs: DataFrame) -> str:
    """Return the unit in which the time span of the matches has enough steps for a curve, and not too many."""
    row = pairs.select(F.min("published_at").alias("first"), F.max("published_at").alias("last")).first()
    if row is None or row["first"] is None:
        return "day"
    span = row["last"] - row["first"]
    return next((unit for unit, least in _TIME_UNITS if span > least), "hour")


def _throughput_by_batch(out: Storage) -> tuple[tuple[str, float], ...]:
    if not BatchLog.exists_in(out):
        return ()
    completed = BatchLog(out).completed()[-MAX_LISTED_ROWS:]
    return tuple((f"batch {each.batch_id}", each.publications / max(each.seconds, 1e-9)) for each in completed)
