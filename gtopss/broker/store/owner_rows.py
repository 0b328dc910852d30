"""Rows of owners: API keys, quotas and what of them is used."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sqlalchemy import Connection, select

from gtopss.broker.store.tables import owners
from gtopss.broker.store.upserts import insert_or_ignore

ANONYMOUS = "anonymous"
"""The id of the owner of everything that was subscribed without a key."""


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """One owner. `subscriptions` and `steps` are what it uses of its quota."""

    id: str
    name: str
    key_hash: bytes | None
    max_subscriptions: int
    max_steps: float | None
    created_at: float
    subscriptions: int = 0
    steps: float = 0.0
    roles: str = "publisher subscriber"
    """Separated by spaces; `gtopss.broker.owners.Role` names them."""


_COLUMNS = [owners.c[field.name] for field in fields(OwnerRow)]


def insert(connection: Connection, row: OwnerRow) -> None:
    """Add an owner; nothing happens if its id is there already."""
    connection.execute(insert_or_ignore(connection, owners), {each.name: getattr(row, each.name) for each in _COLUMNS})


def set_quota(connection: Connection, owner: str, max_subscriptions: int, max_steps: float | None) -> None:
    """Replace the quota of an owner."""
    changed = {"max_subscriptions": max_subscriptions, "max_steps": max_steps}
    connection.execute(owners.update().where(owners.c.id == owner).values(changed))


def set_key(connection: Connection, owner: str, key_hash: bytes) -> None:
    """Replace the API key of an owner."""
    connection.execute(owners.update().where(owners.c.id == owner).values(key_hash=key_hash))


def get(connection: Connection, owner: str, *, lock: bool = False) -> OwnerRow | None:
    """Return an owner by its id. With `lock`, nobody else changes it until the transaction ends."""
    query = select(*_COLUMNS).where(owners.c.id == owner)
    found = connection.execute(query.with_for_update() if lock else query).first()
    return None if found is None else OwnerRow(*found)


def by_key_hash(connection: Connection, key_hash: bytes) -> OwnerRow | None:
    """Return the owner whose API key has this hash."""
    found = connection.execute(select(*_COLUMNS).where(owners.c.key_hash == key_hash)).first()
    return None if found is None else OwnerRow(*found)


def all_with_keys(connection: Connection) -> list[OwnerRow]:
    """Return the owners that have a key, the oldest first."""
    query = select(*_COLUMNS).where(owners.c.key_hash.is_not(None)).order_by(owners.c.created_at, owners.c.id)
    return [OwnerRow(*found) for found in connection.execute(query)]


def add_usage(connection: Connection, owner: str, subscriptions: int, steps: float) -> None:
    """Add to what an owner uses of its quota; negative numbers for what it uses no longer."""
    changed = {"subscriptions": owners.c.subscriptions + subscriptions, "steps": owners.c.steps + steps}
    connection.execute(owners.update().where(owners.c.id == owner).values(changed))


def delete(connection: Connection, owner: str) -> None:
    """Delete an owner. Its subscriptions are deleted by the caller, before."""
    connection.execute(owners.delete().where(owners.c.id == owner))
