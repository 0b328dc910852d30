"""Match waiting publications and write the notifications.

    claim a batch by lease ──> follow the changes ──> engine.match_many ──> one transaction: notifications, "matched"

A publication is matched with the subscriptions that call no operators first. If some subscription calls operators, it
is then due for a second step with these alone, which has its own engines and is run by threads of its own: an operator
that takes long holds up no other publication in the first step. In the second step publications are matched and
written one by one, by several threads that take them from one queue. If one takes long, a further thread is started, so
that it holds up no other. One with a call that was not answered is tried again later, a few times.

Where the subscriptions are divided into shares, the first step is one for each share that a publication was routed to
(`shares/`), and the operators' step is independent of it. Each subscription is in one share, so that what the shares
find needs no joining; the publication is matched when no step of it is left.

While a batch is matched, its lease is extended (`lease_keeper`). The matches of a batch are written in several
transactions if they are large.

A publication that the engine refuses is marked as matched, with its error. If the lease was lost meanwhile, nothing is
written: whoever holds it now writes the same notifications.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlalchemy import Connection

from gtopss.broker.config import BrokerConfig
from gtopss.broker.engine_follower import EngineFollower
from gtopss.broker.errors import StoreError
from gtopss.broker.lease_keeper import LeaseKeeper
from gtopss.broker.match_recording import MatchedPublication, found_matches, record
from gtopss.broker.shares.held_shares import HeldShare
from gtopss.broker.store import publication_rows, share_rows, subscription_rows
from gtopss.broker.store.publication_rows import ClaimedPublications, PublicationRow
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.store import Store
from gtopss.broker.substitutes import Substitutes
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.model import MatchReport

_log = logging.getLogger(__name__)


MAX_WRITTEN_CHARACTERS = 32_000_000
"""Characters of the bindings that one transaction writes; those of a single publication may be more."""


@dataclass(slots=True)
class _Batch:
    """What was found in a batch of publications."""

    rows: list[PublicationRow] = field(default_factory=list)
    matched: list[MatchedPublication] = field(default_factory=list)
    errors: dict[int, str] = field(default_factory=dict)
    undecided: dict[int, str] = field(default_factory=dict)
    """Publications of which some operator gave no answer, with the calls."""
    characters: int = 0

    def add(self, row: PublicationRow, report: MatchReport) -> None:
        """Add what was found in a publication."""
        self.rows.append(row)
        if report.error is not None:
            self.errors[row.number] = str(report.error)
        if report.undecided:
            calls = "; ".join(call for each in report.undecided for call in each.calls)
            self.undecided[row.number] = f"operators gave no answer: {calls}"
        if report.exceeded or report.limits_reached:
            _log_limits(row, report)
        if len(report):
            found = MatchedPublication(row, found_matches(report))
            self.matched.append(found)
            self.characters += found.characters


class _OperatorTask(NamedTuple):
    """A claimed publication of the second step."""

    holder: str
    row: PublicationRow
    newest_change: int


class Matching:
    """Runs the two steps of matching. Thread-safe: each step may run in several threads."""

    def __init__(
        self,
        store: Store,
        config: BrokerConfig,
        clock: Callable[[], float],
        *,
        broker_id: str,
        held: Callable[[], Sequence[HeldShare]],
        operators: EngineFollower,
        new_operators: Callable[[], EngineFollower],
        written: Callable[[Sequence[str]], None] = lambda ids: None,
    ) -> None:
        """`written` is called with the ids of subscriptions that have new notifications, after they are stored.

        `held` returns the shares of the subscriptions that this broker holds: one, of all, if they are not divided.
        `operators` has the subscriptions that call operators; `new_operators` makes further engines with them, as many
        as publications wait for operators at once.
        """
        self._store, self._config, self._clock, self._broker_id = store, config, clock, broker_id
        self._held, self._written = held, written
        self._free_operators, self._new_operators = [operators], new_operators
        self._substitutes = Substitutes(
            config.operator_patience, config.max_operator_threads - config.operator_threads, "gtopss-operators-more"
        )
        self._operator_tasks: deque[_OperatorTask] = deque()
        self._claiming = threading.Lock()
        self.leases = LeaseKeeper(store, clock, min(config.match_lease, config.operator_lease))
        """Extends the leases of what is matched now."""
        self.when_operators_due: MutableSequence[Callable[[], None]] = []
        """Called when publications have become due for the second step."""
        self.when_operators_claimed: MutableSequence[Callable[[], None]] = []
        """Called when several publications were claimed for the second step, so that other threads help."""

    def close(self) -> None:
        """Extend no leases any longer, and wait for publications that substitutes match."""
        self.leases.close()
        self._substitutes.close()

    def match_step(self) -> int:
        """Claim a batch of publications for each share that is held, match it and write the notifications.

        Return how many publications were claimed.
        """
        return sum(map(self._match_share, self._held()))

    def _match_share(self, held: HeldShare) -> int:
        lease = self._config.match_lease
        claimed = self._claim(lease, self._config.match_batch, share=held.share, epoch=held.epoch)
        holder, rows, newest_change = claimed
        if not rows:
            return 0
        with self.leases.keeping(holder, [row.number for row in rows], lease, share=held.share):
            for batch in self._match_in_parts(held.follower, rows, newest_change):
                self._write_matches(holder, batch, held)
        return len(rows)

    def _write_matches(self, holder: str, batch: _Batch, share: HeldShare) -> None:
        def change(connection: Connection) -> tuple[set[int], int, bool]:
            # With several shares the router has decided about the second step.
            is_whole = share.epoch == 0 or share_rows.division(connection).shares == 1
            due = is_whole and subscription_rows.any_calls_operators(connection)
            numbers = [row.number for row in batch.rows]
            held = publication_rows.finish_matching(
                connection, holder, numbers, operators_due=due, share=share.share, epoch=share.epoch
            )
            # After another division publications are routed, and matched, again.
            return held, self._write(connection, batch, held, again=share.epoch > 0), due

        held, written, are_due = self._store.write(change)
        self._finish(batch, held, written)
        if are_due:
            for call in self.when_operators_due:
                call()

    def operator_step(self, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Do the same for publications that are due for subscriptions that call operators, one after the other.

        Several threads may run it: each takes the next publication that was claimed. If one takes long, a substitute
        goes on with the others. `is_stopped` is asked between publications; those that are left are given back. Return
        how many publications were matched.
        """
        done = 0
        while not is_stopped():
            task = self._next_operator_task()
            if task is None:
                return done
            with self._substitutes.stand_by(lambda: self.operator_step(is_stopped)):
                self._match_task(task)
            done += 1
        self._give_back()
        return done

    def _next_operator_task(self) -> _OperatorTask | None:
        with self._claiming:
            if not self._operator_tasks:
                lease = self._config.operator_lease
                claimed = self._claim(lease, self._config.operator_batch, share=publication_rows.OPERATORS)
                holder, rows, newest_change = claimed
                self._operator_tasks.extend(_OperatorTask(holder, row, newest_change) for row in rows)
                numbers = [row.number for row in rows]
                self.leases.keep(holder, numbers, lease, share=publication_rows.OPERATORS)
                if len(rows) > 1:
                    for call in self.when_operators_claimed:
                        call()
            return self._operator_tasks.popleft() if self._operator_tasks else None

    def _give_back(self) -> None:
        with self._claiming:
            left = list(self._operator_tasks)
            self._operator_tasks.clear()
        for each in left:
            numbers = [each.row.number]
            self.leases.forget(each.holder, numbers)
            self._store.write(
                lambda connection, each=each, numbers=numbers: publication_rows.release(  # type: ignore[misc]
                    connection, each.holder, numbers
                )
            )

    def _match_task(self, task: _OperatorTask) -> None:
        """Match a claimed publication, or keep it for the next call if the store is away: its lease may be long."""
        try:
            self._match_with_operators(task)
        except StoreError:
            with self._claiming:
                self._operator_tasks.appendleft(task)
            raise
        except BaseException:
            self.leases.forget(task.holder, [task.row.number])
            raise
        self.leases.forget(task.holder, [task.row.number])

    def _match_with_operators(self, task: _OperatorTask) -> None:
        holder, row, newest_change = task
        with self._claiming:
            follower = self._free_operators.pop() if self._free_operators else self._new_operators()
        try:
            (batch,) = self._match_in_parts(follower, [row], newest_change)
        finally:
            with self._claiming:
                self._free_operators.append(follower)

        def change(connection: Connection) -> tuple[set[int], int]:
            retry_at = None
            if batch.undecided:
                done = publication_rows.operator_attempts(connection, [row.number]).get(row.number, 0)
                if done + 1 < self._config.max_operator_attempts:
                    retry_at = self._clock() + self._config.operator_retry
            held = publication_rows.finish_operators(connection, holder, [row.number], retry_at=retry_at)
            found = batch if retry_at is not None else replace(batch, errors={**batch.undecided, **batch.errors})
            return held, self._write(connection, found, held, again=True)

        self._finish(batch, *self._store.write(change))

    def _claim(self, lease: float, limit: int, *, share: int, epoch: int = 0) -> ClaimedPublications:
        def change(connection: Connection) -> ClaimedPublications:
            now = self._clock()
            return publication_rows.claim(
                connection, self._broker_id, now=now, until=now + lease, limit=limit, share=share, epoch=epoch
            )

        return self._store.write(change)

    def _match_in_parts(
        self, follower: EngineFollower, rows: Sequence[PublicationRow], newest_change: int
    ) -> Iterator[_Batch]:
        """Match publications, and yield what was found in parts that one transaction can write."""
        batch = _Batch()
        with follower.matching(newest_change) as engine:
            for row, report in zip(rows, _reports(engine, rows), strict=True):
                batch.add(row, report)
                if batch.characters > MAX_WRITTEN_CHARACTERS and row is not rows[-1]:
                    yield batch
                    batch = _Batch()
        yield batch

    def _write(self, connection: Connection, batch: _Batch, held: set[int], *, again: bool) -> int:
        errors = {number: storable_text(text) for number, text in batch.errors.items() if number in held}
        publication_rows.set_errors(connection, errors)
        matched = [each for each in batch.matched if each.row.number in held]
        return record(connection, matched, self._clock(), again=again)

    def _finish(self, batch: _Batch, held: set[int], written: int) -> None:
        """Log what was done, and tell who waits for notifications."""
        for row in batch.rows:
            ids = {"publication": row.id, "number": row.number}
            if problem := batch.errors.get(row.number) or batch.undecided.get(row.number):
                _log.warning("a publication was not matched with every subscription: %s", problem, extra=ids)
            if row.number not in held:
                _log.warning("the lease of a publication was lost while it was matched", extra=ids)
        _log.debug("matched %d publications: %d notifications", len(held), written)
        if written:
            self._written(sorted({each.subscription for one in batch.matched for each in one.matches}))


def _reports(engine: Engine, rows: Sequence[PublicationRow]) -> Iterator[MatchReport]:
    """Yield a report for each publication; one with an error where matching fails in an unexpected way."""
    done = 0
    try:
        for report in engine.match_many([row.publication() for row in rows], batch=len(rows)):
            yield report
            done += 1
        return
    except Exception:
        _log.exception("a batch of publications cannot be matched: matching one by one")
    for row in rows[done:]:
        try:
            yield engine.match(row.publication())
        except Exception as error:
            known = error if isinstance(error, GtopssError) else GtopssError(f"matching failed: {error!r}")
            yield MatchReport(row.id, (), error=known)


def _log_limits(row: PublicationRow, report: MatchReport) -> None:
    for each in report.exceeded:
        ids = {"publication": row.id, "number": row.number, "subscription": each.subscription_id}
        _log.warning("a subscription was %s", each, extra=ids)
    for message in report.limit_messages():
        _log.warning("a publication: %s", message, extra={"publication": row.id, "number": row.number})
