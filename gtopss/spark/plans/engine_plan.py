"""The default plan: run the engine itself in each executor process, on Arrow batches (`mapInArrow`).

Nothing is joined or shuffled: a publication meets all subscriptions where it is. The matches are therefore the
engine's, operators included, for any partitioning, and each distinct operator call runs once per publication.

NOW is one moment for the whole job: a task that Spark runs again, on whatever executor, gives the same result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError, MalformedPublication
from gtopss.matching.match_batch import ArrowRows, MatchBatch
from gtopss.model import MatchReport, Publication
from gtopss.model.matches import OUTPUT_LIMIT_NAME
from gtopss.spark.io.canonical_terms import MISSING_ID, with_publication_id
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.io.rows import arrow_batch, error_row
from gtopss.spark.io.table_schemas import MATCH_ROWS, MATCH_ROWS_ARROW, PAYLOAD, PUBLICATIONS
from gtopss.spark.runtime.engine_shards import shards, shards_needed
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.shipped_engines import ShippedEngine, ship_engine
from gtopss.spark.runtime.worker_functions import worker_function

MAX_ARROW_BATCH_ROWS = 20_000  # result rows; a task passes them to Spark in batches of about this size
MAX_ARROW_BATCH_CHARACTERS = 32_000_000  # of the values in them: a column of strings has at most 2 GiB
MAX_MATCHED_PUBLICATIONS = 1_024  # by one call of the engine: the result of a call is as large as its matches
MAX_PLAIN_CHARACTERS = 1_000_000
"""Characters of the solutions of one publication that Arrow copies; with more, its report is written row by row. The
solutions of one call then fit into a column of strings, which has at most 2 GiB."""

ArrowBatches: TypeAlias = Iterator[pa.RecordBatch]


def engine_plan(
    spark: SparkSession, publications: DataFrame, engine: Engine, *, shard_count: int | None = None
) -> MatchTables:
    """Return the engine's matches.

    If the index is too large for one broadcast, or `shard_count` says so, the subscriptions are divided among several
    engines; each publication goes to all of them, and the results are united.
    """
    return match_with_shipped_engines(publications, *ship_divided(spark, engine, shard_count), release=True)


def ship_divided(spark: SparkSession, engine: Engine, shard_count: int | None = None) -> list[ShippedEngine]:
    """Save an engine for the executors; one whose index is too large for one broadcast as several engines."""
    count = shard_count or (1 if is_local(spark) else shards_needed(engine))
    parts = [engine] if count == 1 else shards(engine, count)
    return [ship_engine(spark, part) for part in parts]


def match_with_shipped_engines(
    publications: DataFrame, *shipped: ShippedEngine, now: datetime | None = None, release: bool = False
) -> MatchTables:
    """Match with engines that are already saved. `now` is the value of NOW.

    With `release`, the engines' broadcasts are released with the tables.
    """
    found = match_rows(publications, shipped, now if now is not None else datetime.now(UTC))
    broadcasts = [each.packed for each in shipped if release and each.packed is not None]
    return MatchTables.split(found, broadcasts)


def match_rows(publications: DataFrame, shipped: Sequence[ShippedEngine], now: datetime | None) -> DataFrame:
    """Return the matches and errors of publications, of a batch or a stream, as one table: MATCH_ROWS.

    Without `now`, NOW is when an executor matches a publication. Each of several engines gets every publication; the
    first reports those that cannot be read.
    """
    given = publications.select(*PUBLICATIONS.fieldNames(), *(name for name in publications.columns if name == PAYLOAD))
    found = [
        given.mapInArrow(worker_function(match_batches, each, now, number == 0), MATCH_ROWS)
        for number, each in enumerate(shipped)
    ]
    return reduce(DataFrame.unionAll, found)


def match_batches(
    shipped: ShippedEngine, now: datetime | None, reports_unreadable: bool, batches: ArrowBatches
) -> ArrowBatches:
    """Match batches of publications, in an executor. The result is batches of MATCH_ROWS."""
    engine = shipped.engine()
    for batch in batches:
        for start in range(0, batch.num_rows, MAX_MATCHED_PUBLICATIONS):
            yield from match_arrow(engine, batch.slice(start, MAX_MATCHED_PUBLICATIONS), now, reports_unreadable)


def match_arrow(
    engine: Engine, batch: pa.RecordBatch, now: datetime | None, reports_unreadable: bool = True
) -> ArrowBatches:
    """Match a batch of PUBLICATIONS, and yield batches of MATCH_ROWS. Python sees only rows that are not plain.

    Without `reports_unreadable`, publications that cannot be read are left out.
    """
    batch, without_id = _with_ids(batch)
    rows = without_id if reports_unreadable else []
    found: MatchBatch
    if engine.operator_subscription_ids():  # operators receive publications as objects
        publications, refused, kept = _publications(batch)
        rows += refused if reports_unreadable else []
        batch = batch.take(pa.array(kept, pa.int64()))
        found = engine.match_batch(publications, received_at=now)
    else:
        found = engine.match_batch(batch.column("triples"), received_at=now)
    plain = found.arrow_rows(MAX_PLAIN_CHARACTERS)
    if len(plain.publication):
        yield _plain_rows(batch, found.subscription_ids, plain)
    characters = 0
    for number, report in found.reports_of(plain.others):
        if report.error is not None and not reports_unreadable:
            continue
        made = [*_rows(_Described(*(batch.column(name)[number].as_py() for name in _DESCRIPTION)), report)]
        rows += made
        characters += sum(len(value) for row in made for _, value in row.get("bindings", ()))
        if len(rows) >= MAX_ARROW_BATCH_ROWS or characters >= MAX_ARROW_BATCH_CHARACTERS:
            yield arrow_batch(rows, MATCH_ROWS_ARROW)
            rows, characters = [], 0
    if rows:
        yield arrow_batch(rows, MATCH_ROWS_ARROW)


def _with_ids(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[dict[str, Any]]]:
    """Return the publications of a batch that have an id, and a row of errors for each of the others."""
    has_id = pc.fill_null(pc.not_equal(batch.column("publication_id"), ""), False)
    if pc.all(has_id).as_py() is not False:
        return batch, []
    without = batch.column("source").filter(pc.invert(has_id)).to_pylist()
    return batch.filter(has_id), [error_row(MISSING_ID, source=source) for source in without]


def _plain_rows(batch: pa.RecordBatch, subscription_ids: Sequence[str], plain: ArrowRows) -> pa.RecordBatch:
    count = len(plain.publication)
    columns = {name: batch.column(name).take(pa.array(plain.publication)) for name in _DESCRIPTION}
    columns["subscription_id"] = pa.array(subscription_ids, pa.string()).take(pa.array(plain.subscription))
    columns["bindings"] = plain.bindings
    columns["truncated"] = pa.array(np.zeros(count, np.bool_))
    arrays = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(count, field.type)
        for field in MATCH_ROWS_ARROW
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=MATCH_ROWS_ARROW)


_DESCRIPTION = ("publication_id", "source", "published_at")


class _Described(NamedTuple):
    """What a row of results says of its publication."""

    id: str
    source: str | None
    published_at: datetime | None


def _rows(publication: _Described, report: MatchReport) -> Iterator[dict[str, Any]]:
    about = {
        "publication_id": publication.id,
        "source": publication.source,
        "published_at": publication.published_at,
    }
    for match, rows in report.written_rows():
        id, more = match.subscription_id, len(rows) < len(match.rows)
        # If even the first solution is too long, a row without bindings says that there is a match.
        for row in rows or [{}] * more:
            truncated = match.truncated or more
            yield {**about, "subscription_id": id, "bindings": list(row.items()), "truncated": truncated}
        if more:
            reason = f"it reached {OUTPUT_LIMIT_NAME}, so some of its solutions are left out"
            yield error_row(reason, source=publication.source, publication_id=publication.id, subscription_id=id)
    if report.error is not None:
        error = with_publication_id(report.error, publication.id)
        yield error_row(error, source=publication.source, publication_id=publication.id)
    for message in report.limit_messages():
        yield error_row(message, source=publication.source, publication_id=publication.id)
    for each in report.exceeded:
        yield error_row(
            str(each), source=publication.source, publication_id=publication.id, subscription_id=each.subscription_id
        )
    for id, calls in report.undecided:
        reason = f"undecided in this publication, because operator calls failed: {'; '.join(calls)}"
        yield error_row(reason, source=publication.source, publication_id=publication.id, subscription_id=id)


def _publications(batch: pa.RecordBatch) -> tuple[list[Publication], list[dict[str, Any]], list[int]]:
    """Return the publications of a batch, a row of errors for each row that is not one, and the rows that are."""
    publications, refused, kept = [], [], []
    for number, row in enumerate(batch.to_pylist()):
        id, source, triples = row["publication_id"], row["source"], row["triples"]
        try:
            if triples is None:
                raise MalformedPublication("its list of triples is null", publication_id=id)
            given = [tuple(each[name] for name in "spo") if each is not None else None for each in triples]
            publications.append(
                Publication(
                    id,
                    given,  # type: ignore[arg-type]
                    source=source,
                    published_at=row["published_at"],
                    payload=row.get(PAYLOAD),
                )
            )
            kept.append(number)
        except GtopssError as error:
            refused.append(error_row(error, source=source, publication_id=id))
    return publications, refused, kept
