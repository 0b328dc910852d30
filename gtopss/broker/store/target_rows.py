"""Read and write the rows of `targets` and `dead_letters`: where notifications are pushed to, and what was given up."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from gtopss.broker.store import leases
from gtopss.broker.store.tables import dead_letters, targets
from gtopss.broker.store.upserts import among, in_parts


class TargetState(IntEnum):
    """Whether a target receives notifications."""

    UNVERIFIED = 0
    ACTIVE = 1
    DISABLED = 2


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A secret of a target. `until` is the end of one that was replaced, in Unix seconds."""

    text: str
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A place that a subscription's notifications are pushed to, with the state of its deliveries."""

    id: str
    subscription: str
    kind: str
    address: str
    secrets: tuple[SigningSecret, ...]
    """The newest first."""
    state: TargetState
    reason: str | None = None
    """Why it is disabled, or what went wrong last."""
    delivered_sequence: int = 0
    """All notifications up to this one were delivered or given up."""
    attempted_sequence: int | None = None
    """The last notification in the delivery that failed and is tried again; None if there is none."""
    attempts: int = 0
    """Failures in a row."""
    due_at: float | None = None
    period_start: float | None = None
    period_deliveries: int = 0
    lease_holder: str | None = None
    lease_until: float = 0.0

    def signing_secrets(self, now: float) -> list[str]:
        """Return the secrets that sign a message now, the newest first."""
        return [each.text for each in self.secrets if each.until is None or now < each.until]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A delivery that was given up: a range of notifications of a target."""

    target: str
    first_sequence: int
    last_sequence: int
    subscription: str
    reason: str
    at: float
    replay: bool = False


def insert_target(connection: Connection, target: Target) -> None:
    """Add a target."""
    connection.execute(targets.insert().values(**_values(target)))


def target_of(connection: Connection, subscription: str, id: str, *, lock: bool = False) -> Target | None:
    """Return a target of this subscription, or None. With `lock`, nobody else changes it until the transaction ends."""
    found = select(targets).where(targets.c.id == id, targets.c.subscription == subscription)
    row = connection.execute(found.with_for_update() if lock else found).one_or_none()
    return None if row is None else _target(row)


def targets_of(connection: Connection, subscription: str) -> list[Target]:
    """Return the targets of a subscription, in the order of their ids."""
    found = select(targets).where(targets.c.subscription == subscription).order_by(targets.c.id)
    return [_target(row) for row in connection.execute(found)]


def set_state(connection: Connection, target: Target) -> None:
    """Write the state of a target and end its lease, so that a running attempt is not recorded."""
    ended = replace(target, lease_holder=None, lease_until=0.0)
    connection.execute(update(targets).where(targets.c.id == target.id).values(**_state_values(ended)))


def set_secrets(connection: Connection, id: str, secrets: Sequence[SigningSecret]) -> None:
    """Write the secrets of a target. A running attempt goes on."""
    connection.execute(update(targets).where(targets.c.id == id).values(secrets=_secrets_json(secrets)))


def remove_target(connection: Connection, id: str) -> None:
    """Delete a target and its dead letters."""
    connection.execute(delete(dead_letters).where(dead_letters.c.target == id))
    connection.execute(delete(targets).where(targets.c.id == id))


def wake(connection: Connection, subscription_ids: Iterable[str], now: float, *, notice: bool = False) -> None:
    """Mark the targets of these subscriptions as due, after notifications were added in the same transaction.

    The transaction has updated `last_sequence` of these subscriptions before. A target that waits before it tries a
    failed delivery again keeps its time. A notice also ends the wait of a digest.
    """
    waits: ColumnElement[bool] = targets.c.due_at.is_(None)
    if notice:
        waits = or_(waits, (targets.c.due_at > now) & (targets.c.attempts == 0))
    for ids in in_parts(subscription_ids):
        connection.execute(
            update(targets)
            .where(among(connection, targets.c.subscription, ids), targets.c.state == TargetState.ACTIVE, waits)
            .values(due_at=now)
        )


def next_due(connection: Connection, now: float) -> float | None:
    """Return when the next target is due that nobody holds now; None if there is none."""
    return leases.next_due(connection, targets, now)


def claim_due(
    connection: Connection, broker: str, *, kinds: Sequence[str], now: float, until: float, limit: int
) -> list[Target]:
    """Claim up to `limit` targets of these kinds that are due, the longest due first."""
    known = targets.c.kind.in_(kinds)
    claimed = leases.claim_due(connection, targets, broker, now=now, until=until, limit=limit, among=known)
    return [_target(row) for row in claimed]


def complete(connection: Connection, claimed: Target, after: Target) -> None:
    """Write the new state of a claimed target. Raise LeaseLost if another has claimed it since."""
    before = _state_values(claimed)
    changed = {name: value for name, value in _state_values(after).items() if value != before[name]}
    values = {"lease_until": after.lease_until, **changed}
    leases.complete(connection, leases.lease_of(targets, claimed), [claimed.id], values)


def add_dead_letter(connection: Connection, letter: DeadLetter) -> None:
    """Add a dead letter, or replace one that begins with the same notification."""
    connection.execute(
        delete(dead_letters).where(
            dead_letters.c.target == letter.target, dead_letters.c.first_sequence == letter.first_sequence
        )
    )
    values = {name: getattr(letter, name) for name in DeadLetter.__slots__}
    connection.execute(dead_letters.insert().values(**values))


def dead_letters_of(connection: Connection, subscription: str, *, limit: int = 1_000) -> list[DeadLetter]:
    """Return the dead letters of a subscription, the oldest first."""
    found = select(dead_letters).where(dead_letters.c.subscription == subscription)
    ordered = found.order_by(dead_letters.c.at, dead_letters.c.target, dead_letters.c.first_sequence).limit(limit)
    return [_dead_letter(row) for row in connection.execute(ordered)]


def newest_dead_letters(connection: Connection, limit: int) -> list[DeadLetter]:
    """Return the dead letters of all subscriptions, the newest first."""
    ordered = select(dead_letters).order_by(dead_letters.c.at.desc(), dead_letters.c.target).limit(limit)
    return [_dead_letter(row) for row in connection.execute(ordered)]


def remove_dead_letter(connection: Connection, letter: DeadLetter) -> None:
    """Delete a dead letter."""
    connection.execute(
        delete(dead_letters).where(
            dead_letters.c.target == letter.target, dead_letters.c.first_sequence == letter.first_sequence
        )
    )


def mark_for_replay(connection: Connection, target: str, first_sequence: int | None, *, replay: bool = True) -> int:
    """Mark a dead letter, or all of a target, to be delivered again. Return how many there are."""
    which = [dead_letters.c.target == target]
    if first_sequence is not None:
        which.append(dead_letters.c.first_sequence == first_sequence)
    return connection.execute(update(dead_letters).where(*which).values(replay=replay)).rowcount


def next_replay(connection: Connection, target: str) -> DeadLetter | None:
    """Return the first dead letter of a target that is marked to be delivered again."""
    marked = select(dead_letters).where(dead_letters.c.target == target, dead_letters.c.replay)
    row = connection.execute(marked.order_by(dead_letters.c.first_sequence).limit(1)).one_or_none()
    return None if row is None else _dead_letter(row)


def was_given_up(connection: Connection, target: str, last_sequence: int) -> bool:
    """Return whether the delivery that ended with this notification was given up."""
    found = select(dead_letters.c.target).where(
        dead_letters.c.target == target, dead_letters.c.last_sequence == last_sequence
    )
    return connection.execute(found.limit(1)).one_or_none() is not None


_REGISTERED = frozenset({"id", "subscription", "kind", "address", "secrets"})


def _state_values(target: Target) -> dict[str, Any]:
    values = {name: getattr(target, name) for name in Target.__slots__ if name not in _REGISTERED}
    values["state"] = int(target.state)
    return values


def _values(target: Target) -> dict[str, Any]:
    registered = {name: getattr(target, name) for name in _REGISTERED}
    registered["secrets"] = _secrets_json(target.secrets)
    return registered | _state_values(target)


def _secrets_json(secrets: Sequence[SigningSecret]) -> str:
    return json.dumps([[each.text, each.until] for each in secrets])


def read_secrets(column: str) -> tuple[SigningSecret, ...]:
    """Return the secrets of a target from their column, the newest first."""
    return tuple(SigningSecret(text, until) for text, until in json.loads(column))


def _target(row: Any) -> Target:
    values = {name: getattr(row, name) for name in Target.__slots__}
    values["secrets"] = read_secrets(row.secrets)
    values["state"] = TargetState(row.state)
    return Target(**values)


def _dead_letter(row: Any) -> DeadLetter:
    return DeadLetter(**{name: getattr(row, name) for name in DeadLetter.__slots__})
