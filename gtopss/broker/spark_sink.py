"""Let Spark match and the broker deliver: a sink for tables of publications, of a batch or a stream.

    publications ──(Spark, the broker's subscriptions)──> those that match ──> one transaction: rows, notifications

The store decides what is new: a publication that it has already, by id and content, was matched when it was stored, and
is left alone. A batch that Spark runs again therefore writes nothing twice, and a notification has the id that the
broker itself would give it. A publication is stored with the number of the newest change of subscriptions that Spark
knew: whoever subscribed later does not receive it, as with a broker that matches by itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from gtopss.broker.engine_follower import EngineFollower
from gtopss.broker.match_recording import MatchedPublication, found_matches, record
from gtopss.broker.publishing import new_publication
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.store import Store
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import Publication

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PUBLICATIONS_PER_COMMIT = 100
"""Publications whose rows and notifications are written in one transaction."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SinkReport:
    """What a batch has written."""

    publications: int
    notifications: int
    errors: int  # publications that could not be read, matched or stored; the log names them


class SparkSink:
    """Write the matches of tables to a broker's store, as notifications that the broker delivers.

        publications.writeStream.foreachBatch(SparkSink(store)).start()   # a stream
        SparkSink(store)(publications)                                    # a batch

    A table is as for `gtopss.spark.match`. The sink lives in Spark's driver; only publications that match come there.
    If some subscription calls operators, all publications do, and the broker runs the operators.
    """

    def __init__(
        self,
        store: Store,
        engine: Engine | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`engine`, without subscriptions, has the taxonomy and the settings of the broker's engine."""
        self._store, self._columns, self._clock = store, columns, clock
        self._follower = EngineFollower(store, engine if engine is not None else Engine(), clock)

    def __call__(self, publications: DataFrame, batch_id: int = 0) -> SinkReport:
        """Match a batch with the current subscriptions, and store what matches."""
        from gtopss.spark.api import match, publications_of

        self._follower.follow()
        known = publications_of(publications, self._columns).persist()
        try:
            rows = known.where("error IS NULL")
            refused = known.where("error IS NOT NULL").count()
            if not self._store.read(subscription_rows.any_calls_operators):
                found = match(known, self._follower.engine).where("error IS NULL").select("publication_id").distinct()
                rows = rows.join(found, "publication_id", "left_semi")
            report = self.write(row.asDict(recursive=True) for row in rows.toLocalIterator())
        finally:
            known.unpersist()
        return SinkReport(report.publications, report.notifications, report.errors + refused)

    def write(self, rows: Iterable[Mapping[str, Any]]) -> SinkReport:
        """Store rows of publications (publication_id, source, published_at, triples) and their notifications."""
        given = iter(rows)
        totals = [0, 0, 0]
        while part := list(islice(given, PUBLICATIONS_PER_COMMIT)):
            publications = list(_read(part))
            written = self._write(publications)
            for place, count in enumerate((*written, len(part) - len(publications))):
                totals[place] += count
        return SinkReport(*totals)

    def _write(self, given: list[Publication]) -> tuple[int, int]:
        """Store publications that are new, with their notifications; return how many of both."""
        applied = self._follower.applied
        new = [new_publication(each) for each in given]
        found = [found_matches(report) for report in self._follower.engine.match_many(given)]

        def change(connection: Connection) -> tuple[int, int]:
            now = self._clock()
            due = (publication_rows.OPERATORS,) if subscription_rows.any_calls_operators(connection) else ()
            numbers = publication_rows.insert_new(
                connection, new, received_at=now, after_change=applied, shares=[due] * len(new)
            )
            matches = {number: each for number, each in zip(numbers, found, strict=True) if number is not None}
            rows = publication_rows.get_many(connection, matches)
            matched = [MatchedPublication(rows[number], each) for number, each in matches.items()]
            return len(matches), record(connection, matched, now)

        return self._store.write(change)


def _read(rows: Iterable[Mapping[str, Any]]) -> Iterator[Publication]:
    """Yield the publications of rows; those that cannot be stored are logged."""
    for row in rows:
        try:
            triples = [(each["s"], each["p"], each["o"]) for each in row["triples"] or ()]
            made = Publication(row["publication_id"], triples, source=row["source"], published_at=row["published_at"])
            new_publication(made)
        except GtopssError as error:
            _log.warning("a publication from Spark is refused: %s", error)
        else:
            yield made
