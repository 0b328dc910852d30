"""Match waiting publications and write the notifications.

    claim a batch by lease ──> follow the changes ──> engine.match_many ──> one transaction: notifications, "matched"

A publication is matched with the subscriptions that call no operators first. If some subscription calls operators, it
is then due for a second step with these alone, which has its own engine and is run by a thread of its own: an operator
that takes long holds up no other publication in the first step. In the second step publications are matched and
written one by one. One with a call that was not answered is tried again later, a few times.

A publication that the engine refuses is marked as matched, with its error. If the lease was lost meanwhile, nothing is
written: whoever holds it now writes the same notifications.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from gtopss.broker.config import BrokerConfig
from gtopss.broker.engine_follower import EngineFollower
from gtopss.broker.match_recording import MatchedPublication, found_matches, record
from gtopss.broker.store import publication_rows, subscription_rows
from gtopss.broker.store.publication_rows import ClaimedPublications, PublicationRow
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Batch:
    """What was found in a batch of publications."""

    matched: list[MatchedPublication] = field(default_factory=list)
    errors: dict[int, str] = field(default_factory=dict)
    undecided: dict[int, str] = field(default_factory=dict)
    """Publications of which some operator gave no answer, with the calls."""


class Matching:
    """Runs the two steps of matching. Thread-safe: each step may run in a thread of its own."""

    def __init__(
        self,
        store: Store,
        config: BrokerConfig,
        clock: Callable[[], float],
        *,
        broker_id: str,
        plain: EngineFollower,
        operators: EngineFollower,
        written: Callable[[Sequence[str]], None] = lambda ids: None,
    ) -> None:
        """`written` is called with the ids of subscriptions that have new notifications, after they are stored."""
        self._store, self._config, self._clock, self._broker_id = store, config, clock, broker_id
        self._plain, self._operators, self._written = plain, operators, written

    def match_step(self) -> int:
        """Claim a batch of publications, match it and write the notifications. Return the size of the batch."""
        holder, rows = self._claim(self._config.match_lease, self._config.match_batch, operators=False)
        if not rows:
            return 0
        batch = self._match(self._plain, rows)

        def change(connection: Connection) -> tuple[set[int], int]:
            due = subscription_rows.any_calls_operators(connection)
            numbers = [row.number for row in rows]
            held = publication_rows.finish_matching(connection, holder, numbers, operators_due=due)
            return held, self._write(connection, batch, held, again=False)

        self._finish(rows, batch, *self._store.write(change))
        return len(rows)

    def operator_step(self, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Do the same for publications that are due for subscriptions that call operators, one after the other.

        `is_stopped` is asked between publications; those that are left are given back.
        """
        end = self._clock() + self._config.operator_lease
        holder, rows = self._claim(self._config.operator_lease, self._config.operator_batch, operators=True)
        for place, row in enumerate(rows):
            if is_stopped():
                self._give_back(holder, [each.number for each in rows[place:]])
                return place
            if self._clock() < end:  # else another broker may have it by now
                self._match_with_operators(holder, row)
        return len(rows)

    def _give_back(self, holder: str, numbers: Sequence[int]) -> None:
        self._store.write(lambda connection: publication_rows.release(connection, holder, numbers))

    def _match_with_operators(self, holder: str, row: PublicationRow) -> None:
        batch = self._match(self._operators, [row])

        def change(connection: Connection) -> tuple[set[int], int]:
            retry_at = None
            if batch.undecided:
                done = publication_rows.operator_attempts(connection, [row.number]).get(row.number, 0)
                if done + 1 < self._config.max_operator_attempts:
                    retry_at = self._clock() + self._config.operator_retry
            held = publication_rows.finish_operators(connection, holder, [row.number], retry_at=retry_at)
            found = batch if retry_at is not None else replace(batch, errors={**batch.undecided, **batch.errors})
            return held, self._write(connection, found, held, again=True)

        self._finish([row], batch, *self._store.write(change))

    def _claim(self, lease: float, limit: int, *, operators: bool) -> ClaimedPublications:
        def change(connection: Connection) -> ClaimedPublications:
            now = self._clock()
            return publication_rows.claim(
                connection, self._broker_id, now=now, until=now + lease, limit=limit, operators=operators
            )

        return self._store.write(change)

    def _match(self, follower: EngineFollower, rows: Sequence[PublicationRow]) -> _Batch:
        batch = _Batch()
        with follower.matching(max(row.after_change for row in rows)) as engine:
            for row, report in zip(rows, _reports(engine, rows), strict=True):
                if report.error is not None:
                    batch.errors[row.number] = str(report.error)
                if report.undecided:
                    calls = "; ".join(call for each in report.undecided for call in each.calls)
                    batch.undecided[row.number] = f"operators gave no answer: {calls}"
                if report.exceeded or report.limits_reached:
                    _log_limits(row, report)
                if len(report):
                    batch.matched.append(MatchedPublication(row, found_matches(report)))
        return batch

    def _write(self, connection: Connection, batch: _Batch, held: set[int], *, again: bool) -> int:
        errors = {number: storable_text(text) for number, text in batch.errors.items() if number in held}
        publication_rows.set_errors(connection, errors)
        matched = [each for each in batch.matched if each.row.number in held]
        return record(connection, matched, self._clock(), again=again)

    def _finish(self, rows: Sequence[PublicationRow], batch: _Batch, held: set[int], written: int) -> None:
        """Log what was done, and tell who waits for notifications."""
        for row in rows:
            ids = {"publication": row.id, "number": row.number}
            if problem := batch.errors.get(row.number) or batch.undecided.get(row.number):
                _log.warning("a publication was not matched with every subscription: %s", problem, extra=ids)
            if row.number not in held:
                _log.warning("the lease of a publication was lost while it was matched", extra=ids)
        _log.debug("matched %d publications: %d notifications", len(held), written)
        if written:
            self._written(sorted({each.subscription for one in batch.matched for each in one.matches}))


def _reports(engine: Engine, rows: Sequence[PublicationRow]) -> Sequence[MatchReport]:
    """Return a report for each publication; one with an error where matching fails in an unexpected way."""
    try:
        return list(engine.match_many([row.publication() for row in rows], batch=len(rows)))
    except Exception:
        _log.exception("a batch of publications cannot be matched: matching one by one")
    reports = []
    for row in rows:
        try:
            reports.append(engine.match(row.publication()))
        except Exception as error:
            known = error if isinstance(error, GtopssError) else GtopssError(f"matching failed: {error!r}")
            reports.append(MatchReport(row.id, (), error=known))
    return reports


def _log_limits(row: PublicationRow, report: MatchReport) -> None:
    for each in report.exceeded:
        ids = {"publication": row.id, "number": row.number, "subscription": each.subscription_id}
        _log.warning("a subscription was %s", each, extra=ids)
    for message in report.limit_messages():
        _log.warning("a publication: %s", message, extra={"publication": row.id, "number": row.number})
