"""What to do with a claimed target next, and what an attempt makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, func, select

from gtopss.broker.delivery.kind import Outcome, Result
from gtopss.broker.delivery.message import Compose, Message
from gtopss.broker.delivery.planning import DeliverySettings, Wait, count_delivery, plan
from gtopss.broker.delivery.retries import DeliveryRetries
from gtopss.broker.store import notification_rows, target_rows
from gtopss.broker.store.notification_pages import within_bytes
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.storable_text import storable_text
from gtopss.broker.store.tables import dead_letters, subscriptions, targets
from gtopss.broker.store.target_rows import DeadLetter, SigningSecret, Target, TargetState

MAX_JOINED_NOTIFICATIONS = 1_000
"""Notifications of one message; further ones are in the next message."""
MAX_JOINED_BYTES = 4 * 2**20
"""Triples of the publications of one message that joins several; what exceeds it is in the next message."""

AddNotice = Callable[[Connection, str, str, float], None]
"""Adds a notice to a subscription: (connection, subscription, kind, now)."""

# Made once: making a statement takes longer than running it.
_SUBSCRIPTION = select(
    subscriptions.c.digest,
    subscriptions.c.at_most,
    subscriptions.c.at_most_period,
    subscriptions.c.last_sequence,
    select(targets.c.secrets).where(targets.c.id == bindparam("target")).scalar_subquery().label("secrets"),
    select(func.min(dead_letters.c.first_sequence))
    .where(dead_letters.c.target == bindparam("target"), dead_letters.c.replay)
    .scalar_subquery()
    .label("replay"),
).where(subscriptions.c.id == bindparam("of"))
_LOCKED_LAST_SEQUENCE = (
    select(subscriptions.c.last_sequence).where(subscriptions.c.id == bindparam("of")).with_for_update(read=True)
)


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with a target next: verify it, wait, or deliver a message. Nothing, if all is empty."""

    settings: DeliverySettings
    secrets: tuple[SigningSecret, ...] = ()
    """Those of the target now: the owner may rotate them while a broker holds the target."""
    verify: bool = False
    wait_until: float | None = None
    last_sequence: int = 0
    """The newest notification that there was."""
    message: Message | None = None
    replayed: DeadLetter | None = None
    """The dead letter that the message is from."""
    skip_to: int | None = None
    """The notifications up to this one are not retained any more."""
    subscription_is_gone: bool = False


def next_work(connection: Connection, target: Target, compose: Compose, now: float) -> Work:
    """Return what to do with a target next."""
    found = connection.execute(_SUBSCRIPTION, {"of": target.subscription, "target": target.id}).one_or_none()
    if found is None:
        return Work(DeliverySettings(), subscription_is_gone=True)
    settings = DeliverySettings(found.digest, found.at_most, found.at_most_period)
    secrets = target.secrets if found.secrets is None else target_rows.read_secrets(found.secrets)
    if target.state is not TargetState.ACTIVE:
        return Work(settings, secrets, verify=target.state is TargetState.UNVERIFIED)
    if found.replay is not None and (letter := target_rows.next_replay(connection, target.id)) is not None:
        size = letter.last_sequence - letter.first_sequence + 1
        rows = notification_rows.after(connection, target.subscription, letter.first_sequence - 1, size)
        rows = [row for row in rows if row.sequence <= letter.last_sequence]
        return Work(settings, secrets, message=_message(connection, compose, rows), replayed=letter)
    may_join = settings != DeliverySettings() or target.attempted_sequence is not None
    limit = MAX_JOINED_NOTIFICATIONS if may_join else 1
    waiting = notification_rows.after(connection, target.subscription, target.delivered_sequence, limit)
    if not waiting:
        return Work(settings, secrets, skip_to=max(found.last_sequence, target.delivered_sequence))
    planned = plan(settings, target, waiting, now)
    if isinstance(planned, Wait):
        return Work(settings, secrets, wait_until=planned.until, last_sequence=found.last_sequence)
    rows = _within_size(connection, waiting[: max(1, planned.count)])
    message = _message(connection, compose, rows)
    return Work(settings, secrets, message=message, skip_to=rows[-1].sequence if message is None else None)


def _within_size(connection: Connection, rows: list[NotificationRow]) -> list[NotificationRow]:
    """Return as many of the first rows as one message may join, at least one."""
    if len(rows) == 1:
        return rows
    return within_bytes(connection, rows, MAX_JOINED_BYTES)


def _message(connection: Connection, compose: Compose, rows: list[NotificationRow]) -> Message | None:
    notifications = tuple(compose(connection, rows))
    if not notifications:
        return None
    return Message(rows[0].subscription, rows[0].sequence, rows[-1].sequence, notifications)


