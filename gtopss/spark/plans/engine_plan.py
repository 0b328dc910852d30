"""The default plan: the engine itself in each executor, fed with Arrow batches by `mapInArrow`.

Nothing is joined or shuffled: a publication meets all subscriptions where it is. So the answers are the engine's,
residual expressions and operators included, whatever the partitions are, and each distinct call of an operator is made
once for a publication.

NOW is one moment for the whole job: a task that Spark runs again, wherever it does, gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport, Publication
from gtopss.model.iris import IRI_REFERENCE
from gtopss.model.terms import Triple
from gtopss.spark.io.table_schemas import MATCH_ROWS, MATCH_ROWS_ARROW, MatchTables, arrow_batch, error_row
from gtopss.spark.runtime.session import is_local
from gtopss.spark.runtime.shipped_engines import ShippedEngine, shards, shards_needed, ship_engine

ROWS = 20_000
"""Result rows that are handed to Spark at once."""
_BLANK = r"_:[^\s<>\"]+"
_LITERAL = rf'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^{IRI_REFERENCE})?'
_PLAIN = {
    "s": f"^(?:{IRI_REFERENCE}|{_BLANK})$",
    "p": f"^{IRI_REFERENCE}$",
    "o": f"^(?:{IRI_REFERENCE}|{_BLANK}|{_LITERAL})$",
}
"""Terms that need no second look: what our own readers write. Others go through the model's own door."""

ArrowBatches = Iterator[pa.RecordBatch]


def engine_plan(
    spark: SparkSession, publications: DataFrame, engine: Engine, *, shard_count: int | None = None
) -> MatchTables:
    """The matches of the engine. Subscriptions that are too many for one broadcast are dealt out to several engines,
    each publication goes to all of them, and the results are united."""
    count = shard_count or (1 if is_local(spark) else shards_needed(engine))
    parts = [engine] if count == 1 else shards(engine, count)
    return match_with_shipped_engines(publications, *(ship_engine(spark, part) for part in parts))


def match_with_shipped_engines(
    publications: DataFrame, *shipped: ShippedEngine, now: datetime | None = None
) -> MatchTables:
    """As `engine_plan`, with engines that are saved already; `now` is for publications without a time."""
    at = now if now is not None else datetime.now(UTC)
    found = [publications.mapInArrow(match_batches(each, at), MATCH_ROWS) for each in shipped]
    return MatchTables.of(reduce(DataFrame.unionAll, found))


def match_batches(shipped: ShippedEngine, now: datetime) -> Callable[[ArrowBatches], ArrowBatches]:
    """What runs in the executors: publications' batches to results' batches."""
    return partial(_match_batches, shipped, now)


def _match_batches(shipped: ShippedEngine, now: datetime, batches: ArrowBatches) -> ArrowBatches:
    engine = shipped.engine()
    rows: list[dict[str, Any]] = []
    for batch in batches:
        publications, refused = read_publications(batch)
        rows += refused
        reports = engine.match_many(_timed(publications, now) if engine.uses_now else publications)
        for publication, report in zip(publications, reports, strict=True):
            if report.matches or report.error or report.exceeded or report.undecided:
                rows += _rows(publication, report)
            if len(rows) >= ROWS:
                yield arrow_batch(rows, MATCH_ROWS_ARROW)
                rows = []
    if rows:
        yield arrow_batch(rows, MATCH_ROWS_ARROW)


def _timed(publications: list[Publication], now: datetime) -> list[Publication]:
    return [each if each.published_at is not None else each.replace(published_at=now) for each in publications]


def _rows(publication: Publication, report: MatchReport) -> Iterator[dict[str, Any]]:
    about = {
        "publication_id": publication.id,
        "source": publication.source,
        "published_at": publication.published_at,
    }
    for match in report:
        for row in match.rows:
            yield {
                **about,
                "subscription_id": match.subscription_id,
                "bindings": list(row.items()),
                "truncated": match.truncated,
            }
    if report.error is not None:
        yield error_row(report.error, source=publication.source, publication_id=publication.id)
    for id, work in report.exceeded:
        reason = f"given up in this publication after {work} steps: it may match, or match more"
        yield error_row(reason, source=publication.source, publication_id=publication.id, subscription_id=id)
    for id, calls in report.undecided:
        reason = f"left open in this publication, for want of answers: {'; '.join(calls)}"
        yield error_row(reason, source=publication.source, publication_id=publication.id, subscription_id=id)


def read_publications(batch: pa.RecordBatch) -> tuple[list[Publication], list[dict[str, Any]]]:
    """The publications of a batch, and an error's row for each one that is none."""
    ids, sources, times = (batch.column(name).to_pylist() for name in ("publication_id", "source", "published_at"))
    lists = batch.column("triples")
    ends: list[int] = np.cumsum(pc.fill_null(pc.list_value_length(lists), 0).to_numpy()).tolist()
    values = lists.flatten()
    columns = [values.flatten()[values.type.get_field_index(name)] for name in "spo"]
    doubtful = set(np.searchsorted(ends, _doubtful(columns), side="right").tolist())
    triples = list(zip(*(column.to_pylist() for column in columns), strict=True))
    publications, refused, start = [], [], 0
    for number, (id, source, published_at, end) in enumerate(zip(ids, sources, times, ends, strict=True)):
        given: list[Triple] = triples[start:end]
        start = end
        make = Publication if number in doubtful else Publication.trusted
        try:
            publications.append(make(id, given, source=source, published_at=published_at))
        except GtopssError as error:
            refused.append(error_row(error, source=source, publication_id=id))
    return publications, refused


def _doubtful(columns: list[pa.Array]) -> Any:
    """The numbers of the triples with a term that is null, or not in the form that our readers write."""
    plain = [
        pc.fill_null(pc.match_substring_regex(column, pattern), False)
        for column, pattern in zip(columns, _PLAIN.values(), strict=True)
    ]
    return np.flatnonzero(~pc.and_(pc.and_(plain[0], plain[1]), plain[2]).to_numpy(zero_copy_only=False))
