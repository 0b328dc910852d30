"""Attempt the deliveries that are due.

    claim the targets that are due, by lease ──> one thread for each: next message, attempt, record ──> until none waits

A target is attempted by one thread of one broker at a time, so its messages arrive in order; a message that fails holds
back its own target until it is delivered or given up. A lease that ran out is claimed again, by any broker: the message
may then be delivered twice, under the same id. The result of an attempt is recorded only by the holder of the lease.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from gtopss.broker.delivery.attempts import AddNotice, AttemptRecorder, Work, next_work
from gtopss.broker.delivery.kind import DONE, DeliveryKind, Outcome, Result
from gtopss.broker.delivery.message import Compose
from gtopss.broker.delivery.retries import DeliveryRetries
from gtopss.broker.due_work import DueWork
from gtopss.broker.host_pool import HostPool
from gtopss.broker.store import target_rows
from gtopss.broker.store.store import Store
from gtopss.broker.store.target_rows import Target

_BUSY_HOST_WAIT_SECONDS = 1.0  # before a target is looked at again whose host has enough attempts running

_log = logging.getLogger("gtopss.broker.delivery")


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """How many deliveries are attempted at once, and for how long a broker holds a target."""

    threads: int = 64
    """Targets that are attempted at once; as many are claimed at once."""
    per_host: int = 16
    """Targets of one host that are attempted at once."""
    lease_seconds: float = 120.0
    """Time after which another broker may attempt a target that was claimed. Longer than an attempt can take."""
    retries: DeliveryRetries = field(default_factory=DeliveryRetries)


class DeliverySchedule(DueWork[Target]):
    """Attempts the deliveries of all targets in a store, beside other brokers. Thread-safe.

    `kinds` are the kinds of delivery by their names; a target of another kind is left to brokers that know it.
    """

    def __init__(
        self,
        store: Store,
        kinds: Mapping[str, DeliveryKind],
        compose: Compose,
        add_notice: AddNotice,
        *,
        broker_id: str,
        settings: ScheduleSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        settings = settings or ScheduleSettings()
        pool = HostPool(settings.threads, settings.per_host, "gtopss-delivery")
        wait = _BUSY_HOST_WAIT_SECONDS
        super().__init__(store, pool, settings.lease_seconds, clock, broker_id, busy_host_seconds=wait)
        self._kinds, self._compose = dict(kinds), compose
        self._recorder = AttemptRecorder(settings.retries, add_notice)

    def _claim(self, connection: Connection, *, now: float, until: float, limit: int) -> list[Target]:
        kinds = list(self._kinds)
        return target_rows.claim_due(connection, self._broker_id, kinds=kinds, now=now, until=until, limit=limit)

    def _next_due(self, connection: Connection, now: float) -> float | None:
        return target_rows.next_due(connection, now)

    def _host(self, row: Target) -> str:
        return self._kinds[row.kind].host(row)

    def _ids(self, row: Target) -> dict[str, str]:
        return {"target": row.id, "subscription": row.subscription}

    def _give_back(self, connection: Connection, row: Target, due_at: float) -> None:
        target_rows.complete(connection, row, replace(row, due_at=due_at, lease_holder=None, lease_until=0.0))

    def _run(self, row: Target) -> None:
        """Deliver what waits for a claimed target, one message after the other, while it goes well."""
        give_back_at = self._clock() + self._lease_seconds / 2
        held: Target | None = row
        while held is not None:
            held = self._attempt_once(held, give_back_at)

    def _attempt_once(self, target: Target, give_back_at: float) -> Target | None:
        now = self._clock()
        work = self._store.read(lambda connection: next_work(connection, target, self._compose, now))
        outcome = self._execute(replace(target, secrets=work.secrets), work, now)
        now = self._clock()
        keeps = outcome.result is Result.DONE and now < give_back_at and not self._is_closed
        keep_until = now + self._lease_seconds if keeps else None
        return self._store.write(
            lambda connection: self._recorder.record(connection, target, work, outcome, now, keep_until)
        )

    def _execute(self, target: Target, work: Work, now: float) -> Outcome:
        kind = self._kinds[target.kind]
        try:
            if work.verify:
                outcome = kind.verify(target, now)
            elif work.message is not None:
                outcome = kind.deliver(target, work.message, now)
            else:
                return DONE
        except Exception as error:
            _log.exception("a delivery failed unexpectedly", extra=self._ids(target))
            outcome = Outcome(Result.FAILED, f"{type(error).__name__} in the broker")
        delivery = None if work.message is None else work.message.id
        _log.info("delivery: %s", outcome.result.value, extra=self._ids(target) | {"delivery": delivery})
        return outcome
