"""The operations of a subscription's owner on its targets and dead letters.

They are functions of a connection, so that the caller decides which changes share a transaction. The caller checks the
ticket.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from gtopss.broker.delivery.email import confirmation_code
from gtopss.broker.delivery.kind import DeliveryKind
from gtopss.broker.errors import InvalidTarget, TargetNotFound
from gtopss.broker.store import target_rows
from gtopss.broker.store.tables import subscriptions
from gtopss.broker.store.target_rows import SigningSecret, Target, TargetState

MAX_TARGETS = 5
"""Targets of one subscription."""
MAX_VERIFICATIONS = 20
"""Verifications of targets that a subscription may ask for within `VERIFICATION_PERIOD_SECONDS`, by adding or enabling
them. Each sends a message to an address that has not agreed to it."""
VERIFICATION_PERIOD_SECONDS = 24 * 3600.0
SECRET_OVERLAP_SECONDS = 24 * 3600.0
"""For how long a secret that was replaced still signs, beside the new one."""


@dataclass(frozen=True, slots=True)
class NewTarget:
    """A target that is not stored yet. `secret` is what the owner verifies signatures with; it is shown once."""

    id: str
    kind: str
    address: str
    secret: str


@dataclass(frozen=True, slots=True)
class TargetStatus:
    """What the owner of a subscription sees of a target."""

    id: str
    kind: str
    address: str
    state: str
    """"unverified", "active" or "disabled"."""
    reason: str | None
    """Why it is disabled, or what went wrong last."""
    delivered_sequence: int
    failures: int
    """Failed attempts of the current delivery."""
    next_attempt_at: float | None


class Targets:
    """Adds, lists and changes the targets of subscriptions."""

    def __init__(self, kinds: Mapping[str, DeliveryKind], *, clock: Callable[[], float] = time.time) -> None:
        self._kinds, self._clock = dict(kinds), clock

    def prepare(self, kind: str, address: str) -> NewTarget:
        """Return a new target, not stored yet. Raise InvalidTarget for an address that cannot be one.

        The receiver is not contacted: the target is verified later, by the schedule.
        """
        known = self._kinds.get(kind)
        if known is None:
            offered = ", ".join(sorted(self._kinds)) or "none"
            advice = " (for e-mail, the operator starts the service with --smtp)" if kind == "email" else ""
            raise InvalidTarget(kind, address, f"this broker does not offer this kind: choose from {offered}{advice}")
        id = f"target_{secrets.token_urlsafe(12)}"
        return NewTarget(id, kind, known.normalise_address(address), known.new_secret())

    def add(self, connection: Connection, subscription: str, new: NewTarget) -> None:
        """Store a target. It gets the notifications that follow, once it is verified."""
        last = self._count_verification(connection, subscription, new.kind, new.address)
        if len(target_rows.targets_of(connection, subscription)) >= MAX_TARGETS:
            raise InvalidTarget(new.kind, new.address, f"the subscription has {MAX_TARGETS} targets: remove one first")
        target = Target(
            id=new.id,
            subscription=subscription,
            kind=new.kind,
            address=new.address,
            secrets=(SigningSecret(new.secret),),
            state=TargetState.UNVERIFIED,
            delivered_sequence=last,
            due_at=self._clock(),
        )
        target_rows.insert_target(connection, target)

    def _count_verification(self, connection: Connection, subscription: str, kind: str, address: str) -> int:
        """Count a verification, and return the number of the newest notification. Raise InvalidTarget beyond the limit.

        The row is locked, so that two brokers do not add the last target at the same time.
        """
        columns = subscriptions.c
        query = select(columns.last_sequence, columns.verifications, columns.verifications_since)
        row = connection.execute(query.where(columns.id == subscription).with_for_update()).one_or_none()
        if row is None:
            return 0
        now = self._clock()
        is_new = now >= row.verifications_since + VERIFICATION_PERIOD_SECONDS
        since, done = (now, 0) if is_new else (row.verifications_since, row.verifications)
        if done >= MAX_VERIFICATIONS:
            hours = (since + VERIFICATION_PERIOD_SECONDS - now) / 3600
            reason = f"its subscription has asked for {done} verifications within a day: try again in {hours:.0f} hours"
            raise InvalidTarget(kind, address, reason)
        counted = {"verifications": done + 1, "verifications_since": since}
        connection.execute(subscriptions.update().where(columns.id == subscription).values(counted))
        return int(row.last_sequence)

    def statuses(self, connection: Connection, subscription: str) -> list[TargetStatus]:
        """Return the targets of a subscription, without their secrets."""
        return [_status(each) for each in target_rows.targets_of(connection, subscription)]

    def remove(self, connection: Connection, subscription: str, id: str) -> None:
        """Delete a target and its dead letters."""
        target_rows.remove_target(connection, _found(connection, subscription, id).id)

    def rotate_secret(self, connection: Connection, subscription: str, id: str) -> str:
        """Replace the secret of a target, and return the new one, which is shown this once.

        For a day the replaced one signs too, while the receiver changes over.
        """
        target = _found(connection, subscription, id)
        new = self._kinds[target.kind].new_secret()
        replaced = replace(target.secrets[0], until=self._clock() + SECRET_OVERLAP_SECONDS)
        target_rows.set_secrets(connection, target.id, (SigningSecret(new), replaced))
        return new

    def confirm(self, connection: Connection, subscription: str, id: str, code: str) -> None:
        """Activate a target whose address got a code. Raise TargetNotFound for a wrong one."""
        target = _found(connection, subscription, id)
        is_right = hmac.compare_digest(confirmation_code(target).encode(), code.strip().encode("utf-8", "replace"))
        if target.kind != "email" or not is_right or target.state is TargetState.DISABLED:
            raise TargetNotFound(
                "no target of the subscription waits for this code: check the code, or enable it again"
            )
        active = replace(target, state=TargetState.ACTIVE, reason=None, attempts=0, due_at=self._clock())
        target_rows.set_state(connection, active)

    def enable(self, connection: Connection, subscription: str, id: str) -> None:
        """Verify a disabled target again, and then deliver what waits for it."""
        target = _found(connection, subscription, id)
        if target.state is not TargetState.ACTIVE:
            self._count_verification(connection, subscription, target.kind, target.address)
            again = replace(target, state=TargetState.UNVERIFIED, attempts=0, due_at=self._clock())
            target_rows.set_state(connection, again)

    def replay(self, connection: Connection, subscription: str, id: str, first_sequence: int | None = None) -> int:
        """Deliver a dead letter again, or all of a target. Return how many there are.

        They are delivered before what waits, under the same ids. One that is given up again stays a dead letter.
        """
        target = _found(connection, subscription, id)
        count = target_rows.mark_for_replay(connection, target.id, first_sequence)
        if not count:
            raise TargetNotFound("the target has no such dead letter: list the dead letters")
        if target.state is TargetState.ACTIVE:
            target_rows.set_state(connection, replace(target, attempts=0, due_at=self._clock()))
        return count


def _found(connection: Connection, subscription: str, id: str) -> Target:
    # Locked: an attempt of another broker must not be recorded between reading the state and writing it.
    target = target_rows.target_of(connection, subscription, id, lock=True)
    if target is None:
        raise TargetNotFound("the subscription has no such target: list its targets")
    return target


def _status(target: Target) -> TargetStatus:
    return TargetStatus(
        id=target.id,
        kind=target.kind,
        address=target.address,
        state=target.state.name.lower(),
        reason=target.reason,
        delivered_sequence=target.delivered_sequence,
        failures=target.attempts,
        next_attempt_at=target.due_at,
    )
