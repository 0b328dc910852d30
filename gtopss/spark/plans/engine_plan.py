"""The default plan: run the engine itself in each executor process, on Arrow batches (`mapInArrow`).

Nothing is joined or shuffled: a publication meets all subscriptions where it is. The matches are therefore the
engine's, operators included, for any partitioning, and each distinct operator call runs once per publication.

NOW is one moment for the whole job: a task that Spark runs again, on whatever executor, gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial, reduce
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport, Publication
from gtopss.model.iris import IRI_REFERENCE
from gtopss.model.matches import OUTPUT_LIMIT_NAME
from gtopss.model.terms import Triple
from gtopss.spark.io.result_tables import MatchTables
from gtopss.spark.io.rows import arrow_batch, error_row
from gtopss.spark.io.table_schemas import MATCH_ROWS, MATCH_ROWS_ARROW, PAYLOAD
from gtopss.spark.runtime.engine_shards import shards, shards_needed
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.shipped_engines import ShippedEngine, ship_engine

MAX_ARROW_BATCH_ROWS = 20_000  # result rows; a task passes them to Spark in batches of about this size
MAX_ARROW_BATCH_CHARACTERS = 32_000_000  # of the values in them: a column of strings has at most 2 GiB
_BLANK = r"_:[^\s<>\"]+"
_LITERAL = rf'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^{IRI_REFERENCE})?'
_PLAIN = {
    "s": f"^(?:{IRI_REFERENCE}|{_BLANK})$",
    "p": f"^{IRI_REFERENCE}$",
    "o": f"^(?:{IRI_REFERENCE}|{_BLANK}|{_LITERAL})$",
}
"""Terms in the form that our own readers write (in Arrow's regex syntax). Only others are validated by the model."""

ArrowBatches: TypeAlias = Iterator[pa.RecordBatch]


def engine_plan(
    spark: SparkSession, publications: DataFrame, engine: Engine, *, shard_count: int | None = None
) -> MatchTables:
    """Return the engine's matches.

    If the index is too large for one broadcast, or `shard_count` says so, the subscriptions are divided among several
    engines; each publication goes to all of them, and the results are united.
    """
    count = shard_count or (1 if is_local(spark) else shards_needed(engine))
    parts = [engine] if count == 1 else shards(engine, count)
    return match_with_shipped_engines(publications, *(ship_engine(spark, part) for part in parts))


def match_with_shipped_engines(
    publications: DataFrame, *shipped: ShippedEngine, now: datetime | None = None
) -> MatchTables:
    """Match with engines that are already saved. `now` is the value of NOW."""
    at = now if now is not None else datetime.now(UTC)
    found = [publications.mapInArrow(batch_matcher(each, at), MATCH_ROWS) for each in shipped]
    return MatchTables.split(reduce(DataFrame.unionAll, found))


def batch_matcher(shipped: ShippedEngine, now: datetime) -> Callable[[ArrowBatches], ArrowBatches]:
    """Return the function that executors run: batches of publications to batches of MATCH_ROWS."""
    return partial(_match_batches, shipped, now)


def _match_batches(shipped: ShippedEngine, now: datetime, batches: ArrowBatches) -> ArrowBatches:
    engine = shipped.engine()
    rows: list[dict[str, Any]] = []
    characters = 0
    for batch in batches:
        publications, refused = read_publications(batch)
        rows += refused
        reports = engine.match_many(_with_time(publications, now) if engine.uses_now else publications)
        for publication, report in zip(publications, reports, strict=True):
            if report.matches or report.error or report.exceeded or report.undecided or report.limits_reached:
                found = [*_rows(publication, report)]
                rows += found
                characters += sum(len(value) for row in found for _, value in row.get("bindings", ()))
            if len(rows) >= MAX_ARROW_BATCH_ROWS or characters >= MAX_ARROW_BATCH_CHARACTERS:
                yield arrow_batch(rows, MATCH_ROWS_ARROW)
                rows, characters = [], 0
    if rows:
        yield arrow_batch(rows, MATCH_ROWS_ARROW)


def _with_time(publications: list[Publication], now: datetime) -> list[Publication]:
    return [each.replace(received_at=now) for each in publications]


def _rows(publication: Publication, report: MatchReport) -> Iterator[dict[str, Any]]:
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
        yield error_row(report.error, source=publication.source, publication_id=publication.id)
    for message in report.limit_messages():
        yield error_row(message, source=publication.source, publication_id=publication.id)
    for each in report.exceeded:
        yield error_row(
            str(each), source=publication.source, publication_id=publication.id, subscription_id=each.subscription_id
        )
    for id, calls in report.undecided:
        reason = f"undecided in this publication, because operator calls failed: {'; '.join(calls)}"
        yield error_row(reason, source=publication.source, publication_id=publication.id, subscription_id=id)


def read_publications(batch: pa.RecordBatch) -> tuple[list[Publication], list[dict[str, Any]]]:
    """Return the publications of a batch, and a row of errors for each row that is not one."""
    ids, sources, times = (batch.column(name).to_pylist() for name in ("publication_id", "source", "published_at"))
    payloads = batch.column(PAYLOAD).to_pylist() if PAYLOAD in batch.schema.names else [None] * len(ids)
    lists = batch.column("triples")
    ends: list[int] = np.cumsum(pc.fill_null(pc.list_value_length(lists), 0).to_numpy()).tolist()
    values = lists.flatten()
    columns = [values.flatten()[values.type.get_field_index(name)] for name in "spo"]
    unchecked = set(np.searchsorted(ends, _triples_to_validate(columns), side="right").tolist())
    triples = list(zip(*(column.to_pylist() for column in columns), strict=True))
    publications, refused, start = [], [], 0
    rows = zip(ids, sources, times, payloads, ends, strict=True)
    for number, (id, source, published_at, payload, end) in enumerate(rows):
        given: list[Triple] = triples[start:end]
        start = end
        make = Publication if number in unchecked else Publication.trusted
        try:
            publications.append(make(id, given, source=source, published_at=published_at, payload=payload))
        except GtopssError as error:
            refused.append(error_row(error, source=source, publication_id=id))
    return publications, refused


def _triples_to_validate(columns: list[pa.Array]) -> Any:
    """Return the numbers of the triples with a term that is null, or not in the form that our readers write."""
    plain = [
        pc.fill_null(pc.match_substring_regex(column, pattern), False)
        for column, pattern in zip(columns, _PLAIN.values(), strict=True)
    ]
    return np.flatnonzero(~pc.and_(pc.and_(plain[0], plain[1]), plain[2]).to_numpy(zero_copy_only=False))