@dataclass(frozen=True, slots=True)
class AttemptRecorder:
    """Writes what came of an attempt, in one transaction."""

    retries: DeliveryRetries
    add_notice: AddNotice

    def record(
        self, connection: Connection, target: Target, work: Work, outcome: Outcome, now: float, keep_until: float | None
    ) -> Target | None:
        """Write what came of an attempt. Raise LeaseLost if another has claimed the target since.

        Return the target if it is due again and stays with its holder, which it does until `keep_until`, if given.
        """
        if work.subscription_is_gone:
            target_rows.remove_target(connection, target.id)
            return None
        if outcome.reason is not None:
            outcome = replace(outcome, reason=storable_text(outcome.reason))
        after = self._after(connection, target, work, outcome, now)
        if after.state is TargetState.ACTIVE and _is_due_again(connection, after, work):
            after = replace(after, due_at=now)
        stays = keep_until is not None and after.due_at is not None and after.due_at <= now
        after = replace(after, lease_until=keep_until or 0.0, lease_holder=after.lease_holder if stays else None)
        target_rows.complete(connection, target, after if stays else replace(after, lease_until=0.0))
        if after.state is TargetState.DISABLED and target.state is not TargetState.DISABLED:
            self.add_notice(connection, target.subscription, "disabled", now)
        return after if stays else None

    def _after(self, connection: Connection, target: Target, work: Work, outcome: Outcome, now: float) -> Target:
        """Return the target after an attempt."""
        if outcome.result is Result.GONE:
            return _disabled(target, outcome.reason or "the receiver wants nothing more")
        if work.verify:
            return self._after_verifying(target, outcome, now)
        if work.wait_until is not None:
            return replace(target, due_at=work.wait_until)
        if outcome.result is Result.DONE:
            return _after_delivery(connection, target, work, now)
        message = work.message
        assert message is not None  # nothing else fails
        failures, reason = target.attempts + 1, outcome.reason or "it was refused"
        wait = None if outcome.result is Result.REFUSED else self.retries.wait(failures, outcome.retry_after)
        if wait is None:
            return _given_up(connection, target, message, work.replayed, reason, now)
        attempted = target.attempted_sequence if work.replayed else message.last_sequence
        return replace(target, attempts=failures, reason=reason, attempted_sequence=attempted, due_at=now + wait)

    def _after_verifying(self, target: Target, outcome: Outcome, now: float) -> Target:
        if outcome.result is Result.DONE:
            return replace(target, state=TargetState.ACTIVE, attempts=0, reason=None, due_at=None)
        if outcome.result is Result.CONFIRMATION_NEEDED:
            return replace(target, attempts=0, reason=outcome.reason, due_at=None)
        failures = target.attempts + 1
        wait = self.retries.wait(failures, outcome.retry_after, verifying=True)
        if wait is None or outcome.result is Result.REFUSED:
            return _disabled(target, f"it could not be verified: {outcome.reason}")
        return replace(target, attempts=failures, reason=outcome.reason, due_at=now + wait)


def _after_delivery(connection: Connection, target: Target, work: Work, now: float) -> Target:
    """Return the target after a delivery, or after nothing was left to deliver."""
    if work.replayed is not None:
        target_rows.remove_dead_letter(connection, work.replayed)
    if work.message is None:
        skipped = target.delivered_sequence if work.skip_to is None else work.skip_to
        return replace(target, delivered_sequence=skipped, due_at=None)
    start, deliveries = count_delivery(work.settings, target, now)
    after = replace(target, attempts=0, reason=None, due_at=None, period_start=start, period_deliveries=deliveries)
    if work.replayed is not None:
        return after
    return replace(after, delivered_sequence=work.message.last_sequence, attempted_sequence=None)


def _given_up(
    connection: Connection, target: Target, message: Message, replayed: DeadLetter | None, reason: str, now: float
) -> Target:
    """Make a dead letter of a delivery. The second one in a row disables the target."""
    after = replace(target, attempts=0, reason=reason, due_at=None)
    if replayed is not None:
        target_rows.add_dead_letter(connection, replace(replayed, reason=reason, at=now, replay=False))
        return after
    repeated = target_rows.was_given_up(connection, target.id, target.delivered_sequence)
    first, last = message.first_sequence, message.last_sequence
    target_rows.add_dead_letter(connection, DeadLetter(target.id, first, last, target.subscription, reason, now))
    after = replace(after, delivered_sequence=last, attempted_sequence=None)
    return _disabled(after, f"two deliveries in a row were given up: {reason}") if repeated else after


def _disabled(target: Target, reason: str) -> Target:
    return replace(target, state=TargetState.DISABLED, reason=reason, attempts=0, due_at=None)


def _is_due_again(connection: Connection, target: Target, work: Work) -> bool:
    """Return whether something has arrived for a target that would be idle, or wait for the end of a period.

    The row of the subscription is locked, because a transaction that adds notifications at this moment changes it: so
    either its notifications are seen here, or it sees that the target is not due and calls `wake` for it. A target that
    waits is planned again, because a notice ends a digest. A dead letter that is marked at this moment ends the lease.
    """
    if target.due_at is not None and work.wait_until is None:
        return False
    last_sequence = connection.scalar(_LOCKED_LAST_SEQUENCE, {"of": target.subscription})
    seen = target.delivered_sequence if work.wait_until is None else work.last_sequence
    if last_sequence is not None and last_sequence > seen:
        return True
    return work.replayed is not None and target_rows.next_replay(connection, target.id) is not None
